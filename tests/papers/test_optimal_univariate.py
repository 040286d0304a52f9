"""Tables 1 and 2 of "A polynomial algorithm for optimal microaggregation": fixed size against optimal.

The paper draws 500 vectors of 1000 numbers with the generator R250, we with PCG64; a mean ratio should
lie within three standard errors of the printed one. Table 1 and the entries of table 2 for k up to 5
(normal) and 3 (uniform) do. The others are off by more than chance, up and down, by 0.3 to 2.2 percent:
ours is 1.0385, 1.0289, 1.0221 for k = 6, 7, 8 (normal), and 1.5512, 1.4301, 1.3643, 1.3209, 1.2442 for
k = 4 to 8 (uniform). Nothing in how a remainder is placed explains it: 4, 5 and 8 divide 1000.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from microagg.datasets import vector
from microagg.partition import shortest_path

RUNS, RECORDS = 500, 1000

TABLE_1 = {"uniform": (1.7964, 0.18447), "normal": (1.1533, 0.22668), "exponential": (1.1514, 0.39815)}
TABLE_2 = {
    "normal": {2: 1.3177, 3: 1.1537, 4: 1.085, 5: 1.0542, 6: 1.0441, 7: 1.0338, 8: 1.0254},
    "uniform": {2: 2.253, 3: 1.7867, 4: 1.5358, 5: 1.4136, 6: 1.3415, 7: 1.3001, 8: 1.2723},
}
WITHIN_CHANCE = [*(("normal", k) for k in (2, 3, 4, 5)), *(("uniform", k) for k in (2, 3))]


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Cut these small vectors by the compiled loops, which are faster once they are loaded."""
    monkeypatch.setattr(shortest_path, "COMPILED_FROM", 0)


@cache
def ratios(distribution, k):
    """Return the SSE of fixed-size groups over that of the optimal ones, for every vector."""
    return np.array([ratio(np.sort(vector(distribution, RECORDS, seed=seed)), k) for seed in range(RUNS)])


def ratio(x, k):
    labels = shortest_path.optimal_labels(x[:, np.newaxis], np.empty(0), k, None, ascending=True)
    fixed = np.full(RECORDS // k, k)
    fixed[len(fixed) // 2] += RECORDS % k  # the remainder, in the middle
    return squares(x, fixed) / squares(x, np.bincount(labels))


def squares(x, sizes):
    means = np.add.reduceat(x, np.cumsum(sizes) - sizes) / sizes
    return np.sum((x - np.repeat(means, sizes)) ** 2)


@pytest.mark.parametrize("distribution", TABLE_1)
def test_table_1(distribution):
    mean, deviation = TABLE_1[distribution]
    assert abs(ratios(distribution, 3).mean() - mean) < 3 * deviation / np.sqrt(RUNS)


@pytest.mark.parametrize(("distribution", "k"), WITHIN_CHANCE)
def test_table_2_within_chance(distribution, k):
    ours = ratios(distribution, k)
    assert abs(ours.mean() - TABLE_2[distribution][k]) < 3 * ours.std() / np.sqrt(RUNS)


@pytest.mark.parametrize("distribution", TABLE_2)
def test_the_rest_of_table_2_within_a_few_percent(distribution):
    """With k the gain falls as printed, and no entry is farther off than the docstring above says."""
    ours = [ratios(distribution, k).mean() for k in range(2, 9)]
    assert ours == sorted(ours, reverse=True)
    assert np.allclose(ours, list(TABLE_2[distribution].values()), rtol=0.0225)


def test_the_optimal_cut_is_never_worse_than_fixed_size():
    assert all(ratios(distribution, 3).min() > 1 for distribution in TABLE_1)
