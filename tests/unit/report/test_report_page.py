"""The page as a browser gets it: whole, safe, and readable by everyone."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from microagg.errors import InputError
from microagg.outcome import Classes
from microagg.report import drawing, page, write
from microagg.report.distributions import distribution
from microagg.report.shown_values import MOST
from microagg.report.svg import tag
from tests.unit.measures.comparing import grouped, pair
from tests.unit.report import made
from tests.unit.report.reading import Element, read

NASTY = "</script><img src=x onerror=alert(1)>"
QUOTED = """"><svg onload='alert(2)'>&amp;"""
AUDIENCES = ["internal", "external"]


@pytest.fixture(scope="module")
def pages():
    of = made.example()
    found = made.evaluation(of)
    return {audience: page(of, found, made.PROVENANCE, audience) for audience in AUDIENCES}


@pytest.fixture(params=AUDIENCES)
def root(request, pages):
    return read(pages[request.param])


def headings(root):
    return [int(element.name[1]) for element in root.all("h1", "h2", "h3", "h4", "h5", "h6")]


def outer_svgs(element):
    for child in element.children:
        if child.name == "svg":
            yield child
        else:
            yield from outer_svgs(child)


def test_the_page_says_what_it_is(root):
    (html,) = root.all("html")
    assert html.attributes["lang"] == "en"
    (title,) = (element for element in html.all("title") if "id" not in element.attributes)
    assert title.text == next(html.all("h1")).text
    assert "charset" in next(html.all("meta")).attributes


def test_headings_are_in_order_and_none_is_skipped(root):
    found = headings(root)
    assert found[0] == 1
    assert found.count(1) == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(found))


