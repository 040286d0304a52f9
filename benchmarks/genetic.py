"""Table 2 of the genetic two-step paper, beside its figures: `python -m benchmarks.genetic [--quick]`.

Prints Markdown tables: the improvement over MDAV in percent, and the CPU time of one macrogroup with
everything compiled. Of the simulated sets, which are not printed, there are four each, and the mean is
told. Nowhere may two-step partitioning be worse than MDAV, nor one macrogroup take 0.1 s.

The reference sets are looked for as by `microagg.datasets.load_reference`.
"""

from __future__ import annotations

import argparse
from time import process_time

import numpy as np

from microagg import MDAV, Genetic
from microagg.datasets import clustered, load_reference, scattered
from microagg.prepare import standardised

K = 3
SIZES = (12, 18, 27)
SEEDS = range(4)
PRINTED = {  # (improvement by one step, by two steps, macrogroups of one step, of two steps)
    "Scattered": ((-8, 9, 83, 83), (-4, 8, 55, 56), (0, 3, 37, 38)),
    "Clustered": ((37, 20, 83, 84), (49, 40, 55, 56), (67, 41, 37, 41)),
    "Census": ((-8, 4, 90, 91), (-10, 4, 60, 61), (-15, 1, 40, 41)),
    "EIA": ((-91, 13, 341, 342), (-36, 14, 227, 228), (-54, 9, 151, 152)),
}


def sets(name):
    if name == "Scattered":
        return [standardised(scattered(seed=seed)) for seed in SEEDS]
    if name == "Clustered":
        return [standardised(clustered(spread=3e6, seed=seed)) for seed in SEEDS]
    return [standardised(load_reference(name.lower()).X)]


def sse(X, labels):
    groups = (X[labels == group] for group in range(labels.max() + 1))
    return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)


def improvement(X, method, of_mdav):
    """Return by how many percent the method is better than MDAV, its macrogroups, and seconds for each."""
    start = process_time()
    found = method.explained(X, K)
    seconds = process_time() - start
    count = found.account["macrogroups"]
    return 100 * (1 - sse(X, found.labels) / of_mdav), count, seconds / count


def table(names, iterations):
    print("| set | K | macrogroups | one step, % | printed | two steps, % | printed | ms each |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in names:
        every = [(X, sse(X, MDAV().partition(X, K))) for X in sets(name)]
        for size, (one, two, count, _) in zip(SIZES, PRINTED[name], strict=True):
            rows = [
                [
                    improvement(X, Genetic(macrogroup=size, steps=steps, iterations=iterations), of_mdav)
                    for steps in (1, 2)
                ]
                for X, of_mdav in every
            ]
            (by_one, found, of_one), (by_two, _, of_two) = np.mean(rows, axis=0)
            assert by_two >= 0, "two steps are worse than MDAV"
            assert found == count, "the macrogroups are not as many as printed"
            assert max(of_one, of_two) < 0.1, "a macrogroup takes too long"
            print(
                f"| {name} | {size} | {count} | {by_one:.1f} | {one} | {by_two:.1f} | {two} "
                f"| {1000 * max(of_one, of_two):.0f} |",
                flush=True,
            )


def larger_macrogroups(names, iterations):
    groups = (4, 6, 9, 12, 16, 24)
    print(f"| set | k | {' | '.join(f'{g} k' for g in groups)} |")
    print(f"|---|---:|{'---:|' * len(groups)}")
    for name in names:
        X = sets(name)[0]
        for k in (3, 5, 10):
            of_mdav = sse(X, MDAV().partition(X, k))
            found = (sse(X, Genetic(macrogroup=g * k, iterations=iterations).partition(X, k)) for g in groups)
            print(f"| {name} | {k} | {' | '.join(f'{100 * (1 - of / of_mdav):.1f}' for of in found)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the iterations")
    iterations = 1_000 if parser.parse_args().quick else 10_000
    Genetic(iterations=1).partition(scattered(30), K)
    print(f"k = {K}, {iterations:,} iterations\n")
    table(PRINTED, iterations)
    print("\nImprovement over MDAV in percent, by the size of the macrogroups:\n")
    larger_macrogroups(("Scattered", "Clustered", "Census"), iterations)


if __name__ == "__main__":
    main()
