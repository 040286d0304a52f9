"""The stages of a protection that works block by block, the same wherever the records are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from microagg.columns import Floats
from microagg.engine import Engine
from microagg.engine.contract import Ints
from microagg.engine.facts import Facts
from microagg.engine.laying import codes_by, laid_out
from microagg.engine.releasing import Releasing
from microagg.errors import InputError
from microagg.kernels.exact import sum_of_parts
from microagg.measures import Squares, loss_of_squares
from microagg.outcome import Loss
from microagg.partition.blocked import account_of
from microagg.partition.layout import Layout
from microagg.partition.matrix import COMPILED_FROM
from microagg.plan import Plan
from microagg.run.streamed import AUTO, Request, Seen


def layout_of(engine: Engine[Any], facts: Facts, request: Request) -> tuple[Layout, dict[str, Any]]:
    """Return which block each record belongs to, and the account of it."""
    method, k = request.method, request.plan.k
    InputError.raise_any(method.faults_for(len(facts.low), k))
    laid, cutting = laid_out(engine, facts, method, k)
    account = {**account_of(laid, cutting, method.tree), "why": method.reasons(len(facts.low))}
    if request.left_open:
        account = {"choice": f"{AUTO}, as the table is larger than memory", **account}
    return laid, account


def blocks_by(facts: Facts, laid: Layout) -> Callable[[Floats], Ints]:
    """Return what gives the block of each record; it can be sent to where the records are."""
    codes, block_of = codes_by(facts, laid.grid), laid.block_of
    return lambda numbers: block_of(codes(numbers))


def releasing(engine: Engine[Any], facts: Facts, laid: Layout, request: Request) -> Releasing:
    """Return what is done to each block."""
    plan, compiled = request.plan, engine.records >= COMPILED_FROM
    return Releasing(facts, request.method.method, plan.k, plan.seed, laid.pieces, compiled)


def loss_of(facts: Facts, squares: list[list[float]]) -> Loss:
    """Return the loss of information."""
    names = [coding.asked.name for coding in facts.codings]
    sums = [Squares(sum_of_parts(parts).high) for parts in squares]
    within, total = (dict(zip(names, of, strict=True)) for of in (sums[: len(names)], sums[len(names) :]))
    return loss_of_squares(within, total, dict(zip(names, facts.importance, strict=True)))


def notes_of(request: Request, seen: Seen) -> Iterator[str]:
    """Yield what is to be known before the table is handed on, as far as it shows without all records."""
    plan = request.plan
    if plan.k == 2:
        yield "with k = 2 each member of a pair can compute the other's values from the mean"
    kept = [name for name in request.stream.names if plan.role_of(name) in ("other", "sensitive")]
    if kept:
        yield f"kept columns are released as they are, and can still identify: {', '.join(kept)}"
    constant = [of.asked.name for of in seen.codings if not of.look.missing and of.largest == of.least]
    if constant:
        yield f"the same value throughout, so without weight in the grouping: {', '.join(constant)}"


def unwatched(plan: Plan) -> Iterator[str]:
    """Yield that sensitive columns are released without a look at what groups give away of them."""
    if plan.sensitive:
        yield (
            f"what groups give away of {', '.join(plan.sensitive)} was not looked at: microagg evaluate does "
            "it, where the table fits into memory"
        )
