"""Fetching a file from a server that answers well, badly, slowly or not at all."""

from __future__ import annotations

from http.client import HTTPConnection
from time import perf_counter
from urllib.request import HTTPSHandler, build_opener

import pytest

from microagg.datasets import download as module
from microagg.datasets.download import download
from microagg.errors import ReferenceDataError
from tests.unit.datasets import answers


@pytest.fixture(autouse=True)
def short_patience(monkeypatch):
    monkeypatch.setattr(module, "SILENCE_LIMIT_S", 0.3)
    monkeypatch.setattr(module, "TIME_LIMIT_S", 0.5)


class WithoutEncryption(HTTPSHandler):
    """Speaks plain HTTP with addresses that begin with https, so that no certificate is needed."""

    def https_open(self, request):
        return self.do_open(HTTPConnection, request)


@pytest.fixture
def pretended_https(monkeypatch, server):
    monkeypatch.setattr(module, "build_opener", lambda *handlers: build_opener(WithoutEncryption, *handlers))
    return server.address.replace("http:", "https:")


def test_a_file_comes_whole(server):
    content = bytes(range(256)) * 1000
    server.answers["/file"] = answers.file(content)
    assert download(f"{server.address}/file", size=len(content)) == content


def test_of_a_larger_file_only_one_byte_too_many_is_read(server):
    server.answers["/file"] = answers.file(b"x" * 100_000)
    assert download(f"{server.address}/file", size=10) == b"x" * 11


def test_a_file_cut_short_comes_as_far_as_it_came(server):
    server.answers["/file"] = answers.file(b"half", claimed=8)
    assert download(f"{server.address}/file", size=8) == b"half"


def test_a_redirect_is_followed(server):
    server.answers["/old"] = answers.redirect("/new")
    server.answers["/new"] = answers.file(b"here")
    assert download(f"{server.address}/old", size=4) == b"here"
    assert server.asked == ["/old", "/new"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (answers.error(404), r"the server answered 404 \(Not Found\)"),
        (answers.error(500), r"the server answered 500 \(Internal Server Error\)"),
        (answers.error(503), "the server answered 503"),
        (answers.redirect("/file"), "the server answered 302"),
        (
            answers.redirect("ftp://127.0.0.1/file"),
            "redirects from http to ftp://127.0.0.1/file, which is not",
        ),
        (answers.redirect("file:///etc/hostname"), "the server answered 302"),
        (answers.redirect("http://[/"), "the connection failed"),
        (answers.silence, "the server took too long"),
        (answers.drip, r"the server took too long \(\d+ bytes in"),
        (answers.half_a_chunk, "the connection failed"),
        (answers.babble, "the connection failed"),
    ],
)
def test_a_bad_answer_is_one_error_that_says_why(server, answer, reason):
    server.answers["/file"] = answer
    start = perf_counter()
    with pytest.raises(ReferenceDataError, match=reason):
        download(f"{server.address}/file", size=1000)
    assert perf_counter() - start < 5.0


def test_where_no_server_listens_is_one_error(nobody_there):
    with pytest.raises(ReferenceDataError, match=r"the connection failed .*[Rr]efused"):
        download(f"{nobody_there}/file", size=1000)


def test_from_https_to_https_is_followed(server, pretended_https):
    server.answers["/file"] = answers.redirect(f"{pretended_https}/there")
    server.answers["/there"] = answers.file(b"safe")
    assert download(f"{pretended_https}/file", size=4) == b"safe"


def test_from_https_to_http_is_not_followed(server, pretended_https):
    server.answers["/file"] = answers.redirect(f"{server.address}/there")
    server.answers["/there"] = answers.file(b"open")
    with pytest.raises(ReferenceDataError, match=r"redirects from https to http:.*, which is not followed"):
        download(f"{pretended_https}/file", size=4)
    assert server.asked == ["/file"]


@pytest.mark.parametrize(
    "address", ["file:///etc/hostname", "ftp://127.0.0.1/x", "data:,x", "/etc/hostname", ""]
)
def test_only_web_addresses_are_fetched(address):
    with pytest.raises(ReferenceDataError, match="only web addresses"):
        download(address, size=10)


@pytest.mark.parametrize("address", ["http://", "http://[", "http://127.0.0.1:port/", "http://127.0.0.1/a b"])
def test_an_address_that_is_none_is_one_error(address):
    with pytest.raises(ReferenceDataError, match="the connection failed"):
        download(address, size=10)
