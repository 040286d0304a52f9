"""`microagg dependence`: which columns stand for the others, and what grouping by them costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import microagg.cli.asked as asked
import microagg.cli.options as of
import microagg.cli.request as request
from microagg.cli.exits import plain_errors
from microagg.cli.printed import as_json, counted, say, share, table, titled
from microagg.cli.progress import Measuring, reading, shown
from microagg.errors import Faults, InputError

if TYPE_CHECKING:
    from microagg.run.dependence import DependenceTree, Judged

_SHOWN = 20  # possibilities that a person is shown


def _option(metavar: str, says: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=says, show_default=False)


_CHOSEN = 3  # columns, if there are so many and nothing is said

Columns = Annotated[
    list[str] | None,
    _option("NAMES", "Columns to look at (numbers, and texts of few values).", "-q", "--columns"),
]
Variables = Annotated[
    int | None, _option("NUMBER", "How many columns to choose (3, or all).", "-n", "--variables")
]
K = Annotated[int, _option("K", "The least number of records in a group, for the trials (3).", "-k")]
Weights = Annotated[
    str, _option("MEASURE", "What edges weigh: emim (if not said), chi2 or correlation.", "--weights")
]
Width = Annotated[
    list[str] | None,
    _option("WIDTH", "How wide a class is: a number for all, or NAME=NUMBER for each.", "--width"),
]
Classes = Annotated[int | None, _option("NUMBER", "Into how many classes columns are cut (10).", "--classes")]
Picture = Annotated[Path | None, _option("FILE", "Draw the tree (SVG).", "--picture")]


def dependence(
    file: of.File,
    columns: Columns = None,
    variables: Variables = None,
    k: K = 3,
    weights: Weights = "emim",
    width: Width = None,
    classes: Classes = None,
    method: of.MethodText = None,
    kind: of.Kinds = None,
    picture: Picture = None,
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
    """Show which columns depend on each other, and which few stand for all; nothing is released.

    \b
    Examples:
      microagg dependence firms.csv
      microagg dependence firms.csv -q staff,turnover,wages,assets -n 2 --picture tree.svg
      microagg dependence firms.csv --width 1000 --weights chi2 --json

    The tree joins the columns that depend on each other most. Those with most edges are the ones to
    group by: as microagg protect does with -m 'selected(mdav, n_variables=3)'.

    \b
    Exit codes:
      0    shown, and the picture is written if one was asked for
      2    the request or the data have faults, all of them listed
      130  stopped with Ctrl-C
    """
    _dependence(locals())


def _dependence(said: Mapping[str, Any]) -> None:
    json = said["json"]
    with (
        plain_errors("Nothing was written.", json=json),
        shown(reading(said["file"]), quiet=said["quiet"]) as bar,
    ):
        from microagg.run.dependence import DependenceTree

        fitting = _asked(said)
        data = request.source(said)
        tree = DependenceTree.fit(data, **fitting)
        many = min(_CHOSEN, len(tree.names)) if said["variables"] is None else said["variables"]
        said = {**said, "variables": many}
        judged = tree.judged(
            data,
            many,
            said["k"],
            method=said["method"],
            kinds=fitting["kinds"],
            progress=Measuring(bar, "Trying"),
        )
        if said["picture"]:
            tree.plot(said["picture"], judged[0].columns)
    if json:
        say([as_json(_as_data(tree, judged, many))])
    elif not said["quiet"]:
        say(_told(tree, judged, said))


def _asked(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the tree is made; raises InputError with all that is wrong with it."""
    faults = Faults()
    found = {
        "columns": faults.attempt(asked.names, said["columns"]) if said["columns"] else None,
        "weights": said["weights"],
        "width": faults.attempt(_width, said["width"]) if said["width"] else None,
        "classes": "auto" if said["classes"] is None else said["classes"],
        "kinds": faults.attempt(asked.by_name, "--kind", said["kind"], "KIND", str) if said["kind"] else {},
    }
    if said["picture"]:
        from microagg.report.tree_file import require_svg

        faults.attempt(require_svg, said["picture"])
        faults.attempt(request.require_all_free, said, ("picture",), {said["file"]})
    InputError.raise_any(faults)
    return found


def _width(texts: Sequence[str]) -> float | dict[str, float]:
    """Return one width, or one by name."""
    if len(texts) == 1 and "=" not in texts[0]:
        try:
            return float(texts[0])
        except ValueError:
            raise InputError(f"--width: expected a number or NAME=NUMBER, found {texts[0]!r}") from None
    return asked.by_name("--width", texts, "a number", float)


def _told(tree: DependenceTree, judged: Sequence[Judged], said: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a person reads."""
    rows = [
        [tree.names[one], tree.names[other], f"{weight:.4f}"]
        for (one, other), weight in zip(tree.edges, tree.weights, strict=True)
    ]
    yield from table(["column", "and", tree.measure], rows, right=[2])
    yield ""
    ranked = [[tree.names[at], str(tree.degrees[at])] for at in tree.ranked]
    yield from table(["column", "edges"], ranked, right=[1])
    yield ""
    tried = [
        [", ".join(one.columns), f"{one.loss:.2f}", f"{100 * one.linked:.1f}"] for one in judged[:_SHOWN]
    ]
    yield from table(["grouped by", "loss %", "linked %"], tried, right=[1, 2])
    yield ""
    yield from titled(_sentences(tree, judged, said))


def _sentences(
    tree: DependenceTree, judged: Sequence[Judged], said: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    best = judged[0]
    of_all = f", of {counted(len(judged), 'possibility', 'possibilities')} the one of least loss"
    yield "Choice", f"{', '.join(best.columns)}{of_all if len(judged) > 1 else ''}"
    yield (
        "Cost",
        f"at k = {said['k']} {best.loss:.2f} % of the information, and {share(best.linked)} of the released "
        "records are nearest to their own original",
    )
    if tree.count > 1:
        yield "Trees", f"{tree.count:,} weigh the same; the first is shown"
    if not tree.possibilities(said["variables"]).complete:
        yield "Ties", f"there are more possibilities than the {len(judged):,} that were tried"
    if tree.left_out:
        yield "Left out", ", ".join(tree.left_out)
    yield from (("Note", note) for note in tree.notes)
    if said["picture"]:
        yield "Picture", str(said["picture"])


def _as_data(tree: DependenceTree, judged: Sequence[Judged], many: int) -> dict[str, Any]:
    return {
        "measure": tree.measure,
        "columns": tree.names,
        "classes": tree.classes,
        "edges": [
            {"columns": [tree.names[one], tree.names[other]], "weight": weight}
            for (one, other), weight in zip(tree.edges, tree.weights, strict=True)
        ],
        "degrees": dict(zip(tree.names, tree.degrees, strict=True)),
        "trees": tree.count,
        "possibilities": [one._asdict() for one in judged],
        "complete": tree.possibilities(many).complete,
        "left_out": tree.left_out,
        "notes": tree.notes,
    }
