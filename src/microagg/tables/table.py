"""A table in memory, whatever it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microagg.columns import Mask
from microagg.plan import Kind
from microagg.tables.csv_file import CsvFile
from microagg.tables.encoding import Encoded, Given, encoded
from microagg.tables.forms import distinct, in_one_piece, ranks
from microagg.tables.kinds import Seen, kind_by_labels, kind_of_text, kind_of_typed
from microagg.tables.mixed import counted_from_one
from microagg.tables.numbers import array, missing_in, with_nulls


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

    def with_whole(self, names: Sequence[str]) -> Table:
        """Return the table with its columns of numbers among these as one piece each.

        Then they serve as they are where numbers are needed: no second copy stands in memory.
        """
        data = self.data
        for place, field in enumerate(data.schema):
            if field.name in names and (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)):
                data = data.set_column(place, field, in_one_piece(data.column(place)))
        return replace(self, data=data)

    def kind(self, name: str) -> Seen:
        """Return the kind of values that a column seems to hold, and what shows it."""
        seen = kind_by_labels(name, self.origin)
        if seen:
            return seen
        column = self.data.column(name)
        return kind_of_text(self.csv.plain(column)[0]) if self.csv else kind_of_typed(name, column)

    def encoded(self, name: str, kind: Kind, order: Sequence[str] = ()) -> Encoded:
        """Return a column as numbers, and the way back; raises InputError for values not of this kind."""
        column = self.data.column(name)
        if self.csv and kind in ("continuous", "integer"):
            column = self.csv.with_points(name, column)
        return encoded(Given(name, column, self.where, order, self.csv is not None), kind)

    def ranks_apart_from(self, names: Sequence[str], rows: NDArray[np.intp]) -> Iterator[NDArray[np.int64]]:
        """Yield the ranks of some rows in every other column, by the columns' names in alphabetical order."""
        for name in sorted(set(self.names).difference(names)):
            yield ranks(self.data.column(name), rows)

    def ranks(self, name: str) -> NDArray[np.int64]:
        """Return the rank of each value of a column, from 0; equal values have the same."""
        found = ranks(self.data.column(name), np.arange(self.records))
        if pa.types.is_floating(self.data.schema.field(name).type):  # zero and minus zero look different
            found = np.unique(2 * found + self._is_minus_zero(name), return_inverse=True)[1]
        return np.asarray(found - found.min(initial=len(found)))

    def _is_minus_zero(self, name: str) -> Mask:
        values = array(pc.fill_null(pc.cast(self.data.column(name), pa.float64()), np.nan))
        return np.asarray((values == 0.0) & np.signbit(values))

    def missing(self, name: str) -> Mask:
        """Return which values of a column are missing, as the empty text is in a CSV file."""
        column = self.data.column(name)
        return missing_in(with_nulls(column) if self.csv else column)

    def without_labels(self, name: str | None) -> Table:
        """Return the table without the labels of a column's values, as they may name what they stand for."""
        labels = getattr(self.origin, "value_labels", {})
        if name not in labels:
            return self
        kept = {other: of for other, of in labels.items() if other != name}
        return replace(self, origin=self.origin._replace(value_labels=kept))  # type: ignore[union-attr]

    def value(self, name: str, record: int) -> Any:
        """Return a single value."""
        return self.data.column(name)[record].as_py()

    def distinct(self, name: str) -> int:
        """Return how many different values a column holds."""
        column = self.data.column(name)
        try:
            return distinct(column)
        except pa.ArrowNotImplementedError:
            return int(self.ranks(name).max(initial=-1)) + 1

    def where(self, record: int) -> str:
        """Say where a record stands, counted as its owner sees it."""
        if self.origin:
            return self.origin.where(record)
        return counted_from_one(record)

    def released(self, names: Sequence[str], replaced: Mapping[str, Any]) -> pa.Table:
        """Return the named columns, with these values in the place of what stood there.

        What the file or frame said about itself beside its columns is left out: nobody asked to
        release it.
        """
        fields, columns = [], []
        for name in names:
            if name in replaced:
                columns.append(replaced[name])
                fields.append(pa.field(name, replaced[name].type))
            else:
                columns.append(self.data.column(name))
                fields.append(self.data.schema.field(name))
        return pa.Table.from_arrays(columns, schema=pa.schema(fields))
