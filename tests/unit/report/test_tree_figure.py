"""Where a dependence tree's columns stand in its picture."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from microagg.report.tree_figure import TreeFigure, laid_out


@given(st.lists(st.integers(0, 30), min_size=1, max_size=25), st.integers(0, 3))
def test_no_two_columns_stand_at_one_place_and_all_edges_lead_to_the_right(parents, alone):
    names = [str(at) for at in range(len(parents) + 1 + alone)]
    edges = tuple((str(parent % at), str(at), 1.0 / at) for at, parent in enumerate(parents, start=1))
    found = laid_out(TreeFigure(tuple(names), edges, ("0",), "emim"))
    assert len({(node.x, node.y) for node in found.nodes}) == len(names)
    assert all(0 <= node.x <= 100 and 0 < node.y < 100 for node in found.nodes)
    assert all(branch.start.x < branch.end.x for branch in found.branches)
    assert {frozenset((branch.start.name, branch.end.name)) for branch in found.branches} == {
        frozenset(edge[:2]) for edge in edges
    }
    assert max(branch.share for branch in found.branches) == 1.0


def test_the_column_of_most_edges_comes_first_and_each_leaf_has_a_row():
    edges = (("a", "b", 3.0), ("b", "c", 2.0), ("b", "d", 1.0))
    found = laid_out(TreeFigure(("a", "b", "c", "d", "e"), edges, ("b",), "emim"))
    nodes = {node.name: node for node in found.nodes}
    assert found.rows == 4
    assert [nodes[name].x for name in "abcde"] == [100.0, 0.0, 100.0, 100.0, 0.0]
    assert [nodes[name].y for name in "abcde"] == [12.5, 37.5, 37.5, 62.5, 87.5]
    assert [node.name for node in found.nodes if node.is_chosen] == ["b"]
