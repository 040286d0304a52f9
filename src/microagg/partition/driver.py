"""Runs the compiled MDAV and V-MDAV: allocates, renews tree and shell, and works in short slices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.grouping import (
    DONE,
    GROUPS,
    HEAD,
    IN_TREE,
    NEEDS_SHELL,
    NEEDS_TOTALS,
    NEEDS_TREE,
    PAUSED,
    REMAINING,
    WALKED,
    Partition,
)
from microagg.kernels.mdav import Shell, form_groups
from microagg.kernels.search import Search, new_search, outermost
from microagg.kernels.tree import FLAT, Tree, begin, build, new_tree
from microagg.kernels.vmdav import form_variable_groups, new_group
from microagg.partition.geometry import FADED, leftovers_to_nearest, mean_of, squared_distances, totals
from microagg.partition.matrix import Floats, Labels, Progress
from microagg.partition.slices import Slices

SHELL_SHARE = 1 / 16  # of the remaining records
SAMPLE = 2048  # records from which the shell's distance is estimated


class _Ground:
    """The records still to be grouped, in a tree that is renewed as they become fewer."""

    def __init__(self, points: Floats, weights: Floats, slices: Slices) -> None:
        n, d = points.shape
        self.points, self.weights = points, weights
        self.slices = slices
        self.partition = Partition(
            labels=np.full(n, -1, np.int32),
            totals=np.empty((2, d + 1)),
            least=np.empty(d + 1),
            state=np.zeros(5, np.int64),
        )
        self.partition.state[REMAINING] = n
        self.add_up()
        self.tree: Tree = new_tree(n, d)
        self._ids = np.arange(n, dtype=np.int32)
        self._keys = np.empty(n)
        self._tried = n + 1  # records when a tree was last tried, rather than a sweep

    @property
    def remaining(self) -> int:
        """How many records are not."""
        return int(self.partition.state[REMAINING])

    @property
    def done(self) -> int:
        """How many records are grouped."""
        return len(self.points) - self.remaining

    def centroid(self) -> Floats:
        """Return the mean of the remaining records."""
        return mean_of(self.partition.totals)

    def add_up(self) -> None:
        """Sum the remaining records anew, exactly."""
        records = np.flatnonzero(self.partition.labels < 0) if self.done else None
        self.partition.totals[:] = totals(self.points, self.weights, records)
        self.partition.least[:] = self.partition.totals[0] * FADED

    def plant(self) -> None:
        """Build a tree of what remains."""
        flat = self.tree.state[FLAT] and 2 * self.remaining > self._tried
        self._ids = self._ids[self.partition.labels[self._ids] < 0]
        self.tree = begin(self.tree, self.remaining, self.centroid())
        while not build(self.tree, self.points, self._ids, self._keys, self.slices.budget):
            self.slices.end(self.done, spent=True)
        self.partition.state[IN_TREE] = self.remaining
        self.tree.state[FLAT] = flat
        if not flat:
            self._tried = self.remaining

    def shell(self, search: Search, share: float) -> Shell:
        """Collect about this share of the remaining records, those now farthest from the centroid."""
        centre = self.centroid()
        search.query[:] = centre
        at_least = self._distance_beyond(centre, share)
        found = np.empty(self.remaining, np.int32)
        ids = found[: outermost(self.tree, search, at_least, found)]
        distance = np.sqrt(squared_distances(self.points[ids].T, centre))
        order = np.argsort(-distance)
        ids = ids[order]
        self.partition.state[HEAD] = self.partition.state[WALKED] = 0
        return Shell(
            ids=ids,
            coords=self.points[ids],
            distance=distance[order],
            centre=centre,
            whole=len(ids) == self.remaining,
            patience=self.remaining // 2 + 4 * len(ids) + 64,
        )

    def _distance_beyond(self, centre: Floats, share: float) -> float:
        """Estimate, from a sample, the squared distance that about this share of the records exceeds."""
        sample = self._ids[:: len(self._ids) // SAMPLE + 1]
        sample = sample[self.partition.labels[sample] < 0]
        rank = int(len(sample) * (1.0 - share))
        if self.remaining <= SAMPLE or rank <= 0:
            return 0.0
        return float(np.partition(squared_distances(self.points[sample].T, centre), rank)[rank])


def mdav(points: Floats, weights: Floats, k: int, progress: Progress | None) -> Labels:
    """Partition the canonical points by MDAV."""
    slices = Slices(len(points), progress)
    ground = _Ground(points, weights, slices)
    ground.plant()
    share = SHELL_SHARE
    search = new_search(k, points.shape[1])
    shell = ground.shell(search, share)
    while True:
        before = ground.remaining
        reason = form_groups(points, weights, k, ground.tree, shell, ground.partition, search, slices.budget)
        if reason == DONE:
            return ground.partition.labels
        if reason == NEEDS_TREE:
            ground.plant()
        elif reason == NEEDS_SHELL:
            share = SHELL_SHARE if ground.remaining < before else 4 * share  # ties can exhaust a shell
            shell = ground.shell(search, share)
        elif reason == NEEDS_TOTALS:
            ground.add_up()
        slices.end(ground.done, spent=reason == PAUSED)


def vmdav(
    points: Floats, weights: Floats, k: int, gain: float, order: NDArray[np.int32], progress: Progress | None
) -> Labels:
    """Partition the canonical points by V-MDAV; `gain` is gamma squared, `order` has the farthest first."""
    slices = Slices(len(points), progress)
    ground = _Ground(points, weights, slices)
    ground.plant()
    search, group = new_search(k, points.shape[1]), new_group(k)
    while True:
        reason = form_variable_groups(
            points, k, gain, order, ground.tree, ground.partition, search, group, slices.budget
        )
        if reason == DONE:
            labels, state = ground.partition.labels, ground.partition.state
            return leftovers_to_nearest(points, weights, labels, int(state[GROUPS]))
        if reason == NEEDS_TREE:
            ground.plant()
        slices.end(ground.done, spent=reason == PAUSED)
