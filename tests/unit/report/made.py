"""Releases made up for the tests of the report: what it is given, without the measures behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microagg.measures.compared import AMOUNTS
from microagg.measures.found import (
    Change,
    ColumnLoss,
    Disclosure,
    Dominance,
    Eigenvalues,
    Evaluation,
    Intervals,
    Linkage,
    LossMeasures,
    ModelEffect,
    MomentsLoss,
    ProbabilisticLinkage,
    ProbabilisticLoss,
    RiskMeasures,
)
from microagg.outcome import Classes
from microagg.plan import Plan
from microagg.report import Provenance
from tests.unit.measures.comparing import grouped, watched

KINDS = {"turnover": "continuous", "staff": "integer", "year": "integer", "region": "nominal"}


def example(records=60, k=3, seed=1, names=tuple(KINDS)):
    """Return a release of an amount with a long tail, a small number, a year and a category."""
    rng = np.random.default_rng(seed)
    labels = np.minimum(np.arange(records) // k, max(0, records // k - 1))
    turnover = np.sort(np.exp(rng.normal(7, 1.7, records)))
    staff = np.rint(turnover / 200 * rng.uniform(0.5, 1.5, records)) + 1
    columns = (turnover, staff, rng.integers(1950, 2020, records), rng.integers(0, 5, records))
    kinds = dict(zip(names, KINDS.values(), strict=True))
    insolvent = watched("insolvent", rng.integers(0, 2, records))
    return grouped(dict(zip(names, columns, strict=True)), labels, kinds, sensitive=[insolvent])


def sizes_of(classes):
    sizes, times = np.unique(np.bincount(classes), return_counts=True)
    return {int(size): int(number) for size, number in zip(sizes, times, strict=True)}


def evaluation(of, k=3, notes=("a note of the measures",)):
    """Return figures that fit the release, as plain as they can be had."""
    sizes = sizes_of(of.classes)
    classes = Classes(
        records=of.records,
        count=sum(sizes.values()),
        smallest=min(sizes),
        largest=max(sizes),
        records_below_k=sum(size * times for size, times in sizes.items() if k and size < k),
        sizes=sizes,
    )
    loss = LossMeasures(
        percent=14.1961,
        shift=0.1234567,
        by_column={one.name: column_loss(one) for one in of.pairs},
        moments=moments([one for one in of.pairs if one.kind in AMOUNTS]),
        probabilistic=ProbabilisticLoss(12.3456, 44.321, 17.654, 73.219, 8.7654, 31.2612),
        eigenvalues=Eigenvalues(0.06123, 1.23456, 2, 3, (1.9123, 1.0877), (1.8456, 1.1544)),
        models=(
            ModelEffect(
                "turnover",
                ("staff",),
                "regression",
                Change(0.81234, 0.78912),
                0.0,
                {"staff": Change(0.9, 0.88)},
            ),
        ),
    )
    chance = 1.0 / np.bincount(of.classes)[of.classes]
    chance[:: 7 if of.records > 7 else 1] = 0.0
    risk = RiskMeasures(
        classes=classes,
        k=k,
        linkage=Linkage(0.31296, 0.60556, 0.28457, 0.85372, chance),
        intervals=Intervals(
            0.609765, {5: 0.26367, 10: 0.46453}, {5: 0.0, 10: 0.0037}, {5: 0.2, 10: 0.4}, {5: 0.0, 10: 0.002}
        ),
        probabilistic=ProbabilisticLinkage(0.19231, 0.01234, 500, 0.1),
        sensitive={one.name: Disclosure(1, 1.2345, 0.43219, False, 0.15, 0.14, 2) for one in of.sensitive},
        dominance={
            one.name: Dominance(3, 2, classes.count, 0.87654, np.zeros(classes.count, bool))
            for one in of.pairs
            if one.kind in AMOUNTS
        },
    )
    return Evaluation(loss, risk, notes)


@np.errstate(all="ignore")
def column_loss(of):
    if of.kind not in AMOUNTS:
        return ColumnLoss(of.kind, 15.7706, 0.3, 0.05, None)
    before, after = of.original.present, of.released.present
    if not before.size or not after.size:
        return ColumnLoss(of.kind, 0.0, 0.0, 0.0, None)
    levels = (0.05, 0.25, 0.5, 0.75, 0.95)
    return ColumnLoss(
        of.kind,
        27.18662,
        0.98,
        0.04321,
        0.12345,
        Change(float(before.mean()), float(after.mean())),
        Change(*np.nan_to_num([before.std(), after.std()], posinf=1e300).tolist()),
        {at: Change(float(np.quantile(before, at)), float(np.quantile(after, at))) for at in levels},
    )


@np.errstate(all="ignore")
def moments(pairs):
    varying = [of for of in pairs if np.ptp(of.original.values) and np.ptp(of.released.values)]
    if not varying:
        return None
    before, after = (
        np.nan_to_num(np.atleast_2d(np.corrcoef([getattr(of, which).values for of in varying])))
        for which in ("original", "released")
    )
    return MomentsLoss(0.05692, 0.0712, 0.016272, 0.048123, tuple(of.name for of in varying), before, after)


def without_parts(of):
    """Return an evaluation of which all that can be missing is."""
    loss = replace(
        of.loss, shift=None, by_column={}, moments=None, probabilistic=None, eigenvalues=None, models=()
    )
    risk = replace(
        of.risk, k=None, linkage=None, intervals=None, probabilistic=None, sensitive={}, dominance={}
    )
    return Evaluation(loss, risk, ())


PLAN = Plan(
    k=3,
    quasi_identifiers=("turnover", "staff", "year", "region"),
    sensitive=("insolvent",),
    drop="rest",
    method="refined(vmdav(gamma=0.2), iterations=99900, seed=987654321)",
    seed=987654321,
)

PROVENANCE = Provenance(
    input="business_survey.csv",
    output="released.csv",
    plan=PLAN,
    method="refined(vmdav(gamma=0.2), iterations=99900): the groups of V-MDAV, made better by search",
    command="microagg protect business_survey.csv --plan plan.toml -o released.csv",
    bound=12.9876,
    notes=("kept columns are released as they are, and can still identify: insolvent",),
    seconds={"read": 0.0123, "partition": 1.234},
    versions={"python": "3.11.2", "microagg": "0.1.0", "numpy": "2.4.6"},
    input_fingerprint="ab" * 32,
    output_fingerprint="cd" * 32,
    created="2025-11-20",
)
