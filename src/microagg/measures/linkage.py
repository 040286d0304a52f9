"""Linking records by least distance (DBRL): how often an attacker finds the right one.

Pagliuca and Seri, "Some results of individual ranking method on the system of enterprise accounts annual
survey", 1999; Domingo-Ferrer and Torra, "A quantitative comparison of disclosure control methods for
microdata", in Confidentiality, Disclosure and Data Access, 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from microagg.columns import Floats
from microagg.kernels.exact import exact_sum
from microagg.measures.compared import Compared
from microagg.measures.found import Linkage
from microagg.measures.nearest import Finder, Nearest, Places, Rows, Sweep, places_of, squared_distances
from microagg.measures.sampling import sample_of
from microagg.measures.strata import stratum_coordinates

Progress = Callable[[int, int], None]

SAMPLE = 20_000
"""Records that are linked where linking all would take too long: the standard error is at most 0.0036."""

LEAST_SAMPLE = 1000
"""Records that are linked however long it takes: the standard error is at most 0.016."""

FEW = 50_000_000  # distances times columns, up to which NumPy takes less time than loading compiled loops
MOST_WORK = 6e8  # leaves seen, times columns and a little: three to eight seconds on two cores

_LARGEST = 2.0**200  # coordinate whose square is far from the largest number, as its inverse's from the least


class _Ground(NamedTuple):
    """Originals and classes as points, and who belongs to which."""

    originals: Places
    classes: Places  # the released point of each class
    class_of: Rows
    member_of: Rows  # a record of each class


class _Chances(NamedTuple):
    """How likely each record is linked rightly."""

    forth: Floats  # the released record to its own original
    of_two: Floats  # or to one of two
    back: Floats  # the original to its own released record
    to_class: Floats  # or to any of that class


def linkage(compared: Compared, progress: Progress | None = None, seed: int = 0) -> Linkage:
    """Link every released record to the nearest original, and every original to the nearest released record.

    The attacker holds the original values of all records in all columns. Where several records are
    equally near he takes one by chance, and what is counted is how often he is expected to be right; so
    the order of the records has no effect. Distances count as equal if their squares differ by a relative
    1e-9, or by no more than rounding can bring about. Of a record he sees the stratum, and looks there only.

    Parameters
    ----------
    compared
        The original and its release.
    progress
        Called with the queries done and in all; an exception raised in it stops the work.
    seed
        Draws the sample where linking all records would take more than about ten seconds.
    """
    ground = _ground_of(compared)
    watch = _Watch(progress, ground.class_of.size + ground.member_of.size)
    who = np.arange(compared.records)
    if 2 * ground.originals.points.size * ground.member_of.size <= FEW:
        sweeps = Sweep(ground.originals), Sweep(ground.classes)
        return _found(_chances(ground, who, *sweeps, watch), compared.records)
    originals, classes, linked = _planted(ground, watch)
    if linked < compared.records:
        who = sample_of(compared, min(max(linked, LEAST_SAMPLE), SAMPLE), seed)
    return _found(_chances(ground, who, originals, classes, watch), compared.records)


def _planted(ground: _Ground, watch: _Watch) -> tuple[Finder, Finder, int]:
    """Return trees of originals and of classes, and how many records there is time to link."""
    from microagg.measures.search_tree import SearchTree  # brings numba, which small tables do without

    originals, classes = SearchTree(ground.originals, watch), SearchTree(ground.classes, watch)
    forth = originals.leaves_seen(ground.classes, classes.order, two=True, watch=watch)
    back = classes.leaves_seen(ground.originals, originals.order, two=False, watch=watch)
    records, most = ground.class_of.size, MOST_WORK / (ground.originals.points.shape[1] + 4)
    if forth * ground.member_of.size + back * records <= most:
        return originals, classes, records
    return originals, classes, min(int(most / (forth + back)), records - 1)


class _Watch:
    """Tells progress through two stages, one after the other."""

    def __init__(self, progress: Progress | None, queries: int) -> None:
        self.progress, self.queries = progress, queries
        self._before, self._each = 0, 0.0

    def __call__(self, done: int) -> None:
        if self.progress is not None:
            self.progress(self._before + round(done * self._each), self.queries)

    def enter(self, before: int, stage: int, asked: int) -> None:
        """Begin a stage: what was done before it, what it counts for, and how many queries are asked."""
        self._before, self._each = before, stage / asked


def _ground_of(compared: Compared) -> _Ground:
    """Return the points at a scale at which no square overflows, and none of the largest vanishes."""
    _, member_of, class_of = np.unique(compared.classes, return_index=True, return_inverse=True)
    original, released = compared.original, compared.released[member_of]
    if not original.shape[1]:
        original, released = np.zeros((class_of.size, 1)), np.zeros((member_of.size, 1))
    largest = max(float(original.max()), -float(original.min()))
    if largest > 0.0 and not 1.0 / _LARGEST < largest < _LARGEST:
        exponent = -int(np.frexp(largest)[1])
        with np.errstate(over="ignore"):  # a release may lie far beyond the originals
            original, released = np.ldexp(original, exponent), np.ldexp(released, exponent)
    np.clip(released, -_LARGEST, _LARGEST, out=released)
    strata = stratum_coordinates(original, compared.strata)
    return _Ground(
        places_of(original, np.ones(class_of.size), strata),
        places_of(released, np.bincount(class_of).astype(np.float64), strata[member_of]),
        class_of,
        member_of,
    )


def _chances(ground: _Ground, who: Rows, originals: Finder, classes: Finder, watch: _Watch) -> _Chances:
    """Return how likely these records are linked rightly."""
    classes_asked, row = np.unique(ground.class_of[who], return_inverse=True)
    released, own_class = ground.classes.of(classes_asked), ground.class_of[who]
    known = ground.originals.of(who)
    own = squared_distances(known.points, ground.classes.points[own_class])
    watch.enter(0, ground.member_of.size, classes_asked.size)
    near = originals.nearest(released, ground.member_of[classes_asked], two=True, watch=watch)
    near = Nearest(*(of[row] for of in near))
    watch.enter(ground.member_of.size, ground.class_of.size, who.size)
    back = classes.nearest(known, own_class, two=False, watch=watch)
    chance = (own <= back.limit) / back.records
    return _Chances(*_forth(own, near), chance, chance * ground.classes.records[own_class])


def _forth(own: Floats, near: Nearest) -> tuple[Floats, Floats]:
    """Return the chances that a released record is linked to its own original, and to it or another one."""
    nearest, next_to_it = own <= near.limit, (own <= near.next_limit) & (near.next_records > 0)
    of_two = np.where(next_to_it, 1.0 / np.maximum(near.next_records, 1.0), 0.0)
    of_two[nearest] = np.minimum(2.0 / near.records[nearest], 1.0)
    return nearest / near.records, of_two


def _found(chances: _Chances, records: int) -> Linkage:
    """Return the average chances, and how far off they may be if not all records were asked."""
    asked = chances.back.size
    forth, of_two, back, to_class = (exact_sum(chance) / asked for chance in chances)
    return Linkage(
        forth,
        of_two,
        back,
        to_class,
        by_record=chances.back if asked == records else np.empty(0),
        error=max(_error(chance, records) for chance in chances),
        sample=asked,
    )


def _error(chance: Floats, records: int) -> float:
    """Return the standard error of the mean of a sample drawn without replacement."""
    if chance.size == records:
        return 0.0
    mean = exact_sum(chance) / chance.size
    variance = exact_sum((chance - mean) ** 2) / (chance.size - 1)
    return float(np.sqrt(variance / chance.size * (1.0 - chance.size / records)))
