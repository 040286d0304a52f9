"""`microagg check`: counts what an observer sees, in any file."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import microagg as library
from microagg.cli.check import _in_ranges
from microagg.errors import InputError
from tests.unit.cli.running import EVERYTHING, microagg, told

RELEASED = "age,town,who\n" + "30,x,a\n30,x,a\n30,x,b\n41,x,c\n41,x,d\n50,y,e\n"


@pytest.fixture
def released(folder):
    (folder / "released.csv").write_text(RELEASED)
    return folder


def test_a_safe_table_is_told_with_its_classes(released):
    result = microagg("check", "firms.csv", "-k", 20, "-q", "region")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "Records    20 in 1 class",
        "Check      safe for k = 20: each class holds at least 20 records",
        "",
        "size  classes  records",
        "  20        1       20",
    ]


def test_an_unsafe_table_is_told_with_the_records_that_make_it_so(released):
    result = microagg("check", "released.csv", "-k", 3, "-q", "age,town")
    assert (result.exit_code, result.stderr) == (3, "")
    assert result.stdout.splitlines() == [
        "Records    6 in 3 classes",
        "Check      not safe for k = 3: 3 of 6 records are in a class of fewer than 3 records",
        "",
        "size  classes  records  fewer than 3",
        "   1        1        1  x",
        "   2        1        2  x",
        "   3        1        3",
    ]


def test_quiet_leaves_the_answer_to_the_code(released):
    for k, code in ((5, 3), (20, 0)):
        name = "released.csv" if k == 5 else "firms.csv"
        column = "town" if k == 5 else "region"
        result = microagg("check", name, "-k", k, "-q", column, "--quiet")
        assert (result.exit_code, result.stdout, result.stderr) == (code, "", "")


def test_fewer_records_than_k_are_not_safe(released):
    assert microagg("check", "released.csv", "-k", 7, "-q", "town").exit_code == 3


def test_entities_are_counted_where_they_are_named(released):
    result = microagg("check", "released.csv", "-k", 2, "-q", "age", "--entity", "who")
    assert result.exit_code == 3
    assert result.stdout.splitlines()[1:] == [
        "Check      not safe for k = 2: 1 of 6 records is in a class of fewer than 2 entities",
        "",
        "size  classes  entities  fewer than 2",
        "   1        1         1  x",
        "   2        2         4",
    ]


def test_programs_read_the_same(released):
    result = microagg("check", "released.csv", "-k", 3, "-q", "age", "-q", "town", "--json")
    assert result.exit_code == 3
    account = json.loads(result.stdout)
    assert account.pop("seconds") > 0.0
    assert account == {
        "safe": False,
        "k": 3,
        "records": 6,
        "records_below_k": 3,
        "classes": {"count": 3, "smallest": 1, "largest": 3},
        "sizes": {"1": 1, "2": 1, "3": 1},
    }


def test_what_protect_wrote_is_safe(folder):
    assert microagg("protect", "firms.csv", "-k", 4, *EVERYTHING).exit_code == 0
    assert told("check", "safe.csv", "-k", 4, "-q", "staff,turnover")["safe"] is True


def test_faults_are_told_at_once(released):
    result = microagg("check", "released.csv", "-k", 1, "-q", "aeg,town,town", "--entity", "whom")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        "k = 1 protects nobody: a group must hold at least 2 records",
        "column 'town' is named 2 times as quasi-identifier: name it once",
        "there is no column 'aeg', named as quasi-identifier: did you mean 'age'?",
        "there is no column 'whom', named as entity: did you mean 'who'?",
    ]
    result = microagg("check", "absent.csv", "-k", 1, "-q", "a", "--json")
    assert json.loads(result.stderr)["faults"] == [
        "k = 1 protects nobody: a group must hold at least 2 records",
        "absent.csv cannot be read: No such file or directory",
    ]
    result = microagg("check", "released.csv", "-k", 2, "-q", '"a')
    assert result.stderr.splitlines() == [
        "cannot read the names '\"a': put a name that holds a comma or a line break in double quotes, and "
        "write a double quote in it twice"
    ]


def test_an_entity_that_is_missing_is_a_fault():
    import pyarrow as pa

    table = pa.table({"age": [1, 1, 1], "who": ["a", None, "b"]})
    with pytest.raises(InputError, match="the entity 'who' is missing in some records"):
        library.check_release(table, 2, "age", entity="who")


@given(
    st.dictionaries(st.integers(1, 99), st.integers(1, 10**6), min_size=1, max_size=60), st.integers(2, 99)
)
@example(dict.fromkeys(range(1, 41), 1), 13)
def test_ranges_of_sizes_hold_every_class_and_never_reach_across_k(sizes, k):
    rows = list(_in_ranges(sizes, k))
    assert sum(classes for _, _, classes, _ in rows) == sum(sizes.values())
    assert sum(members for *_, members in rows) == sum(size * classes for size, classes in sizes.items())
    ends = [end for least, most, *_ in rows for end in (least, most)]
    assert ends == sorted(ends)
    assert not any(least < k <= most for least, most, *_ in rows)
    assert len(rows) == len(sizes) if len(sizes) <= 12 else len(rows) <= 5 + 7 + 1
