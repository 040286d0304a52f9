"""The page for those who may see the original: it shows everything."""

from __future__ import annotations

from microagg.measures.compared import Compared
from microagg.measures.found import Evaluation
from microagg.report.blocks import Part, Sheet
from microagg.report.provenance import Provenance
from microagg.report.shown_loss import loss_part
from microagg.report.shown_making import LOOKED_AT, making_part, notes_part, protection_part
from microagg.report.shown_risk import groups_part, risk_part
from microagg.report.verdict import tiles, verdict
from microagg.report.wording import count, file_name


def internal(compared: Compared, evaluation: Evaluation, provenance: Provenance) -> Sheet:
    """Return the page with all that is known."""
    found = verdict(evaluation, provenance)
    parts: list[Part | None] = [
        notes_part((*provenance.notes, *evaluation.notes)),
        groups_part(evaluation.risk.classes.sizes, found),
        loss_part(compared, evaluation.loss, provenance.levels),
        risk_part(evaluation.risk),
        protection_part(),
        making_part(provenance),
    ]
    facts = [
        ("Original", provenance.input),
        ("Release", provenance.output),
        ("Records", count(found.records)),
        ("Quasi-identifiers", ", ".join(pair.name for pair in compared.pairs)),
        ("Sensitive", ", ".join(column.name for column in compared.sensitive)),
        ("Date", provenance.created),
    ]
    return Sheet(
        title=f"Protection of {file_name(provenance.input) or 'a table'}",
        kind="Internal report",
        who="Not for release: it tells more of the data than the release does.",
        facts=tuple((name, text) for name, text in facts if text),
        tiles=tiles(found),
        parts=tuple(part for part in parts if part),
        signed=LOOKED_AT,
        signed_for=provenance.output_fingerprint,
    )
