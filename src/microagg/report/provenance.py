"""How a release came to be, as far as its report tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from microagg.plan import Plan
from microagg.report.tree_figure import TreeFigure


@dataclass(frozen=True)
class Provenance:
    """Where a release comes from, and how it was made; what is not known is left empty.

    Parameters
    ----------
    input, output
        The names of what was protected and of what is released.
    plan
        What was asked for.
    method
        A sentence that says how the records were grouped.
    command
        The text of a command or of a program that makes the same release again, in one line or more.
    bound
        A loss in percent that no partition is below.
    notes
        What is to be known before the file is handed on.
    seconds, versions
        The wall time of each stage, and what it ran with.
    input_fingerprint, output_fingerprint
        Texts by which both can be confirmed later.
    created
        The day of the report.
    levels
        By column, the texts of the values of an ordinal, nominal or boolean one, in their order; without
        them these are called by their places.
    tree, tree_notes
        The dependence tree by which columns were chosen to group by, and what is to be said of the choice.
    """

    input: str = ""
    output: str = ""
    plan: Plan | None = None
    method: str = ""
    command: str = ""
    bound: float | None = None
    notes: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    input_fingerprint: str = ""
    output_fingerprint: str = ""
    created: str = ""
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tree: TreeFigure | None = None
    tree_notes: tuple[str, ...] = ()
