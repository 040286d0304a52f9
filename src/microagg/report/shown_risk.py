"""What can be found out, in pictures and tables, for those who may see the original."""

from __future__ import annotations

from collections.abc import Mapping

import microagg.report.drawing as drawing
from microagg.measures.found import (
    Disclosure,
    Dominance,
    Intervals,
    Linkage,
    ProbabilisticLinkage,
    RiskMeasures,
)
from microagg.report.blocks import Block, Part, Picture, Table, measures, numbers, told
from microagg.report.figures import chances, group_sizes
from microagg.report.verdict import Verdict
from microagg.report.wording import count, counted, number, share

IN_WORDS = {
    "released": "released records whose nearest original is their own",
    "two": "the same, if the two nearest count",
    "original": "original records whose nearest released record is their own, by chance where several are",
    "class": "original records whose own group is the nearest one, whichever record in it",
    "rank": "cells whose original lies within p % of the ranks around the released one, mean of p = 1 to 10",
}


def groups_part(sizes: Mapping[int, int], of: Verdict) -> Part:
    """Return the groups: who looks the same as whom."""
    found = group_sizes(sizes, of.k)
    if not found:
        return Part("groups", "The groups", (Block(text=("There are no records.",)),))
    unit = "entities" if of.unit == "entity" else "records"
    caption = f"How many groups there are of each size. A size is counted in {unit}."
    if any(bar.is_below for bar in found):
        caption += f" Those of fewer than k = {of.k} are only outlined."
    picture = Picture(
        drawing.bars("groups", "Sizes of the groups", found, "groups", f"{unit} in a group"),
        caption,
        numbers("Sizes of the groups", ("Size", "Groups"), [(bar.label, count(bar.total)) for bar in found]),
    )
    mean = of.records / of.groups if of.groups else None
    text = (
        f"{counted(of.records, 'record')} are in {counted(of.groups, 'group')} of records that look the same "
        f"on the quasi-identifiers, {number(mean, 3)} on the average."
    )
    return Part("groups", "The groups", (Block(text=(text,), pictures=(picture,)),))


def risk_part(risk: RiskMeasures) -> Part:
    """Return what can be found out."""
    blocks = [
        _by_record(risk.linkage),
        _linkage(risk.linkage, risk.probabilistic),
        _intervals(risk.intervals),
        _sensitive(risk.sensitive),
        _dominance(risk.dominance),
    ]
    return Part("risk", "What can be found out", told(blocks) or (Block(text=("No risk was measured.",)),))


def _by_record(linkage: Linkage | None) -> Block | None:
    if linkage is None or not linkage.by_record.size:
        return None
    found = chances(linkage.by_record)
    rows = [(bar.label, count(bar.total)) for bar in found]
    picture = Picture(
        drawing.bars("chances", "Risk by record", found, "records", "chance of being found"),
        "How many records have which chance of being found by someone who knows all their original "
        "quasi-identifiers and picks the nearest released record; among equally near ones by chance.",
        numbers("Risk by record", ("Chance of being found", "Records"), rows),
    )
    return Block("Risk by record", pictures=(picture,))


def _linkage(linkage: Linkage | None, probabilistic: ProbabilisticLinkage | None) -> Block | None:
    rows = []
    if linkage:
        rows = [
            ("Released to original", share(linkage.released_to_original), IN_WORDS["released"]),
            ("… among the first two", share(linkage.among_first_two), IN_WORDS["two"]),
            ("Original to released", share(linkage.original_to_released), IN_WORDS["original"]),
            ("Own group nearest", share(linkage.own_class_nearest), IN_WORDS["class"]),
        ]
    if probabilistic:
        rows.append(("By agreement", share(probabilistic.linked), _agreement(probabilistic)))
    if not rows:
        return None
    text = (
        "Shares of records that are linked to their own by someone who holds the original quasi-identifiers."
    )
    return Block("Linking records", (text,), tables=(measures("Record linkage", rows),))


def _agreement(of: ProbabilisticLinkage) -> str:
    error = f", with a standard error of {share(of.error)}" if of.error else ""
    return (
        "linked by patterns of agreement, weighted by likelihood (Fellegi and Sunter), two amounts agreeing "
        f"within {share(of.tolerance)} of the ranks; on {counted(of.sample, 'record')}{error}"
    )


def _intervals(of: Intervals | None) -> Block | None:
    if of is None:
        return None
    text = (
        "How often the original value lies close to the released one: within p percent of a standard "
        "deviation (SDID), and of a robust one, which values far out do not widen (RSDID); of single cells, "
        "and of records of which all cells do."
    )
    head = ("Within", "Cells", "Records", "Cells, robust", "Records, robust")
    columns = (
        of.by_deviation,
        of.records_by_deviation,
        of.by_robust_deviation,
        of.records_by_robust_deviation,
    )
    within = sorted({at for column in columns for at in column})
    rows = [(f"{at}\u202f%", *(share(column.get(at)) for column in columns)) for at in within]
    tables = (
        measures("Intervals of ranks", [("By rank (RID)", share(of.by_rank), IN_WORDS["rank"])]),
        numbers("Intervals of deviations", head, rows),
    )
    return Block("How near the values stay", (text,), tables=tables)


def _sensitive(sensitive: Mapping[str, Disclosure]) -> Block | None:
    if not sensitive:
        return None
    text = (
        "Sensitive columns are released as they are. A group whose records all share a value gives it away "
        "to everyone who knows that somebody is in it. Closeness (t) is the largest distance between the "
        "values of a group and those of the whole table: 0 would tell nothing."
    )
    rows = [
        (
            name,
            count(of.values),
            count(of.distinct),
            number(of.entropy, 3),
            f"{number(of.closeness, 3)}{' (ordered)' if of.ordered else ''}",
            share(of.classes_given_away),
            share(of.records_given_away),
        )
        for name, of in sensitive.items()
    ]
    head = (
        "Column",
        "Values",
        "Least in a group (l)",
        "by entropy",
        "Closeness (t)",
        "Groups given away",
        "Records in them",
    )
    return Block("Sensitive columns", (text,), tables=(numbers("Sensitive columns", head, rows),))


def _dominance(dominance: Mapping[str, Dominance]) -> Block | None:
    if not dominance:
        return None
    text = (
        "A member so large that it makes up most of its group's sum is nearly told by the mean. The p % rule "
        "counts groups in which the second largest can estimate the largest too well, the (n, k) rule those "
        "in which the few largest hold too much of the sum."
    )
    rows = [
        (name, count(of.classes), count(of.p_percent), count(of.n_k), share(of.worst))
        for name, of in dominance.items()
    ]
    head = ("Column", "Groups", "Break the p % rule", "Break the (n, k) rule", "Largest share of one")
    return Block("Dominance", (text,), tables=(Table("Dominance", "tnnnn", head, tuple(rows)),))
