"""The colours of the page can be told apart by everyone, on paper, on a screen and in the dark."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

STYLE = files("microagg.report").joinpath("page.css").read_text("utf-8")
SCHEMES = dict(zip(("light", "dark"), re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL), strict=True))
READABLE = 4.5  # WCAG 2, level AA, for text
SEEN = 3.0  # for lines and shapes
TOUCHED = 0.5  # how much colour the strongest cell of the correlations has


def colours(scheme):
    found = {}
    for name in ("light", scheme):  # the dark one says only what differs
        found |= dict(re.findall(r"--([\w]+): (#[0-9a-f]{3,6});", SCHEMES[name]))
    return {name: rgb(value) for name, value in found.items()}


def rgb(value):
    digits = value[1:] if len(value) == 7 else "".join(2 * digit for digit in value[1:])
    return tuple(int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))


def luminance(colour):
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def mixed(colour, paper, share):
    return tuple(share * part + (1 - share) * under for part, under in zip(colour, paper, strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_can_be_read(scheme):
    of = colours(scheme)
    pairs = [("ink", "paper"), ("quiet", "paper"), ("bad", "paper"), ("ink", "panel")]
    assert {pair: contrast(of[pair[0]], of[pair[1]]) >= READABLE for pair in pairs} == dict.fromkeys(
        pairs, True
    )


@pytest.mark.parametrize("sign", ["plus", "minus"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_numbers_can_be_read_in_the_strongest_cell(scheme, sign):
    of = colours(scheme)
    assert contrast(of["ink"], mixed(of[sign], of["paper"], TOUCHED)) >= READABLE


@pytest.mark.parametrize("scheme", SCHEMES)
def test_after_is_told_from_before_by_its_shade_alone(scheme):
    of = colours(scheme)
    assert contrast(of["after"], of["before"]) >= SEEN
    assert contrast(of["after"], of["paper"]) >= SEEN
    assert contrast(of["bar"], of["track"]) >= SEEN


def test_all_colours_are_those_that_were_looked_at():
    used = set(re.findall(r"#[0-9a-f]{3,8}\b", STYLE.split("* { box-sizing")[1]))
    assert used == set()
