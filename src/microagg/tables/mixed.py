"""What to say of a column whose values are of several kinds, and where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any


def mixed(
    name: str, values: Sequence[Any], kinds: Sequence[str], where: Callable[[int], str], remedy: str
) -> str:
    """Return the fault of a column, with the first value that is not of the usual kind.

    A missing value is of the kind "".

    >>> mixed("age", [7, 8, "n/a"], ["number", "number", "text"], "row {}".format, "mend it")
    "column 'age' mixes kinds: 'n/a' in row 2 is a text, where others are a number: mend it"
    """
    usual = Counter(kind for kind in kinds if kind).most_common(1)[0][0]
    odd = next(place for place, kind in enumerate(kinds) if kind not in ("", usual))
    return (
        f"column {name!r} mixes kinds: {values[odd]!r} in {where(odd)} is a {kinds[odd]}, "
        f"where others are a {usual}: {remedy}"
    )


def counted_from_one(record: int) -> str:
    """Say where a record stands in a table that has no rows but its records."""
    return f"row {record + 1} (the first record is row 1)"
