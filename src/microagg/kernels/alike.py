"""Which distances count as equal: those that differ by rounding alone."""

from __future__ import annotations

from typing import Any

import numpy as np

ALIKE = 1.0 + 1e-9  # squared distances in this ratio count as equal
ROUNDING = 2.0**-50
"""How far rounding may move a point, as a share of its distance from the origin.

A released value is a mean that was rounded: the two members of a pair are as far from their mean as each
other, but for that.
"""


def limit_of(square: Any, slack: Any) -> Any:
    """Return the largest squared distance that counts as equal to one, if a point may be off by `slack`."""
    distance = np.sqrt(square) + slack
    return distance * distance * ALIKE
