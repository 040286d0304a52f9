"""Ctrl-C stops within a second, whatever the program is at.

Python answers the signal only between its own steps, and reading a large file is one step. So another
thread is told of the signal too, and ends the program if it has not ended by itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 0.7  # seconds from the signal until the program is ended from outside
_STOPPED = 130
_SHOW_CURSOR = b"\x1b[?25h"

_watched = threading.Event()
_asked = threading.Event()
_arrived = threading.Event()
_may_be_writing = threading.Event()


def asked_for() -> bool:
    """Say whether Ctrl-C was pressed."""
    return _asked.is_set()


def arrived() -> None:
    """Say that the signal is being answered: the program ends by itself, and no second signal matters."""
    if _watched.is_set():
        _arrived.set()
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def may_be_writing() -> None:
    """Say that from now on the output may have been put in its place when the program is ended."""
    _may_be_writing.set()


@contextmanager
def stopped_soon() -> Iterator[None]:
    """Let Ctrl-C end the program with a word: at once if it can, and otherwise soon."""
    _watched.set()
    try:
        if os.name == "posix":
            _watch()
        yield
    except KeyboardInterrupt:
        _say_stopped()
        raise SystemExit(_STOPPED) from None
    except SystemExit as end:
        if end.code == _STOPPED and not _arrived.is_set():
            _say_stopped()
        raise
    finally:
        arrived()


def _say_stopped() -> None:
    arrived()
    print("Stopped. Nothing was written.", file=sys.stderr)


def _watch() -> None:
    told, tells = os.pipe()
    os.set_blocking(tells, False)
    signal.set_wakeup_fd(tells, warn_on_full_buffer=False)
    threading.Thread(target=_end_if_asked, args=(told,), daemon=True).start()


def _end_if_asked(told: int) -> None:
    """Wait for Ctrl-C, and then for the program to end by itself; if it does not, end it."""
    while signal.SIGINT not in os.read(told, 1):
        pass
    _asked.set()
    if _arrived.wait(_PATIENCE):
        return
    fate = b"The output is as it was, or whole." if _may_be_writing.is_set() else b"Nothing was written."
    cursor = _SHOW_CURSOR if os.isatty(2) else b""
    os.write(2, cursor + b"Stopped. " + fate + b"\n")
    os._exit(_STOPPED)
