"""The command line."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from microagg import __version__
from microagg.errors import InputError, MicroaggError, UnsafeReleaseError

if TYPE_CHECKING:
    from rich.progress import Progress

    from microagg.result import Result

FAULTY, UNSAFE, STOPPED = 2, 3, 130  # exit codes

_PATIENCE = 0.5  # seconds before a bar appears

app = typer.Typer(
    help="Protect microdata by microaggregation: groups of at least k records, replaced by their mean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names that the terminal has no letters for
    app()


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"microagg {__version__}")
        raise typer.Exit


@app.callback()
def microagg(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Protect microdata by microaggregation: groups of at least k records, replaced by their mean."""


@app.command()
def protect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The table to protect: .csv or .parquet.")],
    k: Annotated[int, typer.Option("-k", metavar="K", help="The least number of records in a group.")],
    quasi_identifiers: Annotated[
        list[str],
        typer.Option(
            "-q", "--quasi-identifiers", metavar="NAMES", help="Columns of numbers to protect together."
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="OUT", help="The file to write: .csv or .parquet.")
    ],
    keep: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns to release as they are, or: rest.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns to leave out, or: rest.")
    ] = None,
    method: Annotated[
        str, typer.Option("-m", "--method", metavar="METHOD", help="How to group, as in: vmdav(gamma=0.2).")
    ] = "mdav",
    seed: Annotated[int, typer.Option(metavar="SEED", help="Where chance starts, if the method draws.")] = 0,
) -> None:
    """Replace the quasi-identifiers of each record by the means of its group of at least K records.

    Example: microagg protect firms.csv -k 5 -q turnover,staff --drop name --keep rest -o safe.csv

    NAMES are separated by commas, and an option can be given several times. A name that holds a
    comma goes in double quotes: -q 'staff,"turnover, net"'. Every column needs a role; "rest" means
    every column not named.

    Before anything is written, an independent check counts the records that share their released
    values. Exit codes: 0 written; 2 the request or the file has faults, all listed; 3 the check
    found fewer than K; 130 stopped with Ctrl-C. Only with 0 has OUT changed.
    """
    start = perf_counter()
    with _plain_errors(), _progress_bar() as progress:
        from microagg import run  # the heavier imports, where Ctrl-C is already met with a message

        result = run.protect(
            file,
            k,
            _named(quasi_identifiers),
            keep=_named_or_rest(keep),
            drop=_named_or_rest(drop),
            method=method,
            seed=seed,
            to=output,
            progress=progress,
        )
    for line in _summary(result, output, perf_counter() - start):
        typer.echo(line)


def _named(values: Sequence[str]) -> list[str]:
    """Return the names in some options, each read as a line of CSV."""
    try:
        lines = [next(csv.reader([value], skipinitialspace=True, strict=True)) for value in values]
    except csv.Error:
        raise InputError(
            f"cannot read the names {', '.join(map(repr, values))}: put a name that holds a comma or a line "
            "break in double quotes, and write a double quote in it twice"
        ) from None
    return [name for line in lines for name in line or [""]]


def _named_or_rest(values: Sequence[str] | None) -> list[str] | Literal["rest"]:
    names = _named(values or ())
    return "rest" if names == ["rest"] else names


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Turn what a user can meet into a message and an exit code."""
    try:
        yield
    except UnsafeReleaseError as error:
        code, lines = UNSAFE, [str(error), "Nothing was written."]
    except MicroaggError as error:
        code, lines = FAULTY, [*str(error).splitlines(), "Nothing was written."]
    except KeyboardInterrupt:
        code, lines = STOPPED, ["Stopped. Nothing was written."]
    else:
        return
    for line in lines:
        typer.echo(line, err=True)
    raise typer.Exit(code)


class _Bar:
    """A progress bar that is there only for work that takes a while."""

    def __init__(self) -> None:
        self._start = perf_counter()
        self._bar: Progress | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None and (_is_large(total) or perf_counter() - self._start > _PATIENCE):
            self._bar = _shown_bar(total)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _shown_bar(total: int) -> Progress:
    from rich.console import Console
    from rich.progress import Progress  # a fifth of a second that short work does not pay

    bar = Progress(console=Console(stderr=True), transient=True)
    note = " (the first large table on a machine compiles first)" if _is_large(total) else ""
    bar.add_task(f"Grouping {total:,} records{note}", total=total)
    bar.start()
    return bar


def _is_large(records: int) -> bool:
    """Say whether so many records are grouped by compiled loops."""
    from microagg.partition.matrix import COMPILED_FROM  # loaded by now, but not when the command line is

    return records >= COMPILED_FROM


@contextmanager
def _progress_bar() -> Iterator[_Bar | None]:
    """Give a progress callback if a person is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar
    finally:
        bar.close()


def _summary(result: Result, output: Path, seconds: float) -> list[str]:
    sizes = result.group_sizes
    found = result.classes
    groups = f"{sizes.size:,} {'group' if sizes.size == 1 else 'groups'}"
    return [
        f"Records    {found.records:,} in {groups} of {_range(sizes.min(), sizes.max())}",
        f"k          {result.plan.k} asked for, {found.smallest} found by the independent check",
        f"Loss       {result.loss.percent:.2f} % of the information",
        f"Written    {output} in {seconds:.2f} s",
        *(f"Note       {note}" for note in result.notes),
    ]


def _range(smallest: int, largest: int) -> str:
    return f"{smallest}" if smallest == largest else f"{smallest} to {largest}"
