"""How a release came to be, as far as it is known, for those who read its report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from microagg.plan import Plan
from microagg.report.provenance import Provenance
from microagg.report.tree_figure import TreeFigure
from microagg.result import Result
from microagg.run.origin import Origin, origin_of

PLAN = "plan.toml"
"""Where the plan that a report shows is to be saved for the command that makes the release again."""


_PROGRAM = f'microagg.protect(data, plan="{PLAN}")'


def provenance_of(
    result: Result, source: Origin, levels: Mapping[str, Sequence[str]], bound: float | None
) -> Provenance:
    """Return what a report tells of how a result came to be."""
    written = "" if result.written is None else str(result.written)
    return Provenance(
        input=source.name,
        output=written,
        plan=result.plan,
        method=str(result.account.get("choice", result.plan.method)),
        command=_command(source.name, written) if source.is_place else _PROGRAM,
        bound=bound,
        notes=result.notes,
        seconds=result.seconds,
        versions=result.versions,
        input_fingerprint=result.fingerprints.input,
        output_fingerprint=result.fingerprints.output,
        created=_today(),
        levels=levels,
        **_choice_of_columns(result.account),
    )


def _choice_of_columns(account: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tree by which columns were chosen to group by, if there is one."""
    found = account.get("tree")
    if not found:
        return {}
    edges = tuple((one, other, float(weight)) for one, other, weight in found["edges"])
    figure = TreeFigure(tuple(found["names"]), edges, tuple(account["columns"]), found["measure"])
    told = f"grouped by {len(account['columns'])} of {account['of']} columns: {', '.join(account['columns'])}"
    tied = f"{found['trees']:,} trees weigh the same; this is the first" if found["trees"] > 1 else ""
    return {"tree": figure, "tree_notes": tuple(filter(None, (told, tied, *found["notes"])))}


def provenance_of_tables(
    original: Any, released: Any, plan: Plan, levels: Mapping[str, Sequence[str]]
) -> Provenance:
    """Return what a report tells of two tables, of which it is not known how one came from the other."""
    origins = [origin_of(data) for data in (original, released)]
    names = [origin.name for origin in origins]
    asked = ["-q", ",".join(plan.quasi_identifiers)]
    by_command = all(origin.is_place for origin in origins)
    return Provenance(
        input=names[0],
        output=names[1],
        command=shlex.join(["microagg", "evaluate", *names, *asked]) if by_command else "",
        created=_today(),
        levels=levels,
    )


def _command(source: str, written: str) -> str:
    """Return the command that makes the release again from the plan that the report shows."""
    output = Path(written).name if written else "released.csv"
    return shlex.join(["microagg", "protect", source, "--plan", PLAN, "-o", output])


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
