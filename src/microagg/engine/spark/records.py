"""The engine whose records are a data frame of Spark: they stay on their cluster.

What is looked for is found in each partition, by a function over Arrow's batches, and joined on a few
workers and then here: only that travels. For the blocks the records are shuffled once, all columns of them,
and each bundle of blocks is worked on where it then is. Neither the partitions nor the order of the records
matter: Spark promises neither, and works a part out anew, perhaps elsewhere, when a machine is lost.

What is handed to Spark is sent to workers on which no more is installed than this package: it refers to
nothing that is only here.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.engine.bundles import Bundles, blocks_in, bundles_of
from microagg.engine.contract import Block, Found, Ints, Watch, Worked
from microagg.engine.working import Findings, joined_sums
from microagg.errors import InputError
from microagg.tables import Table
from microagg.tables.parts import Coding
from microagg.tables.streams import PART

_MOST_JOINED, _JOINED_BY_ONE = 64, 8  # rows of what was found that are joined here, and by a worker
_MOST_PARTITIONS = 10_000  # of the shuffle by blocks: more would make Spark's driver slow
_FOUND, _BUNDLE, _SQUARES = "found", "bundle", "squares"  # columns beside those of the table, c0, c1, ...

Gathered = Callable[[pa.Table], Found]


class OnSpark:
    """Records in a data frame of Spark, whose columns are called c0, c1, ... here: any name will do there."""

    def __init__(self, data: Any, watch: Callable[[], None] = lambda: None) -> None:
        self.names, self.watch = list(data.columns), watch
        self.given, self.held = data, _is_held(data)
        self.data = data.toDF(*(f"c{place}" for place in range(len(self.names))))
        with explained():
            self.schema = _schema_of(self.data, self.names)
        self.codings: tuple[Coding, ...] = ()
        self.records = self.partitions = 0

    def hold(self) -> None:
        """Keep the records on the cluster from the first look on: they are looked at several times.

        So they are worked out once; and if they cannot be worked out just the same again, as those of a
        sample, every look sees the same ones as long as no machine is lost.
        """
        if not self.held:
            self.given.persist()

    def let_go(self) -> None:
        """Keep the records no longer, unless their owner does."""
        if not self.held:
            self.given.unpersist()

    def gather(self, names: Sequence[str], part: Gathered[Found], joined: Callable[..., Found]) -> Found:
        """Return what is found in all parts of some columns, joined."""
        self.watch()
        look = _Look(list(names), part, joined)
        seen = self.data.select(*(f"c{self.names.index(name)}" for name in names))
        found = seen.mapInArrow(lambda batches: look.found(batches), f"{_FOUND} binary")
        return self._joined(found, self.partitions, joined)

    def _joined(self, found: Any, rows: int, joined: Callable[..., Found]) -> Found:
        """Return what was found, which is in about so many rows, joined: by workers, until it is in few rows.

        A row may take megabytes, so that no worker should have many of them at a time.
        """
        while rows > _MOST_JOINED:
            rows = -(-rows // _JOINED_BY_ONE)
            found = found.repartition(rows).mapInArrow(
                lambda batches: _joined_of(batches, joined), f"{_FOUND} binary"
            )
        with explained():
            parts = [pickle.loads(row[0]) for row in found.collect()]
        self.partitions = max(self.partitions, len(parts))
        return joined(parts)

    def fold(self, part: Callable[[Floats], Found], joined: Callable[[Sequence[Found]], Found]) -> Found:
        """Return what is found in all parts, joined."""
        codings = self.codings
        names = [coding.asked.name for coding in codings]
        return self.gather(names, lambda table: part(numbers_in(table, codings)), joined)

    def map_blocks(
        self,
        counts: Ints,
        block_of: Callable[[Floats], Ints],
        work: Callable[[Block], Worked],
        watch: Watch | None = None,
    ) -> tuple[Any, list[list[float]]]:
        """Work on each block; what is released is a frame of all columns, c0, c1, ..."""
        self.watch()  # Spark's own jobs are not looked into: it is told of each as it begins
        released, forms = _released_schema(self.data.schema, self.names, self.codings)
        task = _Task(tuple(self.names), forms, self.codings, bundles_of(counts), counts, block_of, work)
        partitions = min(len(task.bundles.counts), _MOST_PARTITIONS)
        schema = _with(self.data.schema, _BUNDLE, "long")
        marked = self.data.mapInArrow(lambda batches: task.marked(batches), schema)
        by_bundle = marked.repartition(partitions, _BUNDLE).groupBy(_BUNDLE)
        worked = by_bundle.applyInArrow(lambda table: task.bundle(table), _with(released, _SQUARES, "binary"))
        worked.persist()
        try:
            return worked, self._joined(
                worked.select(_SQUARES).dropna(), len(task.bundles.counts), joined_sums
            )
        except BaseException:
            worked.unpersist()
            raise


def _is_held(data: Any) -> bool:
    level = data.storageLevel
    return bool(level.useMemory or level.useDisk)


def _schema_of(data: Any, names: Sequence[str]) -> pa.Schema:
    found = data.limit(0).toArrow().schema
    return pa.schema([field.with_name(name) for field, name in zip(found, names, strict=True)])


def numbers_in(table: pa.Table, codings: Sequence[Coding]) -> Floats:
    """Return the quasi-identifiers of some records as numbers; zero has no sign."""
    columns = [coding.numbers(table.column(coding.asked.name).chunk(0), a_row) for coding in codings]
    return np.column_stack(columns) + 0.0


def a_row(record: int) -> str:
    """Say where a record stands: Spark has no order of records."""
    return "a row"


@dataclass(frozen=True, eq=False)
class _Look:
    """What is done to each partition, and to what was found there."""

    names: list[str]
    part: Callable[[pa.Table], Any]
    joined: Callable[[Sequence[Any]], Any]

    def found(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield what is found in the records of a partition, if there are any."""
        findings: Findings[Any] = Findings(self.joined)
        for table in _parts(batches):
            findings.add(self.part(table.rename_columns(self.names)))
        if findings.waiting:
            yield _wrapped(findings.all())


