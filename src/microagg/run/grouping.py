"""The groups of a request's records: block by block, several records of an entity as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Floats
from microagg.kernels.exact import EQUAL
from microagg.partition.choice import chosen
from microagg.partition.matrix import Explained, Layout, Method, Progress, explained, informed
from microagg.partition.registry import method_of
from microagg.prepare import means_of_units, parted, width_of
from microagg.run.request import Job


class Grouping(NamedTuple):
    """The group of each record, numbered from 0, and how it came to be."""

    labels: NDArray[np.int32]
    groups: int
    method: str
    account: Mapping[str, Any]
    sentences: list[str]


class _Units(NamedTuple):
    """What is grouped: records, or entities by the means of theirs."""

    points: Floats
    weights: Floats
    block: NDArray[np.intp]
    of_record: NDArray[np.intp] | None


def grouped(job: Job, X: Floats, order: NDArray[np.intp], progress: Progress | None) -> Grouping:
    """Return the group of each row; the method itself sees the records in canonical order."""
    units = _units(job, X, order)
    choice = {}
    if job.method is None:
        best = chosen(len(units.points), units.points.shape[1], job.plan.k, job.plan.budget)
        text, method = best.method, method_of(best.method)
        choice = {"choice": best.why}
    else:
        text, method = job.plan.method, job.method
    found = _by_block(informed(method, _layout(job)), units, job, progress)
    of_unit = found.labels if units.of_record is None else found.labels[units.of_record]
    labels = np.empty(order.size, dtype=np.int32)
    labels[order] = of_unit
    groups = int(labels.max()) + 1
    sentences = [found.sentence] if found.sentence else []
    return Grouping(labels, groups, text, {**choice, **found.account}, sentences)


def _layout(job: Job) -> Layout:
    """Return which columns the matrix stands for."""
    columns = [of.column for of in job.columns.values()]
    nominal = (column.kind in ("nominal", "boolean") for column in columns)
    return Layout(tuple(job.columns), tuple(map(width_of, columns)), tuple(nominal))


def _units(job: Job, X: Floats, order: NDArray[np.intp]) -> _Units:
    weights = job.weights[order] if job.weights.size else EQUAL
    block, entities = job.parts.block, job.parts.entities
    if np.ptp(block):  # of a single block the order is the same any way
        block = block[order]
    if entities is None:
        return _Units(X, weights, block, None)
    parts = parted([block, entities[order]], order.size)
    points, weights = means_of_units(X, parts.of, weights)
    return _Units(points, weights, block[parts.record], parts.of)


def _by_block(method: Method, units: _Units, job: Job, progress: Progress | None) -> Explained:
    """Return the groups of the units, formed within each block by itself."""
    total = len(units.points)
    tell = progress or (lambda done, total: None)
    tell(0, total)
    labels = np.empty(total, dtype=np.int32)
    groups = done = 0
    accounts, sentences = [], []
    for rows in _blocks(units.block):
        points = units.points[rows]
        found = explained(
            method,
            points,
            job.plan.k,
            weights=units.weights[rows] if units.weights.size else None,
            seed=job.plan.seed,
            progress=None if progress is None else _from(progress, done, total),
        )
        labels[rows] = found.labels + groups
        groups += int(found.labels.max()) + 1
        done += len(points)
        accounts.append(found.account)
        sentences.append(found.sentence)
    tell(total, total)
    if len(accounts) == 1:
        return Explained(labels, accounts[0], sentences[0])
    return Explained(labels, {"blocks": accounts} if any(accounts) else {})


def _blocks(block: NDArray[np.intp]) -> Iterator[slice | NDArray[np.intp]]:
    """Yield the places of each block; a single one takes no copy."""
    if not np.ptp(block):
        yield slice(None)
        return
    order = np.argsort(block, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(block[order])) + 1)


def _from(progress: Progress, done: int, total: int) -> Progress:
    return lambda more, _: progress(done + more, total)
