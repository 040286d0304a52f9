"""Draw the pictures of the documentation from what the package gives: `python docs/pictures/draw.py`.

They have no background and only middle tones, so that they can be read on white and on black.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microagg import MDAV, VMDAV, datasets
from microagg.aggregate import means_of_groups
from microagg.partition.geometry import loss
from microagg.partition.matrix import canonical

HERE = Path(__file__).parent
GREY = "#767c83"
COLOURS = ("#2f81d7", "#d1622b", "#2f9e5b", "#a25fd0", "#b8860b", "#d2527f", "#1f9aa8", "#7a7f2a")
STYLE = {
    "svg.hashsalt": "microagg",  # the same picture is the same file
    "font.size": 12,
    "text.color": GREY,
    "axes.edgecolor": GREY,
    "axes.facecolor": "none",
    "axes.labelcolor": GREY,
}


def main() -> None:
    """Draw all pictures."""
    matplotlib.use("svg")
    with plt.rc_context(STYLE):
        idea()
        toy()


def idea() -> None:
    """Draw records in groups of three, and what is released of them."""
    X = datasets.correlated(36, 2, factors=2, noise=0.0, seed=6)
    labels = MDAV().partition(X, k=3)
    figure, (given, released) = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True, sharey=True)
    draw_groups(given, X, labels)
    given.set_title("36 records, grouped by likeness")
    means = means_of_groups(X, labels)
    released.scatter(*means.T, s=260, c=colours(means), linewidths=0)
    for mean, size in zip(*np.unique(means, axis=0, return_counts=True), strict=True):
        released.annotate(size, mean, color="white", ha="center", va="center_baseline", weight="bold")
    released.set_title("released: each group's mean, three times")
    save(figure, "idea")


def toy() -> None:
    """Draw the 13 records of the V-MDAV paper, grouped by MDAV and by V-MDAV."""
    X = datasets.toy()
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True, sharey=True)
    for ax, name, method in zip(axes, ("MDAV", "V-MDAV"), (MDAV(), VMDAV(gamma=1.1)), strict=True):
        labels = method.partition(X, k=3)
        draw_groups(ax, X, labels)
        records = canonical(X, 3)
        ax.set_title(f"{name}: loss {loss(records, labels[records.order]):.1f} %")
    save(figure, "toy")


def draw_groups(ax: Axes, X: np.ndarray, labels: np.ndarray) -> None:
    """Draw records in the colours of their groups, each tied to the mean of its group."""
    means = means_of_groups(X, labels)
    for record, mean, colour in zip(X, means, colours(means), strict=True):
        ax.plot(*zip(record, mean, strict=True), color=colour, linewidth=1.2, zorder=1)
    ax.scatter(*X.T, s=34, c=colours(means), linewidths=0, zorder=2)
    ax.scatter(*means.T, s=60, c=colours(means), marker="x", linewidths=2, zorder=2)


def colours(means: np.ndarray) -> list[str]:
    """Return the colour of each record's group; groups side by side get different ones."""
    from_left = np.unique(means, axis=0, return_inverse=True)[1]
    return [COLOURS[group % len(COLOURS)] for group in from_left]


def save(figure: Figure, name: str) -> None:
    """Write a picture without axes, only frames."""
    for ax in figure.axes:
        ax.set(xticks=[], yticks=[])
        ax.margins(0.08)
    figure.tight_layout()
    figure.savefig(HERE / f"{name}.svg", transparent=True, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
