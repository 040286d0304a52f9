"""`microagg plan`: look at a table, and propose what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import microagg.cli.options as of
import microagg.cli.request as request
from microagg.cli.exits import plain_errors
from microagg.cli.printed import say, table, titled
from microagg.cli.progress import reading, shown
from microagg.errors import Faults, InputError

if TYPE_CHECKING:
    from microagg.proposal import Proposal

K = Annotated[int, typer.Option("-k", metavar="K", help="The least number of records in a group.")]
PlanOut = Annotated[Path, typer.Option("-o", "--output", metavar="PLAN", help="The plan to write (TOML).")]


def plan(
    file: of.File,
    k: K = 5,
    output: PlanOut = Path("plan.toml"),
    overwrite: of.OverwriteFile = False,
    quiet: of.Quiet = False,
    delimiter: of.Delimiter = None,
    encoding: of.Encoding = None,
    decimal: of.Decimal = None,
    thousands: of.Thousands = None,
    sheet: of.Sheet = None,
    table: of.Table = None,
    query: of.Query = None,
) -> None:
    """Propose the role and kind of each column, with the reason, and write both as a plan.

    \b
    Examples:
      microagg plan firms.csv
      microagg plan firms.csv -k 3 -o firms.toml
      microagg protect firms.csv --plan plan.toml -o safe.csv

    Read the plan and change what is wrong in it before you protect a table with it: what a column
    means is for you to know.

    \b
    Exit codes:
      0    the plan was written
      2    the request or the data have faults, all of them listed
      130  stopped with Ctrl-C
    """
    _plan(locals())


def _plan(said: Mapping[str, Any]) -> None:
    file, output = said["file"], said["output"]
    with plain_errors("Nothing was written."), shown(reading(file), quiet=said["quiet"]):
        from microagg.proposal import propose

        faults = Faults()
        faults.attempt(request.require_free, output, {file})
        faults.attempt(request.require_new, output, overwrite=said["overwrite"])
        proposal = faults.attempt(propose, request.source(said), said["k"])
        if faults or proposal is None:
            raise InputError(faults)
        proposal.plan.save(output, proposal.reasons)
    if not said["quiet"]:
        next_step = f"read it, then: microagg protect FILE --plan {output} -o OUT"
        say([*_columns(proposal), "", *titled([("Written", str(output)), ("Next", next_step)])])


def _columns(proposal: Proposal) -> list[str]:
    """Return the roles and kinds that are proposed, in the order of the table."""
    roles = {name: role for role, names in proposal.plan.named() for name in names}
    rows = [
        [name, roles.get(name, ""), proposal.plan.kinds.get(name, ""), proposal.reasons.get(name, "")]
        for name in dict.fromkeys([*proposal.reasons, *roles])
    ]
    return table(["Column", "Role", "Kind", "Reason"], rows)
