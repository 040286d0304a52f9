"""What a run leaves to measures: the original stays beside the result for as long as that lives."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import microagg.tables as tables
from microagg.check import class_of_each
from microagg.columns import Centres, Floats
from microagg.kernels.exact import exact_group_means
from microagg.measures import AMOUNTS, NO_STRATA, Compared, Evaluation, Watched
from microagg.plan import Plan
from microagg.result import Audience, Result
from microagg.run.comparing import pairs_of, points_of, spread, watched
from microagg.run.grouping import Grouping
from microagg.run.origin import Origin, origin_of
from microagg.run.request import Job

_BOUNDED = 200_000  # records up to which a bound takes no more than seconds


@dataclass(frozen=True, eq=False)
class Evidence:
    """The quasi-identifiers before and after, and the sensitive columns; all else of the table is let go."""

    plan: Plan
    columns: Mapping[str, tables.Encoded]
    centres: Mapping[str, Centres]
    labels: NDArray[np.int32]
    apart: tuple[NDArray[np.int64], ...]  # for each group what else an observer tells it by
    weights: Floats
    sensitive: tables.Table
    source: Origin
    known: dict[tuple[str, ...], Evaluation] = field(default_factory=dict)  # by the models asked for

    def evaluate(self, result: Result, models: Sequence[str]) -> Evaluation:
        """Return what was lost, and what can be found out; it is measured once."""
        asked = (models,) if isinstance(models, str) else tuple(models)
        if asked not in self.known:
            self.known[asked] = self._evaluated(self.compared(), result, asked)
        return self.known[asked]

    def report(
        self, result: Result, path: str | os.PathLike[str], audience: Audience, models: Sequence[str]
    ) -> None:
        """Write the report."""
        from microagg.report import write  # which no other part of a run needs
        from microagg.run.provenance import provenance_of

        compared, found = self.compared(), self.evaluate(result, models)
        levels = {name: tables.texts_of_levels(of) for name, of in self.columns.items()}
        provenance = provenance_of(result, self.source, levels, self._bound(compared))
        write(path, compared, found, provenance, audience)

    def _evaluated(self, compared: Compared, result: Result, models: Sequence[str]) -> Evaluation:
        from microagg.measures.evaluation import evaluation  # all measures, which few runs need

        return evaluation(
            compared,
            result.loss,
            result.classes,
            self.plan.k,
            models,
            self.plan.seed,
            of_entities=self.plan.entity is not None,
        )

    def compared(self) -> Compared:
        """Return the original and the release as measures look at them."""
        columns = {
            name: (of.column, spread(of.column, self.centres[name], self.labels))
            for name, of in self.columns.items()
        }
        pairs = pairs_of(columns, self.plan)
        return Compared(
            pairs,
            self._classes(),
            *points_of(pairs),
            weights=self.weights,
            sensitive=self._watched(),
            strata=self.apart[0][self.labels] if self.plan.strata else NO_STRATA,
        )

    def _bound(self, compared: Compared) -> float | None:
        """Return a loss that no groups of k are below, where it is quickly found."""
        amounts = compared.of_kinds(AMOUNTS)
        gaps = any(pair.original.missing.size for pair in amounts)
        if len(amounts) < len(compared.pairs) or gaps or self.weights.size or compared.records > _BOUNDED:
            return None
        from microagg.certificate import lower_bound  # brings compiled loops

        return float(lower_bound(compared.original, self.plan.k, method="cheap").percent)

    def _classes(self) -> NDArray[np.int64]:
        """Return the class of each record: groups that look the same are one."""
        keys = list(self.apart)
        for centres in self.centres.values():
            keys += [centres.values.view(np.int64), centres.missing.astype(np.int64)]
        return class_of_each([key for key in keys if key.size])[self.labels]

    def _watched(self) -> tuple[Watched, ...]:
        return tuple(watched(self.sensitive, name, self.plan) for name in self.plan.sensitive)


def evidence_of(data: Any, job: Job, centres: Mapping[str, Centres], grouping: Grouping) -> Evidence:
    """Return what measures need of a run."""
    labels, groups = grouping.labels, grouping.groups
    first = np.zeros(groups, dtype=np.intp)
    first[labels[::-1]] = np.arange(labels.size)[::-1]
    apart = [job.parts.merged[job.parts.strata.of[first]]]
    if job.plan.weight_release == "mean" and job.weights.size:
        apart.append(exact_group_means(job.weights, labels, groups).view(np.int64))
    return Evidence(
        plan=job.plan,
        columns=job.columns,
        centres=centres,
        labels=labels,
        apart=tuple(apart),
        weights=job.weights,
        sensitive=tables.Table(job.table.only(job.plan.sensitive), job.table.origin),
        source=origin_of(data),
    )
