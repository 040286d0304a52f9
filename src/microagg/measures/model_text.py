"""Models as users name them: "turnover ~ wages + assets", or only "turnover"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from microagg.errors import InputError
from microagg.plan.faults import unknown_column

_NAME = re.compile(r"\s*(?:`([^`]+)`|([^`+~]*))\s*")
EVERYTHING = "."
"""Stands for all compared columns but the target, as in R."""


class Model(NamedTuple):
    """What is to be told, from what."""

    target: str
    predictors: tuple[str, ...]


def read_models(texts: Sequence[str], compared: Sequence[str], sensitive: Sequence[str] = ()) -> list[Model]:
    """Return the models that texts name, or raise one error with all that is wrong with them.

    Parameters
    ----------
    texts
        Each "target ~ predictor + predictor", "target ~ ." or "target": then all other compared columns
        are predictors. A name with a "+", "~" or "`" in it, unless it is all of the text, stands in
        backquotes.
    compared, sensitive
        The columns that there are. Both can be targets and predictors.

    Examples
    --------
    >>> read_models(["staff", "sales ~ staff"], ["staff", "sales", "assets"])
    [Model(target='staff', predictors=('sales', 'assets')), Model(target='sales', predictors=('staff',))]
    """
    known = list(dict.fromkeys((*compared, *sensitive)))
    faults: list[str] = []
    models = [_read(text, known, compared, faults) for text in texts]
    InputError.raise_any(dict.fromkeys(faults))
    return [model for model in models if model]


def _read(text: str, known: Sequence[str], compared: Sequence[str], faults: list[str]) -> Model | None:
    """Return one model; what is wrong with it is added to the faults."""
    parts = [[text.strip()]] if text.strip() in known else _split(text)
    if not parts or len(parts) > 2 or len(parts[0]) != 1 or not all(map(all, parts)):
        faults.append(
            f"the model {text!r} cannot be read: write 'target' or 'target ~ predictor + predictor'"
        )
        return None
    target, named = parts[0][0], parts[1] if len(parts) > 1 else [EVERYTHING]
    found = _faults_of_names(text, target, named, known)
    others = [name for name in compared if name != target]
    chosen = dict.fromkeys(
        one
        for name in named
        for one in (others if name == EVERYTHING and EVERYTHING not in known else [name])
    )
    if not found and not chosen:
        found = [f"the model {text!r} has nothing to tell {target!r} from: no other column is compared"]
    faults += found
    return None if found else Model(target, tuple(chosen))


def _faults_of_names(text: str, target: str, named: Sequence[str], known: Sequence[str]) -> list[str]:
    told = {target: "the target of a model"}
    told |= {name: "a predictor of a model" for name in named if name != EVERYTHING and name not in told}
    faults = [unknown_column(role, name, known) for name, role in told.items() if name not in known]
    if target in named:
        faults.append(f"the model {text!r} tells {target!r} from itself: leave it out of the predictors")
    return faults


def _split(text: str) -> list[list[str]]:
    """Return the names on each side of the tilde; an empty list if they are not parted by + and ~."""
    sides: list[list[str]] = [[]]
    place = 0
    while True:
        match = _NAME.match(text, place)
        assert match is not None  # it matches nothing as well
        sides[-1].append(match[1] or match[2].strip())
        place = match.end()
        if place == len(text):
            return sides
        if text[place] not in "+~":
            return []
        if text[place] == "~":
            sides.append([])
        place += 1
