"""What can be found out: all measures of risk, and what should be known of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microagg.columns import Column
from microagg.measures.compared import Compared
from microagg.measures.diversity import disclosure
from microagg.measures.dominance import MAGNITUDES, dominance, dominance_notes
from microagg.measures.found import Disclosure, Dominance, RiskMeasures
from microagg.measures.intervals import intervals
from microagg.measures.linkage import Progress, linkage
from microagg.measures.probabilistic import probabilistic_linkage
from microagg.outcome import Classes

_NEARLY_UNIQUE = 0.9  # share of different values from which a column tells records apart


def risk_measures(
    compared: Compared,
    classes: Classes,
    k: int | None,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[RiskMeasures, list[str]]:
    """Return what can be found out, and sentences that say what to make of it."""
    found = RiskMeasures(
        classes=classes,
        k=k,
        linkage=linkage(compared, progress, seed),
        intervals=intervals(compared),
        probabilistic=probabilistic_linkage(compared, seed),
        sensitive={of.name: disclosure(of, compared.classes) for of in compared.sensitive},
        dominance=_dominance(compared),
    )
    return found, list(_notes(compared, found))


def _dominance(compared: Compared) -> dict[str, Dominance]:
    found = {pair.name: dominance(pair, compared.classes) for pair in compared.pairs}
    return {name: of for name, of in found.items() if of is not None}


def _notes(compared: Compared, found: RiskMeasures) -> Iterator[str]:
    yield from _of_records(compared)
    yield from _of_classes(compared, found)
    if not found.sensitive:
        yield "no sensitive column is named, so that nothing is said of what groups give away"
    for name, of in found.sensitive.items():
        yield from _of_sensitive(name, of, compared)
    yield from dominance_notes(found.dominance)
    if found.intervals is None:
        yield "no amount or ordered value varies, so that there are no intervals around released ones"
    yield from _of_samples(compared, found)


def _of_records(compared: Compared) -> Iterator[str]:
    if compared.records > 1 and all(_is_constant(pair.original) for pair in compared.pairs):
        yield "all records are alike in the compared columns, so that every link is a guess"


def _is_constant(column: Column) -> bool:
    there = column.present
    return not there.size or (there.size == column.values.size and bool((there == there[0]).all()))


def _of_samples(compared: Compared, found: RiskMeasures) -> Iterator[str]:
    if found.linkage and 0 < found.linkage.sample < compared.records:
        yield (
            f"linkage by distance is that of {found.linkage.sample:,} records drawn from "
            f"{compared.records:,}, searched for among all: its standard error is at most "
            f"{found.linkage.error:.4f}"
        )
    if found.probabilistic and found.probabilistic.sample < compared.records:
        yield (
            f"probabilistic linkage is that within a sample of {found.probabilistic.sample:,} records, among "
            "which each is easier to find than among all"
        )
    if not found.probabilistic:
        yield "a single record cannot be linked by likelihood: there is none that it could be taken for"


def _of_classes(compared: Compared, found: RiskMeasures) -> Iterator[str]:
    sizes = np.bincount(compared.classes)
    if found.k is not None and found.classes.records_below_k:
        yield (
            f"{found.classes.records_below_k:,} of {compared.records:,} records are in groups of fewer than "
            f"k = {found.k}"
        )
    if sizes.size == 1:
        yield "all records are in one group: none is told from another, and no group differs from the table"
    alone = np.count_nonzero(sizes == 1)
    if alone and compared.records > 1:
        yield (
            f"{alone:,} of {compared.records:,} records are alone in their group: who finds one of them "
            "learns all that is kept of it"
        )
    if 2 * alone > compared.records and compared.of_kinds(MAGNITUDES):
        yield (
            "most records are alone in their group, so that there are no means of groups whose largest "
            "members could be looked for"
        )


def _of_sensitive(name: str, of: Disclosure, compared: Compared) -> Iterator[str]:
    if of.values == 1:
        yield f"{name!r} has the same value throughout: whoever knows the table knows it of everybody"
        return
    if of.classes_given_away:
        groups = np.unique(compared.classes).size
        yield (
            f"in {round(of.classes_given_away * groups):,} of {groups:,} groups all records share their "
            f"value of {name!r}: it is disclosed to who knows that someone is in the group"
        )
    if of.values > _NEARLY_UNIQUE * compared.records:
        yield (
            f"nearly every record has its own value of {name!r} ({of.values:,} values, {compared.records:,} "
            "records): l-diversity says little of it, and the value itself can tell who is who"
        )