def test_every_id_stands_once_and_what_is_pointed_at_is_there(root):
    ids = [element.attributes["id"] for element in root.all() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    for element in root.all():
        for attribute in ("aria-labelledby", "aria-describedby"):
            assert element.attributes.get(attribute, ids[0]) in ids
        assert element.attributes.get("href", f"#{ids[0]}").removeprefix("#") in ids


def test_every_picture_has_a_title_a_description_and_its_numbers_in_a_table(root):
    pictures = list(outer_svgs(root))
    assert pictures
    for svg in pictures:
        assert svg.attributes["role"] == "img"
        title, described = svg.children[:2]
        assert (title.name, described.name) == ("title", "desc")
        assert title.text
        assert described.text
    figures = list(root.all("figure"))
    assert len(figures) == len(pictures)
    for figure in figures:
        (table,) = figure.all("table")
        assert len(list(table.all("tr"))) > 1


def test_tables_have_a_caption_and_as_many_cells_in_each_row(root):
    for table in root.all("table"):
        assert next(table.all("caption")).text
        assert len({len(row.children) for row in table.all("tr")}) == 1
        assert all("scope" in cell.attributes for cell in table.all("th"))


def test_nothing_is_fetched_and_nothing_is_run(pages):
    for text in pages.values():
        root = read(text)
        assert not list(root.all("script", "link", "img", "iframe", "object", "embed", "base", "form"))
        assert not re.search(r"https?:|//|url\(|@import|javascript:|data:", text)
        assert not [name for element in root.all() for name in element.attributes if name.startswith("on")]
        assert (
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        ) in text


def test_no_number_is_told_in_the_words_of_the_computer(root):
    words = re.findall(r"[A-Za-z]+", next(root.all("body")).text.lower())
    assert not {"nan", "inf", "none", "null", "undefined"} & set(words)
    for element in root.all("path", "rect", "text", "line"):
        assert not re.search("nan|inf|None", " ".join(filter(None, element.attributes.values())))


def test_the_verdict_comes_first_and_tells_k_loss_and_risk(root):
    tiles = [
        element.text.replace("\n", " ")
        for element in root.all("div")
        if element.attributes.get("class") == "tile"
    ]
    assert len(tiles) == 3
    assert "k\u00a0=\u00a03" in tiles[0]
    assert "at least 2 others" in tiles[0]
    assert "14.2\u202f%" in tiles[1]
    assert "lose less than 13.0\u202f%" in tiles[1]
    assert "28.5\u202f%" in tiles[2]
    assert "cannot be more than 33.3\u202f%" in tiles[2]


def test_the_internal_page_shows_everything(pages):
    text = read(pages["internal"]).text
    told = [
        "Sizes of the groups",
        "Loss by variable",
        "Values before and after",
        "Correlations",
        "Records and groups",
        "Risk by record",
        "Dominance",
        "insolvent",
        "A note of the measures.",
        'method = "refined(vmdav(gamma=0.2)',
        made.PROVENANCE.command,
        made.PROVENANCE.input_fingerprint,
        made.PROVENANCE.output_fingerprint,
        "differential privacy",
        "2.4.6",
        "Signature",
    ]
    assert [of for of in told if of not in text] == []


def test_names_are_text_wherever_they_stand():
    of = made.example(names=(NASTY, QUOTED, "year", "region"))
    plan = replace(made.PLAN, quasi_identifiers=(NASTY, QUOTED, "year", "region"))
    told = replace(
        made.PROVENANCE,
        input=NASTY,
        output=f"{QUOTED}.csv",
        plan=plan,
        method=NASTY,
        command=NASTY,
        notes=(QUOTED,),
        seconds={NASTY: 1.0},
        versions={NASTY: NASTY, "microagg": QUOTED},
        created=NASTY,
        levels={"region": (NASTY, QUOTED, "a", "b", "c")},
    )
    for audience in AUDIENCES:
        root = read(page(of, made.evaluation(of, notes=(NASTY,)), told, audience))
        assert not list(root.all("img", "script"))
        assert not [name for element in root.all() for name in element.attributes if name.startswith("on")]
        cells = {cell.text for cell in root.all("th", "td")}
        assert {NASTY, QUOTED} <= cells


def test_what_stands_in_an_element_or_its_attributes_is_escaped():
    drawn = tag("text", NASTY, class_=QUOTED)
    (text,) = read(drawn).all()
    assert (text.text, text.attributes) == (NASTY, {"class": QUOTED})


def test_long_names_are_short_in_pictures_and_whole_in_tables():
    name = "a_column_with_a_name_that_is_much_longer_than_any_picture_is_wide"
    of = made.example(names=(name, "staff", "year", "region"))
    root = read(page(of, made.evaluation(of), made.PROVENANCE))
    drawn = [text.text for svg in outer_svgs(root) for text in svg.all("text")]
    assert name not in drawn
    assert any(text.endswith("…") and name.startswith(text[:-1]) for text in drawn)
    assert name in {cell.text for cell in root.all("th")}


def test_the_same_release_gives_the_same_page(pages):
    of = made.example()
    assert page(of, made.evaluation(of), made.PROVENANCE) == pages["internal"]


def test_what_is_not_safe_is_told_in_words():
    of = made.example()
    found = made.evaluation(of)
    classes = Classes(60, 25, 1, 3, 10, {1: 10, 3: 15})
    unsafe = replace(found, risk=replace(found.risk, classes=classes))
    for audience in AUDIENCES:
        root = read(page(of, unsafe, made.PROVENANCE, audience))
        (bad,) = (one for one in root.all("div") if one.attributes.get("class") == "tile bad")
        assert "not safe" in bad.text
        assert "10 of 60 records share their quasi-identifiers with fewer than 2 others" in bad.text


@pytest.mark.parametrize("k", [None, 2, 3])
def test_without_a_k_that_was_asked_for_single_records_are_not_safe(k):
    of = made.example()
    found = made.evaluation(of)
    alone = replace(
        found, risk=replace(found.risk, k=k, classes=Classes(60, 60, 1, 1, 60 * bool(k), {1: 60}))
    )
    assert "not safe" in read(page(of, alone, made.PROVENANCE)).text


def test_a_loss_below_which_there_is_none_is_not_said_to_be_improvable():
    of = made.example()
    text = read(page(of, made.evaluation(of), replace(made.PROVENANCE, bound=14.1961))).text
    assert "lose less than 14.2\u202f%." in text
    assert "can be saved" not in text


COLUMNS = {
    "one column": {"a": [1, 2, 3, 4, 5, 6]},
    "a constant column": {"a": [1, 2, 3, 4, 5, 6], "b": [7] * 6},
    "only constant columns": {"a": [7] * 6, "b": [0] * 6},
    "a column without values": {"a": [1, 2, 3, 4, 5, 6], "b": [None] * 6},
    "no values at all": {"b": [None] * 6},
    "some missing values": {"a": [1, None, 3, 4, None, None], "b": [1, 2, 1, 2, 1, 9]},
    "huge numbers": {"a": [-1e300, 1, 2, 3, 4, 1e300], "b": [1e9, 1e9 + 1, 1e9 + 2, 1e9, 1e9, 1e9 + 0.5]},
    "tiny numbers": {"a": [1e-300, 0, 2e-300, 0, 0, 5e-324], "b": [1, 1 + 1e-16, 1, 1, 1 + 2e-16, 1]},
}


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize(
    "labels", [[0, 0, 0, 1, 1, 1], [0] * 6, [0, 1, 2, 3, 4, 5]], ids=["two", "one", "all"]
)
@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
def test_any_table_has_a_page(columns, labels, audience):
    with np.errstate(all="raise", under="ignore"):
        of = grouped(columns, labels)
        found = made.evaluation(of, k=len(labels) // (max(labels) + 1))
        root = read(page(of, found, replace(made.PROVENANCE, plan=None), audience))
        test_no_number_is_told_in_the_words_of_the_computer(root)
        test_every_picture_has_a_title_a_description_and_its_numbers_in_a_table(root)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_what_could_not_be_had_is_left_out(audience):
    of = made.example()
    text = page(of, made.without_parts(made.evaluation(of)), type(made.PROVENANCE)(), audience)
    root = read(text)
    test_headings_are_in_order_and_none_is_skipped(root)
    test_no_number_is_told_in_the_words_of_the_computer(root)
    assert "not measured" in root.text


def test_who_reads_it_must_be_known():
    of = made.example()
    with pytest.raises(InputError, match="choose 'internal' or 'external'"):
        page(of, made.evaluation(of), made.PROVENANCE, "everyone")


def test_the_file_holds_the_page_and_the_internal_one_is_for_its_owner(tmp_path, pages):
    of = made.example()
    for audience, mode in (("internal", 0o077), ("external", 0)):
        path = tmp_path / f"{audience}.html"
        write(path, of, made.evaluation(of), made.PROVENANCE, audience)
        assert path.read_text("utf-8") == pages[audience]
        assert path.stat().st_mode & mode == 0
    assert sorted(found.name for found in tmp_path.iterdir()) == ["external.html", "internal.html"]


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    of = made.example()
    found = made.evaluation(of)
    with pytest.raises(
        InputError, match=r"cannot be written: it is a folder: name a file in it, as .*\.html"
    ):
        write(tmp_path, of, found, made.PROVENANCE)
    with pytest.raises(InputError, match=r"cannot be written: there is no folder .*nowhere"):
        write(tmp_path / "nowhere" / "a.html", of, found, made.PROVENANCE)


def test_names_that_no_file_can_hold_do_not_stop_it(tmp_path):
    of = made.example(names=("half\ud800", "nul\0", "year", "region"))
    write(tmp_path / "a.html", of, made.evaluation(of), made.PROVENANCE)
    assert "half?" in (tmp_path / "a.html").read_text("utf-8")


def test_of_many_columns_those_that_lost_most_are_drawn_and_the_tables_hold_all():
    rng = np.random.default_rng(1)
    names = [f"column_{at}" for at in range(400)]
    of = grouped({name: rng.normal(size=60) for name in names}, np.arange(60) // 3)
    found = made.evaluation(of)
    losses = {
        name: replace(one, percent=float(at)) for at, (name, one) in enumerate(found.loss.by_column.items())
    }
    text = page(of, replace(found, loss=replace(found.loss, by_column=losses)), made.PROVENANCE)
    assert len(text) < 1_500_000
    root = read(text)
    drawn = {title.text.partition(":")[0] for title in root.all("title") if "before and after" in title.text}
    assert drawn == set(names[-MOST:])
    assert f"Left out are: column_0, column_1, {', '.join(names[2:-MOST])}." in root.text
    assert set(names) <= {cell.text for cell in root.all("th")}


@pytest.mark.parametrize("audience", AUDIENCES)
def test_what_is_unseen_or_turns_text_round_is_shown_by_its_code(audience):
    of = made.example(names=("nul\0bell\x07", "abc\u202etxt.exe", "year", "region"))
    text = page(of, made.evaluation(of), made.PROVENANCE, audience)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", text)
    assert {"nul[U+0000]bell[U+0007]", "abc[U+202E]txt.exe"} <= {cell.text for cell in read(text).all("th")}


def test_a_command_of_several_lines_keeps_them_and_long_ones_wrap():
    of, lines = made.example(), "import microagg\nmicroagg.protect(data, plan='plan.toml')"
    root = read(page(of, made.evaluation(of), replace(made.PROVENANCE, command=lines)))
    assert lines in [code.text for code in root.all("pre")]
    assert re.search(r"\npre \{[^}]*white-space: pre-wrap", next(root.all("style")).text)


@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.parametrize("percent", [100.0, 100.4, 101.0, 1e302])
def test_a_loss_of_more_than_all_is_explained(percent, audience):
    of = made.example()
    found = made.evaluation(of)
    columns = {name: replace(one, percent=percent) for name, one in found.loss.by_column.items()}
    lost = replace(found, loss=replace(found.loss, percent=percent, by_column=columns))
    root = read(page(of, lost, made.PROVENANCE, audience))
    assert ("lies further from the original than that" in root.text) == (percent > 100.5)
    assert ("is gone" in root.text.partition("Loss by variable")[0]) == (percent < 100.5)
    test_no_number_is_told_in_the_words_of_the_computer(root)


@pytest.mark.parametrize("percent", [np.inf, np.nan])
def test_pictures_hold_nothing_that_is_no_number(percent):
    of = made.example()
    found = made.evaluation(of)
    columns = {name: replace(one, percent=percent) for name, one in found.loss.by_column.items()}
    lost = replace(found, loss=replace(found.loss, percent=percent, by_column=columns))
    for audience in AUDIENCES:
        test_no_number_is_told_in_the_words_of_the_computer(read(page(of, lost, made.PROVENANCE, audience)))


@pytest.mark.filterwarnings("error")
def test_a_release_on_the_other_side_of_all_numbers_is_drawn():
    of = distribution(pair("x", [1.7e308, 0.0, 1.6e308], [-1.7e308, 0.0, 5.0]))
    drawn = read(drawing.distribution("x", of))
    test_no_number_is_told_in_the_words_of_the_computer(Element("", {}, [Element("body", {}, [drawn])]))
