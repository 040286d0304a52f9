"""A table in memory, whatever it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microagg.errors import Faults, InputError
from microagg.tables.csv_file import CsvFile
from microagg.tables.forms import array_of, ranks
from microagg.tables.mixed import counted_from_one
from microagg.tables.numbers import Floats, numbers_of_text, numbers_of_typed


class Origin(Protocol):
    """Where a table was read, with all that must survive to the file that is written."""

    def where(self, record: int) -> str:
        """Say where a record stands, counted as its owner sees it."""


@dataclass(frozen=True, eq=False)
class Table:
    """Records by columns, and the origin that has more to say of them, if there is one."""

    data: pa.Table
    origin: Origin | None = None

    @property
    def csv(self) -> CsvFile | None:
        """The file that wrote the columns as text, if one did."""
        return self.origin if isinstance(self.origin, CsvFile) else None

    @property
    def names(self) -> list[str]:
        """The names of the columns, in the order of the table."""
        return list(self.data.column_names)

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.data.num_rows)

    def only(self, names: Sequence[str]) -> pa.Table:
        """Return the columns of these names, leaving out a name that none or several bear."""
        times = Counter(self.names)
        return self.data.select([name for name in names if times[name] == 1])

    def numbers(self, names: Sequence[str]) -> Floats:
        """Return the named columns as a matrix; raises InputError with the faults of all of them."""
        faults = Faults()
        found = self.only(names)
        columns = [
            faults.attempt(self._numbers, name, column)
            for name, column in zip(found.column_names, found.columns, strict=True)
        ]
        InputError.raise_any(faults)
        return np.column_stack(
            [np.empty((self.records, 0)), *[column for column in columns if column is not None]]
        )

    def _numbers(self, name: str, column: Any) -> Floats:
        if self.csv:
            return numbers_of_text(name, self.csv.with_points(name, column), self.where)
        return numbers_of_typed(name, column, self.where)

    def ranks_apart_from(self, names: Sequence[str], rows: NDArray[np.intp]) -> Iterator[NDArray[np.int64]]:
        """Yield the ranks of some rows in every other column, by the columns' names in alphabetical order."""
        for name in sorted(set(self.names).difference(names)):
            yield ranks(self.data.column(name), rows)

    def where(self, record: int) -> str:
        """Say where a record stands, counted as its owner sees it."""
        if self.origin:
            return self.origin.where(record)
        return counted_from_one(record)

    def released(self, names: Sequence[str], numbers: Mapping[str, Floats]) -> pa.Table:
        """Return the named columns, with these numbers in the place of what stood there.

        A column of floating-point numbers keeps its type, all others become float64. What the file
        or frame said about itself beside its columns is left out: nobody asked to release it.
        """
        fields, columns = [], []
        for name in names:
            field, column = self.data.schema.field(name), self.data.column(name)
            if name in numbers:
                field = pa.field(name, _released_type(field.type))
                column = array_of(numbers[name]).cast(field.type)
            fields.append(field)
            columns.append(column)
        return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _released_type(kind: Any) -> Any:
    return kind if pa.types.is_floating(kind) else pa.float64()
