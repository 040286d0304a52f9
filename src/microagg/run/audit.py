"""What an auditor needs to confirm which data went in, and which came out."""

from __future__ import annotations

from typing import Any

import microagg.tables as tables
from microagg.fingerprints import Key, keyed


def fingerprint(data: Any, key: Key | None = None) -> str:
    """Return the fingerprint of data, to compare with those that a result or its account holds.

    Parameters
    ----------
    data
        What `protect` takes, or what it released. Of a file only its bytes count, of a data frame or a
        table of a database its names, types and values, in their order.
    key
        The key of an input's fingerprint, or the path of the file that holds it; none for an output's.

    Returns
    -------
    str
        Without a key the SHA-256, of a file just what `sha256sum` prints; with one the HMAC-SHA256 of that
        under the key.

    Raises
    ------
    InputError
        If the data or the key cannot be read.

    Examples
    --------
    >>> import pyarrow as pa
    >>> fingerprint(pa.table({"staff": [1, 3]})) == fingerprint(pa.table({"staff": [1, 4]}))
    False
    """
    digest = tables.digest_of(data)
    return digest.hex() if key is None else keyed(digest, key)
