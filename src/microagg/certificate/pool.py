"""The groups known so far, each once, with what they cost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from microagg.certificate.problem import Group, Ints, Problem


class Pool:
    """Groups in the order in which they were found."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.groups: list[Group] = []
        self.costs: list[int] = []
        self._known: set[Group] = set()

    def __len__(self) -> int:
        return len(self.groups)

    def add(self, groups: Iterable[Iterable[int]]) -> int:
        """Add the groups that are not known yet; return how many that were."""
        before = len(self.groups)
        for members in groups:
            group = tuple(sorted(members))
            if group not in self._known:
                self._known.add(group)
                self.groups.append(group)
                self.costs.append(self.problem.cost(group))
        return len(self.groups) - before


def first_groups(distances: Ints, k: int) -> list[list[int]]:
    """Return each record with the k - 1 to 2k - 2 records nearest to it."""
    most = min(2 * k - 1, len(distances))
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :most]
    for record, row in enumerate(nearest):  # a twin of lower number may stand before the record itself
        if record not in row:
            row[-1] = record
    return [row[:size].tolist() for row in nearest for size in range(k, most + 1)]


def groups_of(labels: NDArray[np.integer]) -> list[Group]:
    """Return the groups of a partition."""
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))[:-1]
    return [tuple(group.tolist()) for group in np.split(order, ends) if group.size]


def labels_of(groups: Iterable[Group], n: int) -> NDArray[np.int32]:
    """Return the labels of a partition, numbered by the first record of each group."""
    labels = np.full(n, -1, np.int32)
    for number, group in enumerate(sorted(groups)):
        labels[list(group)] = number
    return labels
