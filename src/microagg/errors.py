"""Every exception of the package: what was found, what was expected, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Value = TypeVar("Value")


class MicroaggError(Exception):
    """Base of all errors a user can meet."""


class InputError(MicroaggError, ValueError):
    """The data or the request cannot be used as given; `faults` names every reason at once."""

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))

    @classmethod
    def raise_any(cls, faults: Iterable[str]) -> None:
        """Raise one error that names all faults, if there are any.

        >>> InputError.raise_any([])
        """
        found = tuple(faults)
        if found:
            raise cls(found)


class Faults(list[str]):
    """What was found wrong so far, by steps that do not need each other."""

    def attempt(
        self, step: Callable[Arguments, Value], *args: Arguments.args, **options: Arguments.kwargs
    ) -> Value | None:
        """Return what the step returns; if it raises an InputError, keep the faults and return None.

        >>> faults = Faults()
        >>> faults.attempt(InputError.raise_any, ["k is not a number"])
        >>> faults
        ['k is not a number']
        """
        try:
            return step(*args, **options)
        except InputError as error:
            self.extend(error.faults)
            return None


class UnsafeReleaseError(MicroaggError):
    """The independent check found released records that stand for fewer than k; nothing was written."""


class ReferenceDataError(MicroaggError):
    """A reference data set is neither on this machine nor could it be fetched."""


class NotJointlyAnonymousWarning(UserWarning):
    """What was computed protects single columns only: together they single records out."""
