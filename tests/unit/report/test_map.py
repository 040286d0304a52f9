"""The risk-utility map: where things stand, and that the drawing is whole and safe."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg.errors import InputError
from microagg.report.map import AWAY, HEIGHT, Map, Mark, laid_out
from microagg.report.map_drawing import as_file, drawn
from microagg.report.map_page import save
from microagg.report.wording import percent, share
from tests.unit.report.reading import read
from tests.unit.report.test_report_colours import SCHEMES, SEEN, colours, contrast, rgb

SVG = "{http://www.w3.org/2000/svg}"
WIDTH = 640
MARKS = (
    Mark("mdav", 3, 10.0, 0.30),
    Mark("mdav", 5, 20.0, 0.15, on_frontier=True),
    Mark("vmdav", 3, 8.0, 0.30, on_frontier=True),
    Mark("vmdav", 5, 25.0, 0.10, on_frontier=True, is_chosen=True),
)
MAP = Map(MARKS, 30, 0.12, "vmdav with k = 5: why not 5 %", ("optimal with k = 3: too many records",))
NASTY = """</text></script><img src=x onerror="alert(1)">'&amp;"""


@st.composite
def maps(draw):
    """Draw maps in which marks lie in each other's way."""
    figures = st.sampled_from([0.0, 0.1, 0.11, 0.12, 0.5, 0.52, 1.0]) | st.floats(0, 1)
    marks = st.builds(
        Mark,
        st.sampled_from(["mdav", "vmdav", "refined"]),
        st.integers(2, 200),
        figures,
        figures,
        st.booleans(),
    )
    found = draw(st.lists(marks, min_size=1, max_size=25))
    chosen = draw(st.integers(-1, len(found) - 1))
    if chosen >= 0:
        found[chosen] = found[chosen]._replace(is_chosen=True, on_frontier=True)
    ceilings = st.none() | st.floats(0, 1)
    return Map(tuple(found), draw(ceilings), draw(ceilings))


def label_box(spot):
    """Return left, top, right and bottom of a k, in pixels."""
    right, down = spot.corner
    wide, high = 7.5 * len(str(spot.mark.k)), 12
    near = spot.x * WIDTH / 100 + right * (spot.mark.reach + AWAY)
    edge = spot.y * HEIGHT / 100 + down * spot.mark.reach
    left, top = (near if right > 0 else near - wide), (edge if down > 0 else edge - high)
    return left, top, left + wide, top + high


def mark_box(spot):
    x, y, reach = spot.x * WIDTH / 100, spot.y * HEIGHT / 100, spot.mark.reach
    return x - reach, y - reach, x + reach, y + reach


def meet(one, other):
    slack = 1e-6
    return all(one[at] < other[at + 2] - slack and other[at] < one[at + 2] - slack for at in (0, 1))


def test_marks_stand_where_their_figures_are():
    found = laid_out(MAP)
    ends = {0: 30 * 1.06, 1: 0.30 * 1.06}
    for spot in found.spots:
        assert spot.x == pytest.approx(100 * spot.mark.loss / ends[0])
        assert spot.y == pytest.approx(100 - 100 * spot.mark.risk / ends[1])
    assert found.loss_at_most == pytest.approx(100 / 1.06)
    assert found.risk_at_most == pytest.approx(100 - 100 * 0.12 / ends[1])
    assert [value for value, _ in found.loss_ticks] == [0, 10, 20, 30]
    assert [round(value) for value, _ in found.risk_ticks] == [0, 10, 20, 30]
    assert found.risk_ticks[0][1] == 100


def test_the_frontier_goes_in_steps_from_the_top_to_the_right_edge():
    found = laid_out(MAP)
    places = {(spot.mark.method, spot.mark.k): (spot.x, spot.y) for spot in found.spots}
    first, second, third = places["vmdav", 3], places["mdav", 5], places["vmdav", 5]
    assert found.frontier == (
        (first[0], 0.0),
        first,
        (second[0], first[1]),
        second,
        (third[0], second[1]),
        third,
        (100.0, third[1]),
    )


def test_a_ceiling_far_away_is_not_shown():
    found = laid_out(MAP._replace(loss_at_most=100, risk_at_most=1))
    assert (found.loss_at_most, found.risk_at_most) == (None, None)
    assert max(spot.x for spot in found.spots) > 90


@given(maps())
def test_all_lies_in_the_field_and_no_k_is_in_anybodys_way(of):
    found = laid_out(of)
    for spot in found.spots:
        assert 0 <= spot.x <= 100
        assert 0 <= spot.y <= 100
    for _, place in (*found.loss_ticks, *found.risk_ticks):
        assert -1e-9 <= place <= 100 + 1e-9
    labelled = [spot for spot in found.spots if spot.corner]
    labels = [label_box(spot) for spot in labelled]
    assert all(left >= 0 and right <= WIDTH for left, _, right, _ in labels)
    assert not any(meet(one, other) for one, other in combinations(labels, 2))
    assert not any(meet(one, mark_box(spot)) for one in labels for spot in found.spots)
    if of.chosen and len(of.marks) == 1:
        assert labelled


