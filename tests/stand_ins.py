"""Methods that are simple enough to know in advance what comes out of them."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Chunks:
    """Groups of k as the records come, so that any trace of the order of the rows shows."""

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        groups = len(X) // k
        return np.minimum(np.arange(len(X)) // k, groups - 1).astype(np.int32)


@dataclass(frozen=True)
class Alone:
    """Breaks the promise of a method: every record is a group by itself."""

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        return np.arange(len(X), dtype=np.int32)


@dataclass(frozen=True)
class Interrupted:
    """Gets the signal that Ctrl-C sends while it works."""

    def partition(self, X, k, *, weights=None, seed=0, progress=None):
        os.kill(os.getpid(), signal.SIGINT)
        raise AssertionError("the signal did not stop the work")
