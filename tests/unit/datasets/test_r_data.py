"""The reader of .rda files: it reads what R writes, and on anything else it only says that it cannot."""

from __future__ import annotations

import lzma
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.datasets import r_data
from microagg.datasets.r_data import read_data_frame
from tests.unit.datasets.rda_file import RdaFile, rda_bytes, rda_stream

SMALL = {"id": [1, 2, -3, 2**31 - 1], "town": ["Reus", "Valls", "Cambrils", "Reus"], "sales": [0, 0, 5, 7]}
INT32 = st.integers(-(2**31) + 1, 2**31 - 1)
LIMIT = 1 << 17
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


def values_of(table):
    return {name: list(column) for name, column in table.items()}


@st.composite
def data_frames(draw):
    records = draw(st.integers(1, 6))
    column = st.lists(INT32, min_size=records, max_size=records) | st.lists(
        TEXT, min_size=records, max_size=records
    )
    return draw(st.dictionaries(TEXT, column, min_size=1, max_size=4))


@given(data_frames())
def test_a_table_is_read_as_it_was_written(columns):
    assert values_of(read_data_frame(rda_bytes(columns))) == columns


def test_whole_numbers_are_arrays_and_factors_are_texts():
    table = read_data_frame(rda_bytes(SMALL))
    assert table["id"].dtype == np.int64
    assert table["town"] == ("Reus", "Valls", "Cambrils", "Reus")


def is_read_or_refused(content):
    """Read the bytes; whatever is no table must be a ValueError, and what is read must be a plain table."""
    try:
        table = read_data_frame(content)
    except ValueError:
        return
    for name, column in table.items():
        assert isinstance(name, str)
        assert isinstance(column, tuple) or column.dtype == np.int64
        assert not isinstance(column, tuple) or all(isinstance(text, str) for text in column)


@settings(max_examples=300)
@given(st.data())
def test_a_spoilt_stream_is_refused_or_read_as_another_table(data):
    stream = bytearray(rda_stream(SMALL))
    for place in data.draw(st.lists(st.integers(7, len(stream) - 1), min_size=1, max_size=4)):
        stream[place] = data.draw(st.integers(0, 255) | st.sampled_from([0, 2, 9, 13, 16, 19, 254, 255]))
    is_read_or_refused(lzma.compress(stream, preset=0))


def test_every_single_byte_may_become_another_kind():
    stream = rda_stream({"a": [1, 2], "b": ["x", "y"]})
    for place in range(7, len(stream)):
        for byte in (0, 1, 2, 9, 13, 16, 19, 254, 255):
            spoilt = stream[:place] + bytes([byte]) + stream[place + 1 :]
            is_read_or_refused(lzma.compress(spoilt, preset=0, check=lzma.CHECK_NONE))


@given(st.integers(0, len(rda_stream(SMALL)) - 1))
def test_a_stream_that_ends_early_is_refused(length):
    with pytest.raises(ValueError, match="not an R data file of one plain table"):
        read_data_frame(lzma.compress(rda_stream(SMALL)[:length], preset=0))


@given(st.data())
def test_a_spoilt_file_is_refused(data):
    content = bytearray(rda_bytes(SMALL))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    is_read_or_refused(bytes(content))
    with pytest.raises(ValueError, match="not an R data file"):
        read_data_frame(bytes(content[:place]))


@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(content):
    for file in (content, lzma.compress(content, preset=0), lzma.compress(b"RDX2\nX\n" + content, preset=0)):
        with pytest.raises(ValueError, match="not an R data file of one plain table"):
            read_data_frame(file)


def with_column(write, write_names=lambda file: file.texts(["column"])):
    """Return a file whose one column is written by `write`."""
    file = RdaFile()
    file.tag("frame")
    file.words(19 | 1 << 8 | 1 << 9, 1)
    write(file)
    file.tag("names")
    write_names(file)
    file.words(254, 254)
    return lzma.compress(file.stream, preset=0)  # which needs little memory to unpack


@pytest.mark.parametrize(
    ("write", "fault"),
    [
        (lambda file: file.words(14, 1, 0, 0), "type 14; expected whole numbers or factors"),  # a double
        (lambda file: file.words(3, 0), "type 3;"),  # a function
        (lambda file: file.texts(["text"]), "neither whole numbers nor a factor"),
        (lambda file: file.integers([1, -(2**31)]), "missing values"),
        (lambda file: file.words(13, -1), "ends early"),
        (lambda file: file.words(13, 2**31 - 1), "ends early"),
    ],
)
def test_what_no_reference_set_holds_is_refused_with_its_fault(write, fault):
    with pytest.raises(ValueError, match=fault):
        read_data_frame(with_column(write))


def test_names_and_levels_are_texts():
    def levels_of_numbers(file):
        file.words(13 | 1 << 9, 1, 1)
        file.tag("levels")
        file.integers([7])
        file.words(254)

    def numbers(file):
        file.integers([7])

    assert read_data_frame(with_column(numbers))["column"].tolist() == [7]
    for content in (with_column(levels_of_numbers), with_column(numbers, write_names=numbers)):
        with pytest.raises(ValueError, match="names or levels are not texts"):
            read_data_frame(content)


def test_another_version_of_the_format_is_refused():
    stream = rda_stream(SMALL).replace(b"RDX2", b"RDX3")
    with pytest.raises(ValueError, match="workspace file of version 2"):
        read_data_frame(lzma.compress(stream))


def test_a_file_that_unpacks_to_more_than_any_reference_set_is_refused():
    with pytest.raises(ValueError, match="holds more than 1,048,576 bytes"):
        read_data_frame(lzma.compress(rda_stream(SMALL) + bytes(1 << 20), preset=0))


def test_two_objects_in_one_file_are_refused():
    file = RdaFile()
    file.data_frame("first", SMALL)
    file.data_frame("second", SMALL)
    file.words(254)
    with pytest.raises(ValueError, match="too many values"):
        read_data_frame(lzma.compress(file.stream))


def nested_lists(depth):
    return with_column(lambda file: [file.words(19, 1) for _ in range(depth)])


def empty_items(file):
    file.words(19, LIMIT // 8)
    file.stream += struct.pack(">2i", 13, 0) * (LIMIT // 8 - 20)


def long_level_often(file):
    codes = LIMIT // 16
    file.words(13 | 1 << 9, codes)
    file.stream += struct.pack(">i", 1) * codes
    file.tag("levels")
    file.texts(["x" * (LIMIT // 2)])
    file.words(254)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(lzma.compress(b"RDX2\nX\n" + bytes(60_000_000), preset=0), id="a bomb"),
        pytest.param(nested_lists(10_000), id="deep"),
        pytest.param(with_column(empty_items), id="many empty items"),
        pytest.param(with_column(long_level_often), id="a long level often"),
    ],
)
def test_hostile_files_cost_memory_only_in_proportion_to_the_limit(monkeypatch, content):
    monkeypatch.setattr(r_data, "LARGEST", LIMIT)  # less than the real one, since tracing memory is slow
    tracemalloc.start()
    try:
        is_read_or_refused(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64 * LIMIT
