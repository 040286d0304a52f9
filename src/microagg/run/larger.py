"""Protect a table that is larger than memory: the stages in their order, each over parts."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

import microagg.tables as tables
from microagg.check import require_safe
from microagg.columns import Floats
from microagg.engine import OnDisk, scratch
from microagg.engine.checking import classes_in
from microagg.engine.facts import facts_of
from microagg.engine.ties import Others
from microagg.errors import InputError, UnsafeReleaseError
from microagg.fingerprints import Fingerprints
from microagg.partition.matrix import Progress
from microagg.plan import Plan
from microagg.result import Classes, Result
from microagg.run.blockwise import layout_of, loss_of, notes_of, released_by
from microagg.run.streamed import Request, Seen, requested, seen_in
from microagg.run.timing import timed, versions
from microagg.tables.duckdb_file import is_duckdb, library
from microagg.tables.part_writing import parts_written
from microagg.tables.streams import PART, stream_of_written
from microagg.whole_files import replacing

_OF_DATABASE = 0.6  # of the memory allowed is what DuckDB may take at a time


class Within(NamedTuple):
    """What the work may take."""

    memory: int  # bytes
    temporary: Path | None  # where, if not beside the file that is written
    part: int = PART  # records that are looked at together

    @property
    def database(self) -> int:
        """How many bytes of memory DuckDB may take."""
        return int(self.memory * _OF_DATABASE)


class _Watch:
    """Tells how far the work is, whatever it is at; so it can be stopped."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress, self.records = progress, 0

    def __call__(self) -> None:
        self.done(0)

    def done(self, records: int) -> None:
        """Tell how many records are done."""
        if self.progress is not None and self.records:
            self.progress(records, self.records)


def protect_larger(
    data: Any, plan: Plan, method: Any, to: Any, progress: Progress | None, within: Within
) -> Result:
    """Return the account of a release that was written; parameters and errors are those of `protect`."""
    library()
    seconds: dict[str, float] = {}
    watch = _Watch(progress)
    with timed(seconds, "read"):
        request = requested(data, plan, method, to, watch)
        seen = seen_in(request, watch)
        watch.records = seen.records
        given = tables.digest_of(data) if _is_file(data) else request.stream.digest()
    parent = within.temporary or request.target.path.parent
    with scratch(parent) as folder:
        with timed(seconds, "read"):
            engine = _engine(request, seen, folder, within, watch)
        with timed(seconds, "prepare"):
            facts = facts_of(engine, seen.codings, request.plan, request.centres)
        with timed(seconds, "partition"):
            laid, account = layout_of(engine, facts, request)
            released, squares = released_by(engine, facts, laid, request, watch.done)
        written = _Written(request, seen, folder, within, watch, seconds)
        output, classes = written.safely(released)
    return Result(
        data=stream_of_written(request.target.path, request.target, request.stream),
        labels=None,
        plan=request.plan,
        loss=loss_of(facts, squares),
        classes=classes,
        notes=tuple(notes_of(request, seen)),
        account=account,
        seconds=seconds,
        versions=versions(),
        fingerprints=Fingerprints.of(given, output),
        written=request.target.written,
    )


def _is_file(data: Any) -> bool:
    """Say whether the table is a file, whose own bytes count, or several."""
    return tables.is_place(data) and not is_duckdb(data)


def _engine(request: Request, seen: Seen, folder: Path, within: Within, watch: _Watch) -> OnDisk:
    """Return the engine with all records: their quasi-identifiers as numbers."""
    stream, names = request.stream, list(request.columns)
    engine = OnDisk(folder, len(names), within.part, within.database, watch)
    for part in stream.parts(names, within.part):
        watch()
        numbers = [
            coding.numbers(part.column(name).chunk(0), str)
            for coding, name in zip(seen.codings, names, strict=True)
        ]
        engine.append(np.column_stack(numbers))
    if engine.records != seen.records:
        raise InputError("the table changed while it was read: protect it when nobody writes to it")
    others = sorted(set(stream.names).difference(names))
    if others:
        engine.others = Others(others, lambda: stream.parts(others, within.part))
    return engine


class _Written:
    """The file that is written, checked, and only then put in its place."""

    def __init__(
        self,
        request: Request,
        seen: Seen,
        folder: Path,
        within: Within,
        watch: _Watch,
        seconds: dict[str, float],
    ) -> None:
        self.request, self.seen, self.folder, self.within = request, seen, folder, within
        self.watch, self.seconds = watch, seconds

    def safely(self, released: Iterator[Floats]) -> tuple[bytes, Classes]:
        """Return the SHA-256 of the file, and the classes that the check found in it."""
        path = self.request.target.path
        try:
            with replacing(path) as stream:
                with timed(self.seconds, "write"):
                    self._write(stream, released)
                with timed(self.seconds, "check"):
                    classes = self._checked(Path(stream.name))
                stream.seek(0)
                return file_digest(stream, "sha256").digest(), classes
        except (OSError, UnicodeError, pa.ArrowException) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{path} could not be written: {reason}; nothing was changed") from error

    def _write(self, stream: BinaryIO, released: Iterator[Floats]) -> None:
        schema = self._schema()
        with parts_written(stream, self.request.target, schema, self.request.stream) as writer:
            for kept, part in self._beside(released):
                self.watch.done(self.seen.records)
                writer.add(self._table(schema, kept, part))

    def _beside(self, released: Iterator[Floats]) -> Iterator[tuple[pa.Table | None, Floats]]:
        """Yield what is released beside what is kept of the same records."""
        names = [name for name in self._names if name not in self.request.columns]
        if not names:
            yield from ((None, part) for part in released)
            return
        yield from zip(self.request.stream.parts(names, self.within.part), released, strict=True)

    def _table(self, schema: pa.Schema, kept: pa.Table | None, part: Floats) -> pa.Table:
        place = {name: at for at, name in enumerate(self.request.columns)}
        columns = [
            self.seen.codings[place[name]].back(part[:, place[name]]) if name in place else kept.column(name)  # type: ignore[union-attr]
            for name in schema.names
        ]
        return pa.Table.from_arrays(columns, schema=schema)

    def _schema(self) -> pa.Schema:
        """Return the columns and types of what is released."""
        given = self.request.stream.schema
        back = {of.asked.name: of.back(np.zeros(0)).type for of in self.seen.codings}
        return pa.schema(
            [pa.field(name, back[name]) if name in back else given.field(name) for name in self._names]
        )

    @property
    def _names(self) -> list[str]:
        return self.request.plan.released(self.request.stream.names)

    def _checked(self, path: Path) -> Classes:
        written = stream_of_written(path, self.request.target, self.request.stream)
        names, k = list(self.request.columns), self.request.plan.k
        found = classes_in(written, names, k, self.folder, self.within.database, self.watch)
        require_safe(found, k)
        if found.records != self.seen.records:
            raise UnsafeReleaseError("the released table has other records than the one that was read")
        return found
