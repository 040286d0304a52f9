"""Writes R's .rda files as R does: a data frame of whole numbers and factors, version 2, big-endian, xz.

It shares nothing with the package's reader. For the sets census and tarragona it gives, before they are
compressed, the very bytes of the published files.
"""

from __future__ import annotations

import lzma
import struct

PAIRLIST_WITH_TAG, END_OF_LIST = 2 | 1 << 10, 254
SYMBOL, CHARACTERS, INTEGERS, TEXTS, LIST, REFERENCE = 1, 9, 13, 16, 19, 255
OBJECT, ATTRIBUTES = 1 << 8, 1 << 9
ASCII, UTF_8 = 1 << 18, 1 << 15


class RdaFile:
    """The stream while it is written, and the numbers of the symbols that are already in it."""

    def __init__(self):
        self.stream = bytearray(b"RDX2\nX\n")
        self.symbols = {}
        self.words(2, 0x30001, 0x20300)  # format 2, written by R 3.0.1, read by R 2.3.0 and later

    def words(self, *numbers):
        self.stream += struct.pack(f">{len(numbers)}i", *numbers)

    def characters(self, text):
        self.words(CHARACTERS | (ASCII if text.isascii() else UTF_8), len(text.encode()))
        self.stream += text.encode()

    def tag(self, name):
        self.words(PAIRLIST_WITH_TAG)
        if name in self.symbols:
            self.words(self.symbols[name] << 8 | REFERENCE)
            return
        self.symbols[name] = len(self.symbols) + 1
        self.words(SYMBOL)
        self.characters(name)

    def texts(self, values):
        self.words(TEXTS, len(values))
        for value in values:
            self.characters(value)

    def integers(self, values):
        self.words(INTEGERS, len(values), *values)

    def factor(self, values):
        levels = sorted(set(values))
        codes = [levels.index(value) + 1 for value in values]
        self.words(INTEGERS | OBJECT | ATTRIBUTES, len(codes), *codes)
        self.tag("levels")
        self.texts(levels)
        self.class_of("factor")
        self.words(END_OF_LIST)

    def class_of(self, name):
        self.tag("class")
        self.texts([name])

    def data_frame(self, name, columns):
        records = len(next(iter(columns.values())))
        self.tag(name)
        self.words(LIST | OBJECT | ATTRIBUTES, len(columns))
        for values in columns.values():
            (self.factor if isinstance(values[0], str) else self.integers)(values)
        self.tag("names")
        self.texts(list(columns))
        self.class_of("data.frame")
        self.tag("row.names")
        self.texts([str(number) for number in range(1, records + 1)])
        self.words(END_OF_LIST)


def rda_stream(columns, name="frame"):
    """Return the stream of a workspace that holds one data frame, before it is compressed."""
    file = RdaFile()
    file.data_frame(name, columns)
    file.words(END_OF_LIST)
    return file.stream


def rda_bytes(columns, name="frame"):
    """Return the .rda file of a mapping of column name -> list of whole numbers or of texts."""
    return lzma.compress(rda_stream(columns, name))
