"""Where a protection runs: the records in memory, or on disk because they are more than memory holds."""

from microagg.engine.contract import Block, Engine, Worked
from microagg.engine.duckdb import OnDisk
from microagg.engine.memory import InMemory
from microagg.engine.scratch import scratch

__all__ = ["Block", "Engine", "InMemory", "OnDisk", "Worked", "scratch"]
