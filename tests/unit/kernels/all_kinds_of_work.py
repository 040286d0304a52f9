"""Run whatever might make a loop compile anew; print each loop, its signatures, whether it frees the lock."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import numpy as np
from numba.core.dispatcher import Dispatcher

import microagg.kernels
from microagg import MDAV, VMDAV, Blocked, Genetic, Refined, Univariate, lower_bound, optimal_cut
from microagg.partition import fusing

METHODS = (
    MDAV(),
    VMDAV(gamma=1.1),
    Univariate(),
    Genetic(iterations=2),
    Refined(iterations=100),
    Blocked(max_leaf=100, tree="2^d"),
)


def main():
    fusing.SWEPT = 0  # so that the nearest leaf is sought in a tree
    rng = np.random.default_rng(0)
    for X in (
        rng.random((10_000, 3)),
        np.asfortranarray(rng.random((12_000, 2)), dtype=np.float32),
        rng.integers(0, 9, (10_000, 1)),
        rng.normal(size=(10_000, 20)),
    ):
        X.flags.writeable = False
        for k in (3, np.int32(40)):
            for weights in (None, rng.random(len(X)).astype(np.float32) + 1):
                for method in METHODS:
                    method.partition(X, k, weights=weights)
                optimal_cut(X, k, weights=weights)
    for k in (2, np.int32(3)):
        lower_bound(rng.random((40, 2)), k)
        lower_bound(rng.integers(0, 9, (200, 1)), k, method="cheap")
    for loop in loops():
        print(
            f"{loop.__module__.rpartition('.')[2]}.{loop.__name__}",
            len(loop.signatures),
            loop.targetoptions["nogil"],
        )


def loops():
    for module in pkgutil.iter_modules(microagg.kernels.__path__, "microagg.kernels."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, Dispatcher) and value.__module__ == module.name and not is_part(value):
                yield value


def is_part(loop):
    """Say whether a loop is not compiled by itself, but as a part of those that call it."""
    return loop.targetoptions.get("inline") == "always"


if __name__ == "__main__":
    main()
