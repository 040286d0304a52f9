"""The rules of dominance, told in plain Python with fractions, which do not round."""

from __future__ import annotations

from fractions import Fraction


def risky(values, classes, p=10, n=2, share=85):
    """Return the classes that break the p%-rule, those that break the (n, k)-rule, and the largest share.

    A missing value is None.
    """
    by_p, by_n, worst = set(), set(), Fraction(0)
    for one in set(classes):
        members = [abs(Fraction(v or 0)) for v, c in zip(values, classes, strict=True) if c == one]
        members.sort(reverse=True)
        total = sum(members)
        if len(members) < 2 or total == 0:
            continue
        if total - members[0] - members[1] < Fraction(p) / 100 * members[0]:
            by_p.add(one)
        if sum(members[:n]) > Fraction(share) / 100 * total:
            by_n.add(one)
        worst = max(worst, members[0] / total)
    return by_p, by_n, worst
