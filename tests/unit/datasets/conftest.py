"""A web server on this machine, since tests have no internet, and a cache that is no user's."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from microagg.datasets.reference import cache_folder
from microagg.datasets.sources import SOURCES
from tests.unit.datasets.towns import TOWNS_SOURCE


class LocalServer(ThreadingHTTPServer):
    """Answers each path with the function put into `answers`; any other path is not found."""

    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.answers = {}
        self.asked = []
        self.stopping = threading.Event()

    def handle_error(self, request, client_address):
        pass  # that the client hangs up is part of the tests


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.send_error(404)
        else:
            answer(self)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with LocalServer() as running:
        threading.Thread(target=running.serve_forever, args=[0.01], daemon=True).start()
        yield running
        running.stopping.set()
        running.shutdown()


@pytest.fixture
def nobody_there():
    """Return an address on this machine at which no server listens."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        port = closed.server_port
    return f"http://127.0.0.1:{port}"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """Give every test a cache of its own, nothing named from outside, and the invented set."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("MICROAGG_REFERENCE_DATA", raising=False)
    monkeypatch.delenv("MICROAGG_REFERENCE_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setitem(SOURCES, "towns", TOWNS_SOURCE)
    return cache_folder()
