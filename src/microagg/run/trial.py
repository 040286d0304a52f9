"""One candidate for a release: made, measured, and let go."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import microagg.tables as tables
from microagg.errors import MicroaggError
from microagg.measures import Compared
from microagg.partition.matrix import Method
from microagg.plan import Plan
from microagg.result import Result
from microagg.run.candidates import Candidate
from microagg.run.evidence import Evidence
from microagg.run.in_parallel import Progress, part_of
from microagg.run.protection import protect

_GROUPING = 0.7  # share of the work until a release is made; the rest are measures


class Trial(NamedTuple):
    """What is to be tried: a method and k on a table, with a plan for all else."""

    table: tables.Table
    plan: Plan
    method: str | Method
    k: int


def tried(trial: Trial, progress: Progress) -> Candidate:
    """Return what a release would lose and risk, or why there can be none."""
    text = trial.method if isinstance(trial.method, str) else repr(trial.method)
    told = part_of(progress, 0.0, _GROUPING)
    try:
        result = protect(trial.table, trial.k, plan=trial.plan, method=trial.method, progress=told)
    except MicroaggError as error:
        plan = trial.plan.changed(method=text, k=trial.k)
        return Candidate(text, trial.k, plan, fault="; ".join(str(error).splitlines()))
    return _measured(text, result, part_of(progress, _GROUPING, 1.0))


def _measured(text: str, result: Result, progress: Progress) -> Candidate:
    from microagg.measures.linkage import linkage

    assert isinstance(result.evidence, Evidence)
    compared = result.evidence.compared()
    linked = linkage(compared, progress, result.plan.seed)
    return Candidate(
        method=text,
        k=result.plan.k,
        plan=result.plan,
        loss=result.loss.percent,
        risk=linked.released_to_original,
        smallest_class=result.classes.smallest,
        sensitive=_given_away(compared),
        dominated=_dominated(compared),
        seconds=result.seconds["partition"],
    )


def _given_away(compared: Compared) -> float | None:
    """Return the largest share of records in classes that give a sensitive column away."""
    from microagg.measures.diversity import disclosure

    found = (disclosure(of, compared.classes).records_given_away for of in compared.sensitive)
    return max(found, default=None)


def _dominated(compared: Compared) -> int | None:
    """Return how many classes have members that hold nearly all of the sum of some column."""
    from microagg.measures.dominance import dominance

    found = [of for pair in compared.pairs if (of := dominance(pair, compared.classes)) is not None]
    return int(np.count_nonzero(np.any([of.by_class for of in found], axis=0))) if found else None
