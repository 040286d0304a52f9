"""Draw blocks, and what they lose: `python docs/pictures/draw_blocks.py`; it takes some minutes.

The pictures of the loss are figures 5 to 8 of the 2^d-tree paper, on data drawn anew.
"""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
from draw import COLOURS, GREY, HERE, STYLE
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from microagg import Blocked, datasets
from microagg.kernels.exact import squares_within
from microagg.partition.counting import HeldRecords
from microagg.partition.grid import BITS, codes_of, grid_over
from microagg.partition.layout import layout
from microagg.prepare import standardised

LIMITS = (500, 1000, 2000, 5000, 10_000)
RECORDS = (500_000, 1_000_000, 1_500_000, 2_000_000)
DIMENSIONS = (2, 3, 4, 5, 6, 8, 10)
TREES = {"univariate": "-", "2^d": "--", "median": ":"}


def main() -> None:
    """Draw all."""
    matplotlib.use("svg")
    with plt.rc_context(STYLE):
        cells()
        losses()


def cells() -> None:
    """Draw 500 records in the leaves of a quad-tree, and in blocks cut at the median."""
    X = datasets.correlated(500, 2, factors=2, noise=0.0, seed=6)
    grid = grid_over(X.min(axis=0), X.max(axis=0), (0, 1))
    codes = codes_of(X, grid)
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), sharex=True, sharey=True)
    for ax, tree in zip(axes, ("2^d", "median"), strict=True):
        found = layout(grid, len(X), 10, 50, tree, HeldRecords(codes))
        block = found.block_of(codes)
        for turn, colour in enumerate(COLOURS):
            ax.plot(*X[block % len(COLOURS) == turn].T, ".", color=colour, markersize=4)
        sizes = np.bincount(block)
        ax.set_title(f'tree="{tree}": {len(sizes)} blocks of {sizes.min()} to {sizes.max()}')
        ax.set(xticks=[], yticks=[])
        if tree == "2^d":
            draw_boxes(ax, found.cells.leaves, grid)
    save(figure, "blocks")


def draw_boxes(ax: Axes, boxes: object, grid: object) -> None:
    """Draw the leaves of a quad-tree."""
    low = boxes.low * 2.0**-BITS * grid.span[:, None] + grid.low[:, None]
    side = np.ldexp(1.0, boxes.free - BITS) * grid.span[:, None]
    for corner, (width, height) in zip(low.T, side.T, strict=True):
        ax.add_patch(Rectangle(corner, width, height, fill=False, edgecolor=GREY, linewidth=0.6))


def losses() -> None:
    """Draw the loss against L, against the number of records, and against the number of columns."""
    sets = {n: standardised(datasets.scattered(n, 2, seed=1)) for n in RECORDS}
    found = {
        (tree, n, most): sse_of(X, most, tree) for n, X in sets.items() for most in LIMITS for tree in TREES
    }
    for (tree, n, most), value in found.items():
        print(f"{tree}, {n:,} records, L = {most:,}: {value:.4f}")
    figure, axes = plt.subplots(2, 2, figsize=(10, 8))
    for n, colour in zip(RECORDS, COLOURS, strict=False):
        for tree, line in TREES.items():
            label = f"{n:,} records" if tree == "2^d" else None
            axes[0, 0].plot(LIMITS, [found[tree, n, m] for m in LIMITS], line, color=colour, label=label)
    axes[0, 0].set(title="Figure 5: two columns, by L", xlabel="L", xscale="log", yscale="log")
    for ax, tree, number in ((axes[0, 1], "2^d", 6), (axes[1, 0], "univariate", 7)):
        for most, colour in zip(LIMITS, COLOURS, strict=False):
            values = [found[tree, n, most] for n in RECORDS]
            ax.plot([n / 1e6 for n in RECORDS], values, "o-", color=colour, label=f"L = {most:,}")
        ax.set(title=f'Figure {number}: "{tree}", by records', xlabel="million records", ylim=(0, None))
    by_columns(axes[1, 1])
    for ax in axes.flat:
        ax.tick_params(colors=STYLE["text.color"], which="both")
        ax.set_ylabel("SSE")
        ax.legend(frameon=False, fontsize=9)
    save(figure, "loss_of_blocks")


def by_columns(ax: Axes) -> None:
    """Draw figure 8: 250,000 records, L = 10,000."""
    values: dict[str, list[float]] = {tree: [] for tree in TREES}
    for d in DIMENSIONS:
        X = standardised(datasets.scattered(250_000, d, seed=1))
        for tree in TREES:
            values[tree].append(sse_of(X, 10_000, tree))
    for (tree, line), colour in zip(TREES.items(), COLOURS, strict=False):
        ax.plot(DIMENSIONS, values[tree], line, color=colour, label=tree)
        print(f"{tree}, 250,000 records, by columns:", *(f"{value:.5g}" for value in values[tree]))
        assert all(a < b for a, b in pairwise(values[tree]))
    ax.set(title="Figure 8: L = 10,000, by columns", xlabel="columns", yscale="log")


def sse_of(X: np.ndarray, most: int, tree: str) -> float:
    """Return the sum of squared distances to the centres at k = 3, blocks cut by all columns."""
    columns = (0,) if tree == "univariate" else tuple(range(X.shape[1]))
    labels = Blocked(max_leaf=most, dimensions=columns, tree=tree).partition(X, 3)
    return sum(squares_within(column, labels, int(labels.max()) + 1) for column in X.T)


def save(figure: plt.Figure, name: str) -> None:
    """Write a picture."""
    figure.tight_layout()
    figure.savefig(HERE / f"{name}.svg", transparent=True, metadata={"Date": None})


if __name__ == "__main__":
    main()
