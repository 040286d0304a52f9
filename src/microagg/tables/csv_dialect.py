"""How a CSV file is written, apart from its values: found in its header, or said by its owner."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from microagg.errors import Faults, InputError
from microagg.tables.source import Source

BLOCK = 1 << 22  # bytes; no record may be much longer
DELIMITERS = ",;\t"  # those that are found without being named

_MARK = "\ufeff"
_HEADER_SEARCHED = 1 << 22  # characters in which the header must end
_WITH_ORDER = {"utf-16": codecs.BOM_UTF16_BE, "utf-32": codecs.BOM_UTF32_BE}


class Dialect(NamedTuple):
    """How a CSV file is written, apart from its values."""

    delimiter: str = ","
    line_end: str = "\n"
    mark: str = ""  # the byte order mark, by which some spreadsheets know UTF-8
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""


def header_of(path: Path, source: Source) -> tuple[Dialect, list[str]]:
    """Return how the file is written and the names of its columns.

    The delimiter is a comma, or else the semicolon or tab that the header uses instead; the encoding is
    UTF-8, or the UTF-16 that a byte order mark tells of; unless the source says otherwise.
    """
    _require_sound(source)
    encoding = _encoding(path, source.encoding)
    try:
        with path.open(encoding=encoding, newline="") as stream:
            start = stream.read(_HEADER_SEARCHED)
    except UnicodeError:
        raise InputError(wrongly_encoded(path, encoding)) from None
    mark = _MARK if start.startswith(_MARK) else ""
    start = start.removeprefix(mark).lstrip("\r\n")
    if not start:
        raise InputError(f"{path} is empty: expected a header and records")
    bare, line_end = _outside_quotes(start)
    decimal = source.decimal or "."
    delimiter = source.delimiter or _delimiter(bare, decimal)
    with long_fields():
        names = next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter))
    return Dialect(delimiter, line_end, mark, encoding, decimal, source.thousands or ""), names


def _require_sound(source: Source) -> None:
    """Raise if the marks that are named cannot be told from each other, or from what they divide."""
    named = {name: getattr(source, name) for name in ("delimiter", "decimal", "thousands")}
    faults = Faults(
        f"{name} = {mark!r}: expected one character, no digit, letter, sign, quotation mark or line break"
        for name, mark in named.items()
        if mark is not None and not re.fullmatch(r'[^\w"\r\n+-]|_', mark)
    )
    if named["delimiter"] and not named["delimiter"].isascii():
        faults.append(f"delimiter = {named['delimiter']!r}: expected a character of ASCII")
    for one, other in (("delimiter", "decimal"), ("delimiter", "thousands"), ("decimal", "thousands")):
        if named[one] and named[one] == named[other]:
            faults.append(f"{one} and {other} are both {named[one]!r}: name two different ones")
    if named["thousands"] == "." and not named["decimal"]:
        faults.append("thousands = '.': say decimal = ',' too, since the decimal mark is else a point")
    InputError.raise_any(faults)


def _encoding(path: Path, named: str | None) -> str:
    """Return the encoding as Python calls it, with the order of its bytes where it can have two."""
    try:
        name = codecs.lookup(named or "utf-8").name
        "".encode(name)
    except LookupError:
        raise InputError(f"there is no encoding {named!r}: name one such as cp1252 or utf-16") from None
    with path.open("rb") as stream:
        start = stream.read(4)
    if name == "utf-8-sig":
        return "utf-8"
    if name in _WITH_ORDER:
        return f"{name}-be" if start.startswith(_WITH_ORDER[name]) else f"{name}-le"
    if not named and start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16-le" if start.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    return name


def _outside_quotes(start: str) -> tuple[str, str]:
    """Return what stands outside quotes in the header, and what ends its line."""
    header = re.match(r'((?:[^"\r\n]|"[^"]*")*)(\r\n?|\n|)', start)
    assert header is not None  # all of it may be empty
    return re.sub(r'"[^"]*"', "", header[1]), header[2] or "\n"


def _delimiter(bare: str, decimal: str) -> str:
    """Return the one delimiter that stands there, else the first that can be one."""
    possible = DELIMITERS.replace(decimal, "")
    found = [delimiter for delimiter in possible if delimiter in bare]
    return found[0] if len(found) == 1 else possible[0]


@contextmanager
def long_fields() -> Iterator[None]:
    """Let the csv module read fields as long as Arrow does."""
    usual = csv.field_size_limit(2 * BLOCK)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def wrongly_encoded(path: Path, encoding: str) -> str:
    """Say where a file is no text of this encoding, and what can be done."""
    content = path.read_bytes()
    try:
        content.decode(encoding)
        line = 1
    except UnicodeDecodeError as error:
        line = content[: error.start].decode(encoding, "replace").count("\n") + 1
    if encoding == "utf-8":
        return (
            f"{path} is not UTF-8 text (line {line}): name its encoding, which is often cp1252, or save it "
            "as UTF-8, which a spreadsheet may call 'CSV UTF-8'"
        )
    return f"{path} is not {encoding} text (line {line}): name another encoding"
