"""A sample of records that depends on what is in them, and not on the order of the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column
from microagg.measures.compared import Compared

Numbers = NDArray[np.uint64]

_STEP = 0x9E3779B97F4A7C15  # the golden ratio in 64 bits
_GONE = np.uint64(0x7FF8DEADFA11C0DE)  # stands for a missing value: no number has these bits


def sample_of(compared: Compared, size: int, seed: int) -> NDArray[np.intp]:
    """Return the places of `size` records drawn at random: all, if there are no more.

    Each record draws a number from its values and the seed, and those of the least numbers are taken.
    Of equal records each draws another number, lest all or none of them be taken.
    """
    if compared.records <= size:
        return np.arange(compared.records)
    drawn = np.full(compared.records, _mixed_seed(seed), dtype=np.uint64)
    for bits in _bits(compared):
        drawn = _mixed(drawn ^ bits)
    order = np.argsort(drawn)
    is_first = np.append(True, np.diff(drawn[order]) > 0)
    since = np.arange(order.size) - np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    drawn[order] = _mixed(drawn[order] ^ since.astype(np.uint64))
    return np.sort(np.argsort(drawn)[:size])


def _bits(compared: Compared) -> Iterator[Numbers]:
    for pair in compared.pairs:
        yield _bits_of(pair.original)
        yield _bits_of(pair.released)
    for watched in compared.sensitive:
        yield watched.places.view(np.uint64)


def _bits_of(column: Column) -> Numbers:
    bits = (column.values + 0.0).view(np.uint64)  # 0.0 for -0.0, which is the same number
    return np.where(column.missing, _GONE, bits) if column.missing.size else bits


def _mixed_seed(seed: int) -> Numbers:
    return _mixed(np.array([seed % 2**64], dtype=np.uint64))


def _mixed(numbers: Numbers) -> Numbers:
    """Return numbers in which each bit depends on all bits (the end of SplitMix64)."""
    mixed = numbers + np.uint64(_STEP)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
