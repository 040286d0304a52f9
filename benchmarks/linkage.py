"""Linkage by distance beside scikit-learn's k-d tree: `python -m benchmarks.linkage [--quick]`.

Prints a Markdown table of seconds by the clock and of CPU seconds, both on all cores, all compiled before.
Each case is timed once or more, the least counts; the shares that both find must be the same.
"""

from __future__ import annotations

import argparse
from time import perf_counter, process_time

import numpy as np
from sklearn.neighbors import NearestNeighbors

from microagg import MDAV
from microagg.datasets import correlated, scattered
from microagg.kernels.exact import exact_group_means
from microagg.measures import linkage as module
from microagg.measures.compared import Compared
from microagg.measures.linkage import linkage

K = 5
KINDS = {
    "uniform": scattered,
    "correlated": correlated,
    "normal": lambda n, d: np.random.default_rng(0).normal(size=(n, d)),
}


def release(X):
    """Return a matrix and the means of groups of k."""
    labels = MDAV().partition(X, K)
    means = [exact_group_means(x, labels, labels.max() + 1)[labels] for x in np.ascontiguousarray(X.T)]
    return Compared((), labels.astype(np.int64), X, np.column_stack(means))


def by_scikit_learn(case):
    """Return the same shares, for data without ties."""
    classes, first, sizes = np.unique(case.classes, return_index=True, return_counts=True)
    originals = NearestNeighbors(n_neighbors=2, algorithm="kd_tree", n_jobs=-1).fit(case.original)
    near = originals.kneighbors(case.released[first], return_distance=False)
    own = case.classes[near] == classes[:, np.newaxis]
    released = NearestNeighbors(n_neighbors=1, algorithm="kd_tree", n_jobs=-1).fit(case.released[first])
    back = released.kneighbors(case.original, return_distance=False)[:, 0] == case.classes
    n = case.records
    return own[:, 0].sum() / n, own.sum() / n, (back / sizes[case.classes]).sum() / n, back.sum() / n


def by_microagg(case):
    found = linkage(case)
    assert found.sample == case.records, "only a sample was linked"
    return (
        found.released_to_original,
        found.among_first_two,
        found.original_to_released,
        found.own_class_nearest,
    )


def least_times(rounds, work, case):
    """Return the least seconds by the clock and CPU seconds of some rounds, and what was found."""
    walls, cpus, found = [], [], None
    for _ in range(rounds):
        wall, cpu = perf_counter(), process_time()
        found = work(case)
        walls.append(perf_counter() - wall)
        cpus.append(process_time() - cpu)
    return min(walls), min(cpus), found


def compare(kind, n, d, rounds):
    case = release(KINDS[kind](n, d))
    wall, cpu, found = least_times(rounds, by_microagg, case)
    theirs, their_cpu, expected = least_times(rounds, by_scikit_learn, case)
    assert np.allclose(found, expected, rtol=1e-12, atol=0.0), (found, expected)
    times = f"{wall:.2f} | {cpu:.2f} | {theirs:.1f} | {their_cpu:.1f}"
    print(f"| {kind} | {n:,} | {d} | {times} | {their_cpu / cpu:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tables of 100,000 records, in half a minute")
    quick = parser.parse_args().quick
    module.MOST_WORK = np.inf
    linkage(release(scattered(20_000, 2)))
    print(f"k = {K}\n")
    print("| data | n | d | microagg, s | CPU s | scikit-learn, s | CPU s | ratio of CPU |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for kind, d in (("uniform", 5), ("correlated", 10)):
        compare(kind, 100_000, d, rounds=3)
    compare("normal", 20_000 if quick else 100_000, 13, rounds=1)
    if not quick:
        compare("uniform", 1_000_000, 5, rounds=2)
        compare("correlated", 1_000_000, 10, rounds=1)


if __name__ == "__main__":
    main()
