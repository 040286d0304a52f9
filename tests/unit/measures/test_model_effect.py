"""Models fitted on the original and on its release, judged by original records."""

from __future__ import annotations

import numpy as np
import pytest

from microagg.measures import holdout, models
from microagg.measures.holdout import hold_out, some
from microagg.measures.models import model_effect, parted
from microagg.measures.softmax import fit_softmax
from tests.unit.measures.comparing import column, compared, grouped, pair, watched

RECORDS = 1500


def firms(seed=1):
    """Return a table in which sales follow from staff and assets, and the sector from both."""
    rng = np.random.default_rng(seed)
    staff, assets = rng.normal(size=(2, RECORDS))
    sales = 3.0 * staff - 2.0 * assets + rng.normal(size=RECORDS)
    sector = (staff + rng.normal(size=RECORDS) > 0).astype(int) + (assets > 1.0)
    return {"sales": sales, "staff": staff, "assets": assets, "sector": sector}


def release(table=None, size=5, **options):
    table = table or firms()
    labels = np.argsort(np.argsort(table["staff"])) // size
    return grouped(table, labels, {"sector": "nominal"}, **options)


def test_the_scores_of_an_unchanged_release_are_the_same():
    same = release(size=1)
    for text in ("sales", "sales ~ staff", "sector", "sector ~ staff + assets"):
        found = model_effect(same, text)
        assert found.score.before == found.score.after
        assert all(change.before == change.after for change in found.coefficients.values())


def test_a_regression_finds_what_was_put_in():
    table = firms()
    found = model_effect(release(table), "sales ~ staff + assets")
    assert (found.kind, found.target, found.predictors) == ("regression", "sales", ("staff", "assets"))
    assert found.score == pytest.approx((1 - 1 / 14, 1 - 1 / 14), abs=0.02)  # it is kind to straight lines
    assert found.baseline == pytest.approx(0.0, abs=0.01)
    scaled = {name: table[name].std() / table["sales"].std() for name in ("staff", "assets")}
    assert found.coefficients["staff"].before == pytest.approx(3.0 * scaled["staff"], abs=0.03)
    assert found.coefficients["assets"].before == pytest.approx(-2.0 * scaled["assets"], abs=0.03)


