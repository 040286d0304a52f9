"""Numbers brought to a size at which neither their squares overflow nor tiny ones vanish."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from microagg.columns import Floats

_LIGHTEST = 2.0**-200


class Scale(NamedTuple):
    """Where zero lies, and a power of two as the unit: what is scaled keeps all its digits."""

    origin: float = 0.0
    exponent: int = 0
    halved: int = 0  # 1 where the difference of the greatest and the least would overflow

    def of(self, values: Floats) -> Floats:
        """Return values as they lie from the origin, in this unit."""
        if not self.halved:
            return np.asarray(np.ldexp(values - self.origin, -self.exponent))
        halves = np.ldexp(values, -1) - self.origin / 2
        return np.asarray(np.ldexp(halves, 1 - self.exponent))

    def back(self, scaled: float) -> float:
        """Return the number that lies there."""
        length = math.ldexp(scaled, self.exponent - self.halved)
        return math.ldexp(math.ldexp(self.origin, -self.halved) + length, self.halved)

    def length(self, scaled: float) -> float | None:
        """Return a length in the unit of the values; None where no number is so large."""
        try:
            return math.ldexp(scaled, self.exponent)
        except OverflowError:
            return None


def scale_of(*parts: Floats) -> Scale:
    """Return the scale in which all values lie less than 1 from the least of the first part.

    The least value is the origin because the difference to it is exact wherever those of the data
    are: adding 1e9 to a column changes nothing.
    """
    least, greatest = min(float(part.min()) for part in parts), max(float(part.max()) for part in parts)
    halved = int(math.isinf(greatest - least))
    exponent = math.frexp(math.ldexp(greatest, -halved) - math.ldexp(least, -halved))[1] + halved
    return Scale(float(parts[0].min()), exponent, halved)


def steady(weights: Floats) -> Floats:
    """Return weights times a power of two, such that their sums neither overflow nor vanish.

    None is taken to be less than 1e-60 of the heaviest.
    """
    if not weights.size:
        return weights
    scaled = np.ldexp(weights, -math.frexp(float(weights.max()))[1])
    return np.asarray(np.maximum(scaled, _LIGHTEST))


def finite(value: float) -> float | None:
    """Return a number, or None for what is none."""
    return value if math.isfinite(value) else None


def ratio(part: float, whole: float) -> float | None:
    """Return part/whole: 0 where the part is nothing, None where there is no such number."""
    if part == 0.0:
        return 0.0
    return finite(part / whole) if whole else None
