"""The efficient frontier, by looking at all pairs."""

from __future__ import annotations


def frontier(places):
    """Return which places no other beats: is no worse in both, and better in one."""
    return [
        at
        for at, (loss, risk) in enumerate(places)
        if not any(
            other_loss <= loss and other_risk <= risk and (other_loss < loss or other_risk < risk)
            for other_loss, other_risk in places
        )
    ]
