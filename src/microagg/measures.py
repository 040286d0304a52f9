"""What the protection costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.exact import squares_within
from microagg.result import Loss


def information_loss(X: NDArray[np.float64], labels: NDArray[np.int32], columns: Sequence[str]) -> Loss:
    """Return 100 SSE/SST: squared distances to the group means, in percent of those to the mean.

    A column that does not vary has nothing to lose: 0.
    """
    groups = int(labels.max(initial=-1)) + 1
    whole = np.zeros_like(labels)
    within = [squares_within(x, labels, groups) for x in X.T]
    total = [squares_within(x, whole, 1) for x in X.T]
    return Loss(
        percent=_percent(sum(within), sum(total)),
        by_column={name: _percent(*pair) for name, *pair in zip(columns, within, total, strict=True)},
    )


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
