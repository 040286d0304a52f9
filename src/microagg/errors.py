"""Every exception of the package: what was found, what was expected, and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class MicroaggError(Exception):
    """Base of all errors a user can meet."""


class InputError(MicroaggError):
    """The data or the request cannot be used as given; `faults` names every reason at once."""

    def __init__(self, faults: str | Iterable[str]) -> None:
        self.faults: tuple[str, ...] = (faults,) if isinstance(faults, str) else tuple(faults)
        super().__init__("\n".join(self.faults))

    @classmethod
    def raise_any(cls, faults: Iterable[str]) -> None:
        """Raise one error that names all faults, if there are any."""
        found = tuple(faults)
        if found:
            raise cls(found)


class UnsafeReleaseError(MicroaggError):
    """The independent check found released records that stand for fewer than k; nothing was written."""


class ReferenceDataError(MicroaggError):
    """A reference data set is neither on this machine nor could it be fetched."""
