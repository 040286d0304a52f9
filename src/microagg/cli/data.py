"""`microagg data`: tables to try things on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import microagg.cli.options as of
from microagg.cli.exits import plain_errors
from microagg.cli.printed import say, table
from microagg.cli.progress import shown
from microagg.cli.request import require_free, require_new
from microagg.errors import Faults, InputError

_OPTIONS = ("records", "columns", "seed", "missing", "folder")


def _option(metavar: str, says: str) -> Any:
    return typer.Option(metavar=metavar, help=says, show_default=False)


Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="Which set, as --list tells.", show_default=False)
]
Out = Annotated[Path | None, typer.Argument(metavar="OUT", help="The CSV file to write.", show_default=False)]
Records = Annotated[int | None, _option("N", "How many records to draw.")]
Columns = Annotated[int | None, _option("N", "How many attributes to draw.")]
Seed = Annotated[int | None, _option("SEED", "Other seeds draw other records.")]
Missing = Annotated[float | None, _option("SHARE", "The share of questions of the survey not answered.")]
Folder = Annotated[Path | None, _option("FOLDER", "Where to look for a reference set before it is fetched.")]
List = Annotated[bool, typer.Option("--list", help="Show which sets there are.")]


def data(
    name: Name = None,
    out: Out = None,
    records: Records = None,
    columns: Columns = None,
    seed: Seed = None,
    missing: Missing = None,
    folder: Folder = None,
    show: List = False,
    overwrite: of.OverwriteFile = False,
    quiet: of.Quiet = False,
) -> None:
    """Write a table to try things on: drawn, or one of the reference sets of this field.

    \b
    Examples:
      microagg data --list
      microagg data business_survey firms.csv
      microagg data scattered points.csv --records 100000 --columns 4 --seed 7

    \b
    Exit codes:
      0    the file was written
      2    the request has faults, all of them listed, or a set is not to be had
      130  stopped with Ctrl-C
    """
    _data(locals())


def _data(said: Mapping[str, Any]) -> None:
    name, out = said["name"], said["out"]
    with plain_errors("" if said["show"] else "Nothing was written."), shown("Drawing", quiet=said["quiet"]):
        from microagg.datasets import write_csv
        from microagg.datasets.catalogue import catalogue, table_of

        if said["show"]:
            lines = _listed(catalogue())
        else:
            faults = Faults()
            faults.attempt(_require_out, out, overwrite=said["overwrite"])
            options = {option: said[option] for option in _OPTIONS if said[option] is not None}
            columns = faults.attempt(table_of, name, options) if name else None
            if faults or columns is None:
                raise InputError(faults)
            _write(write_csv, columns, out)
            lines = [f"wrote {out}"]
    if not said["quiet"]:
        say(lines)


def _require_out(out: Path | None, *, overwrite: bool) -> None:
    """Raise an InputError if it is not said where to write, or nothing can be written there."""
    if out is None:
        raise InputError("it is not said what to write: expected microagg data NAME OUT, or --list")
    require_new(out, overwrite=overwrite)
    if out.suffix.lower() != ".csv":
        raise InputError(f"{out} ends in {out.suffix or 'nothing'}: a CSV file is written, so end it in .csv")
    require_free(out, set())


def _write(write_csv: Any, columns: Mapping[str, Any], out: Path) -> None:
    try:
        write_csv(columns, out)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror or error}") from None


def _listed(sets: Mapping[str, Any]) -> list[str]:
    rows = [
        [name, f"{entry.records:,}", entry.about, " ".join(f"--{option}" for option in entry.options)]
        for name, entry in sets.items()
    ]
    return table(["Name", "Records", "What it is", "Options"], rows, right=[1])
