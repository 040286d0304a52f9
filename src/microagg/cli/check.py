"""`microagg check`: whether a table that someone released is safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

import microagg.cli.options as of
import microagg.cli.request as request
from microagg.cli.asked import names
from microagg.cli.exits import UNSAFE, plain_errors
from microagg.cli.printed import as_json, counted, say, span, table, titled
from microagg.cli.progress import reading, shown
from microagg.errors import Faults, InputError

if TYPE_CHECKING:
    from microagg.outcome import Classes

_ALL_SHOWN = 12  # different sizes that are listed one by one
_FIRST_SHOWN = 5  # of more sizes so many are, and the others in ranges

Released = Annotated[
    str, typer.Argument(metavar="FILE", help="The released table: a file, or a database.", show_default=False)
]
K = Annotated[
    int, typer.Option("-k", metavar="K", help="The least number of records that share their values.")
]
Seen = Annotated[
    list[str],
    typer.Option(
        "-q", "--quasi-identifiers", metavar="NAMES", help="The columns by which records may be told apart."
    ),
]
Entity = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="To whom a record belongs: then K counts these.", show_default=False),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, faults too.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but faults: the exit code tells.")]


def check(
    file: Released,
    k: K,
    quasi_identifiers: Seen,
    entity: Entity = None,
    json: Json = False,
    quiet: Quiet = False,
    delimiter: of.Delimiter = None,
    encoding: of.Encoding = None,
    decimal: of.Decimal = None,
    thousands: of.Thousands = None,
    sheet: of.Sheet = None,
    table: of.Table = None,
    query: of.Query = None,
) -> None:
    """Count the records of a released table that share their quasi-identifiers, whoever made it.

    \b
    Examples:
      microagg check safe.csv -k 5 -q turnover,staff
      microagg check visits.parquet -k 3 -q age,town --entity patient --json

    Name every column by which an observer may tell records apart: released strata and weights too.

    \b
    Exit codes:
      0    safe: each record shares its values with at least K - 1 others
      2    the request or the data have faults, all of them listed
      3    not safe
      130  stopped with Ctrl-C
    """
    _check(locals())


def _check(said: Mapping[str, Any]) -> None:
    start, k, json = perf_counter(), said["k"], said["json"]
    with plain_errors(json=json), shown(reading(said["file"]), quiet=said["quiet"]):
        from microagg.run import check_release

        faults = Faults()
        seen = faults.attempt(names, said["quasi_identifiers"])
        found = faults.attempt(check_release, request.source(said), k, seen or (), said["entity"])
        if faults or found is None:
            raise InputError(faults if seen is not None else faults[:1])
    if json:
        say([as_json(_as_data(found, k, perf_counter() - start))])
    elif not said["quiet"]:
        say(_told(found, k, of_entities=said["entity"] is not None))
    if found.records_below_k:
        raise typer.Exit(UNSAFE)


def _told(found: Classes, k: int, *, of_entities: bool) -> list[str]:
    below = found.records_below_k
    what = "entities" if of_entities else "records"
    verdict = (
        f"not safe for k = {k}: {below:,} of {counted(found.records, 'record')} "
        f"{'is' if below == 1 else 'are'} in a class of fewer than {k} {what}"
        if below
        else f"safe for k = {k}: each class holds at least {found.smallest} {what}"
    )
    heads = ["size", "classes", what, "" if not below else f"fewer than {k}"]
    rows = [
        [span(least, most), f"{classes:,}", f"{members:,}", "x" if most < k else ""]
        for least, most, classes, members in _in_ranges(found.sizes, k)
    ]
    return [
        *titled([("Records", f"{found.records:,} in {counted(found.count, 'class', 'classes')}")]),
        *titled([("Check", verdict)]),
        "",
        *table(heads, rows, right=[0, 1, 2]),
    ]


def _in_ranges(sizes: Mapping[int, int], k: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield least and greatest size, classes and members, of all sizes or, if these are many, of ranges.

    From a size on that is not shown by itself each range reaches to its double, but never across k.
    """
    left = sorted(sizes)
    by_itself = len(left) if len(left) <= _ALL_SHOWN else _FIRST_SHOWN
    while left:
        end = left[0] + 1 if by_itself > 0 else 2 * left[0]
        within = [size for size in left if size < end and (size < k) == (left[0] < k)]
        classes, members = sum(sizes[size] for size in within), sum(size * sizes[size] for size in within)
        yield within[0], within[-1], classes, members
        left = left[len(within) :]
        by_itself -= 1


def _as_data(found: Classes, k: int, seconds: float) -> dict[str, Any]:
    return {
        "safe": not found.records_below_k,
        "k": k,
        "records": found.records,
        "records_below_k": found.records_below_k,
        "classes": {"count": found.count, "smallest": found.smallest, "largest": found.largest},
        "sizes": {str(size): count for size, count in found.sizes.items()},
        "seconds": seconds,
    }
