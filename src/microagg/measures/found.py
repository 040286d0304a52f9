"""What measures find: plain values, so that they can be shown, saved and compared.

Shares, rates and probabilities lie between 0 and 1; what is called `percent` between 0 and 100. What
cannot be had of some data is None, and `Evaluation.notes` says why; nothing is ever NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.outcome import Classes
from microagg.plan import Kind

Floats = NDArray[np.float64]


class ChangeOfTime(NamedTuple):
    """A figure of the original that is a date, or a point in time, and the same of what is released."""

    before: date
    after: date
    days: float  # by how many the one after is later

    @property
    def relative(self) -> None:
        """There is none: dates are counted from no beginning."""
        return None

    @property
    def texts(self) -> tuple[str, str]:
        """Both as text, points in time to the minute."""
        before, after = (
            of.isoformat(" ", "minutes") if isinstance(of, datetime) else of.isoformat()
            for of in (self.before, self.after)
        )
        return before, after


class Change(NamedTuple):
    """A figure of the original, and the same of what is released."""

    before: float
    after: float

    @property
    def relative(self) -> float | None:
        """The change as a share of what it was; None if that was nothing, or next to nothing."""
        change = (self.after - self.before) / abs(self.before) if self.before else math.inf
        return change if math.isfinite(change) else None


@dataclass(frozen=True)
class ColumnLoss:
    """What one column lost. Records count by their weights, if they have any."""

    kind: Kind
    percent: float  # 100 SSE/SST
    changed: float  # share of the records whose value is another than before
    distance: float | None  # between the distributions before and after: see `measures.columns`
    shift: float | None  # IL1s: mean |x - y| / (sqrt(2) sd); of ranks for ordinal; None for categories
    mean: Change | ChangeOfTime | None = None  # of amounts, as are those below
    deviation: Change | None = None  # standard deviation, divided by n - 1; of dates in days
    quantiles: Mapping[float, Change | ChangeOfTime] = field(default_factory=dict)
    # by 0.05, 0.25, 0.5, 0.75, 0.95


@dataclass(frozen=True)
class MomentsLoss:
    """How far moments of all amounts moved: averages over columns or over pairs of columns."""

    variances: float  # mean of |s2(y) - s2(x)| / s2(x): IL4
    covariances: float | None  # mean relative change over pairs whose covariance is not zero
    correlations: float | None  # mean |r(y) - r(x)| over pairs: IL5
    largest: float | None  # the largest of these
    names: tuple[str, ...]  # of the columns that vary, in the order of the matrices
    before: Floats = field(repr=False)  # correlations of the original
    after: Floats = field(repr=False)


@dataclass(frozen=True)
class ProbabilisticLoss:
    """PIL: how surely a user would notice that a statistic is not that of the original, in percent."""

    means: float
    variances: float
    covariances: float | None
    correlations: float | None
    quantiles: float
    percent: float  # the mean of those that there are


@dataclass(frozen=True)
class Eigenvalues:
    """How the spread along the main directions moved; directions without any are left out."""

    distance: float  # sum |e - f| / sum e
    relative: float  # sum |e - f| / e over the directions that vary, as sdcMicro's "eigen"
    rank: int  # how many directions vary
    columns: int
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True)
class ModelEffect:
    """A regression or classifier fitted on the original and on what is released, judged by the original."""

    target: str
    predictors: tuple[str, ...]
    kind: str  # "regression" or "classifier"
    score: Change  # R2, or share of right answers, on original records that neither fit has seen
    baseline: float  # the score of who always says the mean, or the most frequent value
    coefficients: Mapping[str, Change]  # on standardised columns; of a regression


@dataclass(frozen=True)
class LossMeasures:
    """What was lost."""

    percent: float  # 100 SSE/SST of all columns, in the distances of the grouping
    shift: float | None  # IL1s over all cells of amounts, divided by their number
    by_column: Mapping[str, ColumnLoss]
    moments: MomentsLoss | None
    probabilistic: ProbabilisticLoss | None
    eigenvalues: Eigenvalues | None
    models: tuple[ModelEffect, ...] = ()


@dataclass(frozen=True)
class Linkage:
    """Linking records of the release and of the original by least distance (DBRL).

    An attacker who holds the original values links each released record to the nearest of them, or the
    reverse. Where several are equally near one is taken by chance, and what is counted is the expectation.
    """

    released_to_original: float  # share of released records whose nearest original is their own
    among_first_two: float  # or is one of the two nearest
    original_to_released: float  # share of originals linked to their own released record
    own_class_nearest: float  # share of originals whose class is the nearest, whichever record in it
    by_record: Floats = field(repr=False)  # each original's chance of being linked to its own released
    # record by who knows it and looks for it in the release; empty if only a sample was linked
    error: float = 0.0  # the largest standard error of the shares: 0 where all records were linked
    sample: int = 0  # how many were linked


@dataclass(frozen=True)
class Intervals:
    """How narrow an interval around the released value holds the original one."""

    by_rank: float  # RID: share of cells within p % of the ranks, mean over p = 1..10
    by_deviation: Mapping[int, float]  # SDID: share of cells within p % of a standard deviation, by p
    records_by_deviation: Mapping[int, float]  # share of records of which all cells are
    by_robust_deviation: Mapping[int, float]  # RSDID: with a robust standard deviation (of medians)
    records_by_robust_deviation: Mapping[int, float]


@dataclass(frozen=True)
class ProbabilisticLinkage:
    """Linking by agreement patterns weighted by the EM algorithm (Fellegi and Sunter), on a sample."""

    linked: float  # share of the sample linked to its own record
    error: float  # standard error of that share: 0 where the sample is the whole table
    sample: int
    tolerance: float  # share of the ranks within which two amounts agree, by which most are linked


@dataclass(frozen=True)
class Disclosure:
    """What the classes tell of a sensitive column."""

    distinct: int  # l-diversity: the least number of different values in a class
    entropy: float  # the least exp(entropy) of a class: entropy l-diversity
    closeness: float  # t-closeness: the largest distance of a class to the whole table
    ordered: bool  # whether that distance knows an order of the values
    classes_given_away: float  # share of the classes in which all have the same value
    records_given_away: float  # share of the records that are in them
    values: int


@dataclass(frozen=True)
class Dominance:
    """How many classes have members so large that the mean nearly tells their value."""

    p_percent: int  # classes in which the second largest can estimate the largest to within p %
    n_k: int  # classes in which the n largest hold more than k % of the sum
    classes: int
    worst: float  # the largest share of a class's sum that one member holds
    by_class: NDArray[np.bool_] = field(repr=False)  # whether either rule is broken


@dataclass(frozen=True)
class RiskMeasures:
    """What can be found out."""

    classes: Classes
    k: int | None  # that was asked for, if it is known
    linkage: Linkage | None
    intervals: Intervals | None
    probabilistic: ProbabilisticLinkage | None
    sensitive: Mapping[str, Disclosure]
    dominance: Mapping[str, Dominance]
    of_entities: bool = False  # whether the classes count entities rather than records


@dataclass(frozen=True)
class Evaluation:
    """What was lost, what can be found out, and what should be known of these figures."""

    loss: LossMeasures
    risk: RiskMeasures
    notes: tuple[str, ...]
