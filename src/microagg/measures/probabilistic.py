"""Linking records by the patterns of their agreements: Fellegi and Sunter, JASA 64(328), 1969.

How often a column agrees in records of one person (m) and in those of two (u) is found by the EM
algorithm from the patterns alone, as an attacker has to: Jaro, JASA 84(406), 1989.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Mask
from microagg.kernels.exact import exact_sum
from microagg.measures.compared import CATEGORIES, Compared, Pair
from microagg.measures.found import Floats, ProbabilisticLinkage
from microagg.measures.sampling import sample_of

TOLERANCES = (0.02, 0.05, 0.1, 0.15)
"""Shares of the ranks within which numbers agree; that which links most is taken.

Ranks, because a few standard deviations hold nearly all of a skewed column: of firms grouped by three,
2 % are linked within 0.2 deviations, 6 % at best, and 21 % within 2 % of the ranks. Several, because
where columns are few only near values tell records apart, and where they are many near ones are rare.
"""

MOST_COLUMNS = 20  # whose patterns can be counted in one array

_COLUMNS_IN_PART = 10
_LEAST, _START = 1e-6, 0.9
_ROUNDS, _SETTLED = 300, 1e-7
_PAIRS_AT_ONCE = 1 << 20
_DIGITS = 9  # of the weights: those that differ by rounding alone are equal

Patterns = NDArray[np.int32]
"""A bit for each column, that is set where it agrees; and one above them, of records of two strata."""

Places = NDArray[np.int64]


class Placed(NamedTuple):
    """A column of the sample: ranks of numbers, or places of categories.

    Two agree if they are no more than a share of the span apart: categories then only if they are
    equal. What is missing lies further away than that from all that is there.
    """

    original: Places
    released: Places
    span: int


class Drawn(NamedTuple):
    """The records of the sample."""

    columns: list[Placed]
    strata: NDArray[np.int64]

    @property
    def records(self) -> int:
        """How many there are."""
        return self.strata.size


class Part(NamedTuple):
    """Some columns of the patterns, so few that all they can be are listed, and each is looked up."""

    columns: slice
    of: NDArray[np.intp]  # which of these each pattern is
    agrees: Mask  # by column, whether it agrees in each that it can be


class Model(NamedTuple):
    """How likely each column agrees in two records of the same person, and of different ones."""

    same: Floats
    different: Floats


def probabilistic_linkage(
    compared: Compared, seed: int = 0, sample: int = 1000, tolerances: Sequence[float] = TOLERANCES
) -> ProbabilisticLinkage | None:
    """Link each released record of a sample to the original that it most likely comes from.

    The attacker knows that everybody in the sample is in the release, and so that one pair of n in n^2
    is true; from how the pairs agree he learns how much each column tells, and links each released
    record to the original of the largest weight, taking one by chance where several have it. What is
    counted is the share that he is expected to get right, by the tolerance that serves him best. Records
    of two strata, which he sees, he does not link.

    None where there are less than two records, or no columns.
    """
    if compared.records < 2 or not compared.pairs:
        return None
    who = sample_of(compared, sample, seed)
    strata = compared.strata[who] if compared.strata.size else np.zeros(who.size, np.int64)
    drawn = Drawn([_placed(pair, who) for pair in compared.pairs], strata)
    found = [_linked(drawn, tolerance, compared.records) for tolerance in tolerances]
    return max(found, key=lambda one: one.linked)  # of equal ones the first


def _linked(drawn: Drawn, tolerance: float, records: int) -> ProbabilisticLinkage:
    drawn = drawn._replace(columns=_telling(drawn, tolerance))
    sample, can_be = drawn.records, 1 << len(drawn.columns)
    counts = np.zeros(2 * can_be, dtype=np.int64)
    for patterns in _patterns(drawn, tolerance):
        counts += np.bincount(patterns.ravel(), minlength=counts.size)
    weights = np.full(counts.size, -np.inf)  # of those of two strata
    weights[:can_be] = _weights_of_patterns(counts[:can_be], len(drawn.columns), sample)
    right = _expected_right(weights, _patterns(drawn, tolerance), sample)
    linked = exact_sum(right) / sample
    variance = exact_sum((right - linked) ** 2) / (sample - 1)
    error = float(np.sqrt(variance / sample * (1.0 - sample / records)))
    return ProbabilisticLinkage(linked, error, sample, tolerance)


def _placed(pair: Pair, who: NDArray[np.intp]) -> Placed:
    """Return a column of the sample; numbers by twice their middle rank among the originals there."""
    original, released = _rows(pair.original, who), _rows(pair.released, who)
    if pair.kind in CATEGORIES:
        return Placed(_apart(original, original.values, 1), _apart(released, released.values, 1), 1)
    known, span = np.sort(original.present), 2 * original.present.size
    ranks = [
        np.searchsorted(known, column.values, "left") + np.searchsorted(known, column.values, "right")
        for column in (original, released)
    ]
    return Placed(_apart(original, ranks[0], span), _apart(released, ranks[1], span), span)


def _rows(column: Column, rows: NDArray[np.intp]) -> Column:
    missing = column.missing[rows] if column.missing.size else column.missing
    return column._replace(values=column.values[rows], missing=missing)


def _apart(column: Column, places: Floats | NDArray[np.intp], span: int) -> Places:
    """Return the places, and for what is missing one that is further from all than the span."""
    found = places.astype(np.int64)
    if column.missing.size:
        found[column.missing] = -1 - span
    return found


def _telling(drawn: Drawn, tolerance: float) -> list[Placed]:
    """Return the columns in which the fewest originals agree with each other, in the order given."""
    columns = drawn.columns
    if len(columns) <= MOST_COLUMNS:
        return columns
    itself = (Drawn([column._replace(released=column.original)], drawn.strata) for column in columns)
    agreeing = [sum(int((bits == 1).sum()) for bits in _patterns(one, tolerance)) for one in itself]
    return [columns[place] for place in np.sort(np.argsort(agreeing, kind="stable")[:MOST_COLUMNS])]


def _patterns(drawn: Drawn, tolerance: float) -> Iterator[Patterns]:
    """Yield the patterns of some released records, a row for each, with all originals."""
    strata = drawn.strata
    step = max(1, _PAIRS_AT_ONCE // drawn.records)
    for first in range(0, drawn.records, step):
        apart = strata[first : first + step, None] != strata
        patterns = apart.astype(np.int32) << np.int32(len(drawn.columns))
        for bit, column in enumerate(drawn.columns):
            apart = np.abs(column.released[first : first + step, None] - column.original)
            patterns |= (apart <= tolerance * column.span).astype(np.int32) << np.int32(bit)
        yield patterns


def _weights_of_patterns(counts: NDArray[np.int64], columns: int, records: int) -> Floats:
    """Return the log of how much likelier each pattern is in a true pair, by the EM algorithm.

    Counted are only pairs that can be true: in a stratum of n records n^2.

    That one pair in `records` is true is known and kept: to estimate it as well links a little less on
    Census and Tarragona, and could find any class of pairs that are alike in place of the true ones.
    """
    found, weights = np.flatnonzero(counts), np.zeros(counts.size)
    if counts.sum() == records:  # each is alone in its stratum
        return weights
    times, parts = counts[found].astype(np.float64), _parts(found, columns)
    model = Model(np.full(columns, _START), _shares(times, parts))
    for _ in range(_ROUNDS):
        before, model = model, _improved(model, times, parts, records)
        if max(np.abs(after - was).max() for after, was in zip(model, before, strict=True)) < _SETTLED:
            break
    weights[found] = np.round(_weights(model, parts), _DIGITS)
    return weights


def _parts(patterns: NDArray[np.intp], columns: int) -> list[Part]:
    parts = []
    for first in range(0, columns, _COLUMNS_IN_PART):
        width = min(_COLUMNS_IN_PART, columns - first)
        every = np.arange(1 << width)
        agrees = (every >> np.arange(width)[:, None] & 1).astype(np.bool_)
        parts.append(Part(slice(first, first + width), patterns >> first & every[-1], agrees))
    return parts


def _improved(model: Model, times: Floats, parts: list[Part], records: int) -> Model:
    """Return the model of the pairs, each being a true one with the likelihood it has by the last model."""
    others = times.sum() / records - 1.0  # that each record can be taken for
    odds = np.exp(_weights(model, parts)) / others
    return Model(_shares(times * (odds / (1.0 + odds)), parts), _shares(times / (1.0 + odds), parts))


def _shares(times: Floats, parts: list[Part]) -> Floats:
    """Return the share of the pairs that agree in each column, never quite none nor all."""
    agreeing: list[float] = []
    for part in parts:
        of_each = np.bincount(part.of, weights=times, minlength=part.agrees.shape[1])
        agreeing.extend(float(of_each[which].sum()) for which in part.agrees)
    shares: Floats = np.array(agreeing) / times.sum()
    return np.clip(shares, _LEAST, 1.0 - _LEAST)


def _weights(model: Model, parts: list[Part]) -> Floats:
    """Return sum log(m/u) over columns that agree + sum log((1-m)/(1-u)) over those that do not."""
    agreeing = np.log(model.same / model.different)
    differing = np.log((1.0 - model.same) / (1.0 - model.different))
    weights = np.zeros(parts[0].of.size)
    for part in parts:
        of_columns = [values[part.columns, None] for values in (agreeing, differing)]
        weights += np.where(part.agrees, *of_columns).sum(axis=0)[part.of]
    return weights


def _expected_right(weights: Floats, chunks: Iterator[Patterns], records: int) -> Floats:
    """Return the chance of each released record to be linked to its own original."""
    right = np.empty(records)
    first = 0
    for patterns in chunks:
        stop = first + len(patterns)
        of_pairs = weights[patterns]
        best = of_pairs == of_pairs.max(axis=1, keepdims=True)
        own = best[np.arange(len(patterns)), np.arange(first, stop)]
        right[first:stop] = own / np.count_nonzero(best, axis=1)
        first = stop
    return right
