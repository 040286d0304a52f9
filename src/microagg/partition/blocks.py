"""Applies a method to each block by itself, on all cores, and puts the groups together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.errors import InputError
from microagg.partition.matrix import (
    COMPILED_FROM,
    Explained,
    Floats,
    Labels,
    Method,
    Progress,
    compiled_anyway,
    explained,
)
from microagg.partition.threads import share_out

Records = NDArray[np.integer]


class Task(NamedTuple):
    """What is done in each block."""

    method: Method
    k: int
    seed: int


class _Stopped(Exception):  # noqa: N818 - no error: the work was told to end
    """Raised within a block that is not to be finished."""


class Blocks:
    """The blocks of records, and how far each is.

    What comes of a block depends on its records alone, so that it does not matter how many are worked on
    at a time.
    """

    def __init__(self, points: Floats, weights: Floats, blocks: Sequence[Records], task: Task) -> None:
        self.points, self.weights, self.blocks, self.task = points, weights, blocks, task
        self.compiled = len(points) >= COMPILED_FROM
        self.done = np.zeros(len(blocks), np.int64)  # records, in each
        self.found: list[Explained] = [Explained(np.empty(0, np.int32), {})] * len(blocks)
        self.stop = Event()

    def run(self, progress: Progress | None, threads: int | None = None) -> Labels:
        """Return the group of each record, numbered on from one block to the next.

        An exception raised in `progress`, or an interrupt, stops all threads as soon as the method
        tells its own progress.
        """

        def watch() -> None:
            if progress is not None:
                progress(int(self.done.sum()), len(self.points))

        share_out(len(self.blocks), self._work, self.stop, watch, threads)
        return self._joined()

    def _work(self, waiting: Iterator[int]) -> None:
        with compiled_anyway(self.compiled):
            for number in waiting:  # shared by the threads: each takes the next that waits
                if self.stop.is_set():
                    return
                try:
                    self.found[number] = self._grouped(number)
                except _Stopped:
                    return

    def _grouped(self, number: int) -> Explained:
        """Return the groups of a block."""
        records, task = self.blocks[number], self.task

        def tell(done: int, _: int) -> None:
            self.done[number] = done
            if self.stop.is_set():
                raise _Stopped

        weights = self.weights[records] if self.weights.size else None
        found = grouped(self.points[records], weights, task, tell)
        self.done[number] = len(records)
        return found

    def _joined(self) -> Labels:
        labels = np.empty(len(self.points), np.int32)
        groups = 0
        for records, found in zip(self.blocks, self.found, strict=True):
            labels[records] = found.labels + groups
            groups += int(found.labels.max()) + 1
        return labels


def grouped(points: Floats, weights: Floats | None, task: Task, progress: Progress | None) -> Explained:
    """Return the groups of the records of one block, in canonical order, numbered without gaps.

    Records that are all the same need no distances, and no method: every k of them are a group, the last of
    which takes the rest.
    """
    if (points[0] == points[-1]).all() and (points == points[0]).all():
        n, k = len(points), task.k
        return Explained(np.minimum(np.arange(n) // k, n // k - 1).astype(np.int32), {})
    found = explained(task.method, points, task.k, weights=weights, seed=task.seed, progress=progress)
    return found._replace(labels=_valid(found.labels, len(points), task))


def _valid(labels: NDArray[np.integer], records: int, task: Task) -> Labels:
    """Return the labels of a block, numbered without gaps, or raise if its groups are too small."""
    found = np.asarray(labels)
    told = f"the method {task.method!r} gives no partition of a block into groups of at least {task.k}"
    if found.shape != (records,) or not np.issubdtype(found.dtype, np.integer) or found.min() < 0:
        raise InputError(
            f"{told}: expected {records} numbers of groups, found {found.dtype} of shape {found.shape}"
        )
    sizes = np.bincount(found)
    if sizes[sizes > 0].min() < task.k:
        raise InputError(f"{told}: the smallest has {sizes[sizes > 0].min()}: use another method")
    if sizes.min() > 0:
        return found.astype(np.int32, copy=False)
    return np.unique(found, return_inverse=True)[1].astype(np.int32)
