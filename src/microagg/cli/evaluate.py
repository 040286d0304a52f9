"""`microagg evaluate`: what a release lost, and what can be found out, whoever made it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

import microagg.cli.options as of
import microagg.cli.request as request
from microagg.cli.exits import plain_errors
from microagg.cli.printed import as_json, counted, say, share, span, table, titled
from microagg.cli.progress import Measuring, reading, shown
from microagg.errors import Faults, InputError

if TYPE_CHECKING:
    from microagg.measures.found import (
        Change,
        ChangeOfTime,
        Evaluation,
        LossMeasures,
        ModelEffect,
        RiskMeasures,
    )

_MANY = 1e6
"""From here on figures are told with a power of ten."""

Original = Annotated[
    str,
    typer.Argument(metavar="ORIGINAL", help="The table before: a file, or a database.", show_default=False),
]
Released = Annotated[
    str, typer.Argument(metavar="RELEASED", help="The table that is released.", show_default=False)
]


def evaluate(
    original: Original,
    released: Released,
    quasi_identifiers: of.Compared = None,
    k: of.AskedFor = None,
    match_by: of.MatchBy = None,
    plan: of.PlanFile = None,
    sensitive: of.Sensitive = None,
    weight: of.Weight = None,
    strata: of.Strata = None,
    entity: of.Entity = None,
    kind: of.Kinds = None,
    order: of.Orders = None,
    importance: of.Importance = None,
    scale: of.Scale = None,
    model: of.Models = None,
    seed: of.SampleSeed = None,
    report: of.Report = None,
    external_report: of.ExternalReport = None,
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
    """Judge a release beside its original: what was lost, and what can be found out.

    \b
    Examples:
      microagg evaluate firms.csv safe.csv -q turnover,staff
      microagg evaluate firms.csv other_tool.csv --match-by id --report judged.html
      microagg evaluate people.csv safe.csv -q age,income --model "income ~ age"

    Any program may have made the release. Rows are compared one by one, or matched by a column that
    names the record. If no columns are named, those that differ are compared. How the tables are read
    holds for both.

    \b
    Exit codes:
      0    judged; whether the figures are good enough is for you to say
      2    the request or the data have faults, all of them listed
      130  stopped with Ctrl-C
    """
    _evaluate(locals())


def _evaluate(said: Mapping[str, Any]) -> None:
    with plain_errors(json=said["json"]), shown(reading(said["original"]), quiet=said["quiet"]) as bar:
        from microagg import run

        asked = _asked(said)
        found = run.evaluate(
            **asked,
            models=said["model"] or (),
            report=said["report"],
            external_report=said["external_report"],
            progress=Measuring(bar),
        )
    if said["json"]:
        say([as_json(_plain(found))])
    elif not said["quiet"]:
        say(_told(found))


def _asked(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request as arguments; raises InputError with its faults and those of the tables at once."""
    faults = Faults()
    asked = request.options(said, faults)
    asked |= {place: request.source(said, place) for place in ("original", "released")}
    asked["match_by"] = said["match_by"]
    places = {said[name] for name in ("original", "released", "plan") if said[name]}
    faults.attempt(request.require_all_free, said, request.REPORTS, places)
    if faults:
        from microagg.run.judging import judged

        faults.attempt(judged, **asked)
        raise InputError(dict.fromkeys(faults))
    return asked


def _told(found: Evaluation) -> list[str]:
    """Return what a person reads."""
    classes, asked = found.risk.classes, found.risk.k
    sizes = f"{counted(classes.count, 'class', 'classes')} of {span(classes.smallest, classes.largest)}"
    return [
        *titled(
            [
                ("Records", f"{classes.records:,} in {sizes}"),
                ("k", f"{classes.smallest} found{f', {asked} asked for' if asked else ''}"),
                ("Loss", _loss(found.loss.percent)),
                *_risks(found.risk),
                *(("Note", note) for note in found.notes),
            ]
        ),
        "",
        *_columns(found.loss),
        *_models(found.loss.models),
    ]


def _loss(percent: float) -> str:
    if percent <= 100.0:
        return f"{percent:.2f} % of the information"
    return f"{_fixed(percent, 2)} %: further from the original than if all records were alike, which is 100 %"


def _fixed(number: float, digits: int) -> str:
    """Return a number with so many digits after its point; very large ones with a power of ten."""
    return f"{number:.{digits}f}" if abs(number) < _MANY else f"{number:.3g}"


def _risks(risk: RiskMeasures) -> Iterator[tuple[str, str]]:
    if risk.linkage:
        link = risk.linkage
        yield (
            "Linkage",
            f"{share(link.released_to_original)} of the released records are nearest to their own original, "
            f"{share(link.original_to_released)} of the originals are linked to their own released record",
        )
    if risk.intervals:
        inside = share(risk.intervals.by_rank)
        yield "Intervals", f"{inside} of the values lie within 1 to 10 % of the ranks of what is released"
    if risk.probabilistic:
        linked = risk.probabilistic
        error = f" (standard error {share(linked.error)})" if linked.error else ""
        yield "Patterns", f"{share(linked.linked)} are linked by patterns of agreement{error}"
    for name, of_column in risk.sensitive.items():
        yield (
            "Sensitive",
            f"{name}: {share(of_column.classes_given_away)} of the classes give it away; at least "
            f"{counted(of_column.distinct, 'value')} in a class, closeness {of_column.closeness:.2f}",
        )


def _columns(loss: LossMeasures) -> list[str]:
    heads = ["column", "kind", "loss %", "changed %", "IL1s", "mean before", "mean after"]
    rows = [
        [
            name,
            of_column.kind,
            _fixed(of_column.percent, 2),
            f"{100 * of_column.changed:.1f}",
            "" if of_column.shift is None else _fixed(of_column.shift, 4),
            *_means(of_column.mean),
        ]
        for name, of_column in loss.by_column.items()
    ]
    return table(heads, rows, right=[2, 3, 4, 5, 6])


def _means(mean: Change | ChangeOfTime | None) -> Sequence[str]:
    from microagg.measures.found import ChangeOfTime

    if mean is None:
        return "", ""
    return mean.texts if isinstance(mean, ChangeOfTime) else [f"{of:.6g}" for of in mean]


def _models(models: Sequence[ModelEffect]) -> Iterator[str]:
    for model in models:
        what = "R2" if model.kind == "regression" else "right answers"
        yield ""
        yield (
            f"{model.kind} of {model.target}: {what} {_fixed(model.score.before, 2)} fitted on the original, "
            f"{_fixed(model.score.after, 2)} on the release, {_fixed(round(model.baseline, 2) + 0.0, 2)} "
            "without predictors"
        )


def _plain(value: Any) -> Any:
    """Return figures as JSON knows them; arrays, which tell of single records or classes, are left out."""
    if is_dataclass(value):
        shown = ((of.name, getattr(value, of.name)) for of in fields(value))
        return {name: _plain(part) for name, part in shown if not hasattr(part, "dtype")}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value.isoformat() if isinstance(value, date) else value
