"""Draw dependence trees and what they are worth: `python docs/pictures/draw_dependence.py`.

The trees of Tarragona, Census and the simulated sets; how often the true tree is found, by the size of the
sample; and the loss by the number of columns, for trees and for the search. Census and Tarragona are found on
the machine or fetched.
"""

from __future__ import annotations

import matplotlib
import numpy as np
from draw import COLOURS, HERE, STYLE
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from microagg import MDAV, DependenceTree, Selected, datasets
from microagg.partition.geometry import loss
from microagg.partition.matrix import canonical
from microagg.prepare import standardised

K = 3
TREES = HERE / "trees"
WIDTHS = {"tarragona": (50_000, 100_000, 150_000), "census": (1_000, 5_000, 10_000)}
SIZES = (50, 100, 150, 250, 500, 1000, 2000, 5000)
DRAWS = 20


def main() -> None:
    """Draw all pictures."""
    matplotlib.use("svg")
    TREES.mkdir(exist_ok=True)
    trees()
    with plt.rc_context(STYLE):
        convergence()
        losses()


def trees() -> None:
    """Draw the trees of the paper's figures 5, 9, 10 and 15 to 17, as they come out here."""
    for name, widths in WIDTHS.items():
        X = datasets.load_reference(name).X
        for way in ("emim", "chi2"):
            for width in widths:
                tree = DependenceTree.fit(X, weights=way, width=width)
                tree.plot(TREES / f"{name}_{way}_{width}.svg", chosen_by(tree))
        tree = DependenceTree.fit(X, weights="correlation")
        tree.plot(TREES / f"{name}_correlation.svg", chosen_by(tree))
    for which in (1, 2, 3):
        tree = DependenceTree.fit(datasets.simulated(which).X, width=100)
        tree.plot(TREES / f"sim_{which}.svg", chosen_by(tree))


def chosen_by(tree: DependenceTree) -> list[str]:
    """Return the columns that are in every choice of three."""
    sure = set.intersection(*(set(choice) for choice in tree.possibilities(3).choices))
    return [tree.names[at] for at in sure]


def convergence() -> None:
    """Draw which share of the true edges is found, and how often all are, by the size of the sample."""
    sets = {f"Sim_{which}": which for which in (1, 2, 3)} | {"siblings related": 0, "siblings unrelated": -1}
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharex=True)
    for (name, which), colour in zip(sets.items(), COLOURS, strict=False):
        for way, line in (("emim", "-"), ("chi2", "--")):
            shares = np.array([[found(which, seed, n, way) for n in SIZES] for seed in range(DRAWS)])
            label = name if way == "emim" else None
            axes[0].plot(SIZES, 100 * shares.mean(axis=0), line, color=colour, label=label)
            axes[1].plot(SIZES, 100 * (shares == 1.0).mean(axis=0), line, color=colour)
    axes[0].set(xscale="log", xlabel="records", ylabel="%", title="true edges that are found")
    axes[1].set(xlabel="records", title="samples that give the whole tree")
    axes[0].legend(frameon=False, fontsize=9, loc="lower right")
    finish(axes)
    figure.tight_layout()
    figure.savefig(HERE / "dependence_convergence.svg", transparent=True, metadata={"Date": None})


def found(which: int, seed: int, n: int, way: str) -> float:
    """Return the share of the true edges that are in the tree of the first records of a set."""
    if which > 0:
        drawn, width = datasets.simulated(which, seed=seed), 100
    else:
        drawn, width = datasets.siblings(SIZES[-1], related=which == 0, seed=seed), 1
    true = {(int(parent), at) for at, parent in enumerate(drawn.parents) if parent >= 0}
    tree = DependenceTree.fit(drawn.X[:n], weights=way, width=width)
    return len(true & set(tree.edges)) / len(true)


def losses() -> None:
    """Draw the loss by the number of columns that are grouped by."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6))
    for ax, name in zip(axes, WIDTHS, strict=True):
        records = canonical(standardised(datasets.load_reference(name).X), K)
        numbers = range(1, records.points.shape[1] + 1)
        for way, colour in zip(("emim", "chi2", "correlation", "search"), COLOURS, strict=False):
            of = [
                loss(records, Selected(n_variables=number, weights=way).partition(records.points, K))
                for number in numbers
            ]
            print(name, way, *(f"{one:.2f}" for one in of))
            ax.plot(numbers, of, "o-", color=colour, markersize=3, label=way)
        ax.axhline(
            loss(records, MDAV().partition(records.points, K)), color=STYLE["text.color"], lw=1, ls=":"
        )
        ax.set(title=name.capitalize(), xlabel="columns grouped by")
        ax.set_ylim(bottom=0)
    axes[0].set_ylabel("loss, %")
    axes[0].legend(frameon=False, fontsize=10)
    finish(axes)
    figure.tight_layout()
    figure.savefig(HERE / "dependence_loss.svg", transparent=True, metadata={"Date": None})


def finish(axes: list[Axes]) -> None:
    """Let the numbers along the axes be as grey as all else."""
    for ax in axes:
        ax.tick_params(colors=STYLE["text.color"], which="both")


if __name__ == "__main__":
    main()
