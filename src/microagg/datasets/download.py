"""Fetching one small file whose size and checksum are known beforehand."""

from __future__ import annotations

import hashlib
import time
from http.client import HTTPException, HTTPMessage
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from microagg.errors import ReferenceDataError

SILENCE_LIMIT_S = 20.0
"""How long the server may say nothing."""
TIME_LIMIT_S = 120.0
"""How long the whole file may take; a server that drips one byte at a time never falls silent."""


def download(address: str, *, size: int, sha256: str) -> bytes:
    """Return the file at a web address, or raise an error that says why it cannot be had.

    Never more than `size` bytes are kept, and only the very file with that checksum is returned.
    """
    if urlsplit(address).scheme not in ("https", "http"):
        raise ReferenceDataError(f"only web addresses (https) are fetched, found {address}")
    try:
        content = _received(address, size)
    except HTTPError as error:
        error.close()
        raise ReferenceDataError(f"the server answered {error.code} ({error.reason})") from error
    except TimeoutError as error:
        raise ReferenceDataError(f"the server took too long ({error})") from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise ReferenceDataError(f"no connection ({getattr(error, 'reason', error)})") from error
    require_content(content, size=size, sha256=sha256)
    return content


def require_content(content: bytes, *, size: int, sha256: str) -> None:
    """Raise if these bytes are not the expected file."""
    if len(content) > size:
        raise ReferenceDataError(f"it is larger than the {size:,} bytes expected")
    if len(content) < size:
        raise ReferenceDataError(f"it has {len(content):,} bytes, expected {size:,}")
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ReferenceDataError(f"its SHA-256 is {found}, expected {sha256}")


class _NoDowngrade(HTTPRedirectHandler):
    """Follows redirections, but never from https to anything less."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request to follow, or refuse."""
        if req.type == "https" and urlsplit(newurl).scheme != "https":
            raise URLError(f"redirected from https to {newurl}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _received(address: str, size: int) -> bytes:
    """Read the file up to one byte more than expected: enough to know that it is too large."""
    deadline = time.monotonic() + TIME_LIMIT_S
    content = bytearray()
    request = Request(address, headers={"User-Agent": "microagg"})
    with build_opener(_NoDowngrade).open(request, timeout=SILENCE_LIMIT_S) as response:
        while len(content) <= size and (piece := response.read1(size + 1 - len(content))):
            content += piece
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(content):,} of {size:,} bytes in {TIME_LIMIT_S:.0f} s")
    return bytes(content)
