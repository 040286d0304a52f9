"""What was lost, in pictures and tables, for those who may see the original."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import microagg.report.drawing as drawing
from microagg.measures.compared import Compared
from microagg.measures.found import (
    Change,
    ChangeOfTime,
    ColumnLoss,
    Eigenvalues,
    LossMeasures,
    ModelEffect,
    MomentsLoss,
)
from microagg.measures.found import ProbabilisticLoss as Probabilistic
from microagg.report.blocks import Block, Part, Picture, Table, measures, numbers, told
from microagg.report.figures import correlation_matrix, correlations, loss_by_column
from microagg.report.scatter import Scatter, scatter
from microagg.report.shown_values import values_block
from microagg.report.wording import count, counted, number, percent, share, signed

IN_WORDS = {
    "loss": "squared distances of the records to what stands for them, in percent of those to the middle",
    "shift": "how far amounts moved, in standard deviations times √2, on the average (IL1s)",
    "variances": "mean relative change of the variances (IL4)",
    "covariances": "mean relative change of the covariances",
    "correlations": "mean absolute change of the correlations, which lie between −1 and 1 (IL5)",
    "probabilistic": "how surely a user would notice that statistics are not those of the original (PIL)",
}
_NARROW = 6  # columns whose correlations can be read on a telephone


def loss_part(compared: Compared, loss: LossMeasures, levels: Mapping[str, Sequence[str]]) -> Part:
    """Return what was lost."""
    blocks = [
        _by_column(loss),
        values_block(compared, loss.by_column, levels),
        _correlations(loss.moments),
        _records(scatter(compared)),
        _measures(loss),
        _columns(loss.by_column),
        _eigenvalues(loss.eigenvalues),
        _models(loss.models),
    ]
    return Part("loss", "What was lost", told(blocks))


def losses_picture(percents: Mapping[str, float], overall: float, rows: Table) -> Picture:
    """Return the loss of each column as a picture."""
    return Picture(
        drawing.losses("losses", "Loss by variable", loss_by_column(percents), overall),
        "The share of each variable's spread that is gone. The dashed line is the loss of all together.",
        rows,
    )


def _by_column(loss: LossMeasures) -> Block | None:
    if not loss.by_column:
        return None
    rows = [
        (name, of.kind, percent(of.percent), share(of.changed), number(of.distance), number(of.shift))
        for name, of in loss.by_column.items()
    ]
    table = Table(
        "Loss by variable: of the spread; records whose value changed; distance of the distributions; "
        "mean shift (IL1s)",
        "ttnnnn",
        ("Variable", "Kind", "Loss", "Changed", "Distance", "Shift"),
        tuple(rows),
    )
    percents = {name: of.percent for name, of in loss.by_column.items()}
    return Block("Loss by variable", pictures=(losses_picture(percents, loss.percent, table),))


def _correlations(moments: MomentsLoss | None) -> Block | None:
    found = correlation_matrix(moments) if moments else None
    if moments is None or found is None:
        return None
    pairs = correlations(moments)
    rows = [
        (f"{of.one} and {of.other}", signed(of.before, 3), signed(of.after, 3), signed(of.change, 3))
        for of in pairs
    ]
    all_pairs = found.columns * (found.columns - 1) // 2
    told = f", the {len(pairs)} that changed most of {count(all_pairs)}" if len(pairs) < all_pairs else ""
    table = numbers(f"Correlations of pairs of variables{told}", ("Pair", "Before", "After", "Change"), rows)
    among = f" The {len(found.names)} of {found.columns} variables with the largest changes." * (
        len(found.names) < found.columns
    )
    picture = Picture(
        drawing.matrix("correlations", "Change of the correlations", found),
        "The correlation after minus that before, for each pair of variables: + where it grew, − where it "
        f"fell; the darker, the more.{among}",
        table,
        is_wide=len(found.names) > _NARROW,
    )
    return Block("Correlations", pictures=(picture,))


def _records(of: Scatter | None) -> Block:
    title = "Records and groups"
    if of is None:
        return Block(
            title, ("The records do not vary along two directions, so there is no picture of them.",)
        )
    all_of = "All" if of.shown == of.total else f"{count(of.shown)} of the"
    stretched = " The scale is logarithmic away from the middle, so that records far out stay in the picture."
    caption = (
        f"{all_of} {counted(of.total, 'record')} (light), each tied to what is released for it (dark), seen "
        "along the two directions in which the original varies most. Short ties are a small loss."
    )
    table = numbers(
        "What the picture shows",
        ("Of the picture", "Number"),
        [
            ("records shown", count(of.shown)),
            ("groups they are in", count(of.groups)),
            ("spread along the first direction", percent(100.0 * of.shares[0])),
            ("spread along the second direction", percent(100.0 * of.shares[1])),
        ],
    )
    drawn = drawing.records("records", "Records and what stands for them", of)
    return Block(title, pictures=(Picture(drawn, caption + stretched * of.stretched, table),))


def _measures(loss: LossMeasures) -> Block:
    rows = [("Loss", percent(loss.percent), IN_WORDS["loss"])]
    if loss.shift is not None:
        rows.append(("Shift", number(loss.shift), IN_WORDS["shift"]))
    if loss.moments:
        rows += _of_moments(loss.moments)
    if loss.probabilistic:
        rows += _of_probabilistic(loss.probabilistic)
    return Block("All together", tables=(measures("Measures of all variables together", rows),))


def _of_moments(of: MomentsLoss) -> Iterator[tuple[str, str, str]]:
    yield "Variances", number(of.variances), IN_WORDS["variances"]
    if of.covariances is not None:
        yield "Covariances", number(of.covariances), IN_WORDS["covariances"]
    if of.correlations is not None:
        yield "Correlations", number(of.correlations), IN_WORDS["correlations"]
    if of.largest is not None:
        yield "Largest change of a correlation", number(of.largest), "the pair that changed most"


def _of_probabilistic(of: Probabilistic) -> Iterator[tuple[str, str, str]]:
    yield "Probabilistic loss", percent(of.percent), IN_WORDS["probabilistic"]
    parts = {
        "of the means": of.means,
        "of the variances": of.variances,
        "of the covariances": of.covariances,
        "of the correlations": of.correlations,
        "of the quantiles": of.quantiles,
    }
    for name, value in parts.items():
        if value is not None:
            yield f"… {name}", percent(value), f"the same, {name} alone"


def _columns(by_column: Mapping[str, ColumnLoss]) -> Block | None:
    amounts = {name: of for name, of in by_column.items() if of.mean and of.deviation}
    if not amounts:
        return None
    moments = [(name, *_change(of.mean), *_deviation(of)) for name, of in amounts.items()]
    head = ("Variable", "Mean before", "after", "change", "Deviation before", "after", "change")
    tables = [numbers("Means and standard deviations of amounts", head, moments)]
    quantiles = sorted({at for of in amounts.values() for at in of.quantiles})
    if quantiles:
        tables.append(
            numbers(
                "Quantiles of amounts, before and after",
                ("Variable", *(f"{100 * at:g}\u202f%" for at in quantiles)),
                [(name, *(_arrow(of.quantiles.get(at)) for at in quantiles)) for name, of in amounts.items()],
            )
        )
    return Block("Amounts", tables=tuple(tables))


def _change(of: Change | ChangeOfTime | None) -> tuple[str, str, str]:
    if of is None:
        return number(None), number(None), number(None)
    if isinstance(of, ChangeOfTime):
        return *of.texts, f"{signed(of.days)} days"
    relative = None if of.relative is None else 100.0 * of.relative
    return (
        number(of.before),
        number(of.after),
        f"{signed(relative, 1)}\u202f%" if relative is not None else number(None),
    )


def _arrow(of: Change | ChangeOfTime | None) -> str:
    if of is None:
        return number(None)
    return " → ".join(of.texts if isinstance(of, ChangeOfTime) else map(number, of))


def _deviation(of: ColumnLoss) -> tuple[str, str, str]:
    before, after, change = _change(of.deviation)
    return (
        (f"{before} days", f"{after} days", change)
        if isinstance(of.mean, ChangeOfTime)
        else (before, after, change)
    )


def _eigenvalues(of: Eigenvalues | None) -> Block | None:
    if of is None:
        return None
    rows = [
        (
            "Distance",
            number(of.distance),
            "changes of the eigenvalues of the correlations, as a share of their sum",
        ),
        ("Relative changes", number(of.relative), "the same, each relative to its own eigenvalue, added up"),
        ("Directions", f"{of.rank} of {of.columns}", "in how many directions the variables vary"),
    ]
    each = [
        (str(at), number(before), number(after))
        for at, (before, after) in enumerate(zip(of.before, of.after, strict=False), 1)
    ]
    tables = (
        measures("The spread along the main directions", rows),
        numbers("Eigenvalues of the correlations", ("Direction", "Before", "After"), each),
    )
    return Block("Main directions", tables=tables)


def _models(models: Sequence[ModelEffect]) -> Block | None:
    if not models:
        return None
    rows = [
        (
            f"{of.target}, by a {of.kind}",
            number(of.score.before, 3),
            number(of.score.after, 3),
            number(of.baseline, 3),
        )
        for of in models
    ]
    text = (
        "Models fitted on the original and on what is released, judged on original records that neither has "
        "seen: R² of a regression, the share of right answers of a classifier. Who only ever says the mean, "
        "or the most frequent value, has the score of the last column."
    )
    scores = numbers(
        "What models lose", ("Target", "Fitted on the original", "on the release", "without any"), rows
    )
    return Block("Models", (text,), tables=(scores, *filter(None, map(_coefficients, models))))


def _coefficients(of: ModelEffect) -> Table | None:
    if not of.coefficients:
        return None
    rows = [(name, number(of.before), number(of.after)) for name, of in of.coefficients.items()]
    return numbers(
        f"Coefficients for {of.target}, on standardised variables", ("Variable", "Before", "After"), rows
    )
