"""What could be released, by what it loses and what it risks, and which of it to choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from microagg.plan import Plan


class Place(NamedTuple):
    """Where a candidate lies on the map: nearer to zero is better in both."""

    loss: float
    risk: float


@dataclass(frozen=True)
class Candidate:
    """A method and k, with what a release by them loses and risks; None where that could not be had.

    Parameters
    ----------
    method
        The text of the method, as it was asked for.
    k
        The least number of records in a group.
    plan
        What gives this release again.
    loss
        100 SSE/SST: the information that is lost, in percent.
    risk
        The share of the released records whose nearest original is their own.
    smallest_class
        How many records the smallest class holds.
    sensitive
        The share of the records in classes that give a sensitive column away, of the column for which
        it is largest.
    dominated
        How many classes have, in some column, one or two members that hold nearly all of the sum.
    seconds
        What the grouping took.
    fault
        Why there is no such release, if there is none.
    """

    method: str
    k: int
    plan: Plan = field(repr=False)
    loss: float | None = None
    risk: float | None = None
    smallest_class: int | None = None
    sensitive: float | None = None
    dominated: int | None = None
    seconds: float | None = field(default=None, compare=False)
    fault: str = ""

    @property
    def place(self) -> Place | None:
        """Where it lies on the map, if it could be made."""
        return None if self.loss is None or self.risk is None else Place(self.loss, self.risk)

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"{self.method} with k = {self.k}"


class Ceilings(NamedTuple):
    """The most that may be lost, in percent, and the largest risk that is borne, where that is said."""

    loss: float | None = None
    risk: float | None = None

    @property
    def are_stated(self) -> bool:
        """Whether there is one at all."""
        return self.loss is not None or self.risk is not None

    def keeps(self, place: Place) -> bool:
        """Say whether a place lies within them."""
        return self._beyond(place) <= 0.0

    def _beyond(self, place: Place) -> float:
        """Return by how much a place is beyond the ceiling that it breaks most, both as shares."""
        over = [] if self.loss is None else [(place.loss - self.loss) / 100.0]
        return max([*over, *([] if self.risk is None else [place.risk - self.risk])], default=0.0)

    def order(self, place: Place) -> tuple[float, float, float]:
        """Return the key by which places stand from the best to the worst.

        Those within the ceilings come first, the others by how far they are beyond. Of those within,
        the best has the least risk if only the loss has a ceiling, and else the least loss.
        """
        first, then = place if self.risk is not None else (place.risk, place.loss)
        return max(0.0, self._beyond(place)), first, then

    def __str__(self) -> str:
        """Return them as part of a sentence."""
        told = [] if self.loss is None else [f"a loss of at most {self.loss:g} %"]
        if self.risk is not None:
            told.append(f"a risk of at most {100.0 * self.risk:g} %")
        return " and ".join(told)


def frontier_of(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return those that no other beats: that loses less and risks no more, or the other way round.

    They stand by their loss, the least first; those that lie at the same place are all among them.
    """
    found: list[tuple[Place, Candidate]] = []
    for place, candidate in sorted(_placed(candidates), key=lambda pair: pair[0]):
        if not found or place.risk < found[-1][0].risk or place == found[-1][0]:
            found.append((place, candidate))
    return tuple(candidate for _, candidate in found)


def _placed(candidates: Sequence[Candidate]) -> Iterator[tuple[Place, Candidate]]:
    return ((of.place, of) for of in candidates if of.place is not None)


def choice(candidates: Sequence[Candidate], ceilings: Ceilings) -> tuple[Candidate | None, str]:
    """Return the candidate to choose, if one keeps within the ceilings, and a sentence that says why.

    Of those at the same place the one with the largest k is taken, and the first of these.
    """
    placed = list(_placed(candidates))
    if not placed:
        return None, "none is chosen: no candidate could be made"
    if not ceilings.are_stated:
        return None, "none is chosen: state the most that may be lost, or the largest risk that is borne"
    place, best = min(placed, key=lambda pair: (*ceilings.order(pair[0]), -pair[1].k))
    if not ceilings.keeps(place):
        return None, f"none keeps to {ceilings}; the nearest is {best.name}: {_told(place)}"
    within = sum(ceilings.keeps(place) for place, _ in placed)
    return best, f"{best.name}: {_told(place)}; {_why(within, ceilings)}"


def _told(place: Place) -> str:
    linked = f"{100.0 * place.risk:.2f} % of the released records are linked"
    return f"{place.loss:.2f} % of the information is lost, and {linked}"


def _why(within: int, ceilings: Ceilings) -> str:
    if within == 1:
        return f"no other keeps to {ceilings}"
    least = "least risk" if ceilings.risk is None else "least loss"
    return f"of {within} that keep to {ceilings} it has the {least}"
