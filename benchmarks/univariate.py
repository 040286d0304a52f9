"""The optimal cut of one column beside microagg1d: `python -m benchmarks.univariate [--quick]`.

Prints a Markdown table. Every time is the least of some rounds, in which all take turns, in CPU seconds
of one core with everything compiled. Of microagg1d there is what it does when nothing else is asked for
("default"), and the best of its algorithms for each case: among those that ask for stable sums, and
among those on plain running sums ("unstable": a common offset in the data ruins them). Ours must lose as
little as the best of them all, to 1e-9. Some of theirs are not optimal: the last column says how much
more than ours the worse of its default and its fastest loses.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np
from microagg1d import univariate_microaggregation

from microagg import Univariate
from microagg.datasets import vector

ALGORITHMS = ("simple", "wilber", "galil_park", "staggered")
GROUP_SIZES = (3, 10, 100, 1000)


def theirs(algorithm, stable):
    return lambda x, k: univariate_microaggregation(x, k, method=algorithm, stable=stable)


def ours(x, k):
    return Univariate().partition(x[:, np.newaxis], k)


def sort(x, k):
    return np.sort(x)


def timed(work, x, k):
    start = process_time()
    found = work(x, k)
    return process_time() - start, found


def loss(x, labels):
    """Return the SSE, of two passes over numbers that are near zero."""
    sizes = np.bincount(labels)
    gaps = x - (np.bincount(labels, weights=x) / sizes)[labels]
    gaps -= (np.bincount(labels, weights=gaps) / sizes)[labels]
    return gaps @ gaps


def trials(x, k):
    """Run every algorithm of theirs that fits the case once; return (time, loss) of each."""
    found = {}
    for stable in (0, 1):
        for algorithm in ALGORITHMS:
            if algorithm == "simple" and k > 100:
                continue  # its time grows with k
            time, labels = timed(theirs(algorithm, stable), x, k)
            found[algorithm, stable] = time, loss(x, labels)
    return found


def compare(x, k):
    """Print a row: the times, how many times as long as ours theirs take, and what theirs lose."""
    tried = trials(x, k)
    fastest = {stable: min((name for name in tried if name[1] == stable), key=tried.get) for stable in (0, 1)}
    works = {
        "ours": ours,
        "default": univariate_microaggregation,
        "stable": theirs(*fastest[1]),
        "unstable": theirs(*fastest[0]),
        "sort": sort,
    }
    times = {name: [] for name in works}
    found = {}
    for _ in range(5 if len(x) > 500_000 else 25):
        for name, work in works.items():
            time, found[name] = timed(work, x, k)
            times[name].append(time)
    least = {name: min(times[name]) for name in works}
    best = min(loss_of_theirs for _, loss_of_theirs in tried.values())
    mine = loss(x, found["ours"])
    assert abs(mine / best - 1) <= 1e-9, f"another loss than theirs: {mine!r} and {best!r}"
    worst = max(loss(x, found["default"]), loss(x, found["unstable"])) / mine - 1
    cells = " | ".join(f"{least[name]:.4f}" for name in works)
    ratios = " | ".join(f"{least[name] / least['ours']:.2f}" for name in ("default", "stable", "unstable"))
    print(f"| {len(x):,} | {k:,} | {cells} | {ratios} | {worst:.1e} |", flush=True)
    assert least["ours"] < min(least["default"], least["stable"]), "slower than microagg1d"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller columns, in half a minute")
    sizes = (20_000, 200_000) if parser.parse_args().quick else (20_000, 200_000, 1_000_000, 5_000_000)
    ours(vector("normal", 10_000), 3)
    trials(vector("normal", 1000), 3)
    print("| n | k | ours, s | default, s | stable, s | unstable, s | np.sort, s | default / ours ", end="")
    print("| stable / ours | unstable / ours | lose more |")
    print(f"|{'---:|' * 11}")
    for n in sizes:
        for k in GROUP_SIZES:
            compare(vector("normal", n), k)


if __name__ == "__main__":
    main()
