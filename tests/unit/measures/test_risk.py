"""All measures of risk together, and the sentences that say what to make of them."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.check import classes as count_classes
from microagg.measures import risk
from microagg.measures.found import Linkage
from microagg.measures.risk import risk_measures
from tests.unit.measures.comparing import compared, grouped, watched

NO_SENSITIVE = "no sensitive column is named, so that nothing is said of what groups give away"


def measured(of, k=3, **options):
    return risk_measures(of, count_classes([of.classes], k or 2), k, **options)


def numbers(records, columns=3, seed=0):
    return np.random.default_rng(seed).normal(size=(records, columns)) + 20


def flat(value):
    """Return all numbers that a measure holds, however deep."""
    if isinstance(value, dict):
        return [number for one in value.values() for number in flat(one)]
    if hasattr(value, "__dataclass_fields__"):
        return [number for name in value.__dataclass_fields__ for number in flat(getattr(value, name))]
    if isinstance(value, np.ndarray):
        return value.astype(float).ravel().tolist()
    return [float(value)] if isinstance(value, int | float) else []


def test_every_measure_is_taken():
    X = numbers(30)
    places = np.arange(30) % 4
    of = grouped(
        X, np.arange(30) // 3, sensitive=[watched("illness", places), watched("staff", places, True)]
    )
    found, notes = measured(of)
    assert found.classes.count == 10
    assert found.k == 3
    assert None not in (found.linkage, found.intervals, found.probabilistic)
    assert list(found.sensitive) == ["illness", "staff"]
    assert [of.ordered for of in found.sensitive.values()] == [False, True]
    assert list(found.dominance) == ["a", "b", "c"]
    assert notes == []


def test_the_seed_draws_the_sample():
    of = grouped(numbers(1500), np.arange(1500) // 3)
    one, again, other = (measured(of, seed=seed)[0].probabilistic for seed in (1, 1, 2))
    assert one == again != other
    assert (
        "probabilistic linkage is that within a sample of 1,000 records, among which each is easier to find "
        "than among all" in measured(of)[1]
    )


def test_a_sample_of_the_linkage_is_told(monkeypatch):
    some = Linkage(0.1, 0.2, 0.1, 0.3, np.empty(0), error=0.03, sample=10)
    monkeypatch.setattr(risk, "linkage", lambda *_: some)
    assert (
        "linkage by distance is that of 10 records drawn from 30, searched for among all: its standard error "
        "is at most 0.0300" in measured(grouped(numbers(30), np.arange(30) // 3))[1]
    )


def test_the_seed_and_the_progress_reach_the_linkage(monkeypatch):
    given = []
    monkeypatch.setattr(risk, "linkage", lambda *options: given.extend(options))
    of = grouped(numbers(30), np.arange(30) // 3)
    measured(of, seed=7, progress=print)
    assert given == [of, print, 7]


def test_one_record_cannot_be_linked_by_likelihood():
    found, notes = measured(compared(numbers(1), numbers(1)), None)
    assert found.probabilistic is None
    assert "a single record cannot be linked by likelihood: there is none that it could be taken for" in notes


def test_without_a_sensitive_column_nothing_is_said_of_it():
    found, notes = measured(grouped(numbers(12), np.arange(12) // 3))
    assert found.sensitive == {}
    assert notes == [NO_SENSITIVE]


def test_groups_that_give_a_value_away_are_counted():
    of = grouped(numbers(9), np.arange(9) // 3, sensitive=[watched("illness", [0, 0, 0, 0, 1, 1, 1, 1, 1])])
    found, notes = measured(of)
    assert found.sensitive["illness"].distinct == 1
    assert notes == [
        "in 2 of 3 groups all records share their value of 'illness': it is disclosed to who knows that "
        "someone is in the group"
    ]


def test_a_value_that_everybody_has_is_not_laid_to_the_groups():
    of = grouped(numbers(9), np.arange(9) // 3, sensitive=[watched("illness", [0] * 9)])
    assert measured(of)[1] == [
        "'illness' has the same value throughout: whoever knows the table knows it of everybody"
    ]


def test_a_column_of_a_thousand_values_tells_who_is_who():
    places = np.random.default_rng(1).permutation(1000)
    of = grouped(numbers(1000, 2), np.arange(1000) // 4, sensitive=[watched("name", places)])
    found, notes = measured(of, 4)
    assert (found.sensitive["name"].distinct, found.sensitive["name"].values) == (4, 1000)
    assert found.sensitive["name"].closeness == pytest.approx(0.996)
    assert notes == [
        "nearly every record has its own value of 'name' (1,000 values, 1,000 records): l-diversity says "
        "little of it, and the value itself can tell who is who"
    ]


def test_a_giant_is_told():
    X = numbers(12, 1)
    X[0] = 1e6
    found, notes = measured(grouped(X, np.arange(12) // 3))
    assert found.dominance["a"].n_k == 1
    assert notes[-1].startswith("one or two members hold nearly all of a group's sum")
    assert "a (1 of 4 groups)" in notes[-1]


def test_records_that_are_alone_are_told():
    found, notes = measured(compared(numbers(8), numbers(8)))
    assert found.dominance == {}
    assert notes == [
        "8 of 8 records are in groups of fewer than k = 3",
        "8 of 8 records are alone in their group: who finds one of them learns all that is kept of it",
        "most records are alone in their group, so that there are no means of groups whose largest members "
        "could be looked for",
        NO_SENSITIVE,
    ]


def test_nothing_is_said_of_a_k_that_nobody_asked_for():
    notes = measured(compared(numbers(8), numbers(8)), None)[1]
    assert not [note for note in notes if "fewer than k" in note]


ONE_GROUP = "all records are in one group: none is told from another, and no group differs from the table"
NO_INTERVALS = "no amount or ordered value varies, so that there are no intervals around released ones"
ALIKE = "all records are alike in the compared columns, so that every link is a guess"


def test_a_single_group_is_told():
    of = grouped(numbers(6), np.zeros(6, int), sensitive=[watched("illness", [0, 1, 2] * 2)])
    found, notes = measured(of)
    assert notes == [ONE_GROUP]
    assert found.sensitive["illness"].closeness == 0.0


@pytest.mark.parametrize("value", [0.0, 7.0, -1e300, 1e9 + 0.1])
def test_constant_columns_are_told(value):
    found, notes = measured(compared(*[np.full((6, 2), value)] * 2))
    assert notes == [ALIKE, ONE_GROUP, NO_SENSITIVE, NO_INTERVALS]
    assert found.linkage.released_to_original == pytest.approx(1 / 6)
    assert found.probabilistic.linked == pytest.approx(1 / 6)


HARD = {
    "one column": (numbers(9, 1), 3),
    "one group": (numbers(5), 5),
    "constant": (np.ones((6, 2)), 3),
    "huge": (numbers(9) * 1e300, 3),
    "tiny": (numbers(9) * 1e-300, 3),
    "far off": (numbers(9) + 1e9, 3),
    "negative": (-numbers(9), 3),
    "two records": (numbers(2), 2),
    "one record": (numbers(1), 1),
    "pairs": (numbers(8), 2),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("X", "k"), HARD.values(), ids=HARD)
def test_all_figures_are_numbers(X, k):
    records = len(X)
    of = grouped(X, np.arange(records) // k, sensitive=[watched("kept", np.arange(records) % 3)])
    found, notes = measured(of, k)
    assert len(flat(found)) > 10
    assert np.isfinite(flat(found)).all()
    assert not [note for note in notes if "nan" in note.split() or "inf" in note.split()]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["continuous", "integer", "ordinal", "nominal", "boolean", "date"])
def test_columns_that_are_all_missing_have_figures_too(kind):
    table = {"a": [None] * 6, "b": [0.0, 1.0] * 3}
    of = grouped(table, np.arange(6) // 3, kinds={"a": kind, "b": kind})
    found, _ = measured(of)
    assert np.isfinite(flat(found)).all()
    only = grouped({"a": [None] * 6}, np.arange(6) // 3, kinds={"a": kind})
    found, notes = measured(only)
    assert np.isfinite(flat(found)).all()
    assert notes[0] == ALIKE
