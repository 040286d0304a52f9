"""The optimal cut of ordered records, as plainly as can be: in rational numbers, the exact answer."""

from __future__ import annotations

from fractions import Fraction


def least_loss(records, k, weights=None):
    """Return the least SSE of cutting the records, as they stand, into runs of k to 2k - 1."""
    n = len(records)
    weights = weights or [1] * n
    least = [0] + [None] * n
    for end in range(1, n + 1):
        for start in range(max(end - 2 * k + 1, 0), end - k + 1):
            if least[start] is not None:
                loss = least[start] + squares(records[start:end], weights[start:end])
                if least[end] is None or loss < least[end]:
                    least[end] = loss
    return least[n]


def loss_of(records, labels, weights=None):
    """Return the SSE of a partition."""
    weights = weights or [1] * len(records)
    loss = 0
    for group in set(labels):
        members = [i for i in range(len(records)) if labels[i] == group]
        loss += squares([records[i] for i in members], [weights[i] for i in members])
    return loss


def squares(records, weights):
    """Return the sum of w (x - mean)^2, of all columns."""
    total = sum(map(Fraction, weights))
    loss = Fraction(0)
    for column in zip(*records, strict=True):
        weighted = [(Fraction(w), Fraction(x)) for w, x in zip(weights, column, strict=True)]
        mean = sum(w * x for w, x in weighted) / total
        loss += sum(w * (x - mean) ** 2 for w, x in weighted)
    return loss


def partitions(records, k):
    """Yield every partition of the records into groups of k or more, as labels."""

    def extend(labels, groups):
        if len(labels) == len(records):
            if all(labels.count(group) >= k for group in range(groups)):
                yield list(labels)
            return
        for group in range(groups + 1):
            yield from extend([*labels, group], max(groups, group + 1))

    yield from extend([], 0)
