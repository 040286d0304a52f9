"""Parts and blocks on all cores, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event, Lock
from typing import Generic

from microagg.engine.contract import Found
from microagg.kernels.exact import fewer_parts
from microagg.partition.threads import share_out

_JOINED_AT = 16  # findings, which are joined before there are more


class Stopped(Exception):  # noqa: N818 - no error: the work was told to end
    """Raised within a block that is not to be finished."""


class Findings(Generic[Found]):
    """What was found so far, joined now and then so that it stays small."""

    def __init__(self, joined: Callable[[Sequence[Found]], Found]) -> None:
        self.joined, self.waiting, self.lock = joined, list[Found](), Lock()

    def add(self, found: Found) -> None:
        """Add what was found in one part, from any thread."""
        with self.lock:
            self.waiting.append(found)
            if len(self.waiting) >= _JOINED_AT:
                self.waiting = [self.joined(self.waiting)]

    def all(self) -> Found:
        """Return what was found in all parts."""
        return self.joined(self.waiting)


def folded(
    parts: int,
    part: Callable[[int], Found],
    joined: Callable[[Sequence[Found]], Found],
    watch: Callable[[], None],
    stop: Event | None = None,
) -> Found:
    """Return what is found in each of so many parts, joined.

    `stop` is set when no more is to be done; what is done in a part may then raise Stopped.
    """
    findings, stop = Findings(joined), stop or Event()

    def work(waiting: Iterator[int]) -> None:
        for number in waiting:
            if stop.is_set():
                return
            try:
                findings.add(part(number))
            except Stopped:
                return

    share_out(parts, work, stop, watch, None)
    return findings.all()


def joined_sums(sums: Sequence[list[list[float]]]) -> list[list[float]]:
    """Return the exact parts of several sums, each over all parts."""
    return [fewer_parts([part for parts in several for part in parts]) for several in zip(*sums, strict=True)]
