"""What the protection means, what is to be known, and how the release was made."""

from __future__ import annotations

from collections.abc import Iterable

from microagg.report.blocks import Block, Part, Table, numbers, told
from microagg.report.provenance import Provenance
from microagg.report.tree_drawing import block
from microagg.report.wording import number

_DOES = (
    "On the quasi-identifiers, taken together, every released record is equal to at least "
    "k\u00a0−\u00a01 others. Whoever knows these values of a person or firm and looks for it finds "
    "at least k records, and cannot tell which it is."
)
_DOES_NOT = (
    "Columns that are kept are released as they are. One that others know, or that hardly two records share, "
    "identifies as well as a name does: beware of weights, dates, exact amounts and regions.",
    "A sum can give a kept column away: protect all columns that follow from each other, or drop them.",
    "Members who pool what they know: a mean of k values is a sum, so k\u00a0−\u00a01 members of a group can "
    "compute the last one's. At k\u00a0=\u00a02 each member of a pair can.",
    "A sensitive value that all records of a group share is told to everyone who knows that somebody is "
    "in it.",
    "Records far out stay far out: the mean of the largest and its nearest still shows its size.",
    "Several releases of the same records can be compared, and together tell more than each alone.",
    "It is not differential privacy: there is no bound on what can be learnt by someone who already "
    "knows much.",
)

LOOKED_AT = (
    "k is reached, and is large enough for these data.",
    "The columns that are kept as they are identify nobody, by themselves or together.",
    "What is to be known, above, was read and can be answered for.",
    "No other release of the same records undoes this one.",
    "The loss is small enough for what the file is used for.",
)


def protection_part() -> Part:
    """Return what k-anonymity protects, and what not."""
    blocks = (Block("What it does", (_DOES,)), Block("What it does not do", points=_DOES_NOT))
    return Part("protection", "What this protects, and what not", blocks)


def notes_part(notes: Iterable[str]) -> Part | None:
    """Return what is to be known before the file is handed on; each note once."""
    points = tuple(dict.fromkeys(map(_sentence, filter(None, notes))))
    return Part("notes", "What is to be known", (Block(points=points),)) if points else None


def making_part(of: Provenance) -> Part | None:
    """Return how the release came to be."""
    blocks = [
        Block("Method", (_of_method(of.method),)) if of.method else None,
        block(of.tree, tuple(map(_sentence, of.tree_notes))) if of.tree else None,
        Block(
            "The plan",
            ("What was asked for, as the file from which it can be run again.",),
            code=of.plan.as_toml(),
        )
        if of.plan
        else None,
        Block("To make it again", code=of.command) if of.command else None,
        _prints(of),
        _machine(of),
    ]
    found = told(blocks)
    return Part("making", "How it was made", found) if found else None


def _prints(of: Provenance) -> Block | None:
    rows = [
        ("original (HMAC-SHA256, under a key)", of.input_fingerprint),
        ("release (SHA-256)", of.output_fingerprint),
    ]
    known = tuple(row for row in rows if row[1])
    if not known:
        return None
    table = Table(
        "Fingerprints, by which both can be confirmed later", "tc", ("Of the", "Fingerprint"), known
    )
    return Block("Fingerprints", tables=(table,))


def _machine(of: Provenance) -> Block | None:
    tables = []
    if of.versions:
        tables.append(Table("Made with", "tt", ("Program", "Version"), tuple(of.versions.items())))
    if of.seconds:
        rows = [(stage, number(seconds, 3)) for stage, seconds in of.seconds.items()]
        tables.append(numbers("Time it took", ("Stage", "Seconds"), rows))
    return Block("Versions and times", tables=tuple(tables)) if tables else None


def _of_method(text: str) -> str:
    """Return a sentence on the method, also where no more than its text in the plan is known."""
    return _sentence(text) if " " in text.partition("(")[0] else f"The records were grouped by {text}."


def _sentence(text: str) -> str:
    """Return a note with a capital in front and a stop at its end."""
    closed = text if text.endswith((".", "!", "?")) else f"{text}."
    return f"{closed[:1].upper()}{closed[1:]}"
