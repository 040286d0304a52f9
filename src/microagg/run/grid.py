"""What is to be compared: methods by k, and the ceilings by which one is chosen; or all its faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from microagg.errors import Faults
from microagg.partition.matrix import Method
from microagg.partition.registry import method_of
from microagg.plan import Plan
from microagg.plan.forms import is_number
from microagg.run.candidates import Ceilings

_AUTO = "auto"


class Grid(NamedTuple):
    """Methods by k, and the ceilings."""

    methods: list[str | Method]
    sizes: list[int]
    ceilings: Ceilings

    @property
    def least(self) -> int:
        """The least k that could be carried out, 2 if there is none."""
        return min((size for size in self.sizes if not _faults_of_size(size)), default=2)

    def faults(self) -> list[str]:
        """Return what is wrong with it, whatever the data."""
        faults = Faults(_of_methods(self.methods))
        if not self.sizes:
            faults.append("no k to compare: name at least one")
        for place, size in enumerate(self.sizes):
            faults += _faults_of_size(size)
            if size in self.sizes[:place]:
                faults.append(f"k = {size} is named twice: name it once")
        return [*faults, *_of_ceilings(self.ceilings)]


def grid_of(methods: Any, sizes: Any, loss_at_most: float | None, risk_at_most: float | None) -> Grid:
    """Return what is to be compared; of methods and of sizes one may stand alone."""
    return Grid(_several(methods), _several(sizes), Ceilings(loss_at_most, risk_at_most))


def _several(given: Any) -> list[Any]:
    is_one = isinstance(given, str) or not isinstance(given, Iterable)
    return [given] if is_one else list(given)


def _faults_of_size(size: Any) -> list[str]:
    return Plan(k=size, quasi_identifiers=("any",)).faults()


def _of_methods(methods: Sequence[str | Method]) -> Iterator[str]:
    if not methods:
        yield "no method to compare: name at least one"
    known: list[str | Method] = []
    for given in methods:
        faults = Faults()
        method = _AUTO if given == _AUTO else faults.attempt(method_of, given)
        yield from faults
        if method is not None and method in known:
            yield f"the method {given!r} is named twice: name it once"
        known += [] if method is None else [method]


def _of_ceilings(ceilings: Ceilings) -> Iterator[str]:
    for told, value, most in (("loss", ceilings.loss, 100), ("risk", ceilings.risk, 1)):
        if value is not None and not (is_number(value) and 0 <= value <= most):
            what = "percent" if told == "loss" else "a share of the records"
            yield f"the {told} allowed must be a number from 0 to {most}, {what}: found {value!r}"
