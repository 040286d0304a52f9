"""The form that each part of a plan has: names, words, numbers by column.

A part of another form is told, and left out of what is looked at next, so that all else that is wrong
with the plan can be told with it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeVar

from microagg.plan.request import Request

P = TypeVar("P", bound=Request)


class Form(NamedTuple):
    """What a part must be, in a test and in words, and what is taken for it where it is not that."""

    fits: Callable[[Any], bool]
    expected: str
    instead: Any


def is_whole(value: object) -> bool:
    """Say whether a value is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Say whether a value is a finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are_texts(value: object) -> bool:
    return isinstance(value, tuple | list) and all(map(_is_text, value))


_NAMES = Form(_are_texts, "a list of column names", ())
_NAMES_OR_REST = Form(
    lambda value: value == "rest" or _are_texts(value), "a list of column names, or 'rest'", ()
)
_NAME = Form(lambda value: value is None or _is_text(value), "the name of one column", None)

_PARTS = {
    "quasi_identifiers": _NAMES,
    "keep": _NAMES_OR_REST,
    "drop": _NAMES_OR_REST,
    "sensitive": _NAMES,
    "weight": _NAME,
    "strata": _NAMES,
    "entity": _NAME,
    "link_entities": Form(lambda value: isinstance(value, bool), "true or false", False),
    "edits": Form(_are_texts, 'a list of texts, as in ["total = wages + purchases"]', ()),
    "method": Form(_is_text, "a text, as in 'vmdav(gamma=0.2)'", "auto"),
}
_BY_COLUMN = {
    "kinds": ("kind", Form(_is_text, "a word, as in 'nominal'", None)),
    "orders": ("order", Form(_are_texts, "a list of texts, from the least value to the greatest", None)),
    "centres": ("centre", Form(_is_text, "a word, as in 'median'", None)),
    "importance": ("importance", Form(is_number, "a number from 0", None)),
}


def faults_of_form(plan: Request) -> Iterator[str]:
    """Yield what is wrong with the form of a plan's parts."""
    for part, form in _PARTS.items():
        value = getattr(plan, part)
        if not form.fits(value):
            yield f"{part} must be {form.expected}, found {value!r}"
    for part, (told, form) in _BY_COLUMN.items():
        of = getattr(plan, part)
        if not isinstance(of, Mapping):
            yield f"{part} must say the {told} of each column by its name, found {of!r}"
            continue
        for name, value in of.items():
            if not _is_text(name):
                yield f"{part} must be said by the names of columns, found {name!r}"
            elif not form.fits(value):
                yield f"the {told} of column {name!r} must be {form.expected}, found {value!r}"


def well_formed(plan: P) -> P:
    """Return the plan with what is missing by default in the place of each part that has not its form."""
    parts: dict[str, Any] = {
        part: form.instead for part, form in _PARTS.items() if not form.fits(getattr(plan, part))
    }
    for part, (_, form) in _BY_COLUMN.items():
        of = getattr(plan, part)
        entries = of.items() if isinstance(of, Mapping) else ()
        parts[part] = {name: value for name, value in entries if _is_text(name) and form.fits(value)}
    return replace(plan, **parts)
