"""The page for everyone: it is made from a list of what may be told, and sees nothing else.

What may be told are averages over the whole table, with three digits, and what can be counted in the released
file. Nothing of single records, groups or strata, no extremes, no values of the original, nothing of
how chance was drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from microagg.measures.compared import Compared
from microagg.measures.found import Evaluation
from microagg.plan import CENTRES, Kind
from microagg.report.blocks import Block, Part, Sheet, Table, measures, numbers
from microagg.report.provenance import Provenance
from microagg.report.shown_loss import IN_WORDS as LOSS_IN_WORDS
from microagg.report.shown_loss import losses_picture
from microagg.report.shown_making import protection_part
from microagg.report.shown_risk import IN_WORDS as RISK_IN_WORDS
from microagg.report.shown_risk import groups_part
from microagg.report.verdict import Verdict, tiles, verdict
from microagg.report.wording import count, file_name, number, percent, rounded, share

_METHOD = re.compile(r"\b[A-Za-z_]+\b(?!\s*=)")
_SCALES = {
    "zscore": "its standard deviation",
    "range": "its range",
    "robust": "a robust standard deviation",
    "none": "nothing",
}
_GAPS = {
    "shared": "a value that a group can share",
    "own-group": "what makes a group of its own",
    "error": "not allowed",
}


class Told(NamedTuple):
    """All that the page for everyone may be made from."""

    verdict: Verdict
    kinds: Mapping[str, Kind]
    loss_by_column: Mapping[str, float]
    average_loss: Mapping[str, float | None]  # by measure
    probabilistic: float | None
    linked: Mapping[str, float | None]  # by measure
    sizes: Mapping[int, int]
    method: str
    scale: str
    missing: str
    centres: Mapping[str, str]
    output: str
    output_fingerprint: str
    version: str
    created: str


def told(compared: Compared, evaluation: Evaluation, provenance: Provenance) -> Told:
    """Return what may be told of a release: every single thing is named here."""
    loss, risk, plan = evaluation.loss, evaluation.risk, provenance.plan
    moments, linkage = loss.moments, risk.linkage
    kinds = {pair.name: pair.kind for pair in compared.pairs}
    return Told(
        verdict=_verdict(evaluation, provenance),
        kinds=kinds,
        loss_by_column={name: rounded(of.percent) for name, of in loss.by_column.items()},
        average_loss={
            "shift": _rounded(loss.shift),
            "variances": _rounded(moments.variances) if moments else None,
            "covariances": _rounded(moments.covariances) if moments else None,
            "correlations": _rounded(moments.correlations) if moments else None,
        },
        probabilistic=_rounded(loss.probabilistic.percent) if loss.probabilistic else None,
        linked={
            "released": _rounded(linkage.released_to_original) if linkage else None,
            "original": _rounded(linkage.original_to_released) if linkage else None,
        },
        sizes={} if risk.of_entities else dict(risk.classes.sizes),  # who belongs to whom is not released
        method=_method(plan.method) if plan else "",
        scale=_SCALES.get(plan.scale, "") if plan else "",
        missing=_GAPS.get(plan.missing, "") if plan else "",
        centres={name: plan.centres.get(name, CENTRES[kind][0]) for name, kind in kinds.items()}
        if plan
        else {},
        output=file_name(provenance.output),
        output_fingerprint=provenance.output_fingerprint,
        version=provenance.versions.get("microagg", ""),
        created=provenance.created,
    )


def external(of: Told) -> Sheet:
    """Return the page of what may be told."""
    parts: list[Part | None] = [
        groups_part(of.sizes, of.verdict) if of.sizes else None,
        _loss(of),
        _risk(of),
        protection_part(),
        _making(of),
    ]
    facts = [
        ("File", of.output),
        ("Records", count(of.verdict.records)),
        ("Quasi-identifiers", ", ".join(of.kinds)),
        ("Date", of.created),
    ]
    return Sheet(
        title=f"How {of.output or 'this file'} was protected",
        kind="Report for users of the file",
        who="It tells how the file was protected, and nothing of single records.",
        facts=tuple((name, text) for name, text in facts if text),
        tiles=tiles(of.verdict),
        parts=tuple(part for part in parts if part),
    )


def _verdict(evaluation: Evaluation, provenance: Provenance) -> Verdict:
    found = verdict(evaluation, provenance)
    return Verdict(
        records=found.records,
        groups=found.groups,
        smallest=found.smallest,
        k=found.k,
        below=found.below,
        loss=rounded(found.loss),
        bound=_rounded(found.bound),
        linked=_rounded(found.linked),
        unit=found.unit,
    )


def _loss(of: Told) -> Part:
    words = LOSS_IN_WORDS
    rows = [("Loss", percent(of.verdict.loss), words["loss"])]
    rows += [
        (name.capitalize(), number(value, 3), words[name])
        for name, value in of.average_loss.items()
        if value is not None
    ]
    if of.probabilistic is not None:
        rows.append(("Probabilistic loss", percent(of.probabilistic), words["probabilistic"]))
    blocks = [Block("All together", tables=(measures("Measures of all variables together", rows),))]
    if of.loss_by_column:
        table = numbers(
            "Loss by variable",
            ("Variable", "Loss"),
            [(name, percent(value)) for name, value in of.loss_by_column.items()],
        )
        picture = losses_picture(of.loss_by_column, of.verdict.loss, table)
        blocks.insert(0, Block("Loss by variable", pictures=(picture,)))
    return Part("loss", "What was lost", tuple(blocks))


def _risk(of: Told) -> Part | None:
    names = {"released": "Released to original", "original": "Original to released"}
    rows = [
        (names[name], share(value), RISK_IN_WORDS[name])
        for name, value in of.linked.items()
        if value is not None
    ]
    if not rows:
        return None
    text = (
        "Shares of all records that would be linked to their own by someone who holds the original "
        "quasi-identifiers."
    )
    table = measures("Record linkage, on the average of all records", rows)
    return Part("risk", "What can be found out", (Block(text=(text,), tables=(table,)),))


def _making(of: Told) -> Part:
    columns = tuple((name, kind, of.centres.get(name, "")) for name, kind in of.kinds.items())
    table = Table(
        "The quasi-identifiers, and what stands for a group",
        "ttt",
        ("Variable", "Kind", "Stands for a group"),
        columns,
    )
    if not of.centres:
        table = Table("The quasi-identifiers", "tt", ("Variable", "Kind"), tuple(of.kinds.items()))
    blocks = [Block(text=tuple(_sentences(of)), tables=(table,))]
    if of.output_fingerprint:
        row = ("release (SHA-256)", of.output_fingerprint)
        prints = Table("By which the file can be confirmed", "tc", ("Of the", "Fingerprint"), (row,))
        blocks.append(Block("Fingerprint", tables=(prints,)))
    return Part("making", "How it was made", tuple(blocks))


def _sentences(of: Told) -> Iterator[str]:
    if of.method:
        yield f"The records were grouped by the method {of.method}."
    if of.scale:
        yield f"To make distances comparable, each amount was divided by {of.scale}."
    if of.missing:
        yield f"Missing values are {of.missing}."
    if of.version:
        yield f"It was made with microagg {of.version}."


def _method(text: str) -> str:
    """Return the names in a method's text: no numbers, and nothing that is set to something."""
    return " of ".join(_METHOD.findall(re.sub(r"=\s*[^,()]*(?=[,)])", "=", text)))


def _rounded(value: float | None) -> float | None:
    return None if value is None else rounded(value)
