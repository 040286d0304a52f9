"""Orders that are plain from the values themselves: words of a scale, and bands of numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from microagg.proposal.names import folded

_LEAST_WORDS = 3  # two words of a scale are as well told apart without an order
_LEAST_BANDS = 2

_SCALES = (
    (
        "very low, lowest | low | medium low | medium, middle, moderate, average, mid | medium high | high | "
        "very high, highest"
    ),
    "tiny, micro, very small | small | medium, medium sized, mid sized | large, big | very large, huge",
    (
        "none, no | minimal, very mild | mild, slight, light | moderate, medium | severe, strong | "
        "very severe, critical"
    ),
    "never | rarely, seldom | sometimes, occasionally | often, frequently | usually, very often | always",
    "very poor, very bad | poor, bad | fair, average, satisfactory | good | very good | excellent",
    (
        "strongly disagree | disagree | neutral, undecided, neither, neither agree nor disagree | agree | "
        "strongly agree"
    ),
    (
        "very dissatisfied, very unsatisfied | dissatisfied, unsatisfied | neutral, neither | satisfied | "
        "very satisfied"
    ),
    "primary | lower secondary | secondary | upper secondary | tertiary",
    "sehr niedrig, sehr gering | niedrig, gering | mittel | hoch | sehr hoch",
    "sehr klein | klein | mittel, mittelgross | gross | sehr gross",
    "nie, niemals | selten | manchmal, gelegentlich | oft, haufig | immer",
    "sehr schlecht | schlecht | mittel, mittelmassig | gut | sehr gut",
    (
        "tres faible | faible, bas, basse | moyen, moyenne | eleve, elevee, haut, haute, fort | "
        "tres eleve, tres elevee"
    ),
    "tres petit, tres petite | petit, petite | moyen, moyenne | grand, grande | tres grand, tres grande",
    "jamais | rarement | parfois, quelquefois | souvent | toujours",
    "muy bajo, muy baja | bajo, baja | medio, media | alto, alta | muy alto, muy alta",
    "muy pequeno, muy pequena | pequeno, pequena | mediano, mediana | grande | muy grande",
    "nunca | raramente, rara vez | a veces | a menudo, frecuentemente | siempre",
)
"""Scales from the least to the greatest, without accents; a comma parts words for the same level."""


def _levels_of(scale: str) -> dict[str, int]:
    return {word.strip(): place for place, of in enumerate(scale.split("|")) for word in of.split(",")}


_PLACES = tuple(map(_levels_of, _SCALES))

_NUMBER = r"(\d+(?:\.\d+)?)"
_UNIT = r"(?:\s?[a-z]+)?"
_BANDS = (
    (
        rf"(?:from |von |de |between )?{_NUMBER}{_UNIT}"
        rf"\s*(?:-|\bto\b|\bbis\b|\band\b|\ba\b)\s*{_NUMBER}{_UNIT}",
        "both",
    ),
    (
        rf"(?:<=?|under|below|less than|up to|unter|bis(?: zu)?|moins de|menos de|hasta)\s*{_NUMBER}{_UNIT}",
        "upper",
    ),
    (
        rf"{_NUMBER}{_UNIT} (?:and|or|und|ou|et|o|y) (?:under|less|below|younger|weniger|junger|moins|menos)",
        "upper",
    ),
    (rf"(?:>=?|over|above|more than|at least|ab|uber|plus de|mas de|desde)\s*{_NUMBER}{_UNIT}", "lower"),
    (rf"{_NUMBER}{_UNIT}\s?\+{_UNIT}", "lower"),
    (rf"{_NUMBER}{_UNIT} (?:and|or|und|ou|et|o|y) (?:over|more|above|older|mehr|alter|plus|mas)", "lower"),
    (rf"{_NUMBER}{_UNIT}", "one"),
)
_THOUSANDS = re.compile(r"(?<=\d)[,' ](?=\d{3}(?!\d))")


def plain_order(values: Sequence[str]) -> tuple[str, ...]:
    """Return values from the least to the greatest if their order is plain, else nothing.

    >>> plain_order(["high", "low", "medium"])
    ('low', 'medium', 'high')
    >>> plain_order(["30-39", "under 20", "20-29", "40+"])
    ('under 20', '20-29', '30-39', '40+')
    >>> plain_order(["north", "south", "east"])
    ()
    """
    return _order_of_words(values) or _order_of_bands(values)


def _order_of_words(values: Sequence[str]) -> tuple[str, ...]:
    if len(values) < _LEAST_WORDS:
        return ()
    words = {re.sub(r"[-_/\s]+", " ", folded(value)).strip(): value for value in values}
    for places in _PLACES:
        found = {places[word]: value for word, value in words.items() if word in places}
        if len(found) == len(values):  # each at a place of its own
            return tuple(found[place] for place in sorted(found))
    return ()


def _order_of_bands(values: Sequence[str]) -> tuple[str, ...]:
    bands = [(_band(value), value) for value in values]
    limits = sorted((band, value) for band, value in bands if band)
    wide = sum(lower < upper for (lower, upper), _ in limits)
    if len(limits) < len(values) or wide < _LEAST_BANDS:
        return ()
    apart = all(one[1] <= next_one[0] for (one, _), (next_one, _) in pairwise(limits))
    return tuple(value for _, value in limits) if apart else ()


def _band(value: str) -> tuple[float, float] | None:
    """Return the numbers between which a band lies, None for what is no band.

    >>> _band("1,000-4,999 €"), _band("65 years and over"), _band("< 18"), _band("10-5")
    ((1000.0, 4999.0), (65.0, inf), (-inf, 18.0), None)
    """
    text = re.sub(r"[€$£%]", "", re.sub(r"[‐-―−]", "-", folded(value)))  # noqa: RUF001 - dashes of all lengths
    text = _THOUSANDS.sub("", " ".join(text.split()))
    for pattern, named in _BANDS:
        if found := re.fullmatch(pattern, text):
            limits = [float(number) for number in found.groups()]
            lower = -math.inf if named == "upper" else limits[0]
            upper = math.inf if named == "lower" else limits[-1]
            return (lower, upper) if lower <= upper else None
    return None
