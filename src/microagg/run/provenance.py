"""How a release came to be, as far as it is known, for those who read its report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from microagg.report.provenance import Provenance
from microagg.report.tree_figure import TreeFigure
from microagg.result import Result
from microagg.run.judging import Judged
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
        command=_command(source, written) if source.is_place else _PROGRAM,
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
    original: Any, released: Any, ready: Judged, models: Sequence[str], levels: Mapping[str, Sequence[str]]
) -> Provenance:
    """Return what a report tells of two tables, of which it is not known how one came from the other."""
    before, after = origin_of(original), origin_of(released)
    by_command = before.is_place and after.is_place
    return Provenance(
        input=before.name,
        output=after.name,
        command=_judging(before, after, ready, models) if by_command else "",
        created=_today(),
        levels=levels,
    )


def _command(source: Origin, written: str) -> str:
    """Return the command that makes the release again from the plan that the report shows."""
    output = Path(written).name if written else "released.csv"
    words = ["microagg", "protect", source.name, *source.options, "--plan", PLAN, "-o", output]
    return shlex.join(words)


def _judging(before: Origin, after: Origin, ready: Judged, models: Sequence[str]) -> str:
    """Return the command that judges the two tables again."""
    plan = ready.plan
    words = ["microagg", "evaluate", before.name, after.name, *before.options]
    words += [] if ready.k is None else ["-k", str(ready.k)]
    words += [] if ready.match_by is None else ["--match-by", ready.match_by]
    for option, names in (
        ("-q", plan.quasi_identifiers),
        ("--sensitive", plan.sensitive),
        ("--strata", plan.strata),
    ):
        words += [option, ",".join(map(_as_name, names))] if names else []
    for option, name in (("--weight", plan.weight), ("--entity", plan.entity)):
        words += [] if name is None else [option, name]
    for option, said in (
        ("--kind", plan.kinds),
        ("--order", {name: "<".join(order) for name, order in plan.orders.items()}),
        ("--importance", plan.importance),
    ):
        words += [word for name, value in said.items() for word in (option, f"{_as_name(name)}={value}")]
    words += [] if plan.scale == "zscore" else ["--scale", plan.scale]
    words += [word for model in models for word in ("--model", model)]
    return shlex.join(words)


def _as_name(name: str) -> str:
    """Return a name as options hold it: in quotes if it has a mark that means something there.

    >>> _as_name("staff"), _as_name("turnover, net")
    ('staff', '"turnover, net"')
    """
    plain = not set(name) & set(',"=') and name == name.strip()
    return name if plain else '"' + name.replace('"', '""') + '"'


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
