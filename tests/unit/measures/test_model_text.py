"""Models as users write them."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.measures.model_text import Model, read_models

COMPARED = ["turnover", "wages", "assets", "a + b", "R~D"]


def read(*texts, sensitive=("illness",)):
    return read_models(texts, COMPARED, sensitive)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turnover ~ wages + assets", Model("turnover", ("wages", "assets"))),
        ("  turnover~wages  ", Model("turnover", ("wages",))),
        ("wages", Model("wages", ("turnover", "assets", "a + b", "R~D"))),
        ("wages ~ .", Model("wages", ("turnover", "assets", "a + b", "R~D"))),
        ("illness", Model("illness", ("turnover", "wages", "assets", "a + b", "R~D"))),
        ("wages ~ illness + illness", Model("wages", ("illness",))),
        ("R~D", Model("R~D", ("turnover", "wages", "assets", "a + b"))),
        ("`R~D` ~ `a + b` + wages", Model("R~D", ("a + b", "wages"))),
    ],
)
def test_what_is_written_is_read(text, expected):
    assert read(text) == [expected]


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(InputError) as caught:
        read("turnovr", "wages ~ asets + wages", "wages ~ ", "a ~ b ~ c", "illness ~ illnes")
    assert list(caught.value.faults) == [
        "there is no column 'turnovr', named as the target of a model: did you mean 'turnover'?",
        "there is no column 'asets', named as a predictor of a model: did you mean 'assets'?",
        "the model 'wages ~ asets + wages' tells 'wages' from itself: leave it out of the predictors",
        "the model 'wages ~ ' cannot be read: write 'target' or 'target ~ predictor + predictor'",
        "the model 'a ~ b ~ c' cannot be read: write 'target' or 'target ~ predictor + predictor'",
        "there is no column 'illnes', named as a predictor of a model: did you mean 'illness'?",
    ]


def test_a_model_needs_something_to_tell_from():
    with pytest.raises(InputError, match="nothing to tell 'turnover' from: no other column is compared"):
        read_models(["turnover"], ["turnover"])


@given(st.text("ab`+~. ", max_size=12))
def test_no_text_does_harm(text):
    with suppress(InputError):
        (model,) = read_models([text], ["a", "b", "a b"], [])
        assert {model.target, *model.predictors} <= {"a", "b", "a b"}
        assert model.predictors
