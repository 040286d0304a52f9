"""The dependence tree of a table: from columns of every kind, with the cost of its choices and a picture."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from microagg import MDAV, DependenceTree, protect
from microagg.datasets import correlated
from microagg.errors import InputError

RNG = np.random.default_rng(5)
STAFF = RNG.integers(1, 500, 300)
TABLE = pa.table(
    {
        "name": [f"firm {row}" for row in range(300)],
        "staff": STAFF,
        "wages": STAFF * 30.0 + RNG.normal(size=300) * 100,
        "assets": RNG.lognormal(size=300),
        "size": np.where(STAFF > 250, "large", np.where(STAFF > 100, "middling", "small")),
        "constant": np.ones(300),
    }
)


def test_a_table_is_looked_at_as_it_is():
    tree = DependenceTree.fit(TABLE)
    assert tree.names == ("staff", "wages", "assets", "size", "constant")
    assert tree.left_out == ("name",)
    assert (0, 1) in tree.edges
    assert tree.classes[3] == 3  # nominal, and so as it is
    assert tree.alone == (4,)
    assert any("constant is the same" in note for note in tree.notes)


def test_a_matrix_has_columns_numbered_from_one():
    tree = DependenceTree.fit(correlated(100, 4).tolist(), ["4", "2"])
    assert tree.names == ("4", "2")
    assert tree.left_out == ("1", "3")


def test_missing_values_count_as_the_mean_and_as_a_value_of_their_own():
    table = TABLE.set_column(1, "staff", pa.array([None, *STAFF[1:].tolist()]))
    table = table.set_column(4, "size", pa.array([None, *table.column("size").to_pylist()[1:]]))
    tree = DependenceTree.fit(table)
    assert "staff has missing values, which count as its mean" in tree.notes
    assert tree.classes[3] == 4


def test_widths_are_given_by_name():
    width = {"staff": 50.0, "wages": 1000.0, "assets": 1.0}
    tree = DependenceTree.fit(TABLE, list(width), width=width)
    assert tree.classes[:2] == (10, int((np.ptp(TABLE["wages"].to_numpy())) // 1000) + 1)
    with pytest.raises(InputError) as caught:
        DependenceTree.fit(TABLE, ["staff", "wages"], width={"staf": 50.0, "wages": 1.0})
    assert len(caught.value.faults) == 2


def test_each_possibility_is_judged_with_loss_and_linkage(loss_of):
    X = correlated(120, 5)
    tree = DependenceTree.fit(X)
    judged = tree.judged(X, 2, 3)
    assert [one.loss for one in judged] == sorted(one.loss for one in judged)
    assert {frozenset(one.columns) for one in judged} == {
        frozenset(tree.names[at] for at in choice) for choice in tree.possibilities(2).choices
    }
    for one in judged:
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        labels = MDAV().partition(Z[:, sorted(int(name) - 1 for name in one.columns)], 3)
        assert one.loss == pytest.approx(loss_of(Z, labels), rel=1e-9)
        means = np.array([Z[labels == label].mean(axis=0) for label in labels])
        nearest = ((means[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
        assert one.linked == pytest.approx((nearest.argmin(axis=1) == np.arange(120)).mean())


def test_judging_tells_how_far_it_is():
    told = []
    X = correlated(60, 5)
    DependenceTree.fit(X).judged(X, 3, method="vmdav(gamma=0.2)", progress=lambda *at: told.append(at))
    assert told[0][0] == 0
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"columns": ["staf", "wages"]}, "'staf' is not known: did you mean 'staff'"),
        ({"columns": ["staff"]}, "at least two columns"),
        ({"columns": ["staff", "size"], "weights": "correlation"}, "'size' is nominal"),
        ({"columns": ["staff", "size"], "kinds": {"size": "continuous"}}, "size"),
    ],
)
def test_what_can_have_no_tree_is_refused(arguments, expected):
    with pytest.raises(InputError, match=expected):
        DependenceTree.fit(TABLE, **arguments)


def test_a_picture_marks_the_chosen_columns_and_escapes_their_names(tmp_path):
    table = TABLE.rename_columns(["name", "<staff>", "wages", "assets", "size", "constant"])
    tree = DependenceTree.fit(table)
    drawn = tree.plot(tmp_path / "tree.svg", ["wages", "assets"])
    assert (tmp_path / "tree.svg").read_text() == drawn
    assert "&lt;staff&gt;" in drawn
    assert "<staff>" not in drawn
    assert drawn.count('class="column chosen"') == 2
    assert drawn.count('class="branch"') == 3
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert tree.plot().count('class="column chosen"') == 3


@pytest.mark.parametrize(
    ("path", "chosen", "expected"),
    [
        ("tree.png", 3, "ends in .png: a picture is .svg"),
        ("nowhere/tree.svg", 3, "there is no folder"),
        ("tree.svg", ["staf"], "'staf' is not known"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused(tmp_path, path, chosen, expected):
    with pytest.raises(InputError, match=expected):
        DependenceTree.fit(TABLE).plot(tmp_path / path, chosen)


def test_protect_groups_by_whole_columns_and_the_report_shows_the_tree(tmp_path):
    result = protect(
        TABLE,
        3,
        ["staff", "wages", "assets", "size"],
        drop="rest",
        method="selected(mdav, n_variables=2)",
    )
    assert set(result.account["columns"]) < {"staff", "wages", "assets", "size"}
    assert result.account["of"] == 4
    assert result.account["tree"]["names"] == ["assets", "size", "staff", "wages"]
    result.report(tmp_path / "all.html")
    page = (tmp_path / "all.html").read_text()
    assert 'class="plot tree"' in page
    assert "Which columns it was grouped by" in page
    result.report(tmp_path / "public.html", "external")
    assert "plot tree" not in (tmp_path / "public.html").read_text()
    plain = protect(TABLE, 3, ["staff", "wages"], drop="rest", method="mdav")
    plain.report(tmp_path / "plain.html")
    assert "plot tree" not in (tmp_path / "plain.html").read_text()
    assert ".tree .branch" not in (tmp_path / "plain.html").read_text()
