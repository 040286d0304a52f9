"""How far long work has come, for a person who watches."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import microagg.cli.stopping as stopping

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 0.5  # seconds before a bar appears


class Bar:
    """A progress bar that is there only for work that takes a while."""

    def __init__(self, first: str) -> None:
        self._lock = threading.Lock()
        self._bar: Progress | None = None
        self._said: tuple[str, int | None, int] = (first, None, 0)
        self._closed = False
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def say(self, what: str, total: int | None = None, done: int = 0) -> None:
        """Say what is worked at, and how far it has come, if that is known."""
        with self._lock:
            is_new = what != self._said[0]
            self._said = (what, total, done)
            if self._bar is None:
                return
            if is_new:  # each stage has a speed, and so a time left, of its own
                self._bar.remove_task(self._bar.task_ids[0])
                self._bar.add_task(what, total=total, completed=done)
            else:
                self._bar.update(self._bar.task_ids[0], completed=done)

    def close(self) -> None:
        """Take the bar away."""
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress  # a fifth of a second that short work does not pay

        with self._lock:
            if self._closed:
                return
            what, total, done = self._said
            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.add_task(what, total=total, completed=done)
            self._bar.start()


class Grouping:
    """Is told of the groups that are formed, and passes it on to the bar, if there is one."""

    def __init__(self, bar: Bar | None) -> None:
        self._bar = bar

    def __call__(self, done: int, total: int) -> None:
        """Take in that so many records of all are done."""
        if done == total:
            stopping.may_be_writing()
        if self._bar is None:
            return
        if done == total:
            self._bar.say("Checking and writing")
        else:
            note = ", which compiles the first time" if not done and _may_compile(total) else ""
            self._bar.say(f"Grouping {total:,} records{note}", total, done)


class Measuring:
    """Is told of steps that are done, and passes it on to the bar, if there is one."""

    def __init__(self, bar: Bar | None, what: str = "Measuring") -> None:
        self._bar, self._what = bar, what

    def __call__(self, done: int, total: int) -> None:
        """Take in that so many steps of all are done."""
        if self._bar is not None:
            self._bar.say(self._what, total, done)


def _may_compile(records: int) -> bool:
    from microagg.partition.choice import may_compile  # loaded by now, but not when the command line is

    return may_compile(records)


def reading(place: str) -> str:
    """Return what is said while a table is read; the address of a database may hold a password.

    >>> reading("firms.csv"), reading("postgresql://me:secret@host/survey")
    ('Reading firms.csv', 'Reading the database')
    """
    return f"Reading {'the database' if '://' in place else place}"


@contextmanager
def shown(first: str, *, quiet: bool = False) -> Iterator[Bar | None]:
    """Give a bar if a person is watching."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = Bar(first)
    try:
        yield bar
    finally:
        bar.close()
