"""What is proposed for columns of all sorts, and why: what identifies is dropped, the rest is protected."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg.errors import InputError
from microagg.plan import Plan
from microagg.proposal import propose
from microagg.tables import Source

N = 240
RNG = np.random.default_rng(7)
AMOUNTS = RNG.lognormal(8, 1.5, N).astype(int)
LABELS = "direct identifier", "quasi-identifier", "sensitive", "weight", "entity"
DIRECT, QUASI, SENSITIVE, WEIGHT, ENTITY = LABELS


def repeated(*values):
    return [values[place % len(values)] for place in range(N)]


def found(values, name="x", **others):
    """Return role, kind and reason of one column."""
    proposal = propose(pa.table({name: values, **others}))
    assert proposal.plan.faults_for([name, *others], N) == []
    return proposal.plan.role_of(name), proposal.plan.kinds.get(name), proposal.reasons[name]


@pytest.mark.parametrize(
    ("name", "values", "role", "kind", "reason"),
    [
        (
            "x",
            [f"r{i}" for i in range(N)],
            DIRECT,
            None,
            "240 different values in 240 records: nearly unique",
        ),
        (
            "x",
            repeated(*(f"r{i}" for i in range(216))),
            DIRECT,
            None,
            "216 different values in 240 records: ",
        ),
        (
            "x",
            repeated(*(f"r{i}" for i in range(215))),
            QUASI,
            "nominal",
            "text, 215 different; outsiders may",
        ),
        (
            "x",
            RNG.integers(10**8, 10**9, N),
            DIRECT,
            None,
            "240 different values in 240 records: nearly unique",
        ),
        (
            "x",
            np.arange(N) + 5,
            DIRECT,
            None,
            "whole numbers from 5 to 244, each once: they number the records",
        ),
        (
            "x",
            [None, *np.arange(1.0, N)],
            DIRECT,
            None,
            "whole numbers from 1 to 239, each once: they number",
        ),
        ("x", np.unique(AMOUNTS), QUASI, "integer", "whole numbers from "),
        ("x", RNG.random(N), QUASI, "continuous", "numbers from 0.0"),
        ("income", RNG.integers(10**6, 10**7, N), QUASI, "integer", "whole numbers from 1,0"),
        (
            "FirmID",
            [f"F{i}" for i in range(N)],
            DIRECT,
            None,
            "its name says that it is an identifier; 240 diff",
        ),
        (
            "last_name",
            repeated("a", "b"),
            DIRECT,
            None,
            "its name says that it identifies directly; text, 2 ",
        ),
        ("E-Mail", repeated("a", "b"), DIRECT, None, "its name says that it identifies directly; text, 2 "),
        ("Straße", repeated("a", "b"), DIRECT, None, "its name says that it identifies directly; text, 2 "),
        (
            "teléfono",
            repeated(1, 2),
            DIRECT,
            None,
            "its name says that it identifies directly; whole numbers ",
        ),
        ("region_name", repeated("a", "b"), QUASI, "nominal", "text, 2 different; outsiders may know it"),
        ("has_phone", repeated(True, False), QUASI, "boolean", "truth values; outsiders may know it"),
        (
            "household",
            np.arange(N) // 3,
            ENTITY,
            None,
            "its name says that it is an identifier, and its values re",
        ),
        (
            "patient no",
            np.arange(N) // 3,
            ENTITY,
            None,
            "its name says that it is an identifier, and its values r",
        ),
        (
            "id",
            np.arange(N) // 30,
            ENTITY,
            None,
            "its name says that it is an identifier, and its values repeat: 8",
        ),
        (
            "id",
            np.arange(N) // 80,
            DIRECT,
            None,
            "its name says that it is an identifier, and its values repeat: 3",
        ),
        (
            "id",
            [None, *np.arange(1, N) // 9],
            DIRECT,
            None,
            "its name says that it is an identifier, and its valu",
        ),
        ("employee_number", AMOUNTS // 50, QUASI, "integer", "whole numbers from "),
        (
            "region_id",
            RNG.integers(0, 17, N),
            QUASI,
            "nominal",
            "whole numbers from 0 to 16, 17 different, and its",
        ),
        (
            "weight",
            RNG.random(N) + 1,
            WEIGHT,
            "continuous",
            "its name says that it is a weight, and its 240 val",
        ),
        (
            "design_wgt",
            repeated(1, 2),
            WEIGHT,
            "continuous",
            "its name says that it is a weight, and its 240 val",
        ),
        ("weight", repeated(0.0, 2.5), QUASI, "continuous", "numbers from 0 to 2.5; outsiders may know it"),
        ("weight", [None, *RNG.random(N - 1)], QUASI, "continuous", "numbers from 0.0"),
        ("birth_weight", RNG.random(N) + 1, QUASI, "continuous", "numbers from 1.0"),
        (
            "Diagnosis",
            repeated("a", "b"),
            SENSITIVE,
            "nominal",
            "its name says that it is sensitive; text, 2 differ",
        ),
        (
            "ICD10",
            [f"I{i}" for i in range(N)],
            DIRECT,
            None,
            "240 different values in 240 records: nearly unique",
        ),
        ("arrears", AMOUNTS, QUASI, "integer", "whole numbers from "),
        (
            "arrears",
            repeated(0, 1, None, 1),
            SENSITIVE,
            "boolean",
            "its name says that it is sensitive; only 0 and",
        ),
        (
            "diagnosis_date",
            repeated(dt.date(2020, 1, 1), dt.date(2020, 1, 9)),
            QUASI,
            "date",
            "dates, 2 different",
        ),
        (
            "sex",
            repeated(1, 2),
            QUASI,
            "nominal",
            "whole numbers from 1 to 2, 2 different, and its name says tha",
        ),
        (
            "zip",
            repeated(*range(10000, 10100)),
            QUASI,
            "nominal",
            "whole numbers from 10,000 to 10,099, 100 differ",
        ),
        (
            "children",
            repeated(0, 1, 2, None),
            QUASI,
            "integer",
            "whole numbers from 0 to 2, missing in 60 records; ",
        ),
        (
            "x",
            repeated(0.0, 1.0, None, 1.0),
            QUASI,
            "boolean",
            "only 0 and 1, as for no and yes, missing in 60 reco",
        ),
        ("x", repeated(2.0, 7.0), QUASI, "integer", "whole numbers from 2 to 7; outsiders may know it"),
        (
            "x",
            repeated(2**60, 2**60 + 1),
            QUASI,
            "continuous",
            "whole numbers from 1.15292e+18 to 1.15292e+18, too ",
        ),
        (
            "x",
            repeated(1.0, float("nan")),
            QUASI,
            "integer",
            "whole numbers from 1 to 1, and some that are not fini",
        ),
        ("x", repeated("a"), QUASI, "nominal", "text, the same throughout; outsiders may know it"),
        ("x", repeated(None), DIRECT, None, "no values at all, so nothing to release"),
        (
            "x",
            repeated([1]),
            DIRECT,
            None,
            "it holds list<item: int64>, which cannot be protected: make it number",
        ),
        (
            "x holds y",
            repeated(dt.time(1)),
            DIRECT,
            None,
            "it holds time64[us], which cannot be protected: make",
        ),
    ],
)
def test_role_and_kind_are_proposed_with_the_reason(name, values, role, kind, reason):
    size = len(values)
    others = {"town": ["a"] * size}
    proposal = propose(pa.table({name: pa.array(values), **others}))
    assert proposal.plan.faults() == proposal.plan.faults_for([name, "town"], size) == []
    assert (proposal.plan.role_of(name), proposal.plan.kinds.get(name)) == (role, kind)
    assert proposal.reasons[name].startswith(reason)


@pytest.mark.parametrize(
    ("name", "values", "role", "kind"),
    [
        ("household", np.arange(N) // 30, QUASI, "integer"),
        ("x", RNG.integers(-(10**6), 10**6, N), QUASI, "integer"),
        ("sector", repeated(*range(80)), QUASI, "integer"),
        ("region_id", np.arange(N) // 4, QUASI, "nominal"),
        ("half", (np.arange(N) % 7 / 2).astype(np.float16), QUASI, "continuous"),
    ],
)
def test_what_a_name_or_type_alone_does_not_decide(name, values, role, kind):
    assert found(values, name)[:2] == (role, kind)


def test_blanks_around_text_are_none_of_it_and_no_text_is_missing():
    assert (
        found(repeated("a ", "a", ""))[2]
        == "text, the same throughout, missing in 80 records; outsiders may know it"
    )


def test_categories_may_come_in_parts_with_a_list_of_each():
    parts = [pa.array(repeated("a", "b")[:120]).dictionary_encode(), pa.array(repeated("c", "b")[:120])]
    values = pa.chunked_array([parts[0], parts[1].dictionary_encode()])
    assert found(values)[2] == "categories, 3 different; outsiders may know it"


def test_few_whole_numbers_that_all_differ_are_no_identifiers_by_that_alone():
    assert found([20, 31, 45, 52, 60, 71])[0] == QUASI
    assert found([20, 21, 22, 23, 24, 25])[0] == DIRECT


def test_a_weight_beside_a_height_is_that_of_a_body():
    weights = RNG.random(N) + 50
    assert found(weights, "weight", birth_year=repeated(1990, 1991))[0] == WEIGHT
    assert found(weights, "weight", Height=repeated(170.5, 181.5))[0] == QUASI


def test_there_is_one_weight_and_one_entity_and_others_are_dropped():
    plan = propose(
        pa.table(
            {
                "weight": RNG.random(N),
                "weight2": RNG.random(N),
                "person_id": np.arange(N) // 2,
                "household_id": np.arange(N) // 4,
                "age": repeated(30, 31, 50),
            }
        )
    ).plan
    assert plan == Plan(
        5,
        ("age",),
        drop=("weight2", "household_id"),
        weight="weight",
        entity="person_id",
        kinds={"weight": "continuous", "age": "integer"},
    )


CSV = "plz;income;born;flag;much\n" + "".join(
    f"0{row % 70}; {row * 7 % 150},5;2001-01-0{row % 9 + 1};{flag};{row % 50 or 'n/a'}\n"
    for row, flag in enumerate(repeated("yes", "no"))
)


def test_what_text_in_a_file_spells_is_seen(tmp_path):
    (tmp_path / "t.csv").write_text(CSV)
    proposal = propose(Source(tmp_path / "t.csv", delimiter=";", decimal=","))
    assert proposal.plan.kinds == {
        "plz": "nominal",
        "income": "continuous",
        "born": "date",
        "flag": "boolean",
        "much": "continuous",
    }
    assert proposal.reasons["income"] == "numbers from 0.5 to 149.5; outsiders may know it"
    assert proposal.reasons["much"].startswith("mostly numbers: mend what is none, or call it nominal")


def test_every_frame_and_file_gives_the_same_proposal(tmp_path):
    table = pa.table(
        {"name": [f"n{i}" for i in range(N)], "age": repeated(30, 41, None), "size": AMOUNTS / 7}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    expected = propose(table)
    assert propose(tmp_path / "t.parquet") == expected
    assert propose(table.to_pandas()) == expected
    assert propose(pl.DataFrame(table)) == expected


def test_what_cannot_be_planned_is_told_all_at_once():
    with pytest.raises(InputError) as caught:
        propose(pa.table([[1], [2]], names=["a", "a"]), k=1.5)
    assert caught.value.faults == (
        "k must be a whole number, found 1.5",
        "2 columns are called 'a': give each its own name",
    )
    with pytest.raises(InputError, match=r"^k = 5 is more than the 2 records there are$"):
        propose(pa.table({"a": [1, 2]}))
    with pytest.raises(
        InputError, match=r"^k = 1 protects nobody.*\n.*none\.csv cannot be read: No such file"
    ):
        propose("none.csv", k=1)


def test_where_nothing_is_left_to_protect_the_reasons_tell():
    proposal = propose(pa.table({"name": repeated("a", "b")}))
    assert proposal.plan == Plan(5, (), drop=("name",))
    assert proposal.reasons == {"name": "its name says that it identifies directly; text, 2 different"}
