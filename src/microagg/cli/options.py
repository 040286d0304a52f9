"""The options that commands take, each once, in the words of the help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from microagg.plan import CENTRES, KINDS


def _option(section: str, *names: str, metavar: str | None, says: str, words: tuple[str, ...] = ()) -> Any:
    return typer.Option(
        *names,
        metavar=metavar,
        help=says,
        rich_help_panel=section,
        show_default=False,
        autocompletion=_completed(words) if words else None,
    )


def _completed(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


_CENTRES = tuple(dict.fromkeys(centre for centres in CENTRES.values() for centre in centres))

_MAIN = "What is asked for"
_COLUMNS = "What the columns are"
_COMPARED = "How records are compared and released"
_METHOD = "How groups are formed"
_PLACE = "Where the work is done"
_WRITTEN = "What is written"
_TOLD = "What is told"
_SOURCE = "How the table is read"

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="The table: a file, or the address of a database.", show_default=False
    ),
]

# What is asked for

K = Annotated[
    int | None, _option(_MAIN, "-k", metavar="K", says="The least number of records in a group, from 2.")
]
QuasiIdentifiers = Annotated[
    list[str] | None,
    _option(_MAIN, "-q", "--quasi-identifiers", metavar="NAMES", says="Columns to protect together."),
]
Output = Annotated[
    str | None,
    _option(_MAIN, "-o", "--output", metavar="OUT", says="The file to write, or the address of a database."),
]
PlanFile = Annotated[
    Path | None,
    _option(_MAIN, "--plan", metavar="PLAN", says="A plan (TOML); the options beside it count more."),
]

# What the columns are

Keep = Annotated[
    list[str] | None,
    _option(_COLUMNS, "--keep", metavar="NAMES", says="Columns to release as they are, or: rest."),
]
Drop = Annotated[
    list[str] | None, _option(_COLUMNS, "--drop", metavar="NAMES", says="Columns to leave out, or: rest.")
]
Sensitive = Annotated[
    list[str] | None,
    _option(_COLUMNS, "--sensitive", metavar="NAMES", says="Columns released as they are, and watched."),
]
Weight = Annotated[
    str | None, _option(_COLUMNS, "--weight", metavar="NAME", says="The column of survey weights.")
]
Strata = Annotated[
    list[str] | None,
    _option(_COLUMNS, "--strata", metavar="NAMES", says="Columns that no group reaches across."),
]
Entity = Annotated[
    str | None,
    _option(_COLUMNS, "--entity", metavar="NAME", says="The column that says to whom a record belongs."),
]
Kinds = Annotated[
    list[str] | None,
    _option(
        _COLUMNS,
        "--kind",
        metavar="NAME=KIND",
        says=f"What kind of values a column holds: {', '.join(KINDS)}.",
    ),
]
Orders = Annotated[
    list[str] | None,
    _option(
        _COLUMNS, "--order", metavar="NAME=A<B<C", says="The values of an ordinal column in their order."
    ),
]

# How records are compared and released

Centres = Annotated[
    list[str] | None,
    _option(
        _COMPARED,
        "--centre",
        metavar="NAME=CENTRE",
        says=f"What stands for a group: {', '.join(_CENTRES)}.",
    ),
]
Importance = Annotated[
    list[str] | None,
    _option(
        _COMPARED, "--importance", metavar="NAME=NUMBER", says="How much a column weighs in the distances."
    ),
]
Scale = Annotated[
    str | None,
    _option(
        _COMPARED,
        "--scale",
        metavar="SCALE",
        says="What columns are divided by: zscore, range, robust or none.",
        words=("zscore", "range", "robust", "none"),
    ),
]
Missing = Annotated[
    str | None,
    _option(
        _COMPARED,
        "--missing",
        metavar="HOW",
        says="Missing values: shared by a group, own-group or error.",
        words=("shared", "own-group", "error"),
    ),
]
SmallStrata = Annotated[
    str | None,
    _option(
        _COMPARED,
        "--small-strata",
        metavar="HOW",
        says="Strata of fewer than K records: error or merge.",
        words=("error", "merge"),
    ),
]
WeightRelease = Annotated[
    str | None,
    _option(
        _COMPARED,
        "--weight-release",
        metavar="HOW",
        says="The weights released: mean of the group, keep or drop.",
        words=("mean", "keep", "drop"),
    ),
]
LinkEntities = Annotated[
    bool | None,
    _option(
        _COMPARED,
        "--link-entities/--no-link-entities",
        metavar=None,
        says="Whether an entity's records may still be seen to belong together.",
    ),
]
Edits = Annotated[
    list[str] | None,
    _option(
        _COMPARED,
        "--edit",
        metavar="RULE",
        says="What must hold, as in: total = a + b, or: turnover >= wages.",
    ),
]

# How groups are formed

MethodText = Annotated[
    str | None,
    _option(
        _METHOD, "-m", "--method", metavar="METHOD", says="How to group, as in: vmdav(gamma=0.2), or auto."
    ),
]
Budget = Annotated[
    float | None,
    _option(_METHOD, "--budget", metavar="SECONDS", says="The time by which auto chooses (60 if not said)."),
]
Seed = Annotated[
    int | None, _option(_METHOD, "--seed", metavar="SEED", says="Where chance starts, if the method draws.")
]

# Where the work is done

Engine = Annotated[
    str | None,
    _option(
        _PLACE,
        "--engine",
        metavar="ENGINE",
        says="Where to work: in memory, on disk by duckdb, or auto: on disk only if it must.",
        words=("auto", "memory", "duckdb"),
    ),
]
MemoryLimit = Annotated[
    str | None,
    _option(_PLACE, "--memory-limit", metavar="SIZE", says="The memory for the work on disk, as in: 4GB."),
]
Temporary = Annotated[
    Path | None,
    _option(_PLACE, "--temporary", metavar="FOLDER", says="Where the work on disk puts its temporary files."),
]

# What is written

ToTable = Annotated[
    str | None, _option(_WRITTEN, "--to-table", metavar="TABLE", says="The table of a database to write.")
]
Overwrite = Annotated[
    bool, _option(_WRITTEN, "--overwrite", metavar=None, says="Replace a table of a database that is there.")
]
OverwriteFile = Annotated[
    bool, _option(_WRITTEN, "--overwrite", metavar=None, says="Replace the file if there is one.")
]
SavePlan = Annotated[
    Path | None,
    _option(
        _WRITTEN, "--save-plan", metavar="FILE", says="Write what was asked for as a plan, to run again."
    ),
]
Account = Annotated[
    Path | None,
    _option(_WRITTEN, "--account", metavar="FILE", says="Write how the release came to be (JSON; internal)."),
]
Key = Annotated[
    Path | None,
    _option(
        _WRITTEN,
        "--key",
        metavar="KEYFILE",
        says="The key of the fingerprint in the account; made if not there.",
    ),
]

# What is told

DryRun = Annotated[
    bool, _option(_TOLD, "--dry-run", metavar=None, says="Say what would be done, and write nothing.")
]
Quiet = Annotated[bool, _option(_TOLD, "--quiet", metavar=None, says="Print nothing but faults.")]
Json = Annotated[bool, _option(_TOLD, "--json", metavar=None, says="Print one JSON object, faults too.")]

# How the table is read

Delimiter = Annotated[
    str | None, _option(_SOURCE, "--delimiter", metavar="MARK", says="Between the values of a CSV file.")
]
Encoding = Annotated[
    str | None, _option(_SOURCE, "--encoding", metavar="NAME", says="Of a CSV file, as in: cp1252.")
]
Decimal = Annotated[
    str | None, _option(_SOURCE, "--decimal", metavar="MARK", says="The decimal mark of a CSV file.")
]
Thousands = Annotated[
    str | None, _option(_SOURCE, "--thousands", metavar="MARK", says="Between thousands in a CSV file.")
]
Sheet = Annotated[
    str | None, _option(_SOURCE, "--sheet", metavar="NAME", says="The sheet of an Excel file (the first).")
]
Table = Annotated[
    str | None, _option(_SOURCE, "--table", metavar="TABLE", says="The table of a database to read.")
]
Query = Annotated[
    str | None, _option(_SOURCE, "--query", metavar="SQL", says="What to ask the database, instead.")
]
