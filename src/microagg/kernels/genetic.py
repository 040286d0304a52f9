"""A genetic algorithm for the groups of a few records, compiled.

A chromosome holds the group number of each record; its fitness is 1 / (SSE + 1) (formula 2 of
Martinez-Balleste et al. 2007). The sum of squares of a group needs no mean, only pairs of its records:

    SSE(g) = sum over i < j in g of  w_i w_j |x_i - x_j|^2 / (sum over i in g of w_i)

The paper names roulette wheel, one-point crossover and mutation. What it leaves open is settled so:

- A generation is as many children as there are chromosomes, two by two: of two parents drawn by the
  wheel, copied, with the crossover rate exchanged from a random place on; with the mutation rate one
  random gene of a child gets a random group number.
- A child that is no partition into groups of k to 2k - 1 is repaired, see `repair`.
- Groups are numbered in the order of their first records, so that equal partitions are equal chromosomes.
- A child takes the place of the worst chromosome if it is better and no other has the same loss. So the
  best never dies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microagg.kernels.tree import COMPILE, INNER, Floats, Ints

_GOLDEN, _FIRST, _SECOND = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_30, _27, _31, _11 = (np.uint64(shift) for shift in (30, 27, 31, 11))


class Macrogroup(NamedTuple):
    """The records, as the algorithm sees them; not written."""

    pairs: Floats  # n x n: w_i w_j |x_i - x_j|^2
    mass: Floats  # n: w_i


class Population(NamedTuple):
    """The chromosomes, and room to work; kernels write all of it."""

    chromosomes: NDArray[np.int32]  # those that live, and two children: (p + 2) x n
    loss: Floats  # SSE of each
    wheel: Floats  # p: running sums of the fitness
    random: NDArray[np.uint64]  # the state of the random numbers, alone
    size: Ints  # group -> records
    latest: Ints  # group -> its latest record, or what it is numbered anew
    earlier: Ints  # n: record -> the one before it in its group
    total: Floats  # group -> a sum
    weight: Floats  # group -> sum of w
    reach: Floats  # n: record -> sum over the members of a group of w_i w_j |x_i - x_j|^2


def new_population(chromosomes: int, records: int, k: int, seed: np.uint64) -> Population:
    """Allocate a population; its chromosomes are yet to be made."""
    groups = records // k
    return Population(
        chromosomes=np.zeros((chromosomes + 2, records), np.int32),
        loss=np.full(chromosomes + 2, np.inf),
        wheel=np.empty(chromosomes),
        random=np.array([seed], np.uint64),
        size=np.zeros(groups, np.int64),
        latest=np.empty(groups, np.int64),
        earlier=np.empty(records, np.int64),
        total=np.empty(groups),
        weight=np.empty(groups),
        reach=np.empty(records),
    )


@njit(**COMPILE)
def evolve(
    macrogroup: Macrogroup,
    population: Population,
    k: int,
    crossover: float,
    mutation: float,
    made: int,
    given: int,
    generations: int,
    budget: int,
) -> int:
    """Make chromosomes, then generations, for about `budget` steps; return how many of both are made.

    Of the chromosomes the first `given` are there already and only need repair; the others are random.
    """
    living = len(population.wheel)
    n = len(macrogroup.mass)
    while made < living + generations and budget > 0:
        if made < living:
            if made >= given:
                for record in range(n):
                    population.chromosomes[made, record] = draw_below(population, len(population.size))
            budget -= settle(macrogroup, population, made, k)
        else:
            spin_up(population)
            for _ in range(0, living, 2):
                budget -= breed(macrogroup, population, k, crossover, mutation)
        made += 1
    return made


@njit(**INNER)
def draw(population: Population) -> float:
    """Return a random number from 0 to below 1 (Steele, Lea and Flood 2014: splitmix64)."""
    population.random[0] += _GOLDEN
    bits = population.random[0]
    bits = (bits ^ (bits >> _30)) * _FIRST
    bits = (bits ^ (bits >> _27)) * _SECOND
    return float((bits ^ (bits >> _31)) >> _11) * 2.0**-53


@njit(**INNER)
def draw_below(population: Population, limit: int) -> int:
    """Return a random whole number from 0 to below a limit."""
    return int(draw(population) * limit)


@njit(**INNER)
def spin_up(population: Population) -> None:
    """Lay the chromosomes on the wheel, each as wide as its fitness."""
    total = 0.0
    for a in range(len(population.wheel)):
        total += 1.0 / (population.loss[a] + 1.0)
        population.wheel[a] = total


@njit(**INNER)
def chosen(population: Population) -> int:
    """Return a chromosome, drawn by the wheel."""
    wheel = population.wheel
    at = draw(population) * wheel[-1]
    a = 0
    while a < len(wheel) - 1 and wheel[a] <= at:
        a += 1
    return a


@njit(**INNER)
def breed(macrogroup: Macrogroup, population: Population, k: int, crossover: float, mutation: float) -> int:
    """Make two children, and let them live if they are better than the worst; return the steps it took."""
    living, n = len(population.wheel), len(macrogroup.mass)
    mother, father = chosen(population), chosen(population)
    cut = n
    if draw(population) < crossover:
        cut = 1 + draw_below(population, n - 1)
    cross(population, mother, father, cut)
    crossed = cut < n and mother != father
    steps = 2 * n
    for child in range(living, living + 2):
        mutated = draw(population) < mutation
        if mutated:
            gene = draw_below(population, n)
            population.chromosomes[child, gene] = draw_below(population, len(population.size))
        if crossed or mutated:
            steps += settle(macrogroup, population, child, k)
            admit(population, child)
    return steps


@njit(**INNER)
def cross(population: Population, mother: int, father: int, cut: int) -> None:
    """Write two children: each is one of the parents, from the cut on the other."""
    genes, child = population.chromosomes, len(population.wheel)
    for record in range(genes.shape[1]):
        first, second = (mother, father) if record < cut else (father, mother)
        genes[child, record] = genes[first, record]
        genes[child + 1, record] = genes[second, record]


@njit(**INNER)
def admit(population: Population, child: int) -> None:
    """Put a child in the place of the worst if it is better, and unless one of the same loss lives."""
    loss = population.loss
    worst = 0
    for a in range(len(population.wheel)):
        if loss[a] == loss[child]:
            return
        if loss[a] > loss[worst]:
            worst = a
    if loss[child] < loss[worst]:
        loss[worst] = loss[child]
        for record in range(population.chromosomes.shape[1]):
            population.chromosomes[worst, record] = population.chromosomes[child, record]


@njit(**COMPILE)
def settle(macrogroup: Macrogroup, population: Population, which: int, k: int) -> int:
    """Repair a chromosome, number its groups anew and measure its loss; return the steps it took."""
    steps = repair(macrogroup, population, which, k)
    renumber(population, which)
    population.loss[which] = sum_of_squares(macrogroup, population, which)
    return steps + len(macrogroup.mass) * k


@njit(**INNER)
def repair(macrogroup: Macrogroup, population: Population, which: int, k: int) -> int:
    """Bring every group to k to 2k - 1 records; return the steps it took.

    A group of fewer than k is by the toss of a coin dissolved, if the others have room for its records,
    or filled: there is always a group of more than k to take from, as there are at most n // k groups.
    Then groups of 2k and more are split: a record far out, the k - 1 nearest to it, and the rest. A
    number is free then, since all groups have k or more, and one of them 2k.
    """
    genes, size = population.chromosomes, population.size
    n, groups = genes.shape[1], len(population.size)
    steps = n
    size[:] = 0
    for record in range(n):
        size[genes[which, record]] += 1
    for group in range(groups):
        if 0 < size[group] < k:
            steps += n * k
            if draw(population) < 0.5 and others_have_room(population, group, k):
                dissolve(macrogroup, population, which, group, k)
            else:
                fill(macrogroup, population, which, group, np.int64(-1), k)
    for group in range(groups):
        while size[group] >= 2 * k:
            steps += n * (k + size[group])
            free = np.int64(0)
            while size[free] > 0:
                free += 1
            move(population, which, outlier(macrogroup, population, which, group), free)
            fill(macrogroup, population, which, free, group, k)
    return steps


@njit(**INNER)
def move(population: Population, which: int, record: int, group: int) -> None:
    """Put a record into another group."""
    population.size[population.chromosomes[which, record]] -= 1
    population.size[group] += 1
    population.chromosomes[which, record] = group


@njit(**INNER)
def others_have_room(population: Population, group: int, k: int) -> bool:
    """Say whether the records of a group fit into the other groups that there are."""
    room = -population.size[group]
    for other in range(len(population.size)):
        if other != group and population.size[other] > 0:
            room += max(2 * k - 1 - population.size[other], 0)
    return room >= 0


@njit(**INNER)
def dissolve(macrogroup: Macrogroup, population: Population, which: int, group: int, k: int) -> None:
    """Put each record of a group into the nearest that has room: of least mean squared distance."""
    genes, total, weight = population.chromosomes, population.total, population.weight
    for record in range(genes.shape[1]):
        if genes[which, record] != group:
            continue
        total[:] = 0.0
        weight[:] = 0.0
        for other in range(genes.shape[1]):
            total[genes[which, other]] += macrogroup.pairs[record, other]
            weight[genes[which, other]] += macrogroup.mass[other]
        nearest, least = np.int64(-1), np.inf
        for other in range(len(total)):
            if other != group and 0 < population.size[other] < 2 * k - 1:
                distance = total[other] / weight[other]
                if nearest < 0 or distance < least:
                    nearest, least = np.int64(other), distance
        move(population, which, record, nearest)


@njit(**INNER)
def fill(macrogroup: Macrogroup, population: Population, which: int, group: int, giver: int, k: int) -> None:
    """Let a group take the nearest record, one by one, until it has k.

    From the group `giver`, or if that is -1 from any group of more than k.
    """
    genes, reach = population.chromosomes, population.reach
    n = len(reach)
    reach[:] = 0.0
    for member in range(n):
        if genes[which, member] == group:
            for record in range(n):
                reach[record] += macrogroup.pairs[member, record]
    while population.size[group] < k:
        nearest, least = np.int64(-1), np.inf
        for record in range(n):
            owner = genes[which, record]
            if owner == giver or (giver < 0 and population.size[owner] > k):
                distance = reach[record] / macrogroup.mass[record]
                if nearest < 0 or distance < least:
                    nearest, least = np.int64(record), distance
        move(population, which, nearest, group)
        for record in range(n):
            reach[record] += macrogroup.pairs[nearest, record]


@njit(**INNER)
def outlier(macrogroup: Macrogroup, population: Population, which: int, group: int) -> int:
    """Return the record of a group that is farthest from its others."""
    genes = population.chromosomes
    farthest, most = np.int64(-1), -1.0
    for record in range(genes.shape[1]):
        if genes[which, record] == group:
            reach = 0.0
            for member in range(genes.shape[1]):
                if genes[which, member] == group:
                    reach += macrogroup.pairs[record, member]
            if reach / macrogroup.mass[record] > most:
                farthest, most = np.int64(record), reach / macrogroup.mass[record]
    return int(farthest)


@njit(**INNER)
def renumber(population: Population, which: int) -> None:
    """Give the groups numbers in the order of their first records."""
    genes, numbered = population.chromosomes, population.latest
    numbered[:] = -1
    count = 0
    for record in range(genes.shape[1]):
        group = genes[which, record]
        if numbered[group] < 0:
            numbered[group] = count
            count += 1
        genes[which, record] = numbered[group]


@njit(**INNER)
def sum_of_squares(macrogroup: Macrogroup, population: Population, which: int) -> float:
    """Return the SSE of a partition, whose groups are numbered without gaps."""
    genes, latest, earlier = population.chromosomes, population.latest, population.earlier
    total, weight = population.total, population.weight
    latest[:] = -1
    total[:] = 0.0
    weight[:] = 0.0
    for record in range(len(earlier)):
        group = genes[which, record]
        other, reach = latest[group], 0.0
        while other >= 0:
            reach += macrogroup.pairs[record, other]
            other = earlier[other]
        total[group] += reach
        weight[group] += macrogroup.mass[record]
        earlier[record] = latest[group]
        latest[group] = record
    loss = 0.0
    for group in range(len(latest)):
        if latest[group] < 0:
            break
        loss += total[group] / weight[group]
    return loss
