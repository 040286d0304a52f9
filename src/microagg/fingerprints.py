"""Fingerprints of what went in and what came out, by which a release can be confirmed later.

The fingerprint of a file is the SHA-256 of its bytes, that of a table of its names, types and values.
The input's is keyed, since whoever guesses what is in a file can confirm it by a plain one: it is the
HMAC-SHA256 of the SHA-256 (its 32 bytes), so that the input need not be read again for another key.
"""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microagg.errors import InputError
from microagg.whole_files import replacing

_LENGTH = 32  # bytes of a key, as many as HMAC-SHA256 makes use of
_OWNER_ONLY = 0o600

Key = bytes | str | os.PathLike[str]
"""A key, or the path of the file that holds it."""


@dataclass(frozen=True)
class Fingerprints:
    """The input's HMAC-SHA256 under the key, and the output's SHA-256.

    The key is drawn for this result, is not shown, and does not go along when a result is pickled.
    """

    input: str
    output: str
    key: bytes = field(default=b"", repr=False)
    _digest: bytes = field(default=b"", repr=False)  # of the input, without a key

    @classmethod
    def of(cls, given: bytes, released: bytes) -> Fingerprints:
        """Return the fingerprints for the SHA-256 of the input and of the output."""
        key = secrets.token_bytes(_LENGTH)
        return cls(keyed(given, key), released.hex(), key, given)

    def under(self, key: bytes) -> str:
        """Return the fingerprint of the input under another key."""
        if not self._digest:
            raise InputError("the input's fingerprint under another key can be had only where it was made")
        return keyed(self._digest, key)

    def __getstate__(self) -> dict[str, Any]:
        return {"input": self.input, "output": self.output}


def keyed(digest: bytes, key: Key) -> str:
    """Return the HMAC-SHA256 of a SHA-256 under a key.

    >>> keyed(bytes(32), b"a key")[:8]
    'fcfa9119'
    """
    secret = key if isinstance(key, bytes) else key_in(key)
    return hmac.digest(secret, digest, "sha256").hex()


def key_in(path: str | os.PathLike[str]) -> bytes:
    """Return the key in a file, written as hexadecimal digits; raises InputError if there is none."""
    try:
        key = bytes.fromhex(Path(path).read_text(encoding="ascii"))
    except OSError as error:
        raise InputError(f"the key {path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise InputError(f"{path} holds no key: expected {2 * _LENGTH} hexadecimal digits") from None
    if len(key) != _LENGTH:
        raise InputError(f"{path} holds {2 * len(key)} hexadecimal digits: a key has {2 * _LENGTH}")
    return key


def key_kept_in(path: str | os.PathLike[str], key: bytes) -> bytes:
    """Return the key in a file; where there is none, make it for its owner alone, with this key in it."""
    if Path(path).exists():
        return key_in(path)
    InputError.raise_any([] if key else ["there is no key to keep: it stayed where the result was made"])
    save(path, f"{key.hex()}\n")
    return key


def save(path: str | os.PathLike[str], text: str) -> None:
    """Write a text that is not for everyone's eyes; raises InputError if it cannot be written."""
    try:
        with replacing(Path(path), _OWNER_ONLY) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
