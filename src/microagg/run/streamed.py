"""A request for a table that is read in parts, made ready: or all its faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import microagg.tables as tables
from microagg.errors import Faults, InputError
from microagg.partition.blocked import Blocked
from microagg.partition.registry import method_of
from microagg.plan import CENTRES, Centre, Plan, well_formed
from microagg.plan.faults import wrong_centre
from microagg.tables.kinds import kind_of_type
from microagg.tables.part_writing import require_writable_in_parts
from microagg.tables.parts import Asked, Coding, Look, coding_of, joined_looks, look_at
from microagg.tables.streams import Stream, stream_of
from microagg.tables.text_kinds import Spelled, kind_of_spelled, spelled_in

AUTO = "blocked(mdav)"
"""What is taken larger than memory where the method is left open."""

AS_MANY = 1 << 62  # records, as long as nobody has counted them

Watch = Callable[[], None]


class Request(NamedTuple):
    """A request without faults, as far as the table need not be read for them."""

    plan: Plan
    method: Blocked
    left_open: bool  # whether another could have been chosen
    stream: Stream
    columns: dict[str, Asked]  # the quasi-identifiers, in alphabetical order
    centres: tuple[Centre, ...]
    target: tables.Target  # there is none only where what is released is handed over as it is


class Seen(NamedTuple):
    """What was seen of the whole table."""

    codings: tuple[Coding, ...]
    records: int


def requested(data: Any, plan: Plan, method: Any, to: Any, watch: Watch) -> Request:
    """Return the request made ready, or raise one error with all that is wrong with it."""
    faults = Faults()
    target = faults.attempt(tables.target_of, to, data) if to is not None else None
    if to is None:
        faults.append("larger than memory needs a file to write: say to=, or take engine='memory'")
    stream = faults.attempt(stream_of, data)
    return request_of(stream, plan, method, target, faults, watch)


def request_of(
    stream: Stream | None,
    plan: Plan,
    method: Any,
    target: tables.Target | tables.TableTarget | None,
    faults: Faults,
    watch: Watch = lambda: None,
) -> Request:
    """Return the request for a table, or raise one error with these faults and all others."""
    faults[:0] = [*plan.faults(), *_not_done(plan)]
    plan = well_formed(plan)
    chosen = faults.attempt(_method, plan.method if method is None else method)
    if not stream:
        raise InputError(faults)
    faults += plan.faults_for(stream.names, AS_MANY)
    InputError.raise_any(dict.fromkeys(faults))
    if target:
        faults.attempt(require_writable_in_parts, target, stream, plan.released(stream.names))
    columns = _columns(stream, plan, faults, watch)
    InputError.raise_any(dict.fromkeys(faults))
    assert chosen is not None
    centres = tuple(plan.centres.get(name, CENTRES[of.kind][0]) for name, of in columns.items())
    left_open = plan.method == "auto"
    if left_open:
        plan = plan.changed(method=AUTO)
    return Request(plan, chosen, left_open, stream, columns, centres, target)  # type: ignore[arg-type]


def _not_done(plan: Plan) -> list[str]:
    """Return what is asked for that is not yet done larger than memory."""
    asked: dict[str, Any] = {
        "weights are": plan.weight,
        "strata are": plan.strata,
        "entities are": plan.entity,
        "edits are": plan.edits,
        "a robust scale is": plan.scale == "robust",
        "missing values in groups of their own are": plan.missing == "own-group",
    }
    return [
        f"{told} not yet done larger than memory: take engine='memory'"
        for told, said in asked.items()
        if said
    ]


def _method(given: Any) -> Blocked:
    found = method_of(AUTO if given == "auto" else given)
    if not isinstance(found, Blocked):
        raise InputError(
            f"the method {given!r} needs all records at once, which is not done larger than memory: take "
            f"blocked({given if isinstance(given, str) else '...'}), or engine='memory'"
        )
    return found


def _columns(stream: Stream, plan: Plan, faults: Faults, watch: Watch) -> dict[str, Asked]:
    """Return the quasi-identifiers and their kinds, and collect what is wrong with them."""
    names = sorted(set(plan.quasi_identifiers))
    spelled = _spelled(stream, [name for name in names if name not in {**plan.kinds, **plan.orders}], watch)
    found = {}
    for name in names:
        column = faults.attempt(_column, stream, plan, name, spelled)
        if column:
            found[name] = column
    return found


def _spelled(stream: Stream, names: list[str], watch: Watch) -> Mapping[str, list[Spelled]]:
    """Return how the values of columns of text are spelled, where that tells their kind."""
    found: dict[str, list[Spelled]] = {name: [] for name in names}
    if stream.csv and names:
        for part in stream.parts(names):
            watch()
            for name in names:
                found[name].append(spelled_in(part.column(name), stream.csv))
    return found


def _column(stream: Stream, plan: Plan, name: str, spelled: Mapping[str, list[Spelled]]) -> Asked:
    order = plan.orders.get(name, ())
    form = stream.schema.field(name).type
    kind = plan.kinds.get(name) or ("ordinal" if order else None)
    if kind is None and stream.csv:
        kind = kind_of_spelled(spelled[name])
    kind = kind or kind_of_type(name, form).kind
    if kind not in CENTRES:
        raise InputError([])  # told already, as a fault of the plan
    centre = plan.centres.get(name, CENTRES[kind][0])
    if centre not in CENTRES[kind]:
        raise InputError(wrong_centre(name, centre, kind))
    is_level = kind in ("ordinal", "nominal", "boolean")
    if (centre == "mode" and not is_level) or (kind == "ordinal" and centre in ("mean", "trimmed mean")):
        raise InputError(
            f"the {centre} of column {name!r}, which is {kind}, is not yet done larger than memory: take "
            "another centre, or engine='memory'"
        )
    asked = Asked(name, kind, form, tuple(order), stream.csv)
    asked.require_readable_in_parts()
    return asked


def seen_in(request: Request, watch: Watch) -> Seen:
    """Return what all records show together, or raise one error with all that is wrong with them."""
    columns, faults = list(request.columns.values()), Faults()
    looks: dict[str, list[Look]] = {of.name: [] for of in columns}
    broken: set[str] = set()
    records = 0
    for part in request.stream.parts(list(looks)):
        watch()
        for of in columns:
            if of.name in broken:
                continue
            look = faults.attempt(look_at, of, part.column(of.name).chunk(0), records, request.stream.where)
            if look is None:
                broken.add(of.name)
            else:
                known = looks[of.name]
                known.append(look)
                if len(known) >= 64:
                    looks[of.name] = [joined_looks(of, known)]
        records += part.num_rows
    whole = {
        of.name: look
        for of in columns
        if of.name not in broken and (look := faults.attempt(joined_looks, of, looks[of.name]))
    }
    return seen_from(request, whole, records, faults)


def seen_from(request: Request, looks: Mapping[str, Look], records: int, faults: Faults) -> Seen:
    """Return what was seen, or raise one error with these faults and all others."""
    faults += request.plan.faults_for(request.stream.names, records)
    InputError.raise_any(dict.fromkeys(faults) if not records else ())
    codings = [
        coding
        for name, of in request.columns.items()
        if name in looks and (coding := faults.attempt(_coding, request, of, looks[name]))
    ]
    InputError.raise_any(dict.fromkeys(faults))
    return Seen(tuple(codings), records)


def _coding(request: Request, of: Asked, look: Look) -> Coding:
    if request.plan.missing == "error" and look.missing:
        raise InputError(
            f"column {of.name!r} has a missing value in {request.stream.where(look.first_missing)}"
            f"{f', one of {look.missing:,}' if look.missing > 1 else ''}: fill or drop it, or let missing "
            "values be shared by their group"
        )
    return coding_of(of, look)
