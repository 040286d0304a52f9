"""What came out of a run, and how it came to be."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from microagg.errors import InputError
from microagg.fingerprints import Fingerprints, key_kept_in, save
from microagg.plan import Plan

if TYPE_CHECKING:
    from microagg.measures import Evaluation, RiskMeasures

Audience = Literal["internal", "external"]
"""For whom a report is: those who answer for the release, or everybody."""


@dataclass(frozen=True)
class Loss:
    """The information loss in percent: 100 SSE/SST, of all quasi-identifiers and of each."""

    percent: float
    by_column: Mapping[str, float]


@dataclass(frozen=True)
class Classes:
    """What an observer can tell apart: the classes of records with equal quasi-identifiers.

    `smallest`, `largest` and `sizes`, how many classes there are of each size, count records, or
    entities where several records belong to one.
    """

    records: int
    count: int
    smallest: int
    largest: int
    records_below_k: int
    sizes: Mapping[int, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of_sizes(cls, sizes: Mapping[int, int], k: int) -> Classes:
        """Return the classes of which so many are of each size.

        >>> Classes.of_sizes({2: 1, 3: 2}, k=3)
        Classes(records=8, count=3, smallest=2, largest=3, records_below_k=2)
        """
        return cls(
            records=sum(size * count for size, count in sizes.items()),
            count=sum(sizes.values()),
            smallest=min(sizes),
            largest=max(sizes),
            records_below_k=sum(size * count for size, count in sizes.items() if size < k),
            sizes=sizes,
        )


class Evidence(Protocol):
    """What the measures need besides the result: the original, for as long as the result lives."""

    def evaluate(self, result: Result, models: Sequence[str]) -> Evaluation:
        """Return what was lost, and what can be found out."""

    def report(
        self, result: Result, path: str | os.PathLike[str], audience: Audience, models: Sequence[str]
    ) -> None:
        """Write the report."""


@dataclass(frozen=True, eq=False)
class Result:
    """A safe table and its account.

    `data` is the released table in the order of the rows and columns given: a data frame of the
    kind that was given, or else an Arrow table; larger than memory, the file that was written, to be read
    with `data.read()`, or part by part with `data.parts()`;
    `labels` the group of each row, None larger than memory; `classes` what the independent check counted
    in the values as they are written; `notes` what the user should know; `account` what the method found
    out on its way, as plain data, such as the gamma it chose; `seconds` the wall time of each stage;
    `written`
    the file, or the table of a database without its password, if one was asked for; `fingerprints`
    those of the input, under a key, and of what was written, or else of the released table;
    `evidence` the original, which measures and reports need, and which stays behind when the result is
    pickled.
    """

    data: Any = field(repr=False)
    labels: NDArray[np.int32] | None = field(repr=False)
    plan: Plan
    loss: Loss
    classes: Classes
    notes: tuple[str, ...]
    account: Mapping[str, Any]
    seconds: Mapping[str, float]
    versions: Mapping[str, str]
    fingerprints: Fingerprints
    written: Path | str | None = None
    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def group_sizes(self) -> NDArray[np.intp]:
        """How many records each group holds."""
        if self.labels is None:
            raise InputError("larger than memory no labels are kept: see the sizes of the classes")
        return np.bincount(self.labels)

    @cached_property
    def risk(self) -> RiskMeasures:
        """What can be found out, measured when it is first asked for."""
        return self.evaluate().risk

    def evaluate(self, models: Sequence[str] = ()) -> Evaluation:
        """Return what was lost and what can be found out, by every measure that the data allow.

        Parameters
        ----------
        models
            Regressions or classifiers to fit on the original and on the release, as in
            "turnover ~ wages + assets", or only a target: then all other quasi-identifiers predict it.

        Raises
        ------
        InputError
            If a model names a column that there is not, or the original is no longer at hand.
        """
        return self._evidence().evaluate(self, models)

    def report(
        self,
        path: str | os.PathLike[str],
        audience: Audience = "internal",
        models: Sequence[str] = (),
    ) -> None:
        """Write one HTML page that shows what was lost and what can be found out.

        Parameters
        ----------
        path
            The file to write; one that is there is replaced.
        audience
            "internal" tells all, to those who answer for the release; "external" nothing that helps an
            attacker.
        models
            As for `evaluate`.

        Raises
        ------
        InputError
            As `evaluate`, or if the file cannot be written.
        """
        self._evidence().report(self, path, audience, models)

    def _evidence(self) -> Evidence:
        if self.evidence is None:
            raise InputError(
                "the original stayed where this result was made: microagg.evaluate(original, released) "
                "measures what was lost"
            )
        return self.evidence

    def __getstate__(self) -> dict[str, Any]:
        """Return what may go along when the result is pickled: the original does not."""
        return {
            name: None if name == "evidence" else value
            for name, value in vars(self).items()
            if name != "risk"
        }

    def save_account(self, path: str | os.PathLike[str], key: str | os.PathLike[str] | None = None) -> None:
        """Write how this release came to be to a JSON file, for those who answer for it, not for release.

        All but the data and the labels is in it. It can be read by its owner alone, as the key can.

        Parameters
        ----------
        path
            The file to write; one that is there is replaced.
        key
            The file of the key under which the input's fingerprint is computed; it is made if it is not
            there. Who holds it can confirm the input: see `microagg.fingerprint`. Without it the key is
            the one drawn for this result, which then only `fingerprints.key` tells.

        Raises
        ------
        InputError
            If a file cannot be written, or the key's holds none.
        """
        prints = self.fingerprints
        given = prints.input if key is None else prints.under(key_kept_in(key, prints.key))
        account = {
            "internal": "not for release: it tells more of the data than the release does",
            "written": None if self.written is None else str(self.written),
            "fingerprints": {"input (HMAC-SHA256)": given, "output (SHA-256)": prints.output},
            "versions": self.versions,
            "plan": asdict(self.plan),
            "method": {"name": self.plan.method, "account": self.account},
            "loss": asdict(self.loss),
            "classes": asdict(self.classes),
            "seconds": self.seconds,
            "notes": self.notes,
        }
        save(path, f"{json.dumps(account, indent=2, ensure_ascii=False, default=_plain)}\n")


def _plain(value: Any) -> Any:
    """Return what a method's account holds as JSON knows it."""
    if isinstance(value, Mapping):
        return dict(value)
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
