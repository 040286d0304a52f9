"""Files that are whole or not there at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a stream to a new file beside this one, which then takes its name, so that a crash leaves the old.

    If the body raises, nothing has changed. Failures are those of the system, as OSError.
    """
    part = path.with_name(f".microagg-{secrets.token_hex(6)}.part")
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(path, part)
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
