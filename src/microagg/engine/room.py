"""So much memory for all threads together: who needs more than is left waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition


class Room:
    """Bytes that threads share."""

    def __init__(self, size: int) -> None:
        self.size, self.free, self.changed = size, size, Condition()

    @contextmanager
    def taken(self, needed: int) -> Iterator[None]:
        """Take so many bytes for what is done meanwhile, as soon as they are free; all of them at most."""
        needed = min(needed, self.size)
        with self.changed:
            self.changed.wait_for(lambda: self.free >= needed)
            self.free -= needed
        try:
            yield
        finally:
            with self.changed:
                self.free += needed
                self.changed.notify_all()
