"""CSV files as people make them: what is read, what is refused, and what is written again."""

from __future__ import annotations

import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.tables import Source, Table
from microagg.tables.csv_dialect import Dialect
from microagg.tables.csv_file import read
from microagg.tables.csv_writing import write_csv


@pytest.fixture
def csv_of(tmp_path):
    def write(content):
        path = tmp_path / "given.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def read_csv(path, **options):
    return read(path, Source(path, **options))


def records(table):
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


PLAIN = Dialect()


def written(table, dialect=PLAIN):
    stream = io.BytesIO()
    write_csv(table, stream, dialect)
    return stream.getvalue()


def fault(path, **options):
    with pytest.raises(InputError) as caught:
        read_csv(path, **options)
    assert len(caught.value.faults) == 1
    return caught.value.faults[0].removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "dialect"),
    [
        (b"a,b\n1,x\n2,y\n", Dialect(",", "\n", "")),
        (b"a;b\r\n1;x\r\n2;y\r\n", Dialect(";", "\r\n", "")),
        (b"a\tb\r1\tx\r2\ty\r", Dialect("\t", "\r", "")),
        (b"\xef\xbb\xbfa,b\r\n1,x\r\n2,y\r\n", Dialect(",", "\r\n", "\ufeff")),
    ],
    ids=["plain", "semicolons and CRLF", "tabs and CR", "byte order mark"],
)
def test_a_file_is_written_as_it_was(csv_of, content, dialect):
    table, file = read_csv(csv_of(content))
    assert table.to_pydict() == {"a": ["1", "2"], "b": ["x", "y"]}
    assert file.dialect == dialect
    assert written(table, file.dialect) == content


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ('"a;b",c', ["a;b", "c"]),
        ('"a,b";c', ["a,b", "c"]),
        ('"a ""so called""",c', ['a "so called"', "c"]),
        ('"two\nlines",c', ["two\nlines", "c"]),
        ("Größe,数 量", ["Größe", "数 量"]),
        (' a,"",b', [" a", "", "b"]),
    ],
)
def test_names_are_read_and_written_whatever_they_hold(csv_of, header, names):
    table, file = read_csv(csv_of(f"{header}\n{header}\n"))  # the names once more, as the only record
    assert table.column_names == names
    assert records(table) == [tuple(names)]
    assert written(table, file.dialect).decode().startswith(f"{header}\n")
    assert records(read_csv(csv_of(written(table, file.dialect)))[0]) == [tuple(names)]


def test_what_stands_in_a_field_is_kept(csv_of):
    fields = ["", " padded ", "007", "1.50", "NA", "null", 'say "so"', "a,b", "two\r\nlines", "x" * 300_000]
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([["a", "b"], *([field, "1"] for field in fields)])
    table, file = read_csv(csv_of(lines.getvalue()))
    assert table["a"].to_pylist() == fields
    assert written(table, file.dialect).decode() == lines.getvalue()


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [("cp1252", ""), ("latin-1", ""), ("utf-16-le", ""), ("utf-16", "\ufeff"), ("utf-16-be", "\ufeff")],
)
def test_a_file_of_another_encoding_is_written_as_it_was(csv_of, encoding, mark):
    content = (mark * (encoding != "utf-16") + 'Größe;Ort\n1;Zürich\n2;"a;\nb"\n').encode(encoding)
    table, file = read_csv(csv_of(content), encoding=encoding)
    assert table.to_pydict() == {"Größe": ["1", "2"], "Ort": ["Zürich", "a;\nb"]}
    assert written(table, file.dialect) == content
    assert file.row_of(1) == 3


def test_utf_16_is_known_by_its_mark(csv_of):
    content = "Größe;Ort\n1;Zürich\n".encode("utf-16")
    table, file = read_csv(csv_of(content))
    assert table.to_pydict() == {"Größe": ["1"], "Ort": ["Zürich"]}
    assert written(table, file.dialect) == content


def test_marks_in_utf_16_are_counted_as_characters(csv_of):
    table, _ = read_csv(csv_of("a;b\n1;∢\n".encode("utf-16-le")), encoding="utf-16-le")  # U+2222
    assert table["b"].to_pylist() == ["∢"]
    content = 'a;b\n1;"x\n2;y\n'.encode("utf-16-le")
    assert "row 2" in fault(csv_of(content), encoding="utf-16-le")


def test_a_delimiter_can_be_named(csv_of):
    content = b'a|b,c\n1|"x|y"\n'
    table, file = read_csv(csv_of(content), delimiter="|")
    assert table.to_pydict() == {"a": ["1"], "b,c": ["x|y"]}
    assert written(table, file.dialect) == content.replace(b"b,c", b'"b,c"')


def values(table, name):
    return table.encoded(name, table.kind(name).kind).column.values.tolist()


GERMAN = {"decimal": ",", "thousands": "."}


def test_numbers_with_decimal_commas_are_understood(csv_of):
    table, file = read_csv(csv_of("a\n1,5\n1.234,25\n-7\n+,5e-3\n12.345.678\n3,\n"), **GERMAN)
    assert values(Table(table, file), "a") == [1.5, 1234.25, -7, 0.0005, 12_345_678, 3]


@pytest.mark.parametrize(
    ("mark", "text"), [("'", "1'234.5"), (" ", "1 234.5"), ("\u202f", "1\u202f234.5"), (",", '"1,234.5"')]
)
def test_marks_between_thousands_are_understood(csv_of, mark, text):
    table, file = read_csv(csv_of(f"a;b\n{text};x\n"), thousands=mark, delimiter=";")
    assert values(Table(table, file), "a") == [1234.5]


