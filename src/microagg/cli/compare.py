"""`microagg compare`: methods by k, what each loses and risks, and the plan to choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import typer

import microagg.cli.asked as asked
import microagg.cli.options as of
import microagg.cli.request as request
from microagg.cli.exits import FAULTY, NONE_FITS, end, plain_errors
from microagg.cli.printed import as_json, say, table, titled
from microagg.cli.progress import Measuring, reading, shown
from microagg.errors import Faults, InputError

if TYPE_CHECKING:
    from microagg.run import Candidate, Comparison

_CEILINGS = ("loss_at_most", "risk_at_most")


def compare(
    file: of.File,
    quasi_identifiers: of.QuasiIdentifiers = None,
    methods: of.Methods = None,
    sizes: of.Sizes = None,
    loss_at_most: of.LossAtMost = None,
    risk_at_most: of.RiskAtMost = None,
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
    budget: of.Budget = None,
    seed: of.Seed = None,
    output: of.ChosenPlan = None,
    overwrite: of.OverwriteFile = False,
    picture: of.MapFile = None,
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
    """Try methods with several k on a table, and say what each loses and risks; nothing is released.

    \b
    Examples:
      microagg compare firms.csv -q turnover,staff --drop rest
      microagg compare firms.csv --plan plan.toml -k 3,5,10 --picture map.html
      microagg compare firms.csv --plan plan.toml --loss-at-most 10 -o chosen.toml
      microagg compare firms.csv -q staff,turnover --drop rest -m "mdav,vmdav(gamma=0.2)"

    The risk is the share of released records that are nearest to their own original. If a ceiling
    is stated, one candidate is chosen: of those that lose no more, the one with the least risk; of
    those that risk no more, the one with the least loss. Its plan is for microagg protect.

    \b
    Exit codes:
      0    compared, and what was to be written is written
      2    the request or the data have faults, all of them listed
      5    compared, but no candidate keeps to what was stated: no plan was written
      130  stopped with Ctrl-C
    """
    _compare(locals())


def _compare(said: Mapping[str, Any]) -> None:
    json = said["json"]
    with (
        plain_errors("Nothing was written.", json=json),
        shown(reading(said["file"]), quiet=said["quiet"]) as bar,
    ):
        from microagg import run

        found = run.compare(**_asked(said), progress=Measuring(bar, "Comparing"))
    faults = _write(found, said)
    if json:
        say([as_json(as_data(found))])
    elif not said["quiet"]:
        say([*_rows(found), "", *titled(_sentences(found, said))])
    if faults:
        end(FAULTY, faults, json=json)
    if found.chosen is None and (found.is_limited or not found.frontier):
        raise typer.Exit(NONE_FITS)


def _asked(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request as arguments; raises InputError with its faults and those of the data at once."""
    from microagg.run.comparison import METHODS, SIZES, ready
    from microagg.run.grid import grid_of

    faults = Faults()
    methods = asked.methods(said["methods"]) if said["methods"] else METHODS
    sizes = faults.attempt(asked.whole_numbers, "-k", said["sizes"]) if said["sizes"] else list(SIZES)
    ceilings = {name: said[name] for name in _CEILINGS}
    grid = grid_of(methods, sizes or SIZES, **ceilings)
    options = request.options({**said, "k": grid.least}, faults)
    del options["k"]
    faults.attempt(_require_places, said)
    plan, names = options.pop("plan", None), options.pop("quasi_identifiers", None)
    if faults:
        if plan or not said["plan"]:
            faults.attempt(ready, grid, request.source(said), plan, names, options)
        raise InputError(dict.fromkeys(faults))
    data = {"data": request.source(said), "quasi_identifiers": names, "plan": plan}
    return {**data, "methods": methods, "k": sizes, **ceilings, **options}


def _require_places(said: Mapping[str, Any]) -> None:
    """Raise an InputError with all that is wrong with what is to be written."""
    faults = Faults()
    if said["output"]:
        faults.attempt(request.require_new, said["output"], overwrite=said["overwrite"])
        if all(said[name] is None for name in _CEILINGS):
            faults.append("-o writes the plan that is chosen: state --loss-at-most or --risk-at-most")
    if said["picture"]:
        from microagg.report.map_page import form_of

        faults.attempt(form_of, said["picture"])
    others = {said[name] for name in ("file", "plan") if said[name]}
    faults.attempt(request.require_all_free, said, ("output", "picture"), others)
    InputError.raise_any(faults)


def _write(found: Comparison, said: Mapping[str, Any]) -> list[str]:
    """Write the plan that is chosen and the picture; return what could not be written."""
    faults = Faults()
    if said["output"] and found.chosen:
        faults.attempt(found.chosen.plan.save, said["output"])
    if said["picture"] and found.frontier:
        faults.attempt(found.save_picture, said["picture"])
    return faults


def _rows(found: Comparison) -> list[str]:
    """Return the candidates as a table, without columns that none has a figure for."""
    columns = [(head, [cell(one) for one in found.candidates]) for head, cell in _CELLS.items()]
    marks = [_mark(one, found) for one in found.candidates]
    shown = [(head, cells) for head, cells in columns if any(cells)]
    heads = [head for head, _ in shown]
    rows = list(zip(*(cells for _, cells in shown), marks, strict=True))
    return table([*heads, ""], rows, right=range(1, len(heads)))


_CELLS: dict[str, Callable[[Candidate], str]] = {
    "method": lambda one: one.method,
    "k": lambda one: str(one.k),
    "loss %": lambda one: _number(one.loss),
    "linked %": lambda one: _percent(one.risk),
    "smallest class": lambda one: _whole(one.smallest_class),
    "given away %": lambda one: _percent(one.sensitive),
    "dominated": lambda one: _whole(one.dominated),
    "time": lambda one: f"{_number(one.seconds)} s" if one.seconds is not None else "",
}


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(share: float | None) -> str:
    return _number(None if share is None else 100.0 * share)


def _whole(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _mark(one: Candidate, found: Comparison) -> str:
    if one.fault:
        return "cannot be made"
    return "chosen" if one is found.chosen else "frontier" if one in found.frontier else ""


def _sentences(found: Comparison, said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Choice", found.reason
    yield from (("Fault", fault) for fault in found.faults)
    if said["picture"] and found.frontier:
        yield "Picture", str(said["picture"])
    if said["output"] and found.chosen:
        yield "Written", str(said["output"])
        yield "Next", f"microagg protect FILE --plan {said['output']} -o OUT"


def as_data(found: Comparison) -> dict[str, Any]:
    """Return what a program reads."""
    return {
        "candidates": [
            {
                "method": one.method,
                "k": one.k,
                "loss_percent": one.loss,
                "linked": one.risk,
                "smallest_class": one.smallest_class,
                "given_away": one.sensitive,
                "dominated_classes": one.dominated,
                "seconds": one.seconds,
                "on_frontier": one in found.frontier,
                "chosen": one is found.chosen,
                "fault": one.fault or None,
            }
            for one in found.candidates
        ],
        "chosen": None if found.chosen is None else {"method": found.chosen.method, "k": found.chosen.k},
        "reason": found.reason,
    }
