"""The data of the pictures, drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

import microagg.report.times as times
from microagg.columns import Calendar, Floats
from microagg.report.distributions import Categories, Distribution, Histogram
from microagg.report.figures import Bar, ColumnBar, Matrix
from microagg.report.scatter import Scatter
from microagg.report.svg import bar, field, label, line, path, plot, point, tag
from microagg.report.wording import count, percent, shortened, signed, ticks

_BARS_HIGH, _SMALL_HIGH, _SCATTER_HIGH = 200, 120, 420  # pixels
_ROW, _CATEGORY, _CELL = 40, 30, 34
_LABELLED = 12  # bars that all have their label
_SLOTS = 5  # places for bars there are at least, so that none is a block
_DATE = len("2019-01-01")
_GAP = 0.16  # of a bar's width


def bars(name: str, title: str, of: Sequence[Bar], what: str, along: str) -> Markup:
    """Return upright bars with their counts, in the order given; those below k are hatched."""
    most = max(found.total for found in of)
    width = 100.0 / max(len(of), _SLOTS)
    each = -(-len(of) // _LABELLED)  # of how many one is labelled
    shapes, texts = [], [_axis_name(along)]
    for at, found in enumerate(of):
        high = 100.0 * found.total / most
        class_ = "bar below" if found.is_below else "bar"
        shapes.append(bar((at + _GAP / 2) * width, 100 - high, (1 - _GAP) * width, high, class_))
        middle = (at + 0.5) * width
        if at % each == 0:
            texts.append(label(found.label, middle, 100, "tick middle", dy="1.3em"))
        if len(of) <= _LABELLED:
            texts.append(label(count(found.total), middle, 100 - high, "value middle", dy="-0.4em"))
    described = "; ".join(f"{found.label}: {count(found.total)} {what}" for found in of)
    return plot(name, title, described, _BARS_HIGH, field(*shapes, _base()), *texts, kind="upright")


def losses(name: str, title: str, of: Sequence[ColumnBar], overall: float) -> Markup:
    """Return a lying bar for each column, and where the loss of all together lies."""
    most = max(100.0 * _is_large(of), *(found.percent for found in of), overall) or 1.0
    row = 100.0 / len(of)
    shapes, texts = [], []
    for at, found in enumerate(of):
        top = (at + 0.5) * row
        shapes.append(bar(0, top, 100, 0.3 * row, "track"))
        shapes.append(bar(0, top, 100.0 * found.percent / most, 0.3 * row, "bar"))
        texts.append(label(shortened(found.name, 40), 0, top, "label", dy="-0.4em"))
        texts.append(label(percent(found.percent), 100, top, "value end", dy="-0.4em"))
    across = 100.0 * overall / most
    shapes.append(path([line(across, 0, across, 100)], "overall"))
    described = "; ".join(f"{found.name}: {percent(found.percent)}" for found in of)
    texts.append(label(f"all {percent(overall)}", across, 0, f"value {_side(across)}", dy="-0.5em"))
    return plot(name, title, described, _ROW * len(of), field(*shapes), *texts, kind="lying")


def distribution(name: str, of: Distribution) -> Markup:
    """Return the values of a column, before as filled bars, after as a line."""
    return _histogram(name, of) if isinstance(of, Histogram) else _categories(name, of)


def _histogram(name: str, of: Histogram) -> Markup:
    places = of.scale(of.edges)
    x = 100.0 * _between(places)
    most = max(int(of.before.max()), int(of.after.max()), 1)
    high = 100.0 * of.before / most
    shapes = [
        bar(float(x[at]), 100 - float(high[at]), float(x[at + 1] - x[at]), float(high[at]), "before")
        for at in range(of.before.size)
        if of.before[at]
    ]
    shapes.append(path([_steps(x, 100.0 - 100.0 * of.after / most)], "after"))
    described = f"Records by value of {of.name}, before and after: the numbers stand in the table."
    return plot(
        name,
        f"{of.name}: before and after",
        described,
        _SMALL_HIGH,
        field(*shapes, _base()),
        *_value_ticks(of),
        kind="small",
    )


def _steps(x: Floats, tops: Floats) -> str:
    """Return the outline of a histogram, as part of a path."""
    corners = [f"M{x[0]:.2f} 100"]
    corners += [f"V{top:.2f}H{right:.2f}" for top, right in zip(tops, x[1:], strict=True)]
    return f"{''.join(corners)}V100"


def _between(places: Floats) -> Floats:
    """Return where places lie between the first of them, at 0, and the last, at 1."""
    with np.errstate(over="ignore"):
        if np.isinf(places[-1] - places[0]):
            places = places / 2.0
    if places[-1] == places[0]:
        return np.linspace(0.0, 1.0, places.size)
    return np.asarray((places - places[0]) / (places[-1] - places[0]))


def _value_ticks(of: Histogram) -> list[Markup]:
    low, high = float(of.edges[0]), float(of.edges[-1])
    if low == high:
        return [label(_texts(of, [low])[0], 50, 100, "tick middle", dy="1.3em")]
    values = of.scale.ticks(low, high, 5) if of.calendar is None else _ticks(of.calendar, low, high)
    places = 100.0 * _between(of.scale(np.array([low, *values, high])))[1:-1]
    return [
        label(text, float(at), 100, f"tick {_side(float(at), 8)}", dy="1.3em")
        for text, at in zip(_texts(of, values), places, strict=True)
    ]


def _ticks(calendar: Calendar, low: float, high: float) -> list[float]:
    """Return dates, of which fewer have room than of numbers, and of times of day only two."""
    found = times.ticks(calendar, low, high, 3)
    return found if len(times.texts(calendar, found)[0]) <= _DATE else found[:: max(1, len(found) - 1)]


def _texts(of: Histogram, values: Sequence[float]) -> list[str]:
    return ticks(values) if of.calendar is None else times.short(times.texts(of.calendar, values))


def _categories(name: str, of: Categories) -> Markup:
    most = max(*of.before, *of.after, 1)
    row = 100.0 / len(of.labels)
    shapes, texts = [], []
    for at, (text, before, after) in enumerate(zip(of.labels, of.before, of.after, strict=True)):
        top = (at + 0.5) * row
        shapes.append(bar(0, top, 100.0 * before / most, 0.36 * row, "before"))
        shapes.append(_framed(0, top, 100.0 * after / most, 0.36 * row))
        texts.append(label(shortened(text, 26), 0, top, "label small", dy="-0.35em"))
        texts.append(label(f"{count(before)} → {count(after)}", 100, top, "value small end", dy="-0.35em"))
    described = "; ".join(
        f"{text}: {count(before)}, then {count(after)}"
        for text, before, after in zip(of.labels, of.before, of.after, strict=True)
    )
    height = _CATEGORY * len(of.labels)
    return plot(name, f"{of.name}: before and after", described, height, field(*shapes), *texts, kind="rows")


def _framed(x: float, y: float, width: float, height: float) -> Markup:
    right, low = x + width, y + height
    return path([f"M{x:.2f} {y:.2f}H{right:.2f}V{low:.2f}H{x:.2f}"], "after")


def matrix(name: str, title: str, of: Matrix) -> Markup:
    """Return the changes of correlations below the diagonal, each with its number and its sign."""
    size = len(of.names)
    most = max(0.2, float(np.abs(of.changes).max()))
    left, row = 30.0, 100.0 / size  # the names take the left
    width = (100.0 - left) / max(1, size - 1)
    shapes, texts, said = [], [], []
    for i, own in enumerate(of.names):
        middle = (i + 0.5) * row
        texts.append(label(f"{i + 1}  {shortened(own, 22)}", 0, middle, "label", dy="0.35em"))
        for j in range(i):
            change = float(of.changes[i, j])
            x = left + j * width
            shapes.append(_cell(x, i * row, width, row, change, most))
            texts.append(label(signed(change), x + width / 2, middle, "cell middle", dy="0.35em"))
            said.append(f"{own} and {of.names[j]}: {signed(change)}")
        if i < size - 1:
            x = left + (i + 0.5) * width
            texts.append(label(str(i + 1), x, (i + 1) * row, "tick middle", dy="-0.5em"))
    return plot(name, title, "; ".join(said), _CELL * size, field(*shapes), *texts, kind="matrix")


def _cell(x: float, y: float, width: float, height: float, change: float, most: float) -> Markup:
    strength = 0.06 + 0.44 * abs(change) / most
    sign = {"+": "plus", "−": "minus"}.get(signed(change)[0], "track")  # none where it rounds to nothing
    return tag(
        "rect", x=x, y=y, width=width, height=height, class_=f"change {sign}", fill_opacity=f"{strength:.2f}"
    )


def records(name: str, title: str, of: Scatter) -> Markup:
    """Return the records as dots, each tied to what is released for it."""
    before = [(float(x), float(y)) for x, y in 100.0 * _upwards(of.records)]
    after = [(float(x), float(y)) for x, y in 100.0 * _upwards(of.released)]
    shapes = [
        path([line(0, 0, 0, 100), line(0, 100, 100, 100)], "axes"),
        path((line(*one, *other) for one, other in zip(before, after, strict=True)), "tie"),
        path((point(*at) for at in before), "record"),
        path((point(*at) for at in dict.fromkeys(after)), "centre"),
    ]
    described = (
        f"{count(of.shown)} records in {count(of.groups)} groups, each tied by a line to its released point."
    )
    across, up = (
        f"{name} main direction: {percent(100.0 * of.shares[at])} of the spread"
        for at, name in enumerate(("First", "Second"))
    )
    texts = [label(across, 100, 100, "axis end", dy="1.5em"), label(up, 0, 0, "axis", dy="-0.7em")]
    return plot(name, title, described, _SCATTER_HIGH, field(*shapes), *texts, kind="scatter")


def _upwards(points: Floats) -> Floats:
    """Return places with the second counted from above, and a little room around all."""
    return np.column_stack((0.02 + 0.96 * points[:, 0], 0.98 - 0.96 * points[:, 1]))


def _base() -> Markup:
    return path([line(0, 100, 100, 100)], "base")


def _axis_name(text: str) -> Markup:
    return label(text, 100, 100, "axis end", dy="2.9em")


def _side(at: float, margin: float = 15.0) -> str:
    """Return how text is anchored at a place, so that it does not leave the picture."""
    return "start" if at < margin else "end" if at > 100.0 - margin else "middle"


def _is_large(of: Sequence[ColumnBar]) -> bool:
    """Say whether bars are best drawn against the whole 100 percent."""
    return max(found.percent for found in of) > 50.0
