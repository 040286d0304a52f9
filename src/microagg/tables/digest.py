"""The SHA-256 of a table: of the names, types and values of its columns."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microagg.tables.forms import in_one_piece

_RECORDS_AT_ONCE = 1 << 16  # what is hashed in one go does not depend on how a column is cut into pieces


def digest_of_table(table: pa.Table) -> bytes:
    """Return the SHA-256 of the names, types and values of a table.

    Text is text and categories are their values, however Arrow lays them out.
    """
    whole = hashlib.sha256()
    for field, column in zip(table.schema, table.columns, strict=True):
        _begin(whole, field, len(column), column.null_count)
        _update(whole, field, column, has_gaps=column.null_count > 0)
    return whole.digest()


def digest_of_parts(schema: pa.Schema, parts: Callable[[list[str]], Iterable[pa.Table]]) -> bytes:
    """Return the same for a table that is read in parts of a multiple of 65,536 records, twice by column."""
    whole = hashlib.sha256()
    for field in schema:
        sizes = [(part.num_rows, part.column(0).null_count) for part in parts([field.name])]
        records, gaps = (sum(of) for of in zip(*sizes, strict=True)) if sizes else (0, 0)
        _begin(whole, field, records, gaps)
        for part in parts([field.name]):
            _update(whole, field, part.column(0), has_gaps=gaps > 0)
    return whole.digest()


def _begin(whole: Any, field: pa.Field, records: int, gaps: int) -> None:
    whole.update(repr((field.name, str(_plain(field.type)), records, gaps)).encode())


def _update(whole: Any, field: pa.Field, column: Any, *, has_gaps: bool) -> None:
    """Add the values of a column, or of the next of its records."""
    kind = _plain(field.type)
    for start in range(0, len(column), _RECORDS_AT_ONCE):
        part = in_one_piece(column.slice(start, _RECORDS_AT_ONCE))
        values = part if kind == field.type else pc.cast(part, kind)
        if has_gaps:
            whole.update(_bytes_of(pc.cast(pc.is_valid(values), pa.uint8())))
            values = values.drop_null()
        for content in _contents(values):
            whole.update(content)


def _plain(kind: Any) -> Any:
    """Return the type of the values, whatever their layout."""
    if pa.types.is_dictionary(kind):
        return _plain(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _plain(kind.storage_type)
    if pa.types.is_string(kind) or pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary(kind) or pa.types.is_binary_view(kind):
        return pa.large_binary()
    return kind


def _contents(values: Any) -> Iterator[bytes | memoryview]:
    """Yield some values, of which none is missing, as bytes."""
    kind = values.type
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        yield from _text(values)
    elif pa.types.is_boolean(kind):
        yield _bytes_of(pc.cast(values, pa.uint8()))
    elif pa.types.is_primitive(kind) or pa.types.is_decimal(kind):
        yield _bytes_of(values)
    elif not pa.types.is_null(kind):  # lists and the like
        yield repr(values.to_pylist()).encode()


def _text(values: Any) -> Iterator[memoryview]:
    """Yield the lengths of texts, and the texts one after the other."""
    yield _bytes_of(pc.binary_length(values))
    _, offsets, content = values.buffers()
    ends = (
        np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1] if offsets else [0]
    )
    if content is not None:
        yield memoryview(content)[int(ends[0]) : int(ends[-1])]


def _bytes_of(values: Any) -> memoryview:
    width = values.type.bit_width // 8
    content = values.buffers()[-1]
    start = values.offset * width
    return (
        memoryview(content)[start : start + len(values) * width] if content is not None else memoryview(b"")
    )
