"""Protect a table that is larger than memory: the stages in their order, each over parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import microagg.tables as tables
from microagg.columns import Floats
from microagg.engine import OnDisk, scratch
from microagg.engine.facts import Facts, facts_of
from microagg.engine.laying import codes_by, laid_out
from microagg.engine.releasing import Releasing
from microagg.engine.ties import Others
from microagg.errors import InputError
from microagg.fingerprints import Fingerprints
from microagg.kernels.exact import sum_of_parts
from microagg.measures import Squares, loss_of_squares
from microagg.outcome import Loss
from microagg.partition.blocked import account_of
from microagg.partition.layout import Layout
from microagg.partition.matrix import COMPILED_FROM, Progress
from microagg.plan import Plan
from microagg.result import Result
from microagg.run.streamed import AUTO, Request, Seen, requested, seen_in
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
            laid, account = _layout(engine, facts, request)
            released, squares, used = _released(engine, facts, laid, request, watch)
        written = Writing(request, seen, used, Place(folder, within.database, within.part), watch, seconds)
        output, classes = written.safely(released)
    return Result(
        data=stream_of_written(request.target.path, request.target, request.stream),
        labels=None,
        plan=request.plan,
        loss=_loss(facts, squares),
        classes=classes,
        notes=tuple(_notes(request, seen)),
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


def _layout(engine: OnDisk, facts: Facts, request: Request) -> tuple[Layout, dict[str, Any]]:
    method, k = request.method, request.plan.k
    InputError.raise_any(method.faults_for(len(facts.low), k))
    laid, cutting = laid_out(engine, facts, method, k)
    account = {**account_of(laid, cutting, method.tree), "why": method.reasons(len(facts.low))}
    if request.left_open:
        account = {"choice": f"{AUTO}, as the table is larger than memory", **account}
    return laid, account


def _released(
    engine: OnDisk, facts: Facts, laid: Layout, request: Request, watch: Watch
) -> tuple[Iterator[Floats], list[list[float]], Used]:
    codes = codes_by(facts, laid.grid)
    plan, compiled = request.plan, engine.records >= COMPILED_FROM
    work = Releasing(facts, request.method.method, plan.k, plan.seed, laid.pieces, compiled)
    used = Used(facts.codings, work.released)
    released, squares = engine.map_blocks(
        laid.counts, lambda numbers: laid.block_of(codes(numbers)), used.block, watch.done
    )
    return released, squares, used


def _loss(facts: Facts, squares: list[list[float]]) -> Loss:
    names = [coding.asked.name for coding in facts.codings]
    sums = [Squares(sum_of_parts(parts).high) for parts in squares]
    within, total = (dict(zip(names, of, strict=True)) for of in (sums[: len(names)], sums[len(names) :]))
    return loss_of_squares(within, total, dict(zip(names, facts.importance, strict=True)))


def _notes(request: Request, seen: Seen) -> Iterator[str]:
    """Yield what is to be known before the table is handed on, as far as it shows without all records."""
    plan = request.plan
    if plan.k == 2:
        yield "with k = 2 each member of a pair can compute the other's values from the mean"
    kept = [name for name in request.stream.names if plan.role_of(name) in ("other", "sensitive")]
    if kept:
        yield f"kept columns are released as they are, and can still identify: {', '.join(kept)}"
    constant = [of.asked.name for of in seen.codings if not of.look.missing and of.largest == of.least]
    if constant:
        yield f"the same value throughout, so without weight in the grouping: {', '.join(constant)}"
