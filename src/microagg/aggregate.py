"""Labels to released values: what stands for each group."""

from __future__ import annotations

from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import NONE_MISSING, Centres, Column, Floats, Mask
from microagg.kernels.exact import EQUAL, exact_group_means, exact_group_sums
from microagg.plan import Centre

Labels = NDArray[np.int32]
Entities = NDArray[np.int64]

_TRIMMED = 5  # of so many records a trimmed mean leaves out the least and the greatest


def means_of_groups(values: Floats, labels: Labels, weights: Floats = EQUAL) -> Floats:
    """Return for each record of a matrix the (weighted) means of its group.

    >>> means_of_groups(np.array([[1.0], [5.0], [3.0]]), np.array([0, 1, 0], dtype=np.int32)).tolist()
    [[2.0], [5.0], [2.0]]
    """
    groups = int(labels.max(initial=-1)) + 1
    released = np.empty_like(values, order="F")
    for j in range(values.shape[1]):
        released[:, j] = exact_group_means(values[:, j], labels, groups, weights)[labels] + 0.0
    return released


class Frequency(NamedTuple):
    """How often each value of a column occurs in the whole table."""

    values: Floats
    times: NDArray[np.integer]


_NOT_COUNTED = Frequency(np.empty(0), np.empty(0, np.int64))


class _Members(NamedTuple):
    """The values that are there, with the groups and weights of their records."""

    values: Floats
    labels: Labels
    weights: Floats
    groups: int
    entities: Entities | None
    frequency: Frequency  # of the values of all groups, those that become missing too

    def of(self, chosen: Mask) -> _Members:
        """Return some of them."""
        weights = self.weights[chosen] if self.weights.size else self.weights
        entities = None if self.entities is None else self.entities[chosen]
        return self._replace(
            values=self.values[chosen], labels=self.labels[chosen], weights=weights, entities=entities
        )


def centres_of(
    column: Column,
    labels: Labels,
    groups: int,
    how: Centre = "mean",
    weights: Floats = EQUAL,
    entities: Entities | None = None,
    frequency: Frequency | None = None,
) -> Centres:
    """Return what stands for each group in a column.

    Where the column is only a part of a table, `frequency` is that of the whole.

    A group's value is missing unless more than half of its records have one, or of its entities, if
    several records belong to one: so it never shows the value of a single one. Values that can only be
    whole, as all but continuous ones, stay so: means are rounded, halves to the even number. A median is
    the lower of two in the middle. Of values that are equally frequent in a group the mode is the one
    more frequent in the whole table, then the least.

    >>> column = Column("staff", "integer", np.array([1.0, 5.0, 4.0]))
    >>> centres_of(column, np.array([0, 1, 0], dtype=np.int32), 2).values.tolist()
    [2.0, 5.0]
    """
    if frequency is None and how == "mode":
        frequency = Frequency(*np.unique(column.present, return_counts=True))
    members = _Members(column.values, labels, weights, groups, entities, frequency or _NOT_COUNTED)
    missing = NONE_MISSING
    if column.missing.size:
        present = ~column.missing
        missing = 2 * _count(present, labels, groups, entities) <= _count(..., labels, groups, entities)
        members = members.of(present & ~missing[labels])
    values = _WAYS[how](members)
    if column.kind != "continuous":
        values = np.rint(values)
    if missing.size:
        values[missing] = column.values.min(initial=np.inf)
    return Centres(values + 0.0, missing)  # no negative zero: it is the same number, but not the same text


def _count(
    chosen: Mask | EllipsisType, labels: Labels, groups: int, entities: Entities | None
) -> NDArray[np.intp]:
    """Return how many of the chosen records, or of their entities, each group has."""
    of = labels[chosen]
    if entities is not None:
        of = np.unique(np.column_stack((of, entities[chosen])), axis=0)[:, 0]
    return np.bincount(of, minlength=groups)


def _means(members: _Members) -> Floats:
    with np.errstate(invalid="ignore"):  # of groups without values, which become missing
        means = exact_group_means(members.values, members.labels, members.groups, members.weights)
    if not members.weights.size:
        return means
    least, greatest = np.full(members.groups, np.inf), np.full(members.groups, -np.inf)
    np.minimum.at(least, members.labels, members.values)
    np.maximum.at(greatest, members.labels, members.values)
    return np.clip(means, least, greatest)  # the weighted mean of equal values is that value


def _medians(members: _Members) -> Floats:
    order, start, count = _by_value(members)
    if not members.weights.size:
        middle = start + np.maximum(count - 1, 0) // 2
    else:
        middle = np.array(
            [
                first + _weighted_middle(members.weights[order[first : first + size]]) if size else first
                for first, size in zip(start, count, strict=True)
            ]
        )
    medians = np.zeros(members.groups)
    filled = count > 0
    medians[filled] = members.values[order[middle[filled]]]
    return medians


def _weighted_middle(weights: Floats) -> int:
    """Return the first place up to which the weights come to half of all."""
    heaps = np.cumsum(weights)
    return int(np.searchsorted(heaps, heaps[-1] / 2))


def _trimmed_means(members: _Members) -> Floats:
    """Return the means without the least and the greatest fifth, rounded down to whole records."""
    order, start, count = _by_value(members)
    place = np.arange(order.size) - np.repeat(start, count)
    size = np.repeat(count, count)
    inner = np.zeros(order.size, dtype=np.bool_)
    inner[order] = (place >= size // _TRIMMED) & (place < size - size // _TRIMMED)
    if members.entities is not None:  # what remains might be those of one
        alone = _count(inner, members.labels, members.groups, members.entities) < 2
        inner |= alone[members.labels]
    return _means(members.of(inner))


def _modes(members: _Members) -> Floats:
    order, _, _ = _by_value(members)
    values, labels = members.values[order], members.labels[order]
    is_first = np.append(True, (values[1:] != values[:-1]) | (labels[1:] != labels[:-1]))[: order.size]
    run = np.cumsum(is_first) - 1
    runs = int(is_first.sum())
    mass = (
        exact_group_sums(members.weights[order], run, runs).high if members.weights.size else np.bincount(run)
    )
    values, labels = values[is_first], labels[is_first]
    overall = members.frequency.times[np.searchsorted(members.frequency.values, values)]
    best = np.lexsort((values, -overall, -mass, labels))
    modes = np.zeros(members.groups)
    modes[labels[best[::-1]]] = values[best[::-1]]  # the best of a group is written last
    return modes


def _by_value(members: _Members) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the members by group and value, where each group starts, and how many it has."""
    keys: tuple[NDArray[Any], ...] = (members.values, members.labels)
    order = np.lexsort((members.weights, *keys) if members.weights.size else keys)
    count = np.bincount(members.labels, minlength=members.groups)
    return order, np.cumsum(count) - count, count


_WAYS = {"mean": _means, "median": _medians, "trimmed mean": _trimmed_means, "mode": _modes}
