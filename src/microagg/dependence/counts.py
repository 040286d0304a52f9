"""How often each class of a column meets each class of another: all pairs in one pass, linear in n.

Whole numbers that are added: blocks may come in any order (create, add or merge, finish), so a table larger
than memory, or in parts on many machines, has the same counts to the last one. NumPy counts a million
records of 30 columns in about a second, so that nothing need be compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.dependence.classes import Codes

Counts = NDArray[np.int64]

_AT_ONCE = 1 << 15  # records whose classes stay in the second-level cache


class PairCounts:
    """The counts of all pairs of columns, as far as they were added."""

    def __init__(self, classes: Sequence[int]) -> None:
        self.classes = tuple(classes)
        self.records = 0
        sizes = [one * other for place, one in enumerate(self.classes) for other in self.classes[:place]]
        self._ends = np.cumsum([0, *sizes])
        self._flat = np.zeros(self._ends[-1], np.int64)

    def add(self, codes: Sequence[Codes]) -> PairCounts:
        """Count a block of records, given column by column; returns itself."""
        records = codes[0].size
        for start in range(0, records, _AT_ONCE):
            self._add([column[start : start + _AT_ONCE] for column in codes])
        self.records += records
        return self

    def _add(self, codes: Sequence[Codes]) -> None:
        for one in range(1, len(codes)):
            for other in range(one):
                width = self.classes[other]
                cells = self._cells(one, other)
                cells += np.bincount(codes[one] * width + codes[other], minlength=cells.size)

    def merge(self, others: PairCounts) -> PairCounts:
        """Add what was counted elsewhere with the same classes; returns itself."""
        assert self.classes == others.classes
        self._flat += others._flat
        self.records += others.records
        return self

    def finish(self, one: int, other: int) -> Counts:
        """Return the counts of two columns: a row for each class of the first, a column for the second."""
        if one < other:
            return self.finish(other, one).T
        return self._cells(one, other).reshape(self.classes[one], self.classes[other])

    def _cells(self, one: int, other: int) -> Counts:
        """Return the counts of two columns, the later of which comes first."""
        place = one * (one - 1) // 2 + other
        return self._flat[self._ends[place] : self._ends[place + 1]]
