"""Matrices that are hard for a partition to get right, as Hypothesis draws them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def requests(draw, most=150, widest=7):
    """Draw a matrix and a k that it is large enough for."""
    k = draw(st.integers(2, 9), label="k")
    n = draw(st.integers(k, most), label="n")
    d = draw(st.integers(1, widest), label="d")
    rng = np.random.default_rng(draw(st.integers(0, 2**32), label="seed"))
    family = draw(st.sampled_from(sorted(FAMILIES)), label="family")
    return FAMILIES[family](rng, n, d), k


def lattice(rng, n, d):
    return rng.integers(0, 4, (n, d)).astype(float)


def duplicates(rng, n, d):
    return rng.normal(size=(max(n // 5, 1), d))[rng.integers(0, max(n // 5, 1), n)]


def clusters(rng, n, d):
    return np.round(rng.normal(size=(8, d))[rng.integers(0, 8, n)] * 50 + rng.normal(size=(n, d)), 2)


def with_constant_columns(rng, n, d):
    return np.column_stack((rng.normal(size=(n, d)), np.full(n, 7.0)))


FAMILIES = {
    "uniform": lambda rng, n, d: rng.random((n, d)),
    "heavy tails": lambda rng, n, d: rng.standard_cauchy((n, d)) ** 3,
    "one giant": lambda rng, n, d: np.where(np.arange(n)[:, None] == n // 2, 1e12, rng.random((n, d))),
    "lattice": lattice,
    "duplicates": duplicates,
    "clusters": clusters,
    "constant columns": with_constant_columns,
    "all the same": lambda rng, n, d: np.full((n, d), 3.25),
    "tiny": lambda rng, n, d: rng.random((n, d)) * 1e-300,
    "huge": lambda rng, n, d: (rng.random((n, d)) - 0.5) * 1e300,
}