def _joined_of(
    batches: Iterable[pa.RecordBatch], joined: Callable[[Sequence[Any]], Any]
) -> Iterator[pa.RecordBatch]:
    """Yield what was found in some rows, joined."""
    findings: Findings[Any] = Findings(joined)
    for batch in batches:
        for value in batch.column(0):
            findings.add(pickle.loads(value.as_py()))
    if findings.waiting:
        yield _wrapped(findings.all())


def _wrapped(found: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(found)], pa.binary())], names=[_FOUND])


def _parts(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield batches together, as many as are looked at at a time, each column in one piece."""
    waiting: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        held += batch.num_rows
        if held >= PART:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, held = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()


@dataclass(frozen=True, eq=False)
class _Task:
    """What is done to each record, and then to each bundle, by any worker."""

    names: tuple[str, ...]
    forms: tuple[pa.DataType, ...]  # of the columns that are released, as Spark wants to have them
    codings: tuple[Coding, ...]
    bundles: Bundles
    counts: Ints  # of the records of each block
    block_of: Callable[[Floats], Ints]
    work: Callable[[Block], Worked]

    def marked(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the records with the bundle to which each belongs."""
        for part in _parts(batches):
            of = self.bundles.of[self.block_of(self._numbers(part))]
            yield from part.append_column(_BUNDLE, pa.array(of)).to_batches()

    def _numbers(self, table: pa.Table) -> Floats:
        return numbers_in(table.select(range(len(self.names))).rename_columns(self.names), self.codings)

    def bundle(self, table: pa.Table) -> pa.Table:
        """Return what is released of the records of a bundle, and the squares beside one of them."""
        table = table.combine_chunks()
        numbers = self._numbers(table)
        number = table.column(_BUNDLE)[0].as_py()
        if len(numbers) != self.bundles.counts[number]:
            raise InputError(CHANGED)
        released, squares = self._worked(number, numbers, self._others(table))
        columns = self._columns(table, released)
        beside = pa.array([pickle.dumps(squares), *[None] * (len(numbers) - 1)], pa.binary())
        return pa.table([*columns, beside], names=[*table.column_names[: len(columns)], _SQUARES])

    def _worked(self, number: int, numbers: Floats, others: Table) -> tuple[Floats, list[list[float]]]:
        first, end = self.bundles.first[number : number + 2]
        released, squares = np.empty_like(numbers), []
        for block, chosen in blocks_in(self.block_of(numbers), int(first), int(end)):
            if len(chosen) != self.counts[block]:
                raise InputError(CHANGED)
            found = self.work(Block(block, numbers[chosen], _ranks(others, chosen)))
            released[chosen] = found.released
            squares.append(found.squares)
        return released, joined_sums(squares)

    def _others(self, table: pa.Table) -> Table:
        """Return the further columns, which part records that are equal."""
        numbers = {coding.asked.name for coding in self.codings}
        places = [place for place, name in enumerate(self.names) if name not in numbers]
        return Table(table.select(places).rename_columns([self.names[place] for place in places]))

    def _columns(self, table: pa.Table, released: Floats) -> list[Any]:
        new = {
            coding.asked.name: coding.back(of) for coding, of in zip(self.codings, released.T, strict=True)
        }
        columns = [new.get(name, table.column(place)) for place, name in enumerate(self.names)]
        return [
            column if column.type == form else column.cast(form)  # times, whose zone is Spark's own affair
            for column, form in zip(columns, self.forms, strict=True)
        ]


def _ranks(others: Table, chosen: NDArray[np.intp]) -> Callable[[NDArray[np.intp]], Iterable[Ints]]:
    return lambda rows: others.ranks_apart_from([], chosen[rows])


CHANGED = (
    "the table changed while it was read: protect what gives the same rows whenever it is worked out, such "
    "as what data.checkpoint() returns"
)


def _with(schema: Any, name: str, kind: str) -> Any:
    """Return a schema with one more column; the one given stays as it is."""
    return type(schema)([*schema.fields]).add(name, kind)


def _released_schema(schema: Any, names: Sequence[str], codings: Sequence[Coding]) -> tuple[Any, Any]:
    """Return the columns of what is released, and their types in Arrow.

    They are those that were given, unless values need another type.
    """
    from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema

    back = {coding.asked.name: coding.back(np.zeros(0)).type for coding in codings}
    asked = {coding.asked.name: coding.asked.form for coding in codings}
    fields = []
    for name, field in zip(names, schema.fields, strict=True):
        same = back.get(name) == asked.get(name)
        fields.append(field if same else type(field)(field.name, from_arrow_type(back[name]), field.nullable))
    released = type(schema)(fields)
    zone: dict[str, Any] = {"timezone": "UTC"} if "timezone" in signature(to_arrow_schema).parameters else {}
    return released, tuple(to_arrow_schema(released, **zone).types)


@contextmanager
def explained() -> Iterator[None]:
    """Raise what went wrong on a worker, if it is for the user to mend, as the InputError it was there."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        told = re.search(r"^microagg\.errors\.InputError: (.+)$", str(error), re.MULTILINE)
        if not told:
            raise
        raise InputError(told[1]) from error