def test_a_number_of_another_notation_is_refused(csv_of):
    table, file = read_csv(csv_of("a;b\n1,5;1\n1.5;2\n"), **GERMAN)
    with pytest.raises(InputError) as caught:
        values(Table(table, file), "a")
    assert caught.value.faults == (
        "column 'a' holds '1.5' in row 3 (the header is row 1): "
        "numbers of this file have the decimal mark ',' and '.' between thousands",
    )


def test_new_numbers_get_the_decimal_mark_of_the_file_and_kept_text_stays(csv_of):
    table, file = read_csv(csv_of("a;b\n1,5;v1.0\n2,5;1.000,50\n"), **GERMAN)
    released = Table(table, file).released(["a", "b"], {"a": pa.array([2.25, 2.25])})
    assert written(released, file.dialect) == b"a;b\n2,25;v1.0\n2,25;1.000,50\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"delimiter": ";;"}, "delimiter = ';;': expected one character"),
        ({"delimiter": '"'}, "delimiter = '\"': expected one character"),
        ({"delimiter": "§"}, "delimiter = '§': expected a character of ASCII"),
        ({"decimal": "5"}, "decimal = '5': expected one character"),
        ({"thousands": ""}, "thousands = '': expected one character"),
        ({"decimal": ",", "thousands": ","}, "decimal and thousands are both ',': name two different ones"),
        ({"thousands": "."}, "thousands = '.': say decimal = ',' too"),
        ({"encoding": "utf-99"}, "there is no encoding 'utf-99'"),
        ({"encoding": "rot13"}, "there is no encoding 'rot13'"),
        ({"encoding": "ascii"}, " is not ascii text (line 2)"),
    ],
)
def test_options_that_make_no_sense_are_refused(csv_of, options, expected):
    assert fault(csv_of("a,b\n1,ä\n"), **options).startswith(expected)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
AWKWARD = st.text('",;\t\r\n\\ x', max_size=4)


@given(
    st.lists(st.tuples(TEXTS | AWKWARD, AWKWARD, TEXTS), min_size=1, max_size=6),
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_reads_back_the_same(tmp_path_factory, rows, delimiter, line_end):
    table = pa.table(
        {name: list(column) for name, column in zip("abc", zip(*rows, strict=True), strict=True)}
    )
    path = tmp_path_factory.mktemp("csv") / "written.csv"
    path.write_bytes(written(table, Dialect(delimiter, line_end)))
    with path.open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream, delimiter=delimiter)) == [["a", "b", "c"], *map(list, rows)]
    assert records(read_csv(path)[0]) == rows


def test_tables_longer_than_a_block_are_written_whole():
    numbers = [str(number) for number in range(150_000)]
    assert written(pa.table({"a": numbers})).decode().split() == ["a", *numbers]


def test_blank_lines_hold_no_record_but_count_as_rows(csv_of):
    table, file = read_csv(csv_of('\n\na,b\n1,2\n\n3,"x\ny"\n5,6\n'))
    assert table["a"].to_pylist() == ["1", "3", "5"]
    assert [file.row_of(record) for record in range(3)] == [2 + 2, 4 + 2, 5 + 2]


def test_a_blank_line_is_an_empty_value_where_there_is_one_column(csv_of):
    table, file = read_csv(csv_of("a\n1\n\n2\n"))
    assert table["a"].to_pylist() == ["1", "", "2"]
    assert file.row_of(2) == 4


def test_a_row_is_found_behind_a_very_long_field(csv_of):
    _, file = read_csv(csv_of("a,b\n1," + "x" * 300_000 + "\n2,y\n"))
    assert file.row_of(1) == 3
    assert csv.field_size_limit() == 131_072  # the limit of all other readers stays as it was


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("\n\r\n", " is empty"),
        (b"\xef\xbb\xbf", " is empty"),
        ("a,b", " holds a header but no records"),
        (
            "a,b\n1,2\n3\n4,5,6\n",
            ": row 3 (the header is row 1) has 1 value(s), the header has 2; 2 rows differ",
        ),
        ("a,b\n1,2\n3,4,5\n", ": row 3 (the header is row 1) has 3 value(s), the header has 2. Put quotes"),
        ("a,b\n1,2\n3,ä\n".encode("latin-1"), " is not UTF-8 text (line 3)"),
        ("a,b\n1,2\n".encode("utf-16") + b"x", " is not utf-16-le text (line 3)"),
        ('a,b\n1,2\n3,"4\n5,6\n', ": row 3 (the header is row 1) has a quotation mark that is not closed"),
        ('"a,b\n1,2\n3,4\n', ": row 1 (the header is row 1) has a quotation mark that is not closed"),
        ('a,b\n1,"x"y"\n2,z\n', ": row 2 (the header is row 1) has a quotation mark that is not closed"),
        ("a,b\n1,2\n3," + "x" * 20_000_000 + "\n", " holds a record longer than 4 MiB"),
    ],
    ids=[
        "blank",
        "mark only",
        "header",
        "ragged",
        "wide",
        "Latin-1",
        "UTF-16",
        "open",
        "open header",
        "stray",
        "long",
    ],
)
def test_files_that_are_no_table_are_refused(csv_of, content, expected):
    assert fault(csv_of(content)).startswith(expected)


def test_a_mark_within_a_value_without_quotes_is_part_of_it(csv_of):
    table, _ = read_csv(csv_of('a,b\n1,5" pipe\n2,x\n'))
    assert table["b"].to_pylist() == ['5" pipe', "x"]


def test_late_bytes_that_are_no_text_are_found(csv_of):
    content = b"a,b\n" + b"1,x\n" * 1_200_000 + b"2,\xe4\n"
    assert fault(csv_of(content)).startswith(" is not UTF-8 text (line 1200002)")