def test_the_score_is_that_of_the_records_held_out():
    both, table = release(), firms()
    rows = parted(both)
    x, y = table["staff"], table["sales"]
    slope, level = np.polyfit(x[rows.fitting], y[rows.fitting], 1)
    truth = y[rows.judging]
    expected = (
        1 - ((truth - slope * x[rows.judging] - level) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    )
    assert model_effect(both, "sales ~ staff").score.before == pytest.approx(expected)


def test_a_classifier_is_better_than_chance():
    found = model_effect(release(), "sector ~ staff + assets")
    assert found.kind == "classifier"
    assert min(found.score) > found.baseline + 0.1
    assert found.coefficients == {}


def test_what_is_released_is_what_the_second_fit_learns():
    table = firms()
    released = {**table, "sales": -table["sales"], "sector": 2 - table["sector"]}
    both = compared(table, released, {"sector": "nominal"})
    found = model_effect(both, "sales ~ staff + assets")
    assert found.coefficients["staff"].after == pytest.approx(-found.coefficients["staff"].before)
    assert found.score.after < -1.0
    found = model_effect(both, "sector ~ staff + assets")
    assert found.score.after < found.baseline - 0.05


def test_a_sensitive_column_can_be_told_and_tell():
    table = firms()
    illness = watched("illness", (table["staff"] > 0.3).astype(int))
    both = release(table, sensitive=[illness])
    found = model_effect(both, "illness")
    assert found.predictors == ("sales", "staff", "assets", "sector")
    assert found.score.before > 0.95
    assert model_effect(both, "sales ~ illness").score.before > 0.2
    income = watched("income", np.argsort(np.argsort(table["staff"])), ordered=True)
    assert model_effect(release(table, sensitive=[income]), "income").kind == "regression"


def test_rows_in_another_order_or_unit_give_the_same_scores():
    table = firms()
    rows = np.random.default_rng(9).permutation(RECORDS)
    moved = {name: values[rows] for name, values in table.items()}
    scaled = {**moved, "sales": moved["sales"] * 1000.0 + 5.0, "staff": moved["staff"] * 1e-200}
    for text in ("sales ~ staff + assets", "sector ~ staff + assets"):
        found = model_effect(release(table), text)
        assert model_effect(release(moved), text) == found
        assert numbers(model_effect(release(scaled), text)) == pytest.approx(numbers(found), rel=1e-6)


def numbers(found):
    return [*found.score, found.baseline, *(of for change in found.coefficients.values() for of in change)]


@pytest.mark.filterwarnings("error")
def test_columns_that_follow_from_each_other_or_do_not_vary_do_no_harm():
    table = firms()
    table |= {"sum": table["staff"] + table["assets"], "flat": np.full(RECORDS, 7.0)}
    both = release(table)
    found = model_effect(both, "sales ~ staff + assets")
    assert model_effect(both, "sales ~ staff + assets + sum + flat").score == pytest.approx(
        tuple(found.score)
    )
    assert model_effect(both, "sector ~ staff + assets + sum + flat").kind == "classifier"
    assert model_effect(both, "flat") is None


@pytest.mark.filterwarnings("error")
def test_missing_values_and_strange_releases_do_no_harm():
    table = {name: values.tolist() for name, values in firms().items()}
    table["sales"][::7] = [None] * len(table["sales"][::7])
    table["staff"][::5] = [None] * 300
    table["sector"][::11] = [None] * len(table["sector"][::11])
    kinds = {"sector": "nominal"}
    empty = {name: [None] * RECORDS for name in table}
    wild = {"sales": [1e300] * RECORDS, "staff": [-1e300, 0] * (RECORDS // 2), "assets": [0] * RECORDS}
    for released in (table, {**wild, "sector": [9] * RECORDS}):
        for text in table:
            found = model_effect(compared(table, released, kinds), text)
            assert found is None or np.isfinite(numbers(found)).all()
    assert model_effect(compared(table, empty, kinds), "sales") is None
    assert model_effect(compared(table, {**empty, "sales": table["sales"]}, kinds), "sales") is not None


def test_being_missing_can_tell_something():
    rng = np.random.default_rng(3)
    gone = rng.random(RECORDS) < 0.4
    table = {
        "sales": (gone + 0.1 * rng.normal(size=RECORDS)).tolist(),
        "staff": [None if of else 1.0 for of in gone],
    }
    assert model_effect(compared(table, table), "sales").score.before > 0.9


@pytest.mark.parametrize("records", [1, 2, 12])
def test_too_few_records_are_not_judged(records):
    table = {"a": list(range(records)), "b": list(range(records))}
    assert model_effect(compared(table, table), "a") is None


def test_heavier_records_count_more():
    rng = np.random.default_rng(4)
    x, left = rng.normal(size=RECORDS), rng.random(RECORDS) < 0.5
    table = {"y": np.where(left, x, -x), "x": x}
    found = model_effect(compared(table, table, weights=np.where(left, 1e6, 1.0)), "y ~ x")
    assert found.coefficients["x"].before == pytest.approx(x.std() / table["y"].std(), rel=0.01)
    assert found.score.before > 0.99


def test_values_seldom_seen_are_never_told():
    rng = np.random.default_rng(5)
    town = np.minimum(rng.geometric(0.05, size=RECORDS), 60)
    found = model_effect(
        compared({"x": town, "town": town}, {"x": town, "town": town}, {"town": "nominal"}), "town"
    )
    assert 0.0 < found.baseline < found.score.before < 1.0


def test_of_many_records_some_are_used(monkeypatch):
    monkeypatch.setattr(models, "MOST", 200)
    whole = model_effect(release(), "sales ~ staff + assets")
    assert whole.score.before == pytest.approx(1 - 1 / 14, abs=0.04)
    assert some(np.arange(10), 4).tolist() == [0, 2, 5, 7]
    monkeypatch.setattr(models, "_CELLS", 100 * 3 * 3)
    assert model_effect(release(), "sector ~ staff + assets").score.before > 0.5


def test_alike_records_are_parted_as_all_others_are():
    rows = hold_out([pair("a", [1, 2] * 50, [1, 2] * 50)])
    assert sorted([*rows.fitting, *rows.judging]) == list(range(100))
    assert [rows.judging.size, (rows.judging % 2).sum()] == [30, 15]


def test_two_releases_of_one_table_are_judged_by_the_same_records():
    one, other = parted(release(size=3)), parted(release(size=50))
    assert np.array_equal(one.judging, other.judging)
    assert one.fitting.size == 0.7 * RECORDS


def test_alike_records_of_different_weights_are_parted_whatever_their_order():
    weights, order = np.arange(1.0, 101.0), np.random.default_rng(7).permutation(100)
    alike = [pair("a", [1, 2] * 50, [1, 1] * 50)]
    moved = [pair("a", (np.arange(100) % 2 + 1)[order], [1, 1] * 50)]
    one, other = hold_out(alike, weights), hold_out(moved, weights[order])
    assert weights[one.judging].tolist() == weights[order][other.judging].tolist()


def test_the_order_of_the_rows_does_not_matter_to_the_bit():
    rng, order = np.random.default_rng(8), np.random.default_rng(9).permutation(300)
    table = {"x": rng.integers(0, 4, 300), "y": rng.integers(0, 3, 300)}
    told, weights = rng.integers(0, 3, 300), rng.uniform(1.0, 5.0, 300)

    def scores(rows):
        moved = {name: values[rows] for name, values in table.items()}
        both = grouped(moved, moved["x"] // 2, weights=weights[rows], sensitive=[watched("s", told[rows])])
        return [model_effect(both, text) for text in ("x ~ y", "s", "y ~ x + s")]

    assert scores(order) == scores(np.arange(300))


def test_ranks_tell_values_apart_and_missing_ones_from_all():
    assert holdout._ranks(column("a", [5, None, 0, 5])).tolist() == [3, 1, 2, 3]


def test_the_classifier_finds_the_chances_of_a_table_of_counts():
    classes = np.array([0, 0, 0, 1, 0, 1, 1, 2])
    X = np.column_stack((np.ones(8), [0, 0, 0, 0, 1, 1, 1, 1]))
    scores = X[[0, 7]] @ fit_softmax(X, classes, 3, np.full(8, 1 / 8))
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert chances == pytest.approx(np.array([[0.75, 0.25, 0.0], [0.25, 0.5, 0.25]]), abs=0.02)
