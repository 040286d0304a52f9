"""Files that are written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path
from time import time

try:
    import fcntl
except ImportError:  # Windows, where leftovers of a crash stay
    fcntl = None  # type: ignore[assignment]

_LEFT_BEHIND = 60.0  # seconds since it was last written to, from which a file that nobody holds is a leftover


@contextmanager
def replacing(path: Path, mode: int = 0o666) -> Iterator[BufferedRandom]:
    """Give a file to write, which takes the place of the one at this path once all is written.

    Until then it stands beside it under a name of its own, so that a crash leaves the old one as it
    was. A new file gets this mode; one that is replaced hands its own on. What earlier crashes left in
    the folder is removed. Raises OSError.
    """
    part = path.with_name(f".microagg-{secrets.token_hex(6)}.part")
    try:
        with _created(part, mode) as stream:
            if fcntl:
                with suppress(OSError):  # some network drives have no locks
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_leftovers(path.parent)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _created(path: Path, mode: int) -> BufferedRandom:
    """Return a new file that can be found by its name, as some libraries want to."""
    return open(path, "x+b", opener=lambda name, flags: os.open(name, flags, mode))


def _remove_leftovers(folder: Path) -> None:
    """Remove files of ours that no running process holds, as a crash leaves them behind."""
    if not fcntl:
        return
    for part in folder.glob(".microagg-*.part"):
        with suppress(OSError):  # another run writes it, or has just finished
            if time() - part.stat().st_mtime > _LEFT_BEHIND:
                with part.open("rb") as stream:
                    fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    part.unlink()
