"""The risk-utility map in a real browser: as a page and as a picture, on wide and narrow screens."""

from __future__ import annotations

import pytest

from microagg.report.map import Map, Mark
from microagg.report.map_page import save
from tests.browser.browsing import PHONE, chromium, colours_in, measured, needs_chromium

pytestmark = needs_chromium

METHODS = ("mdav", "vmdav(gamma=0.2)", "refined(vmdav(gamma=0.2), iterations=1000000)")
SERIES = ((0x2F, 0x61, 0x99), (0xA6, 0x3D, 0x00), (0x00, 0x73, 0x5C))
CEILING = (0x9F, 0x1D, 0x1D)
MAP = Map(
    tuple(
        Mark(
            method, k, loss=4.0 * k**0.7 * (1.1 - at / 10), risk=0.9 / k, on_frontier=at == 2, is_chosen=False
        )
        for at, method in enumerate(METHODS)
        for k in (3, 5, 10, 20)
    ),
    loss_at_most=15,
    risk_at_most=0.2,
    reason="none keeps to a loss of at most 15 % and a risk of at most 20 %",
)


@pytest.fixture(scope="module", params=["html", "svg"])
def shown(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("map") / f"map.{request.param}"
    save(MAP, path)
    return path


@pytest.mark.parametrize("width", [PHONE, 1100])
def test_nothing_reaches_over_the_edge(tmp_path, width):
    page = tmp_path / "map.html"
    save(MAP, page)
    found = measured(page, width)
    assert found["width"] == width
    assert found["scrolled"] <= width
    assert found["outside"] == []
    assert found["letters"] >= 11


def test_marks_lines_and_ceilings_are_drawn_in_their_colours(shown, tmp_path):
    picture = tmp_path / "shown.png"
    around = "#map" if shown.suffix == ".html" else ""
    chromium(f"--screenshot={picture}", "--window-size=800,1000", f"{shown.as_uri()}{around}")
    assert {*SERIES, CEILING} <= colours_in(picture)
