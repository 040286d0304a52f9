"""Draw the loss of every method against its time: `python docs/pictures/draw_loss.py`.

Measured anew each time, in CPU seconds with everything compiled, so that the picture is never the same file
twice. Census is found on the machine or fetched.
"""

from __future__ import annotations

from time import process_time

import matplotlib
import numpy as np
from draw import COLOURS, HERE, STYLE
from matplotlib import pyplot as plt

from microagg import MDAV, VMDAV, Genetic, Refined, datasets
from microagg.partition.geometry import loss
from microagg.partition.matrix import canonical
from microagg.prepare import standardised

K = 3
METHODS = {
    "MDAV": [MDAV()],
    "V-MDAV, gamma 0.2": [VMDAV(gamma=0.2)],
    "V-MDAV, best gamma": [VMDAV()],
    "Genetic": [Genetic(iterations=count) for count in (100, 1000, 10_000)],
    "Refined": [Refined(MDAV(), iterations=count) for count in (1000, 10_000, 100_000, 1_000_000)],
}


def main() -> None:
    """Draw three data sets side by side."""
    matplotlib.use("svg")
    sets = {
        "clustered, 1,000 x 2": standardised(datasets.clustered(1000, 2, seed=1)),
        "scattered, 1,000 x 2": standardised(datasets.scattered(1000, 2, seed=1)),
        "Census, 1,080 x 13": standardised(datasets.load_reference("census").X),
    }
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 3, figsize=(12, 4))
        for ax, (name, X) in zip(axes, sets.items(), strict=True):
            for (label, methods), colour in zip(METHODS.items(), COLOURS, strict=False):
                seconds, losses = zip(*(measured(method, X) for method in methods), strict=True)
                pairs = zip(seconds, losses, strict=True)
                print(f"{name}, {label}:", *(f"{x:.4g} % in {s:.2g} s" for s, x in pairs))
                ax.plot(seconds, losses, "o-", color=colour, label=label)
            ax.set(xscale="log", title=name, xlabel="CPU seconds")
            ax.set_ylim(bottom=0)
            ax.tick_params(colors=STYLE["text.color"], which="both")
        axes[0].set_ylabel("loss, %")
        axes[0].legend(frameon=False, fontsize=10)
        figure.tight_layout()
        figure.savefig(HERE / "loss_against_time.svg", transparent=True, metadata={"Date": None})


def measured(method: object, X: np.ndarray) -> tuple[float, float]:
    """Return the least CPU seconds of three runs, and the loss."""
    method.partition(X[:300], K)  # compiled, if it has to be
    seconds = []
    for _ in range(3):
        start = process_time()
        labels = method.partition(X, K)
        seconds.append(process_time() - start)
    records = canonical(X, K)
    return min(seconds), loss(records, labels[records.order])


if __name__ == "__main__":
    main()
