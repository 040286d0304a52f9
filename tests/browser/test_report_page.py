"""The report in a real browser: it is drawn, fits a telephone, prints, and can be read by everyone."""

from __future__ import annotations

import re

import pytest

from microagg.report import page
from tests.browser.browsing import PHONE, chromium, colours_in, measured, needs_chromium
from tests.unit.report import made

pytestmark = needs_chromium

LONG = "a_column_with_a_name_that_is_much_longer_than_any_telephone_is_wide_and_without_any_place_to_break"


@pytest.fixture(scope="module", params=["internal", "external"])
def shown(request, tmp_path_factory):
    """Return the file of a page, with a column whose name is long."""
    of = made.example(records=120, names=(LONG, "staff", "year", "region"))
    path = tmp_path_factory.mktemp(request.param) / "page.html"
    path.write_text(page(of, made.evaluation(of), made.PROVENANCE, request.param), "utf-8")
    return path


@pytest.mark.parametrize("width", [PHONE, 1100])
def test_nothing_reaches_over_the_edge_and_every_picture_has_its_place(shown, width):
    found = measured(shown, width)
    assert found["width"] == width
    assert found["scrolled"] <= width
    assert found["outside"] == []
    assert found["pictures"]
    assert all(wide > 100 and high > 50 for wide, high in found["pictures"])
    assert found["letters"] >= 11
    assert found["hidden"] > 0, "the numbers are folded away on a screen"


def test_the_page_is_drawn(shown, tmp_path):
    picture = tmp_path / "page.png"
    chromium(f"--screenshot={picture}", "--window-size=500,1500", shown.as_uri())
    shades = colours_in(picture)
    assert len(shades) > 50, "letters alone have some shades of grey"
    assert (0x2F, 0x61, 0x99) in shades, "bars are drawn in their colour"


def test_it_prints_on_paper(shown, tmp_path):
    printed = tmp_path / "page.pdf"
    chromium("--no-pdf-header-footer", f"--print-to-pdf={printed}", shown.as_uri())
    content = printed.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", content)) >= 2
    (wide, high), *_ = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert (round(float(wide)), round(float(high))) == (595, 842), "A4"


def test_on_paper_the_numbers_stand_open(shown):
    """The rule that folds them away speaks of screens only; without it all have their place."""
    on_paper = shown.with_name("paper.html")
    text = shown.read_text("utf-8")
    assert "@media print" in text
    on_paper.write_text(text.replace("@media screen {", "@media none {"), "utf-8")
    assert measured(on_paper, 1000)["hidden"] == 0
