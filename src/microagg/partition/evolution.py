"""Runs the compiled genetic algorithm in every macrogroup, on all cores, in short slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.kernels.genetic import Macrogroup, evolve, new_population
from microagg.partition.geometry import squared_distances
from microagg.partition.matrix import Floats, Labels, Progress
from microagg.partition.slices import Slices
from microagg.partition.threads import share_out

Records = NDArray[np.intp]

LIGHTEST = 2.0**-500  # of the heaviest: the product of two is still a number above zero


class Rates(NamedTuple):
    """How the genetic algorithm works."""

    population: int
    crossover: float
    mutation: float
    iterations: int


class Evolution:
    """The macrogroups, and how far each is.

    A macrogroup's result depends on its records, the seed and its number alone, so that neither the
    number of threads nor the length of a slice can change it.
    """

    def __init__(
        self, points: Floats, weights: Floats, k: int, macrogroups: Sequence[Records], rates: Rates, seed: int
    ) -> None:
        self.points, self.k, self.macrogroups, self.rates = points, k, macrogroups, rates
        self.mass = np.maximum(weights / weights.max(), LIGHTEST) if weights.size else np.ones(len(points))
        self.seed = seed
        self.made = np.zeros(len(macrogroups), np.int64)  # chromosomes and generations, in each
        self.groups: list[Labels] = [np.empty(0, np.int32)] * len(macrogroups)
        self.stop = Event()

    def run(self, start: Labels | None, progress: Progress | None, threads: int | None = None) -> Labels:
        """Return the group of each record; `start` is a partition to begin from, else chance is all.

        An exception raised in `progress`, or an interrupt, stops all threads within a slice.
        """

        def watch() -> None:
            if progress is not None:
                progress(self.done(), len(self.points))

        share_out(
            len(self.macrogroups), lambda waiting: self._work(waiting, start), self.stop, watch, threads
        )
        return self._joined()

    def done(self) -> int:
        """Tell how many records are done, those of unfinished macrogroups in part."""
        sizes = np.array([len(records) for records in self.macrogroups])
        return int((sizes * (self.made / (self.rates.population + self.rates.iterations))).sum())

    def _work(self, waiting: Iterator[int], start: Labels | None) -> None:
        for number in waiting:  # shared by the threads: each takes the next that waits
            if self.stop.is_set():
                return
            self.groups[number] = self._best_groups(number, start)

    def _best_groups(self, number: int, start: Labels | None) -> Labels:
        """Return the best groups of a macrogroup that are found; any if it is told to stop."""
        records, rates = self.macrogroups[number], self.rates
        macrogroup = pairs_of(self.points[records], self.mass[records])
        stream = np.random.SeedSequence(self.seed % 2**64, spawn_key=(number,))
        population = new_population(
            rates.population, len(records), self.k, stream.generate_state(1, np.uint64)[0]
        )
        if start is not None:
            population.chromosomes[0] = np.unique(start[records], return_inverse=True)[1]
        given = 0 if start is None else 1
        slices = Slices(rates.iterations, None)
        last = rates.population + rates.iterations if len(records) >= 2 * self.k else 1
        made = 0
        while made < last and not self.stop.is_set():
            made = evolve(
                macrogroup,
                population,
                self.k,
                rates.crossover,
                rates.mutation,
                made,
                given,
                last - rates.population,
                slices.budget,
            )
            self.made[number] = made
            slices.end(made, spent=True)
        self.made[number] = rates.population + rates.iterations
        best: Labels = population.chromosomes[population.loss[: rates.population].argmin()]
        return best

    def _joined(self) -> Labels:
        """Return the groups of all macrogroups, numbered on from one to the next."""
        labels = np.empty(len(self.points), np.int32)
        groups = 0
        for records, found in zip(self.macrogroups, self.groups, strict=True):
            labels[records] = found + groups
            groups += int(found.max()) + 1
        return labels


def pairs_of(points: Floats, mass: Floats) -> Macrogroup:
    """Return what the algorithm needs to know of the records."""
    columns = np.ascontiguousarray(points.T)
    pairs = np.array([squared_distances(columns, point) for point in points])
    pairs *= np.multiply.outer(mass, mass)
    return Macrogroup(pairs, np.ascontiguousarray(mass))
