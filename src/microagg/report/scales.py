"""Scales of axes: even, or stretched where a few values lie far out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from microagg.columns import Floats

_FAR_OUT = 10.0  # quartile distances that an even axis may span
_NICE = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(NamedTuple):
    """How numbers become places on an axis: even, or like logarithms beyond one unit from zero."""

    unit: float = 0.0  # 0: even

    @property
    def is_stretched(self) -> bool:
        """Whether equal distances on the axis are not equal differences."""
        return self.unit > 0.0

    def __call__(self, values: Floats) -> Floats:
        """Return the places of numbers, in no particular unit."""
        return np.arcsinh(values / self.unit) if self.unit else values

    def back(self, places: Floats) -> Floats:
        """Return the numbers at places."""
        return np.sinh(places) * self.unit if self.unit else places

    def ticks(self, low: float, high: float, most: int) -> list[float]:
        """Return round numbers between two, that are not too near to each other."""
        return self._powers(low, high, most) if self.unit else even_ticks(low, high, most)

    def _powers(self, low: float, high: float, most: int) -> list[float]:
        """Return zero and powers of ten, as many as there is room for."""
        first = math.floor(math.log10(self.unit))
        last = math.ceil(math.log10(max(abs(low), abs(high))))
        powers = [10.0**power for power in range(first, last + 1)]
        candidates = [*(-power for power in reversed(powers)), 0.0, *powers]
        inside = [value for value in candidates if low <= value <= high]
        ends = self(np.array([low, high]))
        apart = float(ends[1] - ends[0]) / most
        return _thinned(inside, self(np.array(inside)), apart)


def scale_for(values: Floats) -> Scale:
    """Return a stretched scale for numbers of which a few lie far from the others, else an even one."""
    if not values.size:
        return Scale()
    low, lower, upper, high = (float(at) for at in np.quantile(values, [0.0, 0.25, 0.75, 1.0]))
    with np.errstate(over="ignore"):
        if not (0.0 < upper - lower < (high - low) / _FAR_OUT):
            return Scale()
    away = np.abs(values[values != 0.0])
    unit = upper - lower if low < 0.0 < high else float(np.quantile(away, 0.05))
    return Scale(unit) if high / unit < np.inf and unit > np.finfo(float).tiny else Scale()


def even_ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers at equal distances between two.

    >>> even_ticks(0.0, 97.0, 5), even_ticks(3.0, 3.0, 4)
    ([0.0, 20.0, 40.0, 60.0, 80.0], [3.0])
    """
    step = round_step(low, high, most)
    if not step:
        return [low]
    first, last = math.ceil(low / step), math.floor(high / step)
    return [whole * step for whole in range(first, last + 1)] if last - first <= 2 * most else [low, high]


def round_step(low: float, high: float, most: int) -> float:
    """Return a round step by which there are at most so many between two numbers; 0 if there is none.

    >>> round_step(0.0, 97.0, 5), round_step(0.0, 0.0, 5)
    (20.0, 0.0)
    """
    rough = high / most - low / most
    if not 1e-290 < rough < 1e290 or rough < 1e-12 * max(abs(low), abs(high)):
        return 0.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next((nice * power for nice in _NICE if nice * power >= rough), 10.0 * power)


def _thinned(values: list[float], places: Floats, apart: float) -> list[float]:
    """Return the values whose places are far enough from those already taken, zero and large ones first."""
    taken: list[int] = []
    for index in sorted(range(len(values)), key=lambda index: (values[index] != 0.0, -abs(values[index]))):
        if all(abs(places[index] - places[other]) >= apart for other in taken):
            taken.append(index)
    return [values[index] for index in sorted(taken)]
