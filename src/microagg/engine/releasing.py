"""What is done to a block: groups are formed, and each record gets the centre of its group.

It needs nothing but the records of the block and the facts, so that it can be done anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate import centres_of
from microagg.columns import Column, Floats
from microagg.engine.contract import Block, Worked
from microagg.engine.facts import Facts
from microagg.kernels.exact import exact_parts
from microagg.kernels.order import lexicographic_order
from microagg.measures import squared_distances_to
from microagg.partition.layout import piece_ends
from microagg.partition.matrix import Method, compiled_anyway, explained
from microagg.prepare import canonical_order

Labels = NDArray[np.int32]


class Releasing(NamedTuple):
    """What is done to each block."""

    facts: Facts
    method: Method
    k: int
    seed: int
    pieces: NDArray[np.int64]  # in how many parts each block is cut
    compiled: bool  # whether there are so many records in all that compiled loops are loaded anyway

    def released(self, block: Block) -> Worked:
        """Return what is released of a block, and its squared distances, within groups and in all."""
        columns = self.facts.columns(block.numbers)
        bits = block.numbers.view(np.int64)
        alike = bool((bits == bits[0]).all())  # then they are released as they are, whatever the groups
        labels = np.zeros(len(bits), np.int32) if alike else self._labels(columns, block)
        groups = int(labels.max()) + 1
        released = np.empty_like(block.numbers)
        within, total = [], []
        whole = np.zeros_like(labels)
        for place, column in enumerate(columns):
            unit, mean = self.facts.units[place], self.facts.means[place]
            frequency = self.facts.frequency(place)
            centres = centres_of(column, labels, groups, self.facts.centres[place], frequency=frequency)
            values = (
                np.where(centres.missing, np.nan, centres.values) if centres.missing.size else centres.values
            )
            released[:, place] = values[labels]
            middle = self.facts.middle(place)
            within.append(exact_parts(squared_distances_to(column, unit, mean, centres, labels)))
            total.append(exact_parts(squared_distances_to(column, unit, mean, middle, whole)))
        return Worked(released, [*within, *total])

    def _labels(self, columns: list[Column], block: Block) -> Labels:
        """Return the group of each record, in the order of the rows."""
        order = canonical_order(columns, block.ranks)
        points = self.facts.points(columns, order)
        again = lexicographic_order([*points.T])
        if np.any(again[1:] < again[:-1]):
            order, points = order[again], points[again]
        labels = np.empty(len(order), np.int32)
        groups = start = 0
        for end in piece_ends(len(order), int(self.pieces[block.number])).tolist():
            labels[order[start:end]] = found = self._grouped(points[start:end], block) + groups
            groups = int(found.max()) + 1
            start = end
        return labels

    def _grouped(self, points: Floats, block: Block) -> Labels:
        with compiled_anyway(self.compiled):
            found = explained(
                self.method, points, self.k, seed=self.seed, progress=lambda done, total: block.tell()
            )
        return found.labels