@given(maps())
def test_every_picture_can_be_read_by_a_strict_reader(of):
    text = as_file(of)
    root = ElementTree.fromstring(text)
    assert sum("mark" in each.get("class", "").split() for each in root.iter(f"{SVG}svg")) >= len(of.marks)
    assert "nan" not in text
    assert "inf" not in text.replace("info", "")


def test_a_picture_by_itself_needs_nothing_from_elsewhere():
    text = as_file(MAP)
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "var(" not in text, "not every program knows names of colours"
    assert "url(" not in text


def test_the_picture_tells_every_candidate():
    root = ElementTree.fromstring(as_file(MAP))
    titles = [each.text for each in root.iter(f"{SVG}title")]
    assert titles[0] == "Risk-utility map"
    assert sorted(titles[1:])[0] == f"mdav, k = 3: loss {percent(10.0)}, linked {share(0.3)}"
    assert len(titles) == 5
    (described,) = (each.text for each in root.iter(f"{SVG}desc"))
    assert described.endswith(f"vmdav, k = 5: loss {percent(25.0)}, linked {share(0.1)}, chosen")
    texts = [each.text for each in root.iter(f"{SVG}text")]
    for text in ("mdav", "vmdav", "efficient frontier", "ceiling", "chosen", "at most 30 %", "at most 12 %"):
        assert text in texts
    rings = [each for each in root.iter(f"{SVG}path") if each.get("class") == "ring"]
    assert len(rings) == 2, "the one chosen, and what the ring means"


def test_methods_differ_in_shape_and_colour():
    of = Map(tuple(Mark(f"method {at}", 3, 1.0 + at, 0.5) for at in range(42)))
    root = ElementTree.fromstring(as_file(of))
    looks = {
        (each.get("class"), each[1].get("d"))
        for each in root.iter(f"{SVG}svg")
        if "mark" in each.get("class", "") and len(each) > 1
    }
    assert len(looks) == 42


def test_the_page_holds_the_picture_its_numbers_and_the_reason(tmp_path):
    save(MAP, tmp_path / "map.html")
    root = read((tmp_path / "map.html").read_text("utf-8"))
    (table,) = root.all("table")
    rows = [[cell.text for cell in row.all("th", "td")] for row in table.all("tr")]
    assert rows[0] == ["Method", "k", "Loss", "Linked", "Standing"]
    assert rows[1] == ["mdav", "3", percent(10.0), share(0.3), ""]
    assert [row[-1] for row in rows[1:]] == ["", "frontier", "frontier", "chosen"]
    assert "vmdav with k = 5: why not 5\u202f%." in root.text
    assert "optimal with k = 3: too many records" in root.text
    assert not list(root.all("nav")), "one part needs no list of parts"


def test_where_none_is_chosen_the_page_says_why(tmp_path):
    marks = tuple(mark._replace(is_chosen=False) for mark in MARKS)
    save(Map(marks, reason="none is chosen: state what may be lost"), tmp_path / "map.html")
    root = read((tmp_path / "map.html").read_text("utf-8"))
    assert "None is chosen: state what may be lost." in root.text
    assert "ceiling" not in [each.text for each in root.all("text")]


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_names_are_text_and_nothing_else(ending, tmp_path):
    of = MAP._replace(
        marks=tuple(mark._replace(method=NASTY) for mark in MARKS), reason=NASTY, faults=(NASTY,)
    )
    save(of, tmp_path / f"map.{ending}")
    text = (tmp_path / f"map.{ending}").read_text("utf-8")
    assert "<img" not in text
    assert "<script" not in text
    assert "onerror=&#34;alert" in text
    if ending == "html":
        assert re.findall(r"(?:https?:)?//\w[^\"]*", text) == []


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InputError, match=r"the picture .*map\.svg cannot be written: there is no folder"):
        save(MAP, tmp_path / "nowhere" / "map.svg")


def test_the_drawing_of_a_page_has_a_title_and_a_description():
    (svg, *_) = read(str(drawn(MAP))).children
    assert (svg.attributes["role"], svg.attributes["aria-labelledby"]) == ("img", "map-title")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_marks_are_seen_on_the_paper(scheme):
    name = {"light": "map.css", "dark": "map_page.css"}[scheme]
    style = files("microagg.report").joinpath(name).read_text("utf-8")
    series = re.findall(r"--series-\d[:,] (#[0-9a-f]{6})", style)
    assert len(series) == len(set(series)) == 6
    assert all(contrast(rgb(colour), colours(scheme)["paper"]) >= SEEN for colour in series)
