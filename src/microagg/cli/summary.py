"""What `microagg protect` tells of what it did, or would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microagg.cli.printed import counted, span, titled

if TYPE_CHECKING:
    from microagg.plan import Plan
    from microagg.result import Result
    from microagg.run import Preview


def of_result(result: Result, output: str, seconds: float) -> list[str]:
    """Return what a person reads of a release."""
    found = result.classes
    return titled(
        [
            ("Records", f"{found.records:,} in {_parts(result)}"),
            ("k", f"{result.plan.k} asked for, {found.smallest} found by the independent check"),
            ("Method", str(result.account.get("choice", result.plan.method))),
            ("Loss", f"{result.loss.percent:.2f} % of the information"),
            ("Written", f"{place_of(result, output)} in {seconds:.2f} s"),
            *_notes(result.notes),
        ]
    )


def _parts(result: Result) -> str:
    """Return how many groups there are, or classes where no labels are kept, and how large they are."""
    if result.labels is None:
        classes = result.classes
        return f"{counted(classes.count, 'class', 'classes')} of {span(classes.smallest, classes.largest)}"
    sizes = result.group_sizes
    return f"{counted(sizes.size, 'group')} of {span(sizes.min(), sizes.max())}"


def place_of(result: Result, output: str) -> str:
    """Return where the table was written: a file as it was named, a database without its password."""
    return output if isinstance(result.written, Path) else str(result.written)


def result_as_data(result: Result, seconds: float) -> dict[str, Any]:
    """Return what a program reads of a release."""
    found = result.classes
    return {
        "records": found.records,
        "k": result.plan.k,
        "groups": _groups(result),
        "classes": {"count": found.count, "smallest": found.smallest, "largest": found.largest},
        "method": {"name": result.plan.method, "choice": result.account.get("choice")},
        "loss": {"percent": result.loss.percent, "by_column": dict(result.loss.by_column)},
        "written": None if result.written is None else str(result.written),
        "notes": list(result.notes),
        "seconds": {**result.seconds, "all": seconds},
    }


def _groups(result: Result) -> dict[str, int] | None:
    if result.labels is None:
        return None
    sizes = result.group_sizes
    return {"count": sizes.size, "smallest": int(sizes.min()), "largest": int(sizes.max())}


def of_preview(preview: Preview) -> list[str]:
    """Return what a person reads of a request that is not carried out."""
    plan = preview.plan
    compiling = ", and some seconds more on a machine where nothing is compiled yet"
    return titled(
        [
            ("Dry run", "nothing is written; the request has no faults"),
            ("Records", f"{preview.records:,}"),
            ("k", str(plan.k)),
            *_roles(preview),
            ("Method", preview.choice or plan.method),
            ("Time", f"about {_time(preview.seconds)}{compiling if preview.compiles else ''}"),
            ("Memory", f"about {_memory(preview.memory)}"),
        ]
    )


def preview_as_data(preview: Preview) -> dict[str, Any]:
    """Return what a program reads of a request that is not carried out."""
    return {
        "dry_run": True,
        "records": preview.records,
        "k": preview.plan.k,
        "kinds": dict(preview.kinds),
        "dimensions": preview.dimensions,
        "method": {"name": preview.plan.method, "choice": preview.choice or None},
        "estimate": {
            "seconds": preview.seconds,
            "memory_bytes": int(preview.memory),
            "compiles": preview.compiles,
        },
        "written": None,
    }


def _roles(preview: Preview) -> Iterator[tuple[str, str]]:
    plan: Plan = preview.plan
    protected = (f"{name} ({preview.kinds[name]})" for name in plan.quasi_identifiers)
    yield "Protected", ", ".join(protected)
    for role, names in plan.named():
        if names and role != "quasi-identifier":
            yield _TITLES[role], ", ".join(names)
    if "rest" in (plan.keep, plan.drop):
        yield ("Kept" if plan.keep == "rest" else "Dropped"), "the rest"


_TITLES = {
    "sensitive": "Sensitive",
    "weight": "Weight",
    "stratum": "Strata",
    "entity": "Entity",
    "other": "Kept",
    "direct identifier": "Dropped",
}


def _notes(notes: Iterable[str]) -> Iterator[tuple[str, str]]:
    return (("Note", note) for note in notes)


def _time(seconds: float) -> str:
    """Return an estimate of time, as rough as it is.

    >>> _time(0.2), _time(7.3), _time(200), _time(9000)
    ('1 s', '8 s', '4 min', '3 h')
    """
    for limit, unit, many in ((100, "s", 1), (5400, "min", 60)):
        if seconds < limit:
            return f"{int(-(-seconds // many)) or 1} {unit}"
    return f"{-(-seconds // 3600):,.0f} h"


def _memory(many: float) -> str:
    """Return an estimate of memory, as rough as it is.

    >>> _memory(2.31e8), _memory(2.6e9)
    ('240 MB', '2.6 GB')
    """
    return f"{-(-many // 1e7) * 10:.0f} MB" if many < 1e9 else f"{many / 1e9:.1f} GB"
