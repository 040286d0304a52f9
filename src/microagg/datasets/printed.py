"""Data that a paper prints in full."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def toy() -> NDArray[np.float64]:
    """Return the 13 records of the V-MDAV paper's example 1: natural clusters of 4, 3, 3 and 3.

    MDAV with k = 3 cannot follow them: two of its groups take records of two clusters each.

    Examples
    --------
    >>> toy().shape
    (13, 2)
    """
    return np.array(
        [
            [2.4, 3.0],
            [1.68, 4.9],
            [3.18, 5.54],
            [5.32, 3.6],
            [18.68, 11.49],
            [20.14, 9.56],
            [19.85, 12.33],
            [13.67, 18.9],
            [17.11, 21.0],
            [16.07, 19.23],
            [21.28, 18.9],
            [22.0, 21.0],
            [23.0, 18.5],
        ]
    )
