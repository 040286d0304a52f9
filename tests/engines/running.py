"""The same request on every engine, larger or smaller parts than anyone would take."""

from __future__ import annotations

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pyarrow.parquet as pq

import microagg
from microagg.engine import InMemory
from microagg.run import larger

ENGINES = ("duckdb", "parts in memory")


class Held(InMemory):
    """The engine in memory, filled as the one on disk is."""

    def __init__(self, folder, columns, part, memory, watch):
        super().__init__(np.empty((0, columns)), part=part)
        self.watch = watch
        self.others = None

    def append(self, numbers):
        self.numbers = np.vstack((self.numbers, numbers))

    def map_blocks(self, counts, block_of, work, watch):
        if self.others is not None:
            import pyarrow as pa

            from microagg.tables import Table

            table = Table(pa.concat_tables(list(self.others.parts())))
            self.ranks = lambda rows: table.ranks_apart_from([], rows)
        released, squares = super().map_blocks(counts, block_of, work, watch)
        whole = next(released)
        return (whole[start : start + self.part] for start in range(0, len(whole), self.part)), squares


@contextmanager
def in_parts_of(part, engine):
    usual = larger.Within

    def within(memory, temporary):
        return usual(memory, temporary, part)

    with (
        patch.object(larger, "Within", within),
        patch.object(larger, "OnDisk", Held if engine == "parts in memory" else larger.OnDisk),
        patch("microagg.engine.bundles._BUNDLE", 3 * part),
    ):
        yield


def release(engine, data, to, part=50, **request):
    """Return the result, and the table that was written."""
    if engine == "memory":
        result = microagg.protect(data, to=to, engine="memory", **request)
    else:
        with in_parts_of(part, engine):
            result = microagg.protect(data, to=to, engine="duckdb", memory_limit="1GB", **request)
    return result, pq.read_table(to) if str(to).endswith(".parquet") else to.read_bytes()
