"""`microagg protect`: from a table to a safe table."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import microagg.cli.options as of
import microagg.cli.request as request
from microagg.cli.exits import ALONE, end, plain_errors
from microagg.cli.printed import as_json, say
from microagg.cli.progress import Grouping, reading, shown
from microagg.errors import Faults, InputError

if TYPE_CHECKING:
    from microagg.result import Result


def protect(
    file: of.File,
    k: of.K = None,
    quasi_identifiers: of.QuasiIdentifiers = None,
    output: of.Output = None,
    plan: of.PlanFile = None,
    keep: of.Keep = None,
    drop: of.Drop = None,
    sensitive: of.Sensitive = None,
    weight: of.Weight = None,
    strata: of.Strata = None,
    entity: of.Entity = None,
    kind: of.Kinds = None,
    order: of.Orders = None,
    centre: of.Centres = None,
    importance: of.Importance = None,
    scale: of.Scale = None,
    missing: of.Missing = None,
    small_strata: of.SmallStrata = None,
    weight_release: of.WeightRelease = None,
    link_entities: of.LinkEntities = None,
    edit: of.Edits = None,
    method: of.MethodText = None,
    budget: of.Budget = None,
    seed: of.Seed = None,
    engine: of.Engine = None,
    memory_limit: of.MemoryLimit = None,
    temporary: of.Temporary = None,
    to_table: of.ToTable = None,
    overwrite: of.Overwrite = False,
    save_plan: of.SavePlan = None,
    account: of.Account = None,
    key: of.Key = None,
    dry_run: of.DryRun = False,
    quiet: of.Quiet = False,
    json: of.Json = False,
    delimiter: of.Delimiter = None,
    encoding: of.Encoding = None,
    decimal: of.Decimal = None,
    thousands: of.Thousands = None,
    sheet: of.Sheet = None,
    table: of.Table = None,
    query: of.Query = None,
) -> None:
    """Replace the quasi-identifiers of each record by the centre of its group of at least K records.

    \b
    Examples:
      microagg protect firms.csv -k 5 -q turnover,staff --drop name --keep rest -o safe.csv
      microagg protect firms.csv --plan plan.toml -o safe.parquet
      microagg protect firms.csv --plan plan.toml --dry-run
      microagg protect survey.sqlite --table firms -k 3 -q staff --drop rest -o safe.csv

    -k, -q and -o are needed, unless a plan says the first two, or --dry-run makes the last needless.

    NAMES are separated by commas, and an option can be given several times. A name that holds a
    comma goes in double quotes: -q 'staff,"turnover, net"'. Every column needs a role; "rest" means
    every column not named.

    Before anything is written, an independent check counts the records that share their released
    values.

    \b
    Exit codes, of which only 0 and 4 mean that OUT has changed:
      0    written
      2    the request or the data have faults, all of them listed
      3    the check found fewer than K
      4    OUT was written, but not the plan or account beside it
      130  stopped with Ctrl-C
    """
    _protect(locals())


def _protect(said: dict[str, Any]) -> None:
    start, json = perf_counter(), said["json"]
    with (
        plain_errors("Nothing was written.", json=json),
        shown(reading(said["file"]), quiet=said["quiet"]) as bar,
    ):
        import microagg.cli.summary as summary
        from microagg import run  # the heavier imports, where Ctrl-C is already met with a message

        asked = _asked(said)
        if said["dry_run"]:
            preview = run.preview(**asked)
            lines = summary.of_preview(preview)
            account = summary.preview_as_data(preview)
        else:
            result = run.protect(**asked, **request.place_of_work(said), progress=Grouping(bar))
            seconds = perf_counter() - start
            lines = summary.of_result(result, said["output"], seconds)
            account = summary.result_as_data(result, seconds)
    if not said["dry_run"]:
        _save_beside(result, said)
    if json:
        say([as_json(account)])
    elif not said["quiet"]:
        say(lines)


def _asked(said: dict[str, Any]) -> dict[str, Any]:
    """Return the request as arguments; raises InputError with its faults and those of the data at once."""
    faults = Faults()
    asked = request.arguments(said, faults)
    faults.attempt(request.require_places, said)
    if faults:
        from microagg import run

        in_memory = said["engine"] in (None, "memory")
        if in_memory and ("plan" in asked or not said["plan"]):
            faults.attempt(run.preview, **asked)
        raise InputError(dict.fromkeys(faults))
    return asked


def _save_beside(result: Result, said: dict[str, Any]) -> None:
    """Write the plan and the account of a release that is written."""
    faults = Faults()
    if said["save_plan"]:
        faults.attempt(result.plan.save, said["save_plan"])
    if said["account"]:
        faults.attempt(result.save_account, said["account"], said["key"])
    if faults:
        from microagg.cli.summary import place_of

        written = place_of(result, said["output"])
        end(ALONE, [*faults, f"Apart from this, {written} was written."], json=said["json"])
