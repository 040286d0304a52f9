"""Methods read from text, as they stand in a plan or on the command line."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from microagg.errors import InputError
from microagg.partition import registry
from microagg.partition.mdav import MDAV
from microagg.partition.registry import method_of
from tests.stand_ins import Chunks


@dataclass(frozen=True)
class Tuned:
    """A method with options, for the tests alone."""

    strength: float = 1.0
    order: str = "none"

    def __post_init__(self):
        if self.strength < 0:
            raise InputError(f"strength must not be negative, found {self.strength}")

    def partition(self, X, k, **options):
        raise NotImplementedError


@dataclass(frozen=True)
class Around:
    """A method around a method, for the tests alone."""

    base: object = MDAV()
    rounds: int = 1

    def partition(self, X, k, **options):
        raise NotImplementedError


@pytest.fixture(autouse=True)
def known(monkeypatch):
    monkeypatch.setitem(registry._HOME_OF, "around", (__name__, "Around"))
    monkeypatch.setitem(registry._HOME_OF, "tuned", (__name__, "Tuned"))


@pytest.mark.parametrize("text", ["mdav", "MDAV", " mdav ", "mdav()", repr(MDAV())])
def test_a_method_without_options_is_named(text):
    assert method_of(text) == MDAV()


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("tuned(strength=0.5)", Tuned(0.5)),
        ("Tuned(strength=2, order=pca)", Tuned(2, "pca")),
        ("tuned(order='pca')", Tuned(order="pca")),
        (repr(Tuned(0.1, "x y")), Tuned(0.1, "x y")),
    ],
)
def test_options_are_written_as_in_a_call(text, method):
    assert method_of(text) == method


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("around(tuned)", Around(Tuned())),
        ("around(tuned(strength=0.5), rounds=3)", Around(Tuned(0.5), 3)),
        ("around(base=mdav)", Around(MDAV())),
        ("around(around(tuned(order=mean)))", Around(Around(Tuned(order="mean")))),
        (repr(Around(Around(Tuned(0.1, "x y")), 7)), Around(Around(Tuned(0.1, "x y")), 7)),
    ],
)
def test_methods_are_written_around_methods(text, method):
    assert method_of(text) == method


def test_a_method_may_be_given_as_such():
    given = Chunks()
    assert method_of(given) is given


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("vmdv", "there is no method 'vmdv': the methods are blocked, genetic, mdav, "),
        ("tuned(weight=1)", "the method tuned has no option 'weight': its options are strength, order"),
        (
            "tuned(strength=-1)",
            "the method 'tuned(strength=-1)' cannot be made: strength must not be negative",
        ),
        ("tuned(strength='much')", "the method \"tuned(strength='much')\" cannot be made: "),
        *(
            (text, f"cannot read the method {text!r}: expected a name, or name(option=value, ...)")
            for text in (
                "",
                "tuned(",
                "tuned(1)",
                "around(mdav, mdav)",
                "around(mdav, 3)",
                "tuned(**x)",
                "tuned(strength=1+x)",
                "tuned(strength=__import__('os').getcwd())",
                "a.b",
                "v-mdav",
                "mdav\0",
            )
        ),
        (
            MDAV,
            "<class 'microagg.partition.mdav.MDAV'> is no method: expected a name, or a value such as MDAV()",
        ),
        (5, "5 is no method: expected a name, or a value such as MDAV()"),
    ],
)
def test_what_is_no_method_is_answered_with_what_is(given, expected):
    with pytest.raises(InputError) as caught:
        method_of(given)
    assert str(caught.value)[: len(expected)] == expected


def test_all_unknown_options_are_named_at_once():
    with pytest.raises(InputError) as caught:
        method_of("tuned(a=1, b=2)")
    assert [fault.split(":")[0] for fault in caught.value.faults] == [
        "the method tuned has no option 'a'",
        "the method tuned has no option 'b'",
    ]
