"""Blocked: a method applied to blocks of the records, each by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from microagg.errors import Faults, InputError
from microagg.kernels.exact import squares_within
from microagg.partition.counting import HeldRecords
from microagg.partition.grid import Ints, codes_of, grid_over
from microagg.partition.layout import Layout, Tree, layout, piece_ends
from microagg.partition.matrix import Explained, Floats, Labels, Method, Progress, canonical
from microagg.partition.mdav import MDAV
from microagg.partition.registry import method_of

AUTO_LEAF = 100_000
MOST_COLUMNS = 16  # by which median cuts are made: so many suffice for 2**16 blocks, one cut in each


MOST_AT_ONCE = 30  # columns that can be halved together

_TREES: tuple[str, ...] = get_args(Tree)


class Cutting(NamedTuple):
    """What was asked for, with all that was left open settled."""

    columns: tuple[int, ...]
    most: int


@dataclass(frozen=True)
class Blocked:
    """A method applied to blocks of records that lie together, each by itself: for very large data.

    The time then grows with n alone, all processors are used, and no step needs more than a block and
    counts of the others. The price is a little loss along the borders of blocks, the less the larger they
    are. Of up to `max_leaf` records there is one block, and the groups are those of the method itself.

    With `tree="median"` the records are cut in two, along the column in which they vary most, where about
    half of them lie on either side; then each part, and so on. All blocks are of about the same size.

    With `tree="2^d"` space is cut as in the paper: a cell with more than L records is split at the
    midpoint of each dimension's range into 2^d. Leaves with fewer than k records are fused with the leaf
    of nearest centroid until none is left, by which a block may come to have more than L.

    With `tree="univariate"` the range of the first of the dimensions is cut into n/L equal intervals; it
    is what the paper compares with, and loses most.

    Nominal values and gaps are columns of the matrix too, and are cut like others: a column of two values
    is split once. Records that are the same in all dimensions cannot be told apart by cutting space: if
    these are more than L, they are cut along the canonical order of the records, so that there are as many
    blocks as there must be, of whatever they do not differ in.

    The number of processors and the order of the rows change nothing.

    Research interface: labels only. `protect` checks what it releases.

    Parameters
    ----------
    method
        What is applied to each block.
    max_leaf
        L, the most records in a block, 2k at least. "auto" is 100,000, or 2k if that is more.
    dimensions
        The columns by which blocks are cut, numbered from 0. "auto" takes those that vary most: up to 16
        for median cuts, for the 2^d-tree no more than there are halvings in n/L, for univariate one.
    tree
        How blocks are made: "median", "2^d" or "univariate".
    hard_limit
        Whether no block may have more than L records (the paper's footnote): larger ones are cut along
        the canonical order of their records. Those of "median" never have more.

    References
    ----------
    A. Solanas, A. Martinez-Balleste, J. Domingo-Ferrer, J. M. Mateo-Sanz, "A 2^d-tree-based blocking
    method for microaggregating very large data sets", ARES 2006.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [9.0], [9.1]]
    >>> Blocked(MDAV(), max_leaf=4).partition(X, k=2).tolist()
    [1, 1, 0, 0, 2, 2, 3, 3]
    """

    method: Method = MDAV()  # noqa: RUF009 - a frozen value
    max_leaf: int | Literal["auto"] = "auto"
    dimensions: tuple[int, ...] | Literal["auto"] = "auto"
    tree: Tree = "median"
    hard_limit: bool = False

    def __post_init__(self) -> None:
        faults = Faults()
        faults.attempt(method_of, self.method)
        if isinstance(self.method, str):
            faults.append(f"the method must be a value, such as MDAV(): found {self.method!r}")
        if self.max_leaf != "auto" and not _is_whole(self.max_leaf, 4):
            faults.append(f'max_leaf must be "auto" or a number of records from 4: found {self.max_leaf!r}')
        if self.tree not in _TREES:
            faults.append(f"tree must be one of {', '.join(_TREES)}: found {self.tree!r}")
        if not isinstance(self.hard_limit, bool):
            faults.append(f"hard_limit must be True or False: found {self.hard_limit!r}")
        InputError.raise_any([*faults, *self._faults_of_dimensions()])
        if self.dimensions != "auto":
            object.__setattr__(self, "dimensions", tuple(int(column) for column in self.dimensions))

    def _faults_of_dimensions(self) -> Iterator[str]:
        told = (
            f'dimensions must be "auto" or columns, each numbered from 0 and once: found {self.dimensions!r}'
        )
        if isinstance(self.dimensions, str) or not isinstance(self.dimensions, Sequence):
            if self.dimensions != "auto":
                yield told
        elif not self.dimensions or not all(_is_whole(column, 0) for column in self.dimensions):
            yield told
        elif len(set(self.dimensions)) < len(self.dimensions):
            yield f"{told}, one of them twice"
        elif self.tree == "2^d" and len(self.dimensions) > MOST_AT_ONCE:
            yield f"a 2^d-tree takes {MOST_AT_ONCE} dimensions at most: found {len(self.dimensions)}"

    def partition(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Labels:
        """Return the group of each record; parameters and errors are those of `MDAV.partition`.

        Weights and seed are passed on to the method; they do not change the blocks.
        """
        return self.explained(X, k, weights=weights, seed=seed, progress=progress).labels

    def explained(
        self,
        X: ArrayLike,
        k: int,
        *,
        weights: ArrayLike | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Explained:
        """Return the group of each record, and an account of the blocks: how many, how large, and why."""
        from microagg.partition.blocks import Blocks, Task

        faults = Faults()
        records = faults.attempt(canonical, X, k, weights)
        if np.ndim(X) == 2 and _is_whole(k, 2):
            faults += self.faults_for(np.shape(X)[1], int(k))
        InputError.raise_any(faults)
        assert records is not None
        points, k = records.points, int(k)
        low, high = points.min(axis=0), points.max(axis=0)
        cutting = self.cutting(len(points), k, high - low, lambda: variances_of(points))
        grid = grid_over(low, high, cutting.columns)
        held = HeldRecords(codes_of(points, grid), lambda: progress and progress(0, len(points)))
        found = layout(grid, len(points), k, cutting.most, self.tree, held, hard_limit=self.hard_limit)
        pieces = pieces_of(found, found.block[held.leaves(found.cells)])
        del held
        blocks = Blocks(points, records.weights, pieces, Task(self.method, k, int(seed)))
        labels = blocks.run(progress)
        account = {**account_of(found, cutting, self.tree), "why": self.reasons(points.shape[1])}
        told = [_told(account, len(points))]
        if len(blocks.blocks) == 1 and blocks.found[0].account:
            account["method"] = dict(blocks.found[0].account)
            told += [blocks.found[0].sentence] if blocks.found[0].sentence else []
        return Explained(records.restore(labels), account, "; ".join(told))

    def faults_for(self, columns: int, k: int) -> Iterator[str]:
        """Yield what does not fit a matrix of so many columns, and groups of k."""
        if self.max_leaf != "auto" and self.max_leaf < 2 * k:
            yield (
                f"a block of {self.max_leaf} records leaves no choice of groups of k = {k}: "
                f"max_leaf must be {2 * k} at least"
            )
        if self.dimensions != "auto":
            wrong = [column for column in self.dimensions if column >= columns]
            if wrong:
                yield f"there is no dimension {wrong[0]}: the matrix has {columns}, numbered from 0"

    def largest(self, k: int) -> int:
        """Return L, the most records in a block."""
        return max(AUTO_LEAF, 2 * k) if self.max_leaf == "auto" else int(self.max_leaf)

    def reasons(self, columns: int) -> dict[str, str]:
        """Return why L and the dimensions are what they are, in words."""
        asked = "asked for"
        largest = "larger blocks lose less, and take hardly longer from here on"
        all_vary = self.tree == "median" and columns <= MOST_COLUMNS
        widest = "all that vary" if all_vary else "those of greatest variance"
        return {
            "max_leaf": largest if self.max_leaf == "auto" else asked,
            "dimensions": widest if self.dimensions == "auto" else asked,
        }

    def cutting(self, records: int, k: int, span: Floats, variances: Callable[[], Floats]) -> Cutting:
        """Return by which columns so many records are cut, and L.

        `span` is the range of each column; the variances are asked for only if some columns are left out.
        """
        most = self.largest(k)
        if self.dimensions != "auto":
            return Cutting(tuple(self.dimensions), most)
        varying = np.flatnonzero(span > 0.0)
        many = {"median": MOST_COLUMNS, "univariate": 1, "2^d": max(2, (records // most).bit_length())}[
            self.tree
        ]
        if len(varying) > many:
            rounded = [
                float(f"{variance:.3g}") for variance in variances()[varying]
            ]  # but for rounding errors
            varying = np.sort(varying[np.argsort(-np.array(rounded), kind="stable")[:many]])
        return Cutting(tuple(varying.tolist()) or (0,), most)


def variances_of(points: Floats) -> Floats:
    """Return the variance of each column."""
    whole = np.zeros(len(points), np.int32)
    return np.array([squares_within(column, whole, 1) / len(points) for column in points.T])


def pieces_of(found: Layout, block: Ints) -> list[Ints]:
    """Return the records of each piece of each block, in canonical order, from the block of each record."""
    few = len(found.counts) <= 2**16  # numbers of 16 bits are sorted far faster
    order = np.argsort(block.astype(np.uint16) if few else block, kind="stable")
    ends = [
        first + piece_ends(int(count), int(pieces))
        for first, count, pieces in zip(
            np.cumsum(found.counts) - found.counts, found.counts, found.pieces, strict=True
        )
    ]
    return np.split(order, np.concatenate(ends)[:-1])


def account_of(found: Layout, cutting: Cutting, tree: str) -> dict[str, Any]:
    """Return what there is to say of the blocks."""
    least = found.counts // found.pieces
    most = -(-found.counts // found.pieces)
    account = {
        "blocks": int(found.pieces.sum()),
        "smallest_block": int(least.min()),
        "largest_block": int(most.max()),
        "max_leaf": cutting.most,
        "dimensions": list(cutting.columns),
    }
    if tree != "median":
        account |= {"useful_leaves": found.leaves, "empty_leaves": found.empty, "fused": found.fusions}
    return account


def _told(account: dict[str, Any], records: int) -> str:
    """Return the account in words."""
    if account["blocks"] == 1:
        return f"all {records:,} records in one block: up to {account['max_leaf']:,} are not parted"
    sizes = f"{account['smallest_block']:,} to {account['largest_block']:,} records"
    return f"in {account['blocks']:,} blocks of {sizes}"


def _is_whole(value: object, least: int) -> bool:
    """Say whether this is a whole number, and not less than the least."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= least)
