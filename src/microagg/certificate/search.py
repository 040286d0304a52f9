"""Column generation: groups are found as they are needed, cuts added, and the bound rises."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from microagg.certificate.bound import Proof
from microagg.certificate.cuts import violated_triples
from microagg.certificate.master import Master, Solution
from microagg.certificate.pool import Pool
from microagg.certificate.pricing import Duals, lagrangian_bound, price_groups, whole_duals
from microagg.certificate.problem import Floats, Group, Problem, nearest_bound
from microagg.certificate.report import Clock

_SMOOTHING = 0.7  # how much of the best duals goes into those that are priced at

TOLERANCE = 1e-7
"""The share of the loss by which a bound of the integer programme is lowered, for what HiGHS calls equal."""

NOTHING = -(2**62)
"""A bound that says nothing."""

_CLOSED = 2 * TOLERANCE


class Search:
    """The state of the search: what is known so far from below and from above, in whole units."""

    def __init__(
        self,
        problem: Problem,
        partition: list[Group],
        groups: Iterable[Iterable[int]],
        clock: Clock,
        tell: Callable[[Search], None],
    ) -> None:
        self.problem, self.clock, self._tell = problem, clock, tell
        self.proven = NOTHING  # by duals
        self.bound = nearest_bound(problem)
        self.rounds = 0
        self.proof: Proof = "distances"
        self.reduced = np.zeros(0)  # the reduced costs of the first groups of the pool
        self.pool = Pool(problem)
        self.best: list[Group] = []
        self.best_cost = 0
        self.offer(partition)
        self.pool.add(groups)
        n = len(problem.distances)
        self.scale = max(self.best_cost / n, 1.0)
        self.master = Master(n, self.scale, clock.left)
        self.centre, self.penalties = self._first_duals(), np.zeros(0)
        self.smoothing = _SMOOTHING
        self.proven_at = (self.centre, self.penalties)  # the duals of the bound

    @property
    def gap(self) -> int:
        """How far the bound is from the best partition known, in units."""
        return max(self.best_cost - self.bound, 0)

    @property
    def closed(self) -> bool:
        """Whether nothing is left of the gap."""
        return self.gap <= _CLOSED * self.best_cost

    def offer(self, partition: list[Group]) -> None:
        """Take a partition as the best if it is, and its groups into the pool."""
        cost = sum(self.problem.cost(group) for group in partition)
        if not self.best or cost < self.best_cost:
            self.best, self.best_cost = partition, cost
        self.pool.add(partition)

    def raise_bound(self, bound: int, proof: Proof) -> None:
        """Take a bound and what it rests on, if it is higher."""
        if bound > self.bound:
            self.bound, self.proof = bound, proof

    def out_of_time(self, reserve: float = 0.0) -> bool:
        """Tell the caller how far it is, and say whether to stop."""
        self._tell(self)
        return self.clock.left <= reserve

    def duals(self, records: Floats, penalties: Floats) -> Duals:
        """Return duals as whole units."""
        return whole_duals(records, penalties, self.scale)

    def run(self, reserve: float) -> None:
        """Raise the bound until no group and no cut helps, or only `reserve` seconds remain."""
        while (solution := self._solve(reserve)) is not None:
            self.reduced = solution.reduced
            found = self._price(solution, reserve)
            if self.closed or found is None:
                break
            if found or self._sharpened(solution):
                continue
            cuts = violated_triples(self.master.groups, solution.shares, set(self.master.cuts))
            if self._is_partition(solution) or not cuts:
                break
            self.master.add_cuts(cuts)

    def _first_duals(self) -> Floats:
        """Share the cost of the best groups among their records."""
        duals = np.zeros(len(self.problem.distances))
        for group in self.best:
            duals[list(group)] = 0.97 * self.problem.cost(group) / len(group) / self.scale
        return duals

    def _solve(self, reserve: float) -> Solution | None:
        known = len(self.master.groups)
        self.master.add_groups(self.pool.groups[known:], self.pool.costs[known:])
        if self.out_of_time(reserve):
            return None
        return self.master.solve(self.clock.left - reserve)

    def _price(self, solution: Solution, reserve: float) -> int | None:
        """Return how many groups were found at the smoothed duals; None if time was up."""
        penalties = np.zeros(len(solution.penalties))
        penalties[: len(self.penalties)] = self.penalties
        records = self.smoothing * self.centre + (1 - self.smoothing) * solution.duals
        penalties = self.smoothing * penalties + (1 - self.smoothing) * solution.penalties
        duals = self.duals(records, penalties)
        priced = price_groups(self.problem, duals, self.master.cuts, pause=lambda: self.out_of_time(reserve))
        self.rounds += 1
        if priced.complete:
            bound = lagrangian_bound(self.problem, duals, priced)
            if bound > self.proven:
                self.proven = bound
                self.raise_bound(bound, "duals")
                self.centre, self.penalties = records, penalties
                self.proven_at = (records, penalties)
        elif self.out_of_time(reserve):
            return None
        found = self.pool.add(priced.groups)
        if found and solution.value * self.scale - self.bound < 2e-3 * self.best_cost:
            self.smoothing = max(self.smoothing - 0.15, 0.0)
        return found

    def _sharpened(self, solution: Solution) -> bool:
        """Price nearer to the duals of the programme, unless that has been done or is not worth it."""
        if self.smoothing == 0.0 or solution.value * self.scale - self.bound < 1e-7 * self.best_cost:
            return False
        self.smoothing = self.smoothing / 2 if self.smoothing > 0.1 else 0.0
        return True

    def _is_partition(self, solution: Solution) -> bool:
        """Offer the solution as a partition if it is one."""
        chosen = np.flatnonzero(solution.shares > 1e-6)
        if solution.shares[chosen].min() < 1 - 1e-6:
            return False
        self.offer([self.master.groups[place] for place in chosen])
        return True
