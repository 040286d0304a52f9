"""The simulated data: shapes, ranges, structure, and that the same seed always draws the same."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microagg import datasets
from microagg.datasets.generators import SIBLINGS, SYNTHETIC, _cluster_sizes
from microagg.errors import InputError


def tree_dependent_records(n, d, *, seed):
    return datasets.tree_dependent(n, d, seed=seed).X


SHAPED = [datasets.scattered, datasets.clustered, datasets.correlated, tree_dependent_records]


@pytest.mark.parametrize("generator", SHAPED)
@pytest.mark.parametrize(("n", "d"), [(3, 1), (40, 2), (17, 30)])
def test_a_generator_gives_the_shape_asked_for(generator, n, d):
    X = generator(n, d, seed=5)
    assert X.shape == (n, d)
    assert X.dtype == np.float64


@pytest.mark.parametrize("generator", SHAPED)
def test_the_seed_alone_decides(generator):
    first = generator(50, 3, seed=8)
    assert np.array_equal(first, generator(50, 3, seed=8))
    assert not np.array_equal(first, generator(50, 3, seed=9))


# First and last value, and the sum of all sizes, drawn with NumPy 2.4; another NumPy may draw others.
PINNED = {
    "scattered": (datasets.scattered, (236.43249400513378, -2974.378790632035, 9926641.399843656)),
    "clustered": (datasets.clustered, (-236516.90178520765, 113620.31383682344, 822216534.2244791)),
    "correlated": (datasets.correlated, (0.7857962370396081, -0.08850638772951719, 9500.74855832375)),
    "tree_dependent": (lambda seed: datasets.tree_dependent(seed=seed).X, (548.0, 571.0, 19767647.0)),
    "uniform": (
        partial(datasets.vector, "uniform"),
        (511.82162470025673, 962.4731102430444, 502804.6455869868),
    ),
    "normal": (partial(datasets.vector, "normal"), (551.8376288097179, 541.2434484900677, 491926.6580767946)),
    "exponential": (
        partial(datasets.vector, "exponential"),
        (536.5145131862694, 51.17574570235905, 504196.32037269045),
    ),
}


@pytest.mark.parametrize("name", PINNED)
def test_a_seed_draws_what_it_always_drew(name):
    draw, pinned = PINNED[name]
    X = draw(seed=1)
    assert (X.flat[0], X.flat[-1], np.abs(X).sum()) == pytest.approx(pinned, rel=1e-12)


def test_scattered_fills_the_square_of_the_paper():
    X = datasets.scattered(20_000, 2, seed=3)
    assert np.abs(X).max() <= 10_000.0
    cells, _, _ = np.histogram2d(*X.T, bins=4, range=[[-1e4, 1e4]] * 2)
    assert np.abs(cells / 20_000 - 1 / 16).max() < 0.01


def clusters_by_gaps(values, gap):
    """Return how many values lie in each run without a gap as wide as this."""
    cuts = np.flatnonzero(np.diff(np.sort(values)) > gap)
    return np.diff([-1, *cuts, len(values) - 1])


def test_clustered_has_clusters_of_the_sizes_asked_for():
    # Shifts far wider than a cluster leave the clusters apart in one dimension already.
    X = datasets.clustered(300, 2, smallest=3, largest=5, spread=1e12, seed=4)
    for attribute in X.T:
        sizes = clusters_by_gaps(attribute, gap=20_000.0)
        assert sizes.sum() == 300
        assert set(sizes) == {3, 4, 5}


def test_clustered_without_shifts_lies_where_scattered_does():
    assert np.abs(datasets.clustered(200, 3, spread=0.0, seed=2)).max() <= 10_000.0


def test_the_records_of_a_cluster_do_not_stand_together():
    values = datasets.clustered(300, 1, spread=1e12, seed=4)[:, 0]
    neighbours_in_file = np.abs(np.diff(values)) < 20_000.0
    assert neighbours_in_file.mean() < 0.1


@given(
    st.integers(1, 60) | st.integers(1, 3000), st.integers(1, 12), st.integers(0, 12), st.integers(0, 2**32)
)
def test_cluster_sizes_keep_their_bounds_and_add_up(n, smallest, more, seed):
    largest = smallest + more
    possible = any(smallest * count <= n <= largest * count for count in range(1, n + 1))
    rng = np.random.default_rng(seed)
    if not possible:
        with pytest.raises(InputError, match=f"{n} records cannot be split into clusters of {smallest} to"):
            _cluster_sizes(rng, n, smallest, largest)
        return
    sizes = _cluster_sizes(rng, n, smallest, largest)
    assert sizes.sum() == n
    assert smallest <= sizes.min() <= sizes.max() <= largest


def test_cluster_sizes_are_about_equally_likely():
    sizes = _cluster_sizes(np.random.default_rng(1), 40_000, 3, 5)
    shares = np.bincount(sizes, minlength=6)[3:] / sizes.size
    assert shares == pytest.approx([1 / 3] * 3, abs=0.02)


@pytest.mark.parametrize("which", [1, 2, 3])
def test_synthetic_is_the_clustered_set_of_its_recipe(which):
    recipe = SYNTHETIC[which]
    X = datasets.synthetic(which, seed=6)
    assert X.shape == (recipe.n, recipe.d)
    assert np.array_equal(X, datasets.clustered(**recipe._asdict(), seed=6))


@pytest.mark.parametrize(
    ("distribution", "mean", "deviation"),
    [("uniform", 500.0, 1000 / 12**0.5), ("normal", 500.0, 150.0), ("exponential", 500.0, 500.0)],
)
def test_vectors_have_the_moments_of_the_paper(distribution, mean, deviation):
    drawn = datasets.vector(distribution, 100_000, seed=7)
    assert drawn.shape == (100_000,)
    assert drawn.mean() == pytest.approx(mean, abs=4 * deviation / 100_000**0.5)
    assert drawn.std() == pytest.approx(deviation, rel=0.02)


def test_uniform_and_exponential_vectors_keep_their_range():
    uniform = datasets.vector("uniform", 10_000, seed=7)
    assert 0.0 <= uniform.min() <= uniform.max() <= 1000.0
    assert datasets.vector("exponential", 10_000, seed=7).min() >= 0.0


def test_tree_dependent_draws_whole_numbers_in_the_range_of_the_paper():
    X, _ = datasets.tree_dependent(seed=1)
    assert np.array_equal(X, np.rint(X))
    assert (X.min(), X.max()) == (1.0, 1000.0)


def test_parents_come_before_their_children():
    for seed in range(20):
        parents = datasets.tree_dependent(2, 12, seed=seed).parents
        assert parents[0] == -1
        assert all(0 <= parent < child for child, parent in enumerate(parents) if child)


def information(a, b):
    """Return the mutual information of the intervals of two attributes, in nats."""
    joint, _, _ = np.histogram2d(a, b, bins=10, range=[[0.5, 1000.5]] * 2)
    joint /= joint.sum()
    apart = np.multiply.outer(joint.sum(axis=1), joint.sum(axis=0))
    held = joint > 0
    return float((joint[held] * np.log(joint[held] / apart[held])).sum())


def test_an_attribute_depends_on_its_parent_above_all():
    X, parents = datasets.tree_dependent(20_000, 8, seed=3)
    by_chance = 81 / 2 / 20_000  # what independent attributes show: degrees of freedom / 2n
    for child in range(1, 8):
        earlier = [information(X[:, child], X[:, other]) for other in range(child)]
        assert np.argmax(earlier) == parents[child]
        assert max(earlier) > 10 * by_chance


def test_the_heaviest_spanning_tree_of_information_is_the_tree_it_was_drawn_from():
    X, parents = datasets.tree_dependent(20_000, 8, seed=5)
    joined, edges = {0}, set()
    while len(joined) < 8:
        pairs = [(a, b) for a in joined for b in range(8) if b not in joined]
        a, b = max(pairs, key=lambda pair: information(X[:, pair[0]], X[:, pair[1]]))
        joined.add(b)
        edges.add(frozenset((a, b)))
    assert edges == {frozenset((child, int(parents[child]))) for child in range(1, 8)}


def test_correlated_has_as_many_directions_as_factors():
    X = datasets.correlated(2000, 10, factors=3, noise=0.01, seed=1)
    spectrum = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) / 2000**0.5
    assert spectrum[2] > 0.3
    assert spectrum[3:] == pytest.approx([0.01] * 7, rel=0.2)


@pytest.mark.parametrize(
    ("call", "faults"),
    [
        (lambda: datasets.scattered(0, -1, seed=-1), ["seed", "n", "d"]),
        (lambda: datasets.scattered(2.5), ["n"]),
        (lambda: datasets.scattered(seed=None), ["seed"]),
        (lambda: datasets.clustered(9, smallest=0), ["smallest"]),
        (lambda: datasets.clustered(9, smallest=4, largest=3), ["9 records"]),
        (lambda: datasets.clustered(7, smallest=3, largest=3), ["7 records"]),
        (lambda: datasets.clustered(spread=-1.0), ["spread"]),
        (lambda: datasets.clustered(0, spread=float("nan")), ["n", "spread"]),
        (lambda: datasets.correlated(factors=0, noise=float("inf")), ["factors", "noise"]),
        (lambda: datasets.tree_dependent(5, 0), ["d"]),
        (lambda: datasets.vector("normal", 0), ["n"]),
        (lambda: datasets.vector("cauchy"), ["'cauchy'"]),
        (lambda: datasets.synthetic(4), ["Synthetic 4"]),
    ],
)
def test_arguments_out_of_range_are_named_all_at_once(call, faults):
    with pytest.raises(InputError) as caught:
        call()
    assert len(caught.value.faults) == len(faults)
    for fault, named in zip(caught.value.faults, faults, strict=True):
        assert named in fault


@pytest.mark.parametrize("related", [True, False])
def test_siblings_have_the_printed_chances(related):
    X, parents = datasets.siblings(60_000, related=related)
    assert set(np.unique(X)) == {0.0, 1.0}
    for attribute, of in enumerate(SIBLINGS[related]):
        assert parents[attribute] == of.parent
        for value in (0, 1):
            rows = slice(None) if of.parent < 0 else X[:, of.parent] == value
            assert (X[rows, attribute] == 0).mean() == pytest.approx(of.after[value], abs=0.02)


def test_simulated_sets_have_the_sizes_of_the_paper():
    assert datasets.simulated(2, seed=3).X.tolist() == datasets.tree_dependent(10_000, 16, seed=3).X.tolist()
    with pytest.raises(InputError, match="no set Sim_4"):
        datasets.simulated(4)
