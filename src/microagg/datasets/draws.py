"""Where all the generators draw from, once what they are asked for has been checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from microagg.errors import InputError

LARGEST_AMOUNT = 1e300  # beyond it sums of a few amounts overflow


def draws(
    seed: int, counts: Mapping[str, int], amounts: Mapping[str, float] | None = None
) -> np.random.Generator:
    """Return the generator of random numbers for a seed.

    Raises InputError if the seed is not a whole number from 0, a count not one from 1, or an amount not
    a finite number from 0; it names them all.
    """
    whole = [("seed", seed, 0), *((name, count, 1) for name, count in counts.items())]
    InputError.raise_any(
        [
            f"expected {name} to be a whole number of at least {least}, found {found!r}"
            for name, found, least in whole
            if not isinstance(found, int | np.integer) or found < least
        ]
        + [
            f"expected {name} to be a number from 0 to {LARGEST_AMOUNT:g}, found {found!r}"
            for name, found in (amounts or {}).items()
            if not 0 <= found <= LARGEST_AMOUNT
        ]
    )
    return np.random.Generator(np.random.PCG64(seed))
