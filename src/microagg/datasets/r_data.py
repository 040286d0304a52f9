"""Reading a data frame from R's own file format (.rda: workspace files of version 2).

Written from the manual "R Internals", section "Serialization Formats": a stream of big-endian
integers in which every item starts with a word of flags (its type, and whether attributes or a tag
follow). Only what a data frame of numbers, texts and factors is made of is understood.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.errors import ReferenceDataError

MAGIC = b"RDX2\nX\n"
MISSING_INTEGER = -(2**31)

HAS_ATTRIBUTES, HAS_TAG = 1 << 9, 1 << 10
LATIN1 = 1 << (12 + 2)  # the general-purpose bits of the flags start at bit 12


class Kind(IntEnum):
    """What an item is: the lowest byte of its flags."""

    SYMBOL = 1
    PAIRLIST = 2
    CHARACTERS = 9
    LOGICALS = 10
    INTEGERS = 13
    REALS = 14
    TEXTS = 16
    LIST = 19
    NULL = 254  # also the end of a pairlist
    REFERENCE = 255  # to a symbol that came before


_DECOMPRESSORS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\xfd7zXZ": lzma.decompress,
    b"\x1f\x8b": gzip.decompress,
    b"BZh": bz2.decompress,
}

Column = NDArray[Any]


class Item(NamedTuple):
    """One value of R, with its attributes."""

    value: Any
    attributes: dict[str, Item]


def read_data_frame(content: bytes) -> dict[str, Column]:
    """Return the columns of the one data frame in an .rda file.

    Integers come as int64, or as float64 with NaN where values are missing; factors and texts as
    arrays of text, a missing text as "".
    """
    try:
        objects = _Reader(_decompressed(content)).workspace()
        (frame,) = objects.values()
        names = frame.attributes["names"].value
        return {str(name): _column(item) for name, item in zip(names, frame.value, strict=True)}
    except (struct.error, ValueError, KeyError, IndexError, TypeError, EOFError) as error:
        raise ReferenceDataError(f"this is not an R data file with one data frame: {error}") from error


def _decompressed(content: bytes) -> bytes:
    for magic, decompress in _DECOMPRESSORS.items():
        if content.startswith(magic):
            try:
                return decompress(content)
            except (lzma.LZMAError, OSError, zlib.error) as error:
                raise ValueError(f"it does not decompress ({error})") from error
    return content


def _column(item: Item) -> Column:
    levels = item.attributes.get("levels")
    if levels is not None:
        return np.array(["", *levels.value])[np.where(item.value == MISSING_INTEGER, 0, item.value)]
    if isinstance(item.value, list):
        return np.array(item.value, dtype=np.str_)
    if item.value.dtype.kind == "f":
        return item.value.astype(np.float64)
    missing = item.value == MISSING_INTEGER
    return np.where(missing, np.nan, item.value) if missing.any() else item.value.astype(np.int64)


class _Reader:
    """A place in the stream, and the symbols met so far (later ones refer back to them)."""

    def __init__(self, stream: bytes) -> None:
        self.stream = stream
        self.at = 0
        self.symbols: list[str] = []

    def workspace(self) -> dict[str, Item]:
        """Read the saved objects by name; they are the one pairlist of the file."""
        if self._take(len(MAGIC)) != MAGIC:
            raise ValueError("it does not start as a workspace file of version 2 (RDX2, big-endian)")
        version, _written_by, _readable_from = (self._integer() for _ in range(3))
        if version != 2:
            raise ValueError(f"it is serialised in version {version}, expected 2")
        return self._pairlist(self._integer())

    def _item(self) -> Item:
        flags = self._integer()
        value = self._value(flags & 0xFF)
        attributes = self._pairlist(self._integer()) if flags & HAS_ATTRIBUTES else {}
        return Item(value, attributes)

    def _value(self, kind: int) -> Any:
        match kind:
            case Kind.NULL:
                return None
            case Kind.LOGICALS | Kind.INTEGERS:
                return self._numbers(">i4")
            case Kind.REALS:
                return self._numbers(">f8")
            case Kind.TEXTS:
                return [self._characters(self._integer()) for _ in range(self._length())]
            case Kind.LIST:
                return [self._item() for _ in range(self._length())]
        raise ValueError(f"it holds a value of type {kind}, which no plain data frame does")

    def _pairlist(self, flags: int) -> dict[str, Item]:
        """Read tagged values up to the end of the list, whose first flags are already read."""
        tagged = {}
        while flags & 0xFF != Kind.NULL:
            if flags & 0xFF != Kind.PAIRLIST or not flags & HAS_TAG or flags & HAS_ATTRIBUTES:
                raise ValueError("a list of named values was expected")
            name = self._symbol(self._integer())
            tagged[name] = self._item()
            flags = self._integer()
        return tagged

    def _symbol(self, flags: int) -> str:
        kind = flags & 0xFF
        if kind == Kind.REFERENCE:
            return self.symbols[(flags >> 8 or self._integer()) - 1]
        if kind != Kind.SYMBOL:
            raise ValueError("a name was expected")
        self.symbols.append(self._characters(self._integer()))
        return self.symbols[-1]

    def _characters(self, flags: int) -> str:
        if flags & 0xFF != Kind.CHARACTERS:
            raise ValueError("a text was expected")
        length = self._integer()
        encoding = "latin-1" if flags & LATIN1 else "utf-8"
        return "" if length == -1 else self._take(length).decode(encoding)

    def _numbers(self, kind: str) -> Column:
        length = self._length()
        return np.frombuffer(self._take(length * np.dtype(kind).itemsize), dtype=kind)

    def _length(self) -> int:
        length = self._integer()
        if length < 0:
            raise ValueError("it holds a vector too long for any reference set")
        return length

    def _integer(self) -> int:
        return int(struct.unpack(">i", self._take(4))[0])

    def _take(self, size: int) -> bytes:
        taken = self.stream[self.at : self.at + size]
        if len(taken) != size:
            raise ValueError(f"it ends early, at byte {len(self.stream)}")
        self.at += size
        return taken
