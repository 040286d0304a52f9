"""All measures of a release at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from microagg.measures.compared import Compared
from microagg.measures.found import Evaluation
from microagg.measures.loss import loss_measures
from microagg.measures.risk import risk_measures
from microagg.outcome import Classes, Loss

Progress = Callable[[int, int], None]


def evaluation(
    compared: Compared,
    loss: Loss,
    classes: Classes,
    k: int | None,
    models: Sequence[str] = (),
    seed: int = 0,
    progress: Progress | None = None,
    *,
    of_entities: bool = False,
) -> Evaluation:
    """Return what was lost and what can be found out, by every measure that the data allow.

    `of_entities` says that the classes count entities, of whom several records may belong to one.
    """
    lost, of_loss = loss_measures(compared, loss.percent, loss.by_column, models)
    found, of_risk = risk_measures(compared, classes, k, seed=seed, progress=progress)
    return Evaluation(lost, replace(found, of_entities=of_entities), (*of_loss, *of_risk))
