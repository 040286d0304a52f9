"""The risk-utility map: what candidates lose, across, and risk, upwards, as plain data and in its places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist
from typing import NamedTuple

from microagg.report.scales import even_ticks

_ROOM = 1.06  # of the largest figure, up to which an axis reaches
_IN_SIGHT = 1.4  # of the largest figure, up to which a ceiling is shown
_TICKS = 6
_WIDTH, HEIGHT = 640, 380  # pixels: of a field that is as wide as pages mostly are, and its height
_MARK, _CHOSEN = 6.0, 11.0  # pixels from the middle of a mark to its border
_LETTER, _HIGH = 7.5, 12.0  # pixels of a digit
_NEAR = 30.0  # pixels up to which marks of the same k need it once
AWAY = 4.0  # pixels between a mark and its k
CORNERS = ((1, -1), (-1, 1), (-1, -1), (1, 1))
"""Where k can stand: to the right or left (-1) and below or above (-1); the first two no frontier crosses."""


Place = tuple[float, float]
Corner = tuple[int, int]


class Mark(NamedTuple):
    """A candidate on the map: its loss in percent, its risk as a share."""

    method: str
    k: int
    loss: float
    risk: float
    on_frontier: bool = False
    is_chosen: bool = False

    @property
    def reach(self) -> float:
        """How many pixels it reaches from its middle."""
        return _CHOSEN if self.is_chosen else _MARK


class Map(NamedTuple):
    """The candidates that could be made, the ceilings, why one was chosen, and why others are not there."""

    marks: tuple[Mark, ...]
    loss_at_most: float | None = None
    risk_at_most: float | None = None
    reason: str = ""
    faults: tuple[str, ...] = ()

    @property
    def methods(self) -> list[str]:
        """The methods, in the order of the candidates."""
        return list(dict.fromkeys(mark.method for mark in self.marks))

    @property
    def chosen(self) -> Mark | None:
        """The candidate that was chosen."""
        return next((mark for mark in self.marks if mark.is_chosen), None)


class Spot(NamedTuple):
    """A mark at its place, in percent of the field from its upper left, and where its k stands, if at all."""

    mark: Mark
    x: float
    y: float
    corner: Corner | None


class Layout(NamedTuple):
    """The map in its places, in percent of the field from its upper left."""

    spots: tuple[Spot, ...]
    frontier: tuple[Place, ...]  # corners of the line
    loss_ticks: tuple[tuple[float, float], ...]  # the loss in percent, and its place
    risk_ticks: tuple[tuple[float, float], ...]  # the risk in percent, and its place
    loss_at_most: float | None  # where the ceilings lie, if they can be seen
    risk_at_most: float | None


class _Axis(NamedTuple):
    end: float

    def place(self, value: float) -> float:
        return 100.0 * value / self.end

    def seen(self, ceiling: float | None) -> float | None:
        return None if ceiling is None or ceiling > self.end else self.place(ceiling)

    def ticks(self, unit: float = 1.0) -> list[tuple[float, float]]:
        found = even_ticks(0.0, self.end / unit, _TICKS)
        return [(value, self.place(value * unit)) for value in found]


def laid_out(of: Map) -> Layout:
    """Return the map in its places; both axes begin with nothing lost, and nothing risked."""
    loss = _axis([mark.loss for mark in of.marks], of.loss_at_most)
    risk = _axis([mark.risk for mark in of.marks], of.risk_at_most)
    risk_ceiling = risk.seen(of.risk_at_most)
    places = [(loss.place(mark.loss), 100.0 - risk.place(mark.risk)) for mark in of.marks]
    return Layout(
        spots=tuple(_spots(of.marks, places)),
        frontier=tuple(
            _steps([place for mark, place in zip(of.marks, places, strict=True) if mark.on_frontier])
        ),
        loss_ticks=tuple(loss.ticks()),
        risk_ticks=tuple((value, 100.0 - place) for value, place in risk.ticks(0.01)),
        loss_at_most=loss.seen(of.loss_at_most),
        risk_at_most=None if risk_ceiling is None else 100.0 - risk_ceiling,
    )


def _axis(values: Sequence[float], ceiling: float | None) -> _Axis:
    most = max(values, default=0.0)
    if ceiling is not None and ceiling <= _IN_SIGHT * most:
        most = max(most, ceiling)
    return _Axis(_ROOM * most or 1.0)


def _steps(places: Sequence[Place]) -> Iterator[Place]:
    """Yield the corners of the frontier, which goes in steps: between two candidates there is nothing."""
    if not places:
        return
    ordered = sorted(places, key=lambda place: (place[0], -place[1]))
    yield ordered[0][0], 0.0
    for (x, y), (then, _) in zip(ordered, [*ordered[1:], (100.0, 0.0)], strict=True):
        yield x, y
        yield then, y


def _spots(marks: Sequence[Mark], places: Sequence[Place]) -> Iterator[Spot]:
    """Yield the marks, each with the corner at which its k is in nobody's way; the frontier's come first."""
    middles = [(x * _WIDTH / 100.0, y * HEIGHT / 100.0) for x, y in places]
    boxes = [_Box(*at, mark.reach, mark.reach) for at, mark in zip(middles, marks, strict=True)]
    corners: dict[int, Corner] = {}
    for at in sorted(range(len(marks)), key=lambda at: (not marks[at].is_chosen, not marks[at].on_frontier)):
        near = (other for other in corners if dist(middles[at], middles[other]) < _NEAR)
        if marks[at].k not in (marks[other].k for other in near):
            found = next(_free(marks[at], middles[at], boxes), None)
            if found:
                corners[at], box = found
                boxes.append(box)
    for at, (mark, (x, y)) in enumerate(zip(marks, places, strict=True)):
        yield Spot(mark, x, y, corners.get(at))


class _Box(NamedTuple):
    """Room that is taken, in pixels: its middle, and how far it reaches."""

    x: float
    y: float
    across: float
    up: float

    def meets(self, other: _Box) -> bool:
        near = abs(self.x - other.x) < self.across + other.across
        return near and abs(self.y - other.y) < self.up + other.up


def _free(mark: Mark, middle: Place, boxes: Sequence[_Box]) -> Iterator[tuple[Corner, _Box]]:
    """Yield the corners of a mark where its k has room, and the room that it takes."""
    across, up = len(str(mark.k)) * _LETTER / 2.0, _HIGH / 2.0
    for right, down in CORNERS:
        x = middle[0] + right * (mark.reach + AWAY + across)
        box = _Box(x, middle[1] + down * (mark.reach + up), across, up)
        if box.across <= box.x <= _WIDTH - box.across and not any(box.meets(other) for other in boxes):
            yield (right, down), box
