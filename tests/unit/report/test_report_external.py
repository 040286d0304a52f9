"""The page for everyone tells nothing that it is not meant to tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from microagg.measures.found import Change, Disclosure, Dominance, Eigenvalues, Evaluation, ModelEffect
from microagg.report import page
from microagg.report.external import _method
from tests.unit.measures.comparing import grouped, watched
from tests.unit.report import made
from tests.unit.report.reading import read

LARGEST, SEED = 123456.789, 987654321
MARK = 0.4242424242
MARKS = ("42.4", "0.4242", "0.424", "42.42")


def with_an_extreme(largest=LARGEST, seed=1):
    rng = np.random.default_rng(seed)
    turnover = [*rng.uniform(1, 1000, 29), largest]
    columns = {"turnover": turnover, "staff": rng.integers(1, 99, 30), "town": rng.integers(0, 4, 30)}
    kinds = {"staff": "integer", "town": "nominal"}
    return grouped(columns, np.arange(30) // 3, kinds, sensitive=[watched("insolvent", [0, 1] * 15)])


def hidden_provenance():
    return replace(
        made.PROVENANCE,
        input="/home/alice/secret/firms.csv",
        output="/home/alice/out/released.csv",
        method=f"refined with seed={SEED}",
        command=f"microagg protect /home/alice/secret/firms.csv --seed {SEED}",
        notes=(f"the largest turnover is {LARGEST}",),
        plan=replace(
            made.PLAN,
            quasi_identifiers=("turnover", "staff", "town"),
            drop=("owner_name",),
            orders={"town": ("Elsinore", "Wick")},
        ),
        levels={"town": ("Elsinore", "Wick", "Oban", "Ayr")},
    )


def hiding(of):
    """Return an evaluation in which all that must not be told is one and the same number."""
    found = made.evaluation(of, notes=(f"a note of {LARGEST}",))
    change = Change(MARK, MARK)
    by_column = {
        name: replace(
            one,
            changed=MARK,
            distance=MARK,
            shift=MARK,
            mean=change,
            deviation=change,
            quantiles={0.05: change, 0.95: change},
        )
        for name, one in found.loss.by_column.items()
    }
    moments = found.loss.moments
    matrix = np.full_like(moments.before, MARK)
    loss = replace(
        found.loss,
        by_column=by_column,
        moments=replace(moments, covariances=765432.1, largest=MARK, before=matrix, after=-matrix),
        eigenvalues=Eigenvalues(MARK, MARK, 3, 3, (MARK,) * 3, (MARK,) * 3),
        models=(ModelEffect("turnover", ("staff",), "regression", change, MARK, {"staff": change}),),
    )
    risk = replace(
        found.risk,
        linkage=replace(found.risk.linkage, by_record=np.full(of.records, MARK)),
        sensitive={"insolvent": Disclosure(4242, MARK, MARK, True, MARK, MARK, 4242)},
        dominance={"turnover": Dominance(4242, 4242, 4242, MARK, np.ones(10, bool))},
    )
    return Evaluation(loss, risk, found.notes)


@pytest.fixture(scope="module")
def external():
    of = with_an_extreme()
    return page(of, hiding(of), hidden_provenance(), "external")


HIDDEN = [
    "123456", "123,45", "123,000", "123k", str(SEED), "987,654",
    "765,4", "alice", "secret", "firms.csv", "/home",
    "owner_name", "Elsinore", "Wick", "note", "insolvent", "Dominance", "dominance", "Risk by record",
    "Records and groups", "Before", "Correlations of", "Quantiles", "iterations", "99900", "seed", "0.2)",
    made.PROVENANCE.input_fingerprint, *MARKS, "4242",
]  # fmt: skip


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_must_not_be_told_is_not_in_it(external, hidden):
    assert hidden not in external


def test_it_tells_what_users_of_the_file_need(external):
    text = read(external).text
    told = [
        "released.csv",
        "k\u00a0=\u00a03",
        "14.2\u202f%",
        "13.0\u202f%",
        "28.5\u202f%",
        "765,000",
        "turnover",
        "refined of vmdav",
        "its standard deviation",
        made.PROVENANCE.output_fingerprint,
        "differential privacy",
        "2025-11-20",
    ]
    assert [of for of in told if of not in text] == []


def test_another_original_of_the_same_averages_gives_the_same_page(external):
    """Neither values of the original nor anything of single records comes through."""
    other = with_an_extreme(largest=777777.7, seed=2)
    found = hiding(with_an_extreme())
    assert page(other, found, hidden_provenance(), "external") == external


def test_another_seed_another_input_and_other_notes_give_the_same_page(external):
    told = hidden_provenance()
    plan = replace(told.plan, seed=5, method="refined(vmdav(gamma=0.4), seed=5)", budget=7.0)
    other = replace(
        told,
        input="b.csv",
        method="another",
        command="another",
        plan=plan,
        notes=(),
        seconds={},
        levels={},
        input_fingerprint="00",
    )
    of = with_an_extreme()
    found = replace(hiding(of), notes=())
    assert page(of, found, other, "external") == external


def test_figures_are_told_with_three_digits_and_not_drawn_with_more(external):
    of = with_an_extreme()
    found = hiding(of)
    by_column = {name: replace(one, percent=one.percent + 0.01) for name, one in found.loss.by_column.items()}
    loss = replace(found.loss, percent=14.2049, shift=0.1231, by_column=by_column)
    told = replace(hidden_provenance(), bound=13.0)
    assert page(of, replace(found, loss=loss), told, "external") == external


def test_sizes_in_entities_are_not_told_since_these_are_not_released():
    of, told = with_an_extreme(), hidden_provenance()
    found = hiding(of)
    entities = replace(found, risk=replace(found.risk, of_entities=True))
    assert "Sizes of the groups" in page(of, found, told, "external")
    assert "Sizes of the groups" not in page(of, entities, told, "external")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mdav", "mdav"),
        ("vmdav(gamma=0.2)", "vmdav"),
        ("refined(vmdav(gamma=0.2), iterations=99900, seed=987654321)", "refined of vmdav"),
        ("refined(method=mdav(), seed=987654321)", "refined of mdav"),
        ("univariate(order=turnover)", "univariate"),
        ("genetic(seed = 987654321, method=vmdav( gamma = 0.2 ))", "genetic of vmdav"),
        ("auto", "auto"),
    ],
)
def test_of_a_method_only_names_are_told(text, told):
    assert _method(text) == told


@pytest.mark.parametrize("output", ["postgresql://me:word@host/db#firms", "DataFrame", ""])
def test_what_is_no_file_is_not_named(output):
    of = with_an_extreme()
    text = page(of, hiding(of), replace(hidden_provenance(), output=output), "external")
    assert "How this file was protected" in text
    assert "host" not in text
