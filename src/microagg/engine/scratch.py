"""A folder for what does not fit into memory: gone when the work ends, however it ends."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

from microagg.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where leftovers of a crash stay
    fcntl = None  # type: ignore[assignment]

_LOCK = "lock"
_YOUNG = 60.0  # seconds in which a folder without a lock may be about to get one


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Give an empty folder in this one, for its owner alone, and remove it in the end.

    What runs that were killed left there is removed too; a lock tells it from what others still use.
    Raises InputError if there can be none, or if what is written in it does not fit.
    """
    name = f".microagg-{secrets.token_hex(6)}"
    folder = parent / f"{name}.large"
    with _explained(parent):
        _remove_leftovers(parent)
        unlocked = parent / f"{name}.new"
        unlocked.mkdir(0o700)
        try:
            with (unlocked / _LOCK).open("wb") as lock:
                if fcntl:
                    with suppress(OSError):  # some network drives have no locks
                        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                unlocked.rename(folder)  # now that it is locked, others may see it
                yield folder
        finally:
            for path in (folder, unlocked):
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _explained(parent: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the temporary folder {parent} cannot be used: {error.strerror or error}; nothing was written: "
            "make room there, or name another with temporary="
        ) from error


def _remove_leftovers(parent: Path) -> None:
    """Remove folders of ours that no running process holds."""
    if not fcntl:
        return
    for folder in parent.glob(".microagg-*.large"):
        with suppress(OSError), (folder / _LOCK).open("rb") as lock:  # OSError if another run holds it
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    for folder in parent.glob(".microagg-*.new"):
        with suppress(OSError):
            if time() - folder.stat().st_mtime > _YOUNG:
                shutil.rmtree(folder, ignore_errors=True)
