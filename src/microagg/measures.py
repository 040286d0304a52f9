"""What the protection costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.exact import exact_group_means, exact_sum
from microagg.result import Loss


def information_loss(X: NDArray[np.float64], labels: NDArray[np.int32], columns: Sequence[str]) -> Loss:
    """Return 100 SSE/SST: squared distances to the group means, in percent of those to the mean.

    In two passes, means first, since the one-pass formula cancels. A column that does not vary has
    nothing to lose: 0.
    """
    groups = int(labels.max(initial=-1)) + 1
    whole = np.zeros_like(labels)
    within = [_squares(X[:, j], labels, groups) for j in range(X.shape[1])]
    total = [_squares(X[:, j], whole, 1) for j in range(X.shape[1])]
    return Loss(
        percent=_percent(sum(within), sum(total)),
        by_column={name: _percent(*pair) for name, *pair in zip(columns, within, total, strict=True)},
    )


def _squares(x: NDArray[np.float64], labels: NDArray[np.int32], groups: int) -> float:
    """Return the sum of squared differences to the means of the groups."""
    return exact_sum((x - exact_group_means(x, labels, groups)[labels]) ** 2)


def _percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else 0.0
