"""How far the loss is from the least there is: `python -m benchmarks.certificate [--quick]`.

Prints a Markdown table: for each set and k the loss of MDAV, the bound, the best partition found on the
way, how far the two are apart, what the bound rests on, and how long it took. With `--from FOLDER` the work
begins with the labels in FOLDER/<set>_<k>.npy where there are any, rather than with MDAV's. The bounds of
an earlier study, by other code, are known: none may be above the best partition seen there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from microagg import MDAV, lower_bound
from microagg.datasets import load_reference, scattered
from microagg.prepare import standardised

CASES = [
    ("scattered", 3, 60),
    ("census", 3, 240),
    ("tarragona", 3, 120),
    ("census", 4, 240),
    ("tarragona", 4, 120),
    ("census", 5, 240),
    ("tarragona", 5, 240),
]
QUICK = [("scattered", 3, 20), ("census", 3, 20), ("tarragona", 3, 20)]
BEST_SEEN = {
    ("tarragona", 3): 14.47307,
    ("tarragona", 5): 20.14821,
    ("census", 3): 4.66794,
    ("census", 5): 7.25484,
}


def matrix_of(name):
    return standardised(scattered(1000, 2) if name == "scattered" else load_reference(name).X)


def labels_in(folder, name, k):
    path = None if folder is None else folder / f"{name}_{k}.npy"
    return np.load(path) if path is not None and path.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three sets, in a minute")
    parser.add_argument("--from", dest="folder", type=Path, help="where partitions to begin with are")
    asked = parser.parse_args()
    print("| data | k | MDAV, % | bound, % | best, % | within, % | rests on | s |")
    print("|---|---:|---:|---:|---:|---:|---|---:|")
    for name, k, seconds in QUICK if asked.quick else CASES:
        X = matrix_of(name)
        lower_bound(X[:60], k)  # compiles
        fixed = lower_bound(X, k, method="cheap", labels=MDAV().partition(X, k)).best_percent
        bound = lower_bound(X, k, labels=labels_in(asked.folder, name, k), seconds=seconds)
        assert bound.percent <= BEST_SEEN.get((name, k), 100.0) + 1e-5, "the bound is above a known loss"
        figures = f"{fixed:.4f} | {bound.percent:.5f} | {bound.best_percent:.5f} | {bound.gap:.3f}"
        print(f"| {name} | {k} | {figures} | {bound.proof} | {bound.seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
