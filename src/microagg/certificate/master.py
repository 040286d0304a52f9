"""The linear programme over the groups known so far, and the integer programme; both by HiGHS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.certificate.problem import Floats, Group
from microagg.errors import InputError

Cut = tuple[int, int, int]


class Solution(NamedTuple):
    """An optimum of the linear programme."""

    value: float
    shares: Floats  # of each group
    reduced: Floats  # the reduced cost of each group
    duals: Floats  # of each record
    penalties: Floats  # of each cut, none below zero


def highs() -> Any:
    """Return HiGHS, or say how to get it."""
    try:
        import highspy
    except ImportError:
        raise InputError(
            "an exact bound needs HiGHS, which is not installed here: pip install 'microagg[certificate]'; "
            'or ask for method="cheap"'
        ) from None
    return highspy


def new_model(records: int, seconds: float) -> Any:
    """Return a programme in which every record must be in one group, and no groups yet."""
    model = highs().Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("time_limit", max(seconds, 0.01))
    none = np.array([], np.int32)
    for _ in range(records):
        model.addRow(1.0, 1.0, 0, none, np.array([]))
    return model


def add_groups(model: Any, rows: Sequence[Sequence[int]], costs: Floats, most: float) -> None:
    """Add a column for each group, with a one in each of its rows."""
    if not len(rows):
        return
    lengths = [len(row) for row in rows]
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int32)
    index = np.concatenate([np.asarray(row, np.int32) for row in rows])
    count = len(rows)
    model.addCols(
        count, costs, np.zeros(count), np.full(count, most), len(index), starts, index, np.ones(len(index))
    )


class Master:
    """The linear programme, which grows by groups and cuts; costs are in a scale of its own.

    Minimise the cost of the groups, weighed by their shares, such that the shares of the groups of each
    record add up to 1. A cut is a triple of records: of the groups that hold two or all three of them, a
    partition has at most one. (Jepsen, Petersen, Spoorendonk and Pisinger, "Subset-row inequalities
    applied to the vehicle-routing problem with time windows", Operations Research 56(2), 2008.)
    """

    def __init__(self, records: int, scale: float, seconds: float) -> None:
        self.records, self.scale = records, scale
        self.cuts: list[Cut] = []
        self.groups: list[Group] = []
        self._cuts_of: list[list[int]] = [[] for _ in range(records)]
        self._infinite = highs().kHighsInf
        self._model = new_model(records, seconds)

    def add_groups(self, groups: Sequence[Group], costs: Sequence[int]) -> None:
        """Add groups, whose costs are given in units."""
        rows = [[*group, *self._rows_of_cuts(group)] for group in groups]
        add_groups(self._model, rows, np.asarray(costs, np.float64) / self.scale, self._infinite)
        self.groups.extend(groups)

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Add cuts to the programme, over all groups it has."""
        for cut, index in zip(cuts, _columns_of_cuts(self.groups, cuts), strict=True):
            self._model.addRow(-self._infinite, 1.0, len(index), index, np.ones(len(index)))
            for record in cut:
                self._cuts_of[record].append(len(self.cuts))
            self.cuts.append(cut)

    def solve(self, seconds: float) -> Solution | None:
        """Return an optimum, or None if there was no time."""
        self._model.setOptionValue("time_limit", self._model.getRunTime() + max(seconds, 0.01))
        self._model.run()
        if self._model.getModelStatus() != highs().HighsModelStatus.kOptimal:
            return None
        solution = self._model.getSolution()
        duals = np.array(solution.row_dual)
        return Solution(
            self._model.getInfo().objective_function_value,
            np.array(solution.col_value),
            np.array(solution.col_dual),
            duals[: self.records],
            np.maximum(-duals[self.records :], 0.0),
        )

    def _rows_of_cuts(self, group: Group) -> list[int]:
        counts = Counter(cut for record in group for cut in self._cuts_of[record])
        return [self.records + cut for cut, count in counts.items() if count >= 2]


def _columns_of_cuts(groups: Sequence[Group], cuts: Sequence[Cut]) -> Iterator[NDArray[np.int32]]:
    """Yield for each cut the places of the groups that hold two or all three of its records."""
    of_record: dict[int, list[int]] = {record: [] for cut in cuts for record in cut}
    for place, group in enumerate(groups):
        for record in group:
            if record in of_record:
                of_record[record].append(place)
    for cut in cuts:
        counts = Counter(place for record in cut for place in of_record[record])
        yield np.array([place for place, count in counts.items() if count >= 2], np.int32)


class Programme(NamedTuple):
    """What the integer programme came to."""

    groups: list[Group]  # the best partition found, none if none was
    value: float  # what it costs
    bound: float  # no partition into these groups costs less, within HiGHS's tolerances
    closed: bool


def solve_integer(
    records: int,
    groups: Sequence[Group],
    costs: Floats,
    cuts: Sequence[Cut],
    known: Sequence[Group],
    seconds: float,
) -> Programme:
    """Choose the groups of least cost that hold every record once; `known` is a partition to begin with.

    The cuts change no partition, but bring the programme's own bound near to where it should begin.
    """
    highspy = highs()
    model = new_model(records, seconds)
    add_groups(model, groups, costs, 1.0)
    for index in _columns_of_cuts(groups, cuts):
        model.addRow(-highspy.kHighsInf, 1.0, len(index), index, np.ones(len(index)))
    count = len(groups)
    kinds = np.full(count, highspy.HighsVarType.kInteger)
    model.changeColsIntegrality(count, np.arange(count, dtype=np.int32), kinds)
    model.setOptionValue("mip_rel_gap", 0.0)
    model.setOptionValue("mip_abs_gap", 1e-9)
    chosen = set(known)
    start = highspy.HighsSolution()
    start.col_value = [float(group in chosen) for group in groups]
    model.setSolution(start)
    model.run()
    info = model.getInfo()
    values = np.array(model.getSolution().col_value)
    picked = [groups[place] for place in np.flatnonzero(values > 0.5).tolist()]
    closed = model.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return Programme(picked, info.objective_function_value, info.mip_dual_bound, closed)
