"""Whether an analysis comes out as it would have: models fitted on the release, judged by the original.

A model is fitted twice, on the original and on what is released of the same records. Both are judged by
original records that neither has seen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from microagg.columns import Column, Floats, Unit
from microagg.kernels.exact import EQUAL, exact_sum
from microagg.measures.compared import AMOUNTS, Compared, Pair, Watched
from microagg.measures.design import (
    LEVELS,
    Design,
    Standard,
    class_numbers,
    design_of,
    frequent_levels,
    standard_of,
)
from microagg.measures.distribution import mean_of
from microagg.measures.found import Change, ModelEffect
from microagg.measures.holdout import MOST, Holdout, Rows, hold_out, some
from microagg.measures.model_text import Model, read_models
from microagg.measures.scales import steady
from microagg.measures.softmax import fit_softmax

_CELLS = 50_000_000  # of records by columns by classes, for which a classifier takes a few seconds
_LEAST = 10  # records without which nothing is judged
_FLAT = 1e-20  # variance of what is to be told, beside that of the whole column, which is none


class _Task(NamedTuple):
    """What is told from what, on which records."""

    target: Pair
    predictors: tuple[Pair, ...]
    rows: Holdout
    weights: Floats

    def fitting(self, side: str) -> Rows:
        """Return the records to fit on of which the table has the target."""
        return _with_target(getattr(self.target, side), self.rows.fitting)

    @property
    def judging(self) -> Rows:
        """The records to judge by."""
        return some(_with_target(self.target.original, self.rows.judging), MOST)

    def weighing(self, rows: Rows) -> Floats:
        """Return the weights of these records, none if all count the same."""
        return self.weights[rows] if self.weights.size else EQUAL

    def shares(self, rows: Rows) -> Floats:
        """Return the weights of these records as shares of all of them."""
        weights = self.weights[rows] if self.weights.size else np.ones(rows.size)
        return np.asarray(weights / exact_sum(weights))


def model_effect(compared: Compared, model: str | Model, rows: Holdout | None = None) -> ModelEffect | None:
    """Return how a model fares that is fitted on the release, beside one fitted on the original.

    Amounts are told by least squares, and judged by R2; nominal, boolean and ordinal values by a
    multinomial logistic regression with a little ridge, and judged by the share of right answers. An
    ordinal column of more than 30 values counts as an amount, of its places. A sensitive column can be
    the target, or a predictor; it is as it was in both tables. Records count by their weights.

    Parameters
    ----------
    compared
        The original and its release.
    model
        "turnover ~ wages + assets", or "turnover": then all other compared columns are predictors.
    rows
        The records to fit on and to judge by, if they are known from a model before: those of `parted`.

    Returns
    -------
    ModelEffect or None
        None if there is nothing to judge: the target does not vary, or is there in fewer than 10 of the
        records to fit on or to judge by.

    Raises
    ------
    InputError
        If the model cannot be read, or names a column that is not there.

    Notes
    -----
    7 of 10 records are for fitting, whichever row they stand in (see `measures.holdout`); at most 100,000
    of them and of the others are used. A classifier of many values from many columns is fitted on fewer.
    """
    known = _columns(compared)
    if isinstance(model, str):
        model = read_models([model], [pair.name for pair in compared.pairs], list(known))[0]
    target, predictors = known[model.target], tuple(known[name] for name in model.predictors)
    task = _Task(target, predictors, rows or parted(compared), steady(compared.weights))
    least = min(task.fitting("original").size, task.fitting("released").size, task.judging.size)
    if least < _LEAST or not _varies(target.original.values[task.judging]):
        return None
    return _regression(task) if _is_number(target) else _classifier(task)


def parted(compared: Compared) -> Holdout:
    """Return the records to fit models on, and those to judge them by, which no model has seen."""
    return hold_out(list(_columns(compared).values()), compared.weights)


def _columns(compared: Compared) -> dict[str, Pair]:
    """Return all that can be told and tell, by name."""
    return {one.name: _as_pair(one) for one in compared.sensitive} | {one.name: one for one in compared.pairs}


def _regression(task: _Task) -> ModelEffect | None:
    standard, rows = standard_of(task.target), task.judging
    truth, weights = standard.of(task.target.original, rows), task.weighing(rows)
    if mean_of((truth - mean_of(truth, weights)) ** 2, weights) < _FLAT:
        return None
    design = design_of(task.predictors, task.fitting("original"))
    before, after = (_least_squares(task, standard, design, side) for side in ("original", "released"))
    X, score = design.matrix("original", rows), partial(_r_squared, truth, weights)
    fitted_on = some(task.fitting("original"), MOST)
    mean = mean_of(standard.of(task.target.original, fitted_on), task.weighing(fitted_on))
    numbers = [
        (part.pair.name, start)
        for part, start in zip(design.parts, design.starts, strict=False)
        if part.standard is not None
    ]
    return _effect(
        task,
        "regression",
        score,
        (X @ before, X @ after, np.full(rows.size, mean)),
        {name: Change(float(before[column]), float(after[column])) for name, column in numbers},
    )


def _least_squares(task: _Task, standard: Standard, design: Design, side: str) -> Floats:
    """Return the coefficients; of columns that follow from each other those of least length."""
    rows = some(task.fitting(side), MOST)
    roots = np.sqrt(task.shares(rows))
    y = standard.of(getattr(task.target, side), rows)
    return np.asarray(np.linalg.lstsq(design.matrix(side, rows) * roots[:, None], y * roots, rcond=None)[0])


def _r_squared(truth: Floats, weights: Floats, told: Floats) -> float:
    """Return 1 - sum w (truth - told)^2 / sum w (truth - its mean)^2."""
    spread = truth - mean_of(truth, weights)
    return 1.0 - mean_of((truth - told) ** 2, weights) / mean_of(spread**2, weights)


def _classifier(task: _Task) -> ModelEffect:
    fitting, judging = task.fitting("original"), task.judging
    levels = frequent_levels(task.target.original, fitting)
    design = design_of(task.predictors, fitting)
    before, after = (_softmax(task, levels, design, side) for side in ("original", "released"))
    truth, X = class_numbers(task.target.original, levels, judging), design.matrix("original", judging)
    score = partial(_share_right, truth, task.weighing(judging))
    given = class_numbers(task.target.original, levels, fitting)
    heaps = np.bincount(given[given >= 0], task.shares(fitting)[given >= 0])
    answers = (X @ before).argmax(axis=1), (X @ after).argmax(axis=1), np.full(judging.size, heaps.argmax())
    return _effect(task, "classifier", score, answers, {})


def _softmax(task: _Task, levels: NDArray[np.intp], design: Design, side: str) -> Floats:
    rows = some(task.fitting(side), min(MOST, _CELLS // (design.starts[-1] * levels.size)))
    classes = class_numbers(getattr(task.target, side), levels, rows)
    rows, classes = rows[classes >= 0], classes[classes >= 0]
    return fit_softmax(design.matrix(side, rows), classes, levels.size, task.shares(rows))


def _share_right(truth: NDArray[np.intp], weights: Floats, told: NDArray[np.intp]) -> float:
    return mean_of((truth == told).astype(np.float64), weights)


def _effect(
    task: _Task,
    kind: str,
    score: Callable[..., float],
    answers: tuple[NDArray[np.generic], NDArray[np.generic], NDArray[np.generic]],
    coefficients: dict[str, Change],
) -> ModelEffect:
    """Return the scores of the answers of both fits, and of who always gives the same answer."""
    before, after, same = (score(told) for told in answers)
    names = tuple(pair.name for pair in task.predictors)
    return ModelEffect(task.target.name, names, kind, Change(before, after), same, coefficients)


def _as_pair(watched: Watched) -> Pair:
    """Return a sensitive column, which is the same before and after."""
    missing = watched.places == watched.levels - 1 if watched.missing else np.zeros(0, dtype=np.bool_)
    kind, levels = "ordinal" if watched.ordered else "nominal", watched.levels - watched.missing
    column = Column(watched.name, kind, watched.places.astype(np.float64), missing, levels)  # type: ignore[arg-type]
    return Pair(column, column, Unit())


def _is_number(pair: Pair) -> bool:
    return pair.kind in AMOUNTS or (pair.kind == "ordinal" and pair.original.levels > LEVELS)


def _with_target(column: Column, rows: Rows) -> Rows:
    return rows[~column.missing[rows]] if column.missing.size else rows


def _varies(values: Floats) -> bool:
    return bool(values.max() > values.min())
