"""What whoever signs must know first: whether k was reached, what was lost, what can be found out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from microagg.measures.found import Disclosure, Evaluation
from microagg.report.blocks import Tile
from microagg.report.provenance import Provenance
from microagg.report.wording import NOTHING, count, counted, percent, rounded, share


class Verdict(NamedTuple):
    """The figures that decide."""

    records: int
    groups: int
    smallest: int  # how many records, or entities, the smallest group holds
    k: int | None  # that was asked for
    below: int  # records in groups of fewer
    loss: float
    bound: float | None
    linked: float | None
    unit: str = "record"  # what a group is counted in
    given_away: tuple[str, float] | None = None  # the sensitive column that most groups tell, and of how many

    @property
    def is_safe(self) -> bool:
        """Whether each record looks like at least one other, and as many as were asked for."""
        return self.smallest >= (self.k or 2)


def verdict(evaluation: Evaluation, provenance: Provenance) -> Verdict:
    """Return the figures that decide, as they are."""
    classes, linkage = evaluation.risk.classes, evaluation.risk.linkage
    return Verdict(
        records=classes.records,
        groups=classes.count,
        smallest=classes.smallest,
        k=evaluation.risk.k,
        below=classes.records_below_k if evaluation.risk.k else 0,
        loss=evaluation.loss.percent,
        bound=provenance.bound,
        linked=linkage.original_to_released if linkage else None,
        unit="entity" if evaluation.risk.of_entities else "record",
        given_away=_given_away(evaluation.risk.sensitive),
    )


def _given_away(sensitive: Mapping[str, Disclosure]) -> tuple[str, float] | None:
    shares = [(name, of.records_given_away) for name, of in sensitive.items() if of.records_given_away]
    return max(shares, key=lambda found: found[1], default=None)


def tiles(of: Verdict) -> tuple[Tile, ...]:
    """Return the verdict in three figures, with a sentence each."""
    return (
        Tile("Protection", f"k\u00a0=\u00a0{count(of.smallest)}", _of_k(of), not of.is_safe),
        Tile("Loss", percent(of.loss), _of_loss(of)),
        Tile("Risk", share(of.linked), _of_risk(of)),
    )


def _of_k(of: Verdict) -> str:
    if of.below:
        return (
            f"k\u00a0=\u00a0{of.k} was asked for, but {count(of.below)} of {counted(of.records, 'record')} "
            f"share their quasi-identifiers with fewer than {of.k - 1 if of.k else 0} others."
        )
    if of.smallest < 2:
        return "At least one record stands alone with its quasi-identifiers."
    those = "" if of.unit == "record" else ", counted in entities"
    asked = f" Asked for and reached: k\u00a0=\u00a0{of.k}." if of.k else " No k was asked for."
    others = counted(of.smallest - 1, "other")
    return f"On the quasi-identifiers every record looks the same as at least {others}{those}.{asked}"


_MORE_THAN_ALL = (
    "of the spread of the quasi-identifiers: 0 would be no change, 100 all records alike. What is released "
    "lies further from the original than that: do its values mean the same?"
)


def _of_loss(of: Verdict) -> str:
    if rounded(of.loss) > 100.0:
        return _MORE_THAN_ALL
    said = "of the spread of the quasi-identifiers is gone: 0 would be no change, 100 all records alike."
    if of.bound is None:
        return said
    least = f"No partition into groups of this size can lose less than {percent(of.bound)}"
    if of.loss <= of.bound * (1.0 + 1e-9):
        return f"{said} {least}."
    return f"{said} {least}; at most {percent(100.0 * (of.loss - of.bound) / of.loss)} of it can be saved."


def _of_risk(of: Verdict) -> str:
    if of.given_away is None:
        return _of_linking(of)
    name, records = of.given_away
    return (
        f"{_of_linking(of)} For {share(records)} of the records the group alone tells {name}, since all in "
        "it share one value."
    )


def _of_linking(of: Verdict) -> str:
    if of.linked is None:
        return "Linking by distance was not measured on these data."
    most = share(of.groups / of.records) if of.records else NOTHING
    return (
        "of the records would be found by someone who knows all their original quasi-identifiers and picks "
        f"the nearest released record; with {counted(of.groups, 'group')} it cannot be more than {most}."
    )
