"""Tables 3 to 5 of the 2^d-tree paper; of table 4 the order, on a smaller set."""

from __future__ import annotations

import numpy as np
import pytest

from microagg import MDAV, Blocked, datasets
from microagg.kernels.exact import squares_within
from microagg.partition.counting import HeldRecords
from microagg.partition.grid import BITS, codes_of, grid_over
from microagg.partition.layout import layout
from microagg.prepare import standardised


def sse(X, labels):
    return sum(squares_within(column, labels, int(labels.max()) + 1) for column in X.T)


@pytest.mark.parametrize(
    ("most", "k", "printed"), [(100, 3, 456.846), (200, 3, 464.589), (100, 5, 713.095), (200, 5, 734.925)]
)
def test_eia_loses_what_is_printed_and_far_more_by_one_attribute(most, k, printed, standardised_reference):
    X = standardised_reference("eia")
    tree = Blocked(max_leaf=most, dimensions=tuple(range(11)), tree="2^d").partition(X, k)
    assert sse(X, tree) < 1.03 * printed
    by_one = [
        sse(X, Blocked(max_leaf=most, dimensions=(column,), tree="univariate").partition(X, k))
        for column in (1, 5, 7)
    ]
    assert np.median(by_one) > 1.5 * printed


@pytest.mark.parametrize(("most", "depth"), [(500, 7), (5000, 5), (10_000, 5)])
def test_the_quad_tree_of_a_large_set_is_as_deep_as_printed(most, depth):
    X = datasets.scattered(2_500_000, 2, seed=1)
    grid = grid_over(X.min(axis=0), X.max(axis=0), (0, 1))
    found = layout(grid, len(X), 3, most, "2^d", HeldRecords(codes_of(X, grid)))
    assert BITS - int(found.cells.leaves.free.min()) == depth
    assert -(-len(X) // most) < found.leaves <= 4**depth
    assert (found.leaves == 4**depth) == (most < 10_000)


def test_the_order_of_the_losses_is_that_of_table_4():
    X = standardised(datasets.scattered(100_000, 4, seed=1))
    every = (0, 1, 2, 3)
    whole = sse(X, MDAV().partition(X, 3))
    tree, median, one = (
        sse(X, Blocked(max_leaf=1000, dimensions=columns, tree=name).partition(X, 3)) / whole
        for name, columns in (("2^d", every), ("median", every), ("univariate", (0,)))
    )
    assert 1.0 < median < tree < 1.2
    assert one > 2.0
