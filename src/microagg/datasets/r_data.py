"""Reading a table of whole numbers and factors from R's own file format (.rda).

Written from the manual "R Internals", section "Serialization Formats": a compressed stream of big-endian
integers in which every item starts with a word of flags (its kind, and whether attributes or a tag
follow). Only what the reference sets are made of is understood; whatever else is met is an error. The
format can also hold code of R; this reader knows no such kind, and nothing it reads is ever executed.
"""

from __future__ import annotations

import lzma
import struct
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MAGIC = b"RDX2\nX\n"
LARGEST = 1 << 20
"""Bytes that a file may decompress to; the largest of the reference sets has 302,945."""
DECOMPRESSION_MEMORY = 1 << 27
"""Bytes that decompression itself may use."""
MISSING = -(2**31)

HAS_ATTRIBUTES, HAS_TAG = 1 << 9, 1 << 10

Column = NDArray[np.int64] | tuple[str, ...]


class Kind(IntEnum):
    """What an item is: the lowest byte of its flags."""

    SYMBOL = 1
    PAIRLIST = 2
    CHARACTERS = 9
    INTEGERS = 13
    TEXTS = 16
    LIST = 19
    END_OF_PAIRLIST = 254
    REFERENCE = 255  # to a symbol that came before


class Item(NamedTuple):
    """One value of R, with its attributes."""

    value: Any
    attributes: dict[str, Item]


def read_data_frame(content: bytes) -> dict[str, Column]:
    """Return the columns of the one data frame in an .rda file: whole numbers, or texts for factors.

    Raises ValueError if it is anything else.
    """
    try:
        (frame,) = _Reader(_decompressed(content)).workspace().values()
        names = _texts(frame.attributes["names"])
        return {name: _column(item) for name, item in zip(names, frame.value, strict=True)}
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"this is not an R data file of one plain table: {error}") from error


def _decompressed(content: bytes) -> bytes:
    """Unpack an xz stream, but never more of it than a reference set could have."""
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=DECOMPRESSION_MEMORY)
    try:
        stream = decompressor.decompress(content, LARGEST)
    except lzma.LZMAError as error:
        raise ValueError(f"it does not decompress ({error})") from error
    if not decompressor.eof:
        raise ValueError(f"its compressed stream ends early, or holds more than {LARGEST:,} bytes")
    return stream


def _column(item: Item) -> Column:
    if not isinstance(item.value, np.ndarray):
        raise ValueError("a column holds neither whole numbers nor a factor")
    if (item.value == MISSING).any():
        raise ValueError("it has missing values")
    if "levels" not in item.attributes:
        return item.value.astype(np.int64)
    text_of = dict(enumerate(_texts(item.attributes["levels"]), start=1))
    return tuple(text_of[code] for code in item.value.tolist())


def _texts(item: Item) -> tuple[str, ...]:
    if not isinstance(item.value, tuple):
        raise ValueError("names or levels are not texts")
    return item.value


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
        self._take(3 * 4)  # versions: of the format, of the R that wrote it, of the oldest to read it
        return self._pairlist(self._integer())

    def _item(self) -> Item:
        flags = self._integer()
        value = self._value(flags & 0xFF)
        attributes = self._pairlist(self._integer()) if flags & HAS_ATTRIBUTES else {}
        return Item(value, attributes)

    def _value(self, kind: int) -> Any:
        length = self._integer()
        match kind:
            case Kind.INTEGERS:
                return np.frombuffer(self._take(4 * length), dtype=">i4")
            case Kind.TEXTS:
                return tuple(self._characters() for _ in range(length))
            case Kind.LIST:
                return [self._item() for _ in range(length)]
        raise ValueError(f"it holds a value of type {kind}; expected whole numbers or factors")

    def _pairlist(self, flags: int) -> dict[str, Item]:
        """Read tagged values up to the end of the list, whose first flags are already read."""
        tagged = {}
        while flags & 0xFF != Kind.END_OF_PAIRLIST:
            if flags & 0xFF != Kind.PAIRLIST or not flags & HAS_TAG or flags & HAS_ATTRIBUTES:
                raise ValueError("a list of named values was expected")
            name = self._symbol()
            tagged[name] = self._item()
            flags = self._integer()
        return tagged

    def _symbol(self) -> str:
        flags = self._integer()
        if flags & 0xFF == Kind.REFERENCE:
            return self.symbols[(flags >> 8) - 1]
        if flags & 0xFF != Kind.SYMBOL:
            raise ValueError("a name was expected")
        self.symbols.append(self._characters())
        return self.symbols[-1]

    def _characters(self) -> str:
        if self._integer() & 0xFF != Kind.CHARACTERS:
            raise ValueError("a text was expected")
        return self._take(self._integer()).decode("utf-8")

    def _integer(self) -> int:
        return int(struct.unpack(">i", self._take(4))[0])

    def _take(self, size: int) -> bytes:
        taken = self.stream[self.at : self.at + size]
        if len(taken) != size:
            raise ValueError(f"it ends early, at byte {len(self.stream)}")
        self.at += size
        return taken
