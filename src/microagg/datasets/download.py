"""Fetching one small file from the web."""

from __future__ import annotations

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


def download(address: str, *, size: int) -> bytes:
    """Return the file at a web address, or raise ReferenceDataError that says why it cannot be had.

    Of a file larger than `size` no more is read than one byte: enough to know that it is too large.
    """
    try:
        if urlsplit(address).scheme not in ("https", "http"):
            raise ReferenceDataError(f"only web addresses (https) are fetched, found {address}")
        return _received(address, size + 1)
    except HTTPError as error:
        error.close()
        raise ReferenceDataError(f"the server answered {error.code} ({error.reason})") from error
    except TimeoutError as error:
        raise ReferenceDataError(f"the server took too long ({error})") from error
    except (URLError, HTTPException, OSError, ValueError) as error:
        raise ReferenceDataError(f"the connection failed ({getattr(error, 'reason', error)})") from error


class _SafeRedirects(HTTPRedirectHandler):
    """Follows redirections to https, or from http to http, but to no other kind of address."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        """Return the request to follow, or refuse."""
        if urlsplit(newurl).scheme not in ("https", req.type):
            fp.close()
            raise ReferenceDataError(f"it redirects from {req.type} to {newurl}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _received(address: str, most: int) -> bytes:
    deadline = time.monotonic() + TIME_LIMIT_S
    content = bytearray()
    request = Request(address, headers={"User-Agent": "microagg"})
    with build_opener(_SafeRedirects).open(request, timeout=SILENCE_LIMIT_S) as response:
        while len(content) < most and (piece := response.read1(most - len(content))):
            content += piece
            if time.monotonic() > deadline:
                raise TimeoutError(f"{len(content):,} bytes in {TIME_LIMIT_S:.0f} s")
    return bytes(content)
