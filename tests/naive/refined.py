"""What the refinement keeps in sums, told in plain Python from the definition of the loss."""

from __future__ import annotations

from itertools import product


def loss_of_group(rows, weights):
    """Return the weighted sum of squared distances to the weighted mean."""
    mass = sum(weights)
    if not mass:
        return 0.0
    mean = [
        sum(w * x for w, x in zip(weights, column, strict=True)) / mass for column in zip(*rows, strict=True)
    ]
    return sum(
        w * sum((x - m) ** 2 for x, m in zip(row, mean, strict=True))
        for w, row in zip(weights, rows, strict=True)
    )


def loss_of_members(X, weights, members):
    """Return the loss of a group given by its members."""
    return loss_of_group([X[i] for i in members], [weights[i] for i in members])


def exchanges(X, weights, a, b, k):
    """Yield the loss of both groups after every exchange allowed, and who leaves a and b: None for nobody."""
    leaving_a = [None, *a]
    leaving_b = [None, *b]
    for x, y in product(leaving_a, leaving_b):
        new_a = [i for i in a if i != x] + [y] * (y is not None)
        new_b = [i for i in b if i != y] + [x] * (x is not None)
        if k <= min(len(new_a), len(new_b)) and max(len(new_a), len(new_b)) < 2 * k:
            yield loss_of_members(X, weights, new_a) + loss_of_members(X, weights, new_b), x, y


def spread(X, weights, members):
    """Return the sum of w_i w_j |x_i - x_j|^2 over the pairs of members."""
    return sum(
        weights[i] * weights[j] * sum((s - t) ** 2 for s, t in zip(X[i], X[j], strict=True))
        for i in members
        for j in members
        if i < j
    )
