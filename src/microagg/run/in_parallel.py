"""Work done a few pieces at a time, that can be watched and stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Progress = Callable[[int, int], None]
"""Called with what is done and all there is; an exception raised in it stops the work."""

Found = TypeVar("Found")

STEPS = 100
"""How many steps each piece of work counts for."""

_GLANCE = 0.1  # seconds between two looks at how far the work has come


class StoppedError(Exception):
    """Raised in what is still at work when another piece has failed, or nobody wants it any more."""


def all_of(
    pieces: Sequence[Callable[[Progress], Found]], hands: int, progress: Progress | None = None
) -> list[Found]:
    """Return what each piece of work finds, in their order; so many are worked at, at the same time.

    `progress` is only called by the thread that calls this. Whatever is raised, here or in a piece,
    stops the others and is raised.
    """
    watched = _Watched(len(pieces))
    with ThreadPoolExecutor(hands) as pool:
        try:
            work = [pool.submit(piece, watched.teller(place)) for place, piece in enumerate(pieces)]
            _wait_for(work, watched, progress)
        except BaseException:
            watched.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [piece.result() for piece in work]


class _Watched:
    """How far each piece of work has come, and whether it is to stop."""

    def __init__(self, pieces: int) -> None:
        self.done = [0] * pieces
        self.stopped = threading.Event()

    def teller(self, place: int) -> Progress:
        """Return what one piece of work tells its progress to."""

        def tell(done: int, total: int) -> None:
            if self.stopped.is_set():
                raise StoppedError
            self.done[place] = STEPS * done // max(total, 1)

        return tell


def _wait_for(work: Sequence[Future[Found]], watched: _Watched, progress: Progress | None) -> None:
    """Wait until all is done, and tell how far it has come; raises what a piece has raised."""
    place_of = {piece: place for place, piece in enumerate(work)}
    waiting = set(work)
    while waiting:
        finished, waiting = wait(waiting, _GLANCE, FIRST_COMPLETED)
        for piece in finished:
            piece.result()
            watched.done[place_of[piece]] = STEPS
        if progress is not None:
            progress(sum(watched.done), STEPS * len(work))


def part_of(progress: Progress, start: float, stop: float) -> Progress:
    """Return a progress that tells a part of the work as the share that it is of all."""
    return lambda done, total: progress(int(STEPS * (start + (stop - start) * done / max(total, 1))), STEPS)
