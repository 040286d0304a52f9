"""The commands, brought together."""

from __future__ import annotations

from typing import Annotated

import typer

from microagg import __version__
from microagg.cli.check import check
from microagg.cli.compare import compare
from microagg.cli.data import data
from microagg.cli.dependence import dependence
from microagg.cli.evaluate import evaluate
from microagg.cli.help import Command
from microagg.cli.plan import plan
from microagg.cli.protect import protect

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help needs no fifth of a second for rich
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (plan, dependence, compare, protect, check, evaluate, data):
    app.command(cls=Command)(command)


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
    """Protect microdata by microaggregation: groups of at least k records, replaced by their centre.

    \b
    First look at a table, then protect it, then check what you hand on:
      microagg plan firms.csv
      microagg protect firms.csv --plan plan.toml -o safe.csv
      microagg check safe.csv -k 5 -q turnover,staff

    \b
    Exit codes:
      0    done
      2    the request or the data have faults, all of them listed
      3    not safe: records share their released values with fewer than k - 1 others
      4    the table was written, but not the plan or account beside it
      5    none of the candidates compared keeps to what was stated
      130  stopped with Ctrl-C
    """
