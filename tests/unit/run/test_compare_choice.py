"""Which candidates no other beats, and which is chosen; the candidates are made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.plan import Plan
from microagg.run.candidates import Candidate, Ceilings, choice, frontier_of
from tests.naive.frontier import frontier

PLAN = Plan(k=3, quasi_identifiers=("staff",))
PLACES = st.tuples(st.sampled_from([0.0, 1.0, 2.5, 7.0, 40.0]), st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
CEILINGS = st.builds(
    Ceilings,
    st.none() | st.sampled_from([0.0, 2.5, 5.0, 100.0]),
    st.none() | st.sampled_from([0.0, 0.1, 0.3, 1.0]),
)


def made(*places):
    """Return candidates called a, b, c at places, and with k = 3, 4, 5."""
    return [
        Candidate("abcdefghij"[at % 10], at + 3, PLAN, loss=loss, risk=risk)
        for at, (loss, risk) in enumerate(places)
    ]


FAULTY = Candidate("z", 99, PLAN, fault="there is no such release")


@given(st.lists(PLACES | st.tuples(st.floats(0, 100), st.floats(0, 1)), max_size=12))
def test_the_frontier_is_that_of_the_plain_loop(places):
    candidates = made(*places)
    expected = [candidates[at] for at in frontier(places)]
    found = frontier_of([*candidates, FAULTY])
    assert sorted(found, key=candidates.index) == expected
    assert list(found) == sorted(found, key=lambda of: (of.place, of.k))


@given(st.lists(PLACES, max_size=10), CEILINGS)
def test_the_one_chosen_is_on_the_frontier_and_none_within_is_better(places, ceilings):
    candidates = [*made(*places), FAULTY]
    chosen, _ = choice(candidates, ceilings)
    within = [
        of
        for of in candidates[:-1]
        if (ceilings.loss is None or of.loss <= ceilings.loss)
        and (ceilings.risk is None or of.risk <= ceilings.risk)
    ]
    if not within or ceilings == (None, None):
        assert chosen is None
        return
    assert chosen in within
    assert chosen in frontier_of(candidates)
    if ceilings.risk is None:
        assert chosen.risk == min(of.risk for of in within)
    else:
        assert chosen.loss == min(of.loss for of in within)
    assert chosen.k == max(of.k for of in within if of.place == chosen.place)


SEVERAL = made((1.0, 0.5), (5.0, 0.3), (9.0, 0.1))


@pytest.mark.parametrize(
    ("ceilings", "chosen", "reason"),
    [
        (
            Ceilings(loss=6),
            1,
            "b with k = 4: 5.00 % of the information is lost, and 30.00 % of the released records are "
            "linked; of 2 that keep to a loss of at most 6 % it has the least risk",
        ),
        (
            Ceilings(risk=0.3),
            1,
            "b with k = 4: 5.00 % of the information is lost, and 30.00 % of the released records are "
            "linked; of 2 that keep to a risk of at most 30 % it has the least loss",
        ),
        (
            Ceilings(8, 0.35),
            1,
            "b with k = 4: 5.00 % of the information is lost, and 30.00 % of the released records are "
            "linked; no other keeps to a loss of at most 8 % and a risk of at most 35 %",
        ),
        (
            Ceilings(2, 0.2),
            None,
            "none keeps to a loss of at most 2 % and a risk of at most 20 %; the nearest is c with k = 5: "
            "9.00 % of the information is lost, and 10.00 % of the released records are linked",
        ),
        (
            Ceilings(loss=0.5),
            None,
            "none keeps to a loss of at most 0.5 %; the nearest is a with k = 3: "
            "1.00 % of the information is lost, and 50.00 % of the released records are linked",
        ),
        (
            Ceilings(),
            None,
            "none is chosen: state the most that may be lost, or the largest risk that is borne",
        ),
    ],
)
def test_the_reason_tells_why(ceilings, chosen, reason):
    assert choice(SEVERAL, ceilings) == (None if chosen is None else SEVERAL[chosen], reason)


def test_of_nothing_made_nothing_is_chosen():
    assert choice([FAULTY], Ceilings(loss=5)) == (None, "none is chosen: no candidate could be made")
    assert frontier_of([FAULTY]) == ()
