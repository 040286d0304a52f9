"""Where a request is worked on: in memory, or on disk where that holds too little."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import microagg.tables as tables
from microagg.errors import Faults, InputError
from microagg.partition.matrix import Progress
from microagg.plan import Plan
from microagg.plan.faults import unknown_word
from microagg.result import Result

EngineName = Literal["auto", "memory", "duckdb", "spark"]

_SHARE = 0.5  # of the free memory, up to which a table is worked on in memory
_COPIES = 5.0  # the table, its numbers, the matrix, the tree over it, and what is released
_PROC, _GROUP = Path("/proc"), Path("/sys/fs/cgroup")
_LEAST = 500_000_000  # bytes, below which nothing can be done
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?\s*", re.IGNORECASE)


def protected_larger(
    data: Any,
    plan: Plan,
    method: Any,
    to: Any,
    progress: Progress | None,
    engine: EngineName,
    memory_limit: str | int | None,
    temporary: str | os.PathLike[str] | None,
) -> Result | None:
    """Return the result of the work elsewhere; None if the request is to be worked on in memory."""
    faults = Faults()
    if engine not in get_args(EngineName):
        faults.append(unknown_word("the engine", engine, get_args(EngineName)))
    memory = faults.attempt(_bytes_of, memory_limit)
    folder = None if temporary is None else Path(temporary)
    if folder and not folder.is_dir():
        faults.append(f"there is no folder {folder}: temporary files are put in one that is there")
    faults += _of_spark(data, engine, memory_limit, temporary)
    if engine == "memory":
        said = {"memory_limit": memory_limit, "temporary": temporary}
        faults += [
            f"{name} is for the work on disk: leave it out, or take engine='duckdb'"
            for name, value in said.items()
            if value is not None
        ]
    InputError.raise_any(faults)
    if tables.is_spark(data) and engine != "memory":
        from microagg.run.clustered import protect_on_cluster  # brings Spark

        return protect_on_cluster(data, plan, method, to, progress)
    if engine == "memory" or (engine == "auto" and not _is_larger(data, plan)):
        return None
    from microagg.run.larger import Within, protect_larger  # brings what only this needs

    return protect_larger(data, plan, method, to, progress, Within(int(memory or 0), folder))


def _of_spark(data: Any, engine: str, memory_limit: Any, temporary: Any) -> Iterator[str]:
    """Yield what is asked of Spark, or of data that are Spark's, and cannot be."""
    if not tables.is_spark(data):
        if engine == "spark":
            yield f"engine='spark' is for data frames of Spark: this is {type(data).__name__}"
        return
    if engine == "duckdb":
        yield "a Spark data frame is not worked on by DuckDB: take engine='auto', or a file"
    if engine in ("auto", "spark"):
        said = {"memory_limit": memory_limit, "temporary": temporary}
        for name in (name for name, value in said.items() if value is not None):
            yield f"{name} says nothing to Spark: how much a cluster may take is told in its own settings"


def _bytes_of(limit: str | int | None) -> int:
    """Return how many bytes a text such as "4GB" tells of."""
    if limit is None:
        return max(int(_SHARE * free_memory()), _LEAST)
    found = _SIZE.fullmatch(str(limit))
    if not found:
        raise InputError(f"the memory limit {limit!r} cannot be read: expected a size such as '4GB'")
    many, unit, binary = found.groups()
    power = list(_UNITS).index(unit.upper())
    size = int(float(many) * (1024**power if binary else 1000**power))
    if size < _LEAST:
        raise InputError(f"a memory limit of {limit} is too small: 500MB are the least")
    return size


def _is_larger(data: Any, plan: Plan) -> bool:
    """Say whether a table that can be read in parts would take more than its share of the free memory."""
    if not tables.is_place(data):
        return False
    try:
        from microagg.tables.streams import size_of

        size = size_of(data)
    except InputError:  # which the work in memory will tell, if it is one there too
        return False
    return size * _COPIES > _SHARE * free_memory()


def free_memory() -> float:
    """Return how many bytes of memory are free, for this group of processes if it has less than the machine.

    Infinity where the system does not tell.
    """
    try:
        told = dict(line.split(":", 1) for line in (_PROC / "meminfo").read_text().splitlines())
        free = float(told["MemAvailable"].split()[0]) * 1024.0
    except (OSError, KeyError, ValueError, IndexError):
        free = float("inf")
    return min(free, _left_to_group())


def _left_to_group() -> float:
    """Return how many bytes a container leaves to its processes; what files are cached gives way."""
    try:
        most = float((_GROUP / "memory.max").read_text())  # "max" where there is no limit
        used = dict(line.split() for line in (_GROUP / "memory.stat").read_text().splitlines())
        return max(most - float(used["anon"]), 0.0)
    except (OSError, KeyError, ValueError):
        return float("inf")
