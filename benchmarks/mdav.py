"""MDAV and V-MDAV side by side with quadratic loops: `python -m benchmarks.mdav [--quick]`.

Prints Markdown tables: time against two quadratic loops (whose labels must be the same), growth with the
number of records, tables without structure, and peak memory. Every time is the least of some rounds,
in CPU seconds of one core, with everything compiled.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from time import process_time

import numpy as np

from benchmarks.plain_loop import plain_mdav, swept_mdav
from microagg import MDAV, VMDAV
from microagg.datasets import correlated, scattered

K = 3
METHODS = {"MDAV": MDAV(), "V-MDAV": VMDAV(gamma=0.2)}
KINDS = {
    "uniform": lambda n, d: scattered(n, d),
    "correlated": lambda n, d: correlated(n, d),
    "normal": lambda n, d: np.random.default_rng(0).normal(size=(n, d)),
}


def least_time(rounds, work, *arguments):
    """Return the least CPU time of some rounds, and what the work returned."""
    times, found = [], None
    for _ in range(rounds):
        start = process_time()
        found = work(*arguments)
        times.append(process_time() - start)
    return min(times), found


def against_the_loops(cases):
    print("| data | n | d | plain loop, s | swept, s | MDAV, s | V-MDAV, s | plain / MDAV | swept / MDAV |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for kind, n, d in cases:
        X = KINDS[kind](n, d)
        rounds = 3 if n <= 20_000 else 1
        plain, expected = least_time(rounds, plain_mdav, X, K)
        swept, labels_of_sweep = least_time(rounds, swept_mdav, X, K)
        fixed, labels = least_time(3, METHODS["MDAV"].partition, X, K)
        variable, _ = least_time(3, METHODS["V-MDAV"].partition, X, K)
        assert (labels == expected).all(), "the plain loop finds another partition"
        assert (labels == labels_of_sweep).all(), "the swept loop finds another partition"
        times = " | ".join(f"{time:.3g}" for time in (plain, swept, fixed, variable))
        print(f"| {kind} | {n:,} | {d} | {times} | {plain / fixed:.0f} | {swept / fixed:.1f} |", flush=True)


def growth(cases, sizes):
    print(f"| data | d | method | {' | '.join(f'{n:,}' for n in sizes)} | exponent |")
    print(f"|---|---:|---|{'---:|' * (len(sizes) + 1)}")
    for kind, d in cases:
        for name, method in METHODS.items():
            times = []
            for n in sizes:
                X = KINDS[kind](n, d)
                times.append(least_time(3 if n < 500_000 else 1, method.partition, X, K)[0])
            exponent = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
            cells = " | ".join(f"{time:.2f}" for time in times)
            print(f"| {kind} | {d} | {name} | {cells} | {exponent:.2f} |", flush=True)


def peak_memory(n, d):
    """Return the peak memory in MB of a process that has the table and partitions it, and the table's.

    To be called first: Linux counts what the parent held when the process began as its own.
    """
    code = (
        "import resource, numpy as np\nfrom microagg import MDAV\n"
        f"X = np.random.default_rng(0).random(({n}, {d}))\n"
        f"MDAV().partition(X, {K})\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout), n * d * 8 / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, in half a minute")
    quick = parser.parse_args().quick
    peak, table = peak_memory(100_000 if quick else 1_000_000, 10)
    for method in METHODS.values():
        method.partition(scattered(10_000, 2), K)
    plain_mdav(scattered(100, 2), K)
    swept_mdav(scattered(100, 2), K)

    print(f"k = {K}, CPU seconds\n")
    cases = [("uniform", 20_000, 3), ("correlated", 20_000, 10)]
    if not quick:
        cases += [("uniform", 50_000, 3), ("uniform", 100_000, 3)]
    against_the_loops(cases)
    print("\nWithout structure:\n")
    against_the_loops([("normal", 20_000, d) for d in ((13,) if quick else (10, 13, 20, 30))])
    print("\nGrowth, by number of records:\n")
    sizes = (15_625, 62_500) if quick else (62_500, 250_000, 1_000_000)
    growth([("uniform", 2), ("uniform", 3), ("uniform", 5), ("correlated", 10)], sizes)
    print(f"\nPeak memory of the whole process: {peak:.0f} MB, of which the table {table:.0f} MB")


if __name__ == "__main__":
    main()
