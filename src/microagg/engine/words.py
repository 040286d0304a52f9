"""Files of records of fixed width, which are written and read anywhere without holding more than a part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from microagg.engine.contract import Ints

_WORD = 8  # bytes
_PIECE = 1 << 17  # records


class Words:
    """A file of records, each of so many words of eight bytes."""

    def __init__(self, path: Path, width: int) -> None:
        self.path, self.width = path, width
        self.handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)

    def write(self, start: int, words: Ints) -> None:
        """Write some records from this place on."""
        rest, place = memoryview(np.ascontiguousarray(words).data).cast("B"), start * self.width * _WORD
        while rest:
            written = os.pwrite(self.handle, rest, place)
            rest, place = rest[written:], place + written

    def read(self, start: int, stop: int) -> Ints:
        """Return the records of some places."""
        words = np.empty((stop - start, self.width), np.int64)
        rest, place = memoryview(words.reshape(-1).data).cast("B"), start * self.width * _WORD
        while rest:
            found = os.preadv(self.handle, [rest], place)
            if not found:
                raise OSError(f"{self.path} ends too early")
            rest, place = rest[found:], place + found
        return words

    def remove(self) -> None:
        """Close the file and make room."""
        os.close(self.handle)
        self.path.unlink()


class Sorted:
    """Records put in order by their parts, each of which is known to have so many.

    So each record can be written to its place at once: an external sort that reads and writes everything
    once.
    """

    def __init__(self, path: Path, counts: Ints, width: int) -> None:
        self.words = Words(path, width)
        self.ends = np.cumsum(counts)
        self.next = self.ends - counts  # where the next record of each part goes
        self.starts = self.next.copy()
        self.lock = Lock()

    def put(self, part: NDArray[np.integer], words: Ints) -> None:
        """Write some records to their parts, from any thread."""
        few = len(self.ends) <= 2**16  # numbers of 16 bits are sorted far faster
        order = np.argsort(part.astype(np.uint16) if few else part, kind="stable")
        of, ordered = part[order], words[order]
        first = np.flatnonzero(np.diff(of, prepend=-1))
        last = np.append(first[1:], len(of))
        with self.lock:
            places = self.next[of[first]]
            self.next[of[first]] += last - first
        for place, begin, end in zip(places.tolist(), first.tolist(), last.tolist(), strict=True):
            self.words.write(place, ordered[begin:end])

    def read(self, part: int) -> Ints:
        """Return the records of a part."""
        if self.next[part] != self.ends[part]:
            raise AssertionError("a part has other records than were counted")
        return self.words.read(int(self.starts[part]), int(self.ends[part]))

    def pieces(self, part: int) -> Iterator[Ints]:
        """Yield the records of a part, some at a time."""
        end = int(self.ends[part])
        for start in range(int(self.starts[part]), end, _PIECE):
            yield self.words.read(start, min(start + _PIECE, end))

    def remove(self) -> None:
        """Close the file and make room."""
        self.words.remove()
