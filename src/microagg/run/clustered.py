"""Protect a data frame of Spark where it is: the stages in their order, each on the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from microagg.check import require_safe
from microagg.engine.facts import facts_of
from microagg.engine.spark import CHANGED, OnSpark, a_row, classes_of, digest_of, require_recent
from microagg.errors import Faults, InputError, UnsafeReleaseError
from microagg.fingerprints import Fingerprints
from microagg.outcome import Classes
from microagg.partition.matrix import Progress
from microagg.plan import Plan
from microagg.result import Result
from microagg.run.blockwise import blocks_by, layout_of, loss_of, notes_of, releasing
from microagg.run.streamed import AS_MANY, Request, Seen, request_of, seen_from
from microagg.run.timing import timed, versions
from microagg.tables.parts import Asked, Look, joined_looks, look_at
from microagg.tables.streams import Stream

_WRITES_ITSELF = (
    "to= is not for a Spark data frame: what is released is one too, so write it with Spark, as in "
    "result.data.write.parquet(...)"
)


def protect_on_cluster(data: Any, plan: Plan, method: Any, to: Any, progress: Progress | None) -> Result:
    """Return the result, whose data are a data frame of Spark; all is as for `protect`."""
    require_recent()
    seconds: dict[str, float] = {}
    engine = OnSpark(data)
    request = _requested(engine, plan, method, to)
    engine.watch = lambda: progress(0, engine.records) if progress and engine.records else None
    engine.hold()
    try:
        with timed(seconds, "read"):
            seen = _seen(request, engine)
            given = digest_of(data)
        with timed(seconds, "prepare"):
            facts = facts_of(engine, seen.codings, request.plan, request.centres)
        with timed(seconds, "partition"):
            laid, account = layout_of(engine, facts, request)
            blocks, work = blocks_by(facts, laid), releasing(engine, facts, laid, request)
            worked, squares = engine.map_blocks(laid.counts, blocks, work.released)
        with timed(seconds, "check"):
            released, classes, given_away = _checked(engine, request, worked)
        output = digest_of(released)
    finally:
        engine.let_go()
    if progress:
        progress(engine.records, engine.records)
    return Result(
        data=released,
        labels=None,
        plan=request.plan,
        loss=loss_of(facts, squares),
        classes=classes,
        notes=(*notes_of(request, seen), *_of_sensitive(classes, given_away)),
        account=account,
        seconds=seconds,
        versions=versions(),
        fingerprints=Fingerprints.of(given, output),
    )


def _requested(engine: OnSpark, plan: Plan, method: Any, to: Any) -> Request:
    """Return the request made ready; nothing of the data is needed for that but the schema."""
    stream = _Unordered(engine.schema, lambda names: iter(()), float("inf"))
    faults = Faults([] if to is None else [_WRITES_ITSELF])
    return request_of(stream, plan, method, None, faults)


class _Unordered(Stream):
    """A table of which no record stands anywhere."""

    def where(self, record: int) -> str:
        """Say where a record stands, as well as it can be said."""
        return a_row(record)


Seens = list[Look | tuple[str, ...]]


class _Looking(NamedTuple):
    """A look at some columns: what is wrong with one does not hide what is wrong with another."""

    columns: tuple[Asked, ...]

    def part(self, table: Any) -> Seens:
        """Return what some records show of each column, or its faults."""
        return [_look(of, table) for of in self.columns]

    def joined(self, parts: Sequence[Seens]) -> Seens:
        """Return what all parts show."""
        return [_joined(of, [part[place] for part in parts]) for place, of in enumerate(self.columns)]


def _look(of: Asked, table: Any) -> Look | tuple[str, ...]:
    try:
        return look_at(of, table.column(of.name).chunk(0), 0, a_row)
    except InputError as error:
        return error.faults


def _joined(of: Asked, looks: Sequence[Look | tuple[str, ...]]) -> Look | tuple[str, ...]:
    there = [look for look in looks if isinstance(look, Look)]
    if len(there) < len(looks):
        return min(look for look in looks if not isinstance(look, Look))
    try:
        return joined_looks(of, there)
    except InputError as error:
        return error.faults


def _seen(request: Request, engine: OnSpark) -> Seen:
    """Return what all records show together, or raise one error with all that is wrong with them."""
    looking = _Looking(tuple(request.columns.values()))
    gathered = engine.gather(list(request.columns), looking.part, looking.joined)
    found = dict(zip(request.columns, gathered, strict=True))
    looks = {name: look for name, look in found.items() if isinstance(look, Look)}
    faults = Faults(fault for look in found.values() if not isinstance(look, Look) for fault in look)
    engine.records = next((look.records for look in looks.values()), AS_MANY)
    seen = seen_from(request, looks if engine.records else {}, engine.records, faults)
    engine.codings = seen.codings
    return seen


def _checked(engine: OnSpark, request: Request, worked: Any) -> tuple[Any, Classes, dict[str, int]]:
    """Return what is released, kept on the cluster as it was checked, and what was counted of its classes."""
    names, k, sensitive = request.plan.released(engine.names), request.plan.k, request.plan.sensitive
    released = worked.select(*(f"c{engine.names.index(name)}" for name in names)).toDF(*names).persist()
    try:
        classes, given_away = classes_of(released, list(request.columns), k, sensitive)
        require_safe(classes, k)
        if classes.records != engine.records:
            raise UnsafeReleaseError(f"the released table has other records: {CHANGED}")
    except BaseException:
        released.unpersist()
        raise
    finally:
        worked.unpersist()
    return released, classes, given_away


def _of_sensitive(classes: Classes, given_away: Mapping[str, int]) -> Iterator[str]:
    for name, alike in given_away.items():
        if alike:
            yield (
                f"in {alike:,} of {classes.count:,} groups all records share their value of {name!r}: it is "
                "disclosed to who knows that someone is in the group"
            )
