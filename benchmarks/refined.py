"""The loss of the refinement against time: `python -m benchmarks.refined [--quick] [--million]`.

Prints Markdown tables: the loss in percent after so many CPU seconds of one core, the median over the
seeds, with everything compiled; and for a million records, on all cores, what seconds by the clock
bring and how much memory they need. Each partition is checked to have groups of k to 2k - 1 records.
Reference sets are looked for in the folder that MICROAGG_REFERENCE_DATA names.
"""

from __future__ import annotations

import argparse
import os
import resource
from pathlib import Path
from time import process_time

import numpy as np

from microagg import MDAV, Refined
from microagg.datasets import clustered, load_reference, scattered
from microagg.partition import refinery
from microagg.partition.geometry import loss
from microagg.partition.matrix import canonical
from microagg.prepare import standardised

SECONDS = (0.5, 1.0, 2.0, 5.0, 10.0)
REAL = (("tarragona", 3), ("tarragona", 5), ("tarragona", 10), ("census", 3), ("census", 5), ("census", 10))
CASES = (*REAL, ("eia", 3), ("eia", 5))
GENERATED = {
    "scattered 1,000 x 2": lambda: scattered(1000, 2),
    "clustered 1,000 x 2": lambda: clustered(1000, 2),
    "scattered 10,000 x 5": lambda: scattered(10_000, 5),
    "scattered 20,000 x 3": lambda: scattered(20_000, 3),
}


CASES += tuple((name, 3) for name in GENERATED)


def matrix(name):
    if name in GENERATED:
        return GENERATED[name]()
    return standardised(load_reference(name, Path(os.environ["MICROAGG_REFERENCE_DATA"])).X)


def losses_by_time(records, labels, k, seed, seconds):
    """Return the loss after each of so many CPU seconds, and the iterations done in the end."""
    found, began = [], process_time()
    task = refinery.Task(records.points, np.ones(len(labels)), k, seed, 10**9, np.inf)
    ids, near = refinery.neighbourhoods(task.points, refinery.list_length(k, len(labels)), lambda _: None)
    ground = refinery.Ground(task, ids, near, labels)
    cell = ground.everything()
    rank = np.argsort(ids)
    measured = 0.0  # that the measuring itself takes
    for done in refinery.slices(cell, task.iterations):
        if process_time() - began - measured >= seconds[len(found)]:
            before = process_time()
            best = np.unique(ground.best[rank], return_inverse=True)[1].astype(np.int32)
            sizes = np.bincount(best)
            assert k <= sizes.min() <= sizes.max() < 2 * k, "a group has another size than it may"
            found.append(loss(records, best))
            measured += process_time() - before
            if len(found) == len(seconds):
                return found, done
    raise AssertionError("so many iterations take longer than that")


def against_time(cases, seeds, seconds):
    print(f"| data | k | MDAV | {' | '.join(f'{s:g} s' for s in seconds)} | least | iterations |")
    print(f"|---|---:|{'---:|' * (len(seconds) + 3)}")
    for name, k in cases:
        records = canonical(matrix(name), k)
        labels = MDAV().partition(records.points, k)
        runs = [losses_by_time(records, labels, k, seed, seconds) for seed in range(seeds)]
        losses = np.array([run[0] for run in runs])
        assert losses.max() < loss(records, labels), "the refinement made it worse"
        cells = " | ".join(f"{x:.5g}" for x in np.median(losses, axis=0))
        iterations = int(np.median([run[1] for run in runs]))
        start = loss(records, labels)
        print(f"| {name} | {k} | {start:.5g} | {cells} | {losses.min():.6g} | {iterations:,} |", flush=True)


def million(seconds):
    print("| seconds by the clock | share of MDAV's loss | iterations | CPU seconds | peak memory, MB |")
    print("|---:|---:|---:|---:|---:|")
    X = np.random.default_rng(0).random((1_000_000, 3))
    for limit in seconds:
        began = process_time()
        account = Refined(MDAV(), seconds=limit).explained(X, 3).account
        share = account["loss_after"] / account["loss_before"]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        taken = process_time() - began
        print(f"| {limit} | {share:.3f} | {account['iterations']:,} | {taken:.0f} | {peak:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two seconds of three sets only")
    parser.add_argument(
        "--million", action="store_true", help="a million records for one and for three minutes"
    )
    asked = parser.parse_args()
    refinery.ready()
    if asked.million:
        million((60, 180))
    elif asked.quick:
        against_time([("scattered 1,000 x 2", 3), ("clustered 1,000 x 2", 3)], 3, (0.5, 1.0, 2.0))
    else:
        against_time(CASES, 5, SECONDS)


if __name__ == "__main__":
    main()
