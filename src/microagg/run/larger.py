"""Protect a table that is larger than memory: the stages in their order, each over parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import microagg.tables as tables
from microagg.engine import OnDisk, scratch
from microagg.engine.facts import facts_of
from microagg.engine.ties import Others
from microagg.errors import InputError
from microagg.fingerprints import Fingerprints
from microagg.partition.matrix import Progress
from microagg.plan import Plan
from microagg.result import Result
from microagg.run.blockwise import blocks_by, layout_of, loss_of, notes_of, releasing, unwatched
from microagg.run.streamed import Request, Seen, requested, seen_in
from microagg.run.timing import timed, versions
from microagg.run.writing import Place, Used, Watch, Writing
from microagg.tables.duckdb_file import is_duckdb, library
from microagg.tables.streams import PART, stream_of_written

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


def protect_larger(
    data: Any, plan: Plan, method: Any, to: Any, progress: Progress | None, within: Within
) -> Result:
    """Return the account of a release that was written; parameters and errors are those of `protect`."""
    library()
    seconds: dict[str, float] = {}
    watch = Watch(progress)
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
            blocks, work = blocks_by(facts, laid), releasing(engine, facts, laid, request)
            used = Used(facts.codings, work.released)
            released, squares = engine.map_blocks(laid.counts, blocks, used.block, watch.done)
        written = Writing(request, seen, used, Place(folder, within.database, within.part), watch, seconds)
        output, classes = written.safely(released)
    return Result(
        data=stream_of_written(request.target.path, request.target, request.stream),
        labels=None,
        plan=request.plan,
        loss=loss_of(facts, squares),
        classes=classes,
        notes=(*notes_of(request, seen), *unwatched(request.plan)),
        account=account,
        seconds=seconds,
        versions=versions(),
        fingerprints=Fingerprints.of(given, output),
        written=request.target.written,
    )


def _is_file(data: Any) -> bool:
    """Say whether the table is a file, whose own bytes count, or several."""
    return tables.is_place(data) and not is_duckdb(data)


def _engine(request: Request, seen: Seen, folder: Path, within: Within, watch: Watch) -> OnDisk:
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
