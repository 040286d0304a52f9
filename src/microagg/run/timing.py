"""How long the stages took, and what they ran with."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


def versions() -> dict[str, str]:
    """Return what this result came to be with; numba is in it only where something was compiled."""
    names = ("microagg", "numpy", "numba", "pyarrow", "duckdb")
    modules = {name: sys.modules.get(name) for name in names}
    found = {name: str(module.__version__) for name, module in modules.items() if module}
    return {"python": platform.python_version(), **found}


@contextmanager
def timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    """Add the wall time of what is done meanwhile to that of its stage."""
    start = perf_counter()
    yield
    seconds[stage] = seconds.get(stage, 0.0) + perf_counter() - start
