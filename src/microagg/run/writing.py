"""The file that is written from parts, checked, and only then put in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import file_digest
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from microagg.check import require_safe
from microagg.columns import Floats
from microagg.engine import Block, Worked
from microagg.engine.checking import classes_in
from microagg.errors import UnsafeReleaseError
from microagg.partition.matrix import Progress
from microagg.result import Classes
from microagg.run.streamed import Request, Seen
from microagg.run.timing import timed
from microagg.tables.part_writing import (
    parts_written,
    put_together,
    schema_of,
    types_of_text,
    whole_or_nothing,
)
from microagg.tables.parts import Coding
from microagg.tables.streams import stream_of_written
from microagg.whole_files import replacing


class Watch:
    """Tells how far the work is, whatever it is at; so it can be stopped."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress, self.records = progress, 0

    def __call__(self) -> None:
        """Tell that the work goes on, with no more records done."""
        self.done(0)

    def done(self, records: int) -> None:
        """Tell how many records are done."""
        if self.progress is not None and self.records:
            self.progress(records, self.records)


class Place(NamedTuple):
    """Where temporary files are, how much memory DuckDB may take, and how large parts are."""

    folder: Path
    memory: int
    part: int


class Used:
    """Which numbers of columns of levels are released, taken in block by block, by any thread."""

    def __init__(self, codings: Sequence[Coding], work: Callable[[Block], Worked]) -> None:
        self.work, self.lock = work, Lock()
        self.there = [np.zeros(of.levels + 1, np.bool_) for of in codings]  # the last one: missing

    def block(self, block: Block) -> Worked:
        """Work on a block."""
        found = self.work(block)
        with self.lock:
            for there, released in zip(self.there, found.released.T, strict=True):
                if there.size > 1:
                    there[np.where(np.isnan(released), there.size - 1, released).astype(np.intp)] = True
        return found

    def levels(self) -> list[Floats]:
        """Return for each column the levels that are released."""
        return [np.flatnonzero(there[:-1]).astype(np.float64) for there in self.there]


class Writing:
    """The file that is written, checked, and only then put in its place."""

    def __init__(
        self,
        request: Request,
        seen: Seen,
        used: Used,
        place: Place,
        watch: Watch,
        seconds: dict[str, float],
    ) -> None:
        self.request, self.seen, self.used, self.place = request, seen, used, place
        self.watch, self.seconds = watch, seconds

    def safely(self, released: Iterator[Floats]) -> tuple[bytes, Classes]:
        """Return the SHA-256 of the file, and the classes that the check found in it."""
        path = self.request.target.path
        with whole_or_nothing(path), replacing(path) as stream:
            with timed(self.seconds, "write"):
                self._write(stream, released)
            with timed(self.seconds, "check"):
                classes = self._checked(Path(stream.name))
            stream.seek(0)
            return file_digest(stream, "sha256").digest(), classes

    def _write(self, stream: BinaryIO, released: Iterator[Floats]) -> None:
        codings = self.seen.codings
        types = {of.asked.name: of.back(np.zeros(0)).type for of in codings}
        origin = self.request.stream
        if origin.csv and self.request.target.format.name == "Parquet":
            types |= self._types_of_text()
        schema = schema_of(origin, self._names, types)
        with parts_written(stream, self.request.target, schema, origin) as writer:
            for kept, part in self._beside(released):
                self.watch.done(self.seen.records)
                new = {of.asked.name: of.back(part[:, place]) for place, of in enumerate(codings)}
                writer.add(put_together(schema, kept, new, origin.csv))

    def _types_of_text(self) -> dict[str, Any]:
        """Return the types of columns that are text in a CSV file, and need not be elsewhere."""
        columns = self.request.columns
        kept = [name for name in self._names if name not in columns]
        levels = {
            of.asked.name: of.back(used)
            for of, used in zip(self.seen.codings, self.used.levels(), strict=True)
            if of.levels
        }
        return types_of_text(self.request.stream, kept, levels, self.watch)

    def _beside(self, released: Iterator[Floats]) -> Iterator[tuple[Any, Floats]]:
        """Yield what is released beside what is kept of the same records."""
        names = [name for name in self._names if name not in self.request.columns]
        if not names:
            yield from ((None, part) for part in released)
            return
        yield from zip(self.request.stream.parts(names, self.place.part), released, strict=True)

    @property
    def _names(self) -> list[str]:
        return self.request.plan.released(self.request.stream.names)

    def _checked(self, path: Path) -> Classes:
        written = stream_of_written(path, self.request.target, self.request.stream)
        names, k = list(self.request.columns), self.request.plan.k
        found = classes_in(written, names, k, self.place.folder, self.place.memory, self.watch)
        require_safe(found, k)
        if found.records != self.seen.records:
            raise UnsafeReleaseError("the released table has other records than the one that was read")
        return found
