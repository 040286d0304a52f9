"""Spark beside the work in memory, with workers and executors that die: `python -m benchmarks.spark`.

Prints Markdown tables. `--quick` takes fewer records; `--only` names one of the tables. All released values
are compared with those of the work in memory, record by record. Times are seconds by the clock and, in
brackets, CPU seconds of Spark and all its workers, with Spark started and everything compiled.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import microagg
from microagg.engine.spark import local_session
from tests.engines.dying import dying

K, COLUMNS = 5, ("a", "b", "c", "d")
REQUEST = {"k": K, "quasi_identifiers": list(COLUMNS), "keep": ["number"], "method": "blocked(mdav)"}


def table(records):
    rng = np.random.default_rng(3)
    values = {name: rng.normal(size=records) for name in COLUMNS}
    return pa.table({**values, "number": np.arange(records)})


def processes():
    """Return the CPU seconds of each process below this one, and who started it."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        found[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    below, known = {os.getpid()}, 0
    while len(below) > known:
        known = len(below)
        below |= {process for process, (parent, _) in found.items() if parent in below}
    tick = os.sysconf("SC_CLK_TCK")
    return {process: found[process][1] / tick for process in below if process in found}


def released(frame, **request):
    """Return the released values in the order of the records, the result, and the seconds."""
    cpu, wall = sum(processes().values()), perf_counter()
    result = microagg.protect(frame, **{**REQUEST, **request})
    wall, cpu = perf_counter() - wall, sum(processes().values()) - cpu
    return in_order(result.data.toArrow()), result, f"{wall:.1f} ({cpu:.1f})"


def in_order(found):
    return found.take(pa.array(np.argsort(found["number"].to_numpy()))).combine_chunks()


def expected(records):
    return in_order(microagg.protect(table(records), engine="memory", **REQUEST).data)


def read(session, folder, records, partitions):
    path = Path(folder, f"{records}.parquet")
    if not path.exists():
        pq.write_table(table(records), path, row_group_size=100_000)
    return session.read.parquet(str(path)).repartition(partitions)


def freed(session):
    session.catalog.clearCache()


def sizes(session, folder, counts):
    print("| records | Spark, local[2] | in memory | stages on Spark |\n|---|---|---|---|")
    released(read(session, folder, 100_000, 4))
    for records in counts:
        cpu, wall = sum(processes().values()), perf_counter()
        whole = expected(records)
        here = f"{perf_counter() - wall:.1f} ({sum(processes().values()) - cpu:.1f})"
        found, result, told = released(read(session, folder, records, 8))
        assert found.equals(whole), "other values than in memory"
        stages = ", ".join(f"{name} {seconds:.1f}" for name, seconds in result.seconds.items())
        print(f"| {records:,} | {told} | {here} | {stages} |", flush=True)
        freed(session)


def partitions(session, folder, records):
    print(f"| partitions of {records:,} records | seconds |\n|---|---|")
    whole = expected(records)
    for number in (1, 2, 4, 8, 16, 32, 64):
        found, _, told = released(read(session, folder, records, number))
        assert found.equals(whole), "other values than in memory"
        print(f"| {number} | {told} |", flush=True)
        freed(session)


def deaths(session, folder, records):
    """Let a Python worker die in this session, and an executor in a session of its own."""
    print("| who dies, in the midst of a block | records | seconds |\n|---|---|---|")
    whole = expected(records)
    for told, marker in (("nobody", None), ("a Python worker of local[2]", Path(folder, "worker"))):
        with dying(marker) if marker else nullcontext():
            found, result, _ = released(read(session, folder, records, 8))
        assert found.equals(whole), "other values than in memory"
        print(f"| {told} | {records:,} | {sum(result.seconds.values()):.1f} |", flush=True)
        freed(session)
    session.stop()
    cluster = local_session(
        spark__master="local-cluster[2,1,1024]", spark__executor__memory="1g", spark__task__maxFailures="4"
    )
    for told, marker in (
        ("nobody", None),
        ("an executor of local-cluster[2,1,1024]", Path(folder, "executor")),
    ):
        with dying(marker, executor=True) if marker else nullcontext():
            found, result, _ = released(read(cluster, folder, records, 8))
        assert found.equals(whole), "other values than in memory"
        print(f"| {told} | {records:,} | {sum(result.seconds.values()):.1f} |", flush=True)
        freed(cluster)
    cluster.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("sizes", "partitions", "deaths"))
    asked = parser.parse_args()
    least = 200_000 if asked.quick else 1_000_000
    session = local_session(cores=2, memory="3g", spark__driver__maxResultSize="0")
    with tempfile.TemporaryDirectory() as folder:
        if asked.only in (None, "sizes"):
            sizes(session, folder, (least,) if asked.quick else (1_000_000, 2_000_000, 5_000_000))
        if asked.only in (None, "partitions"):
            partitions(session, folder, least)
        if asked.only in (None, "deaths"):
            deaths(session, folder, least // 2)


if __name__ == "__main__":
    main()
