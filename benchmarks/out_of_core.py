"""Larger than memory, by the clock and at its peak: `python -m benchmarks.out_of_core`.

Prints a Markdown table. `--rows` takes other numbers of records; `--folder` says where tables are put, of
which the largest takes about 3 GB for each 100 million records, and the work up to three times as much
beside it. Each table is protected in a process of its own, whose peak memory is that of its whole life. Every
release must have classes of k records at least and the means of the original, and up to a million records it
must be the one that is made in memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import microagg
from microagg.kernels.exact import exact_parts, fewer_parts, sum_of_parts

K, LIMIT = 5, "4GB"
COLUMNS = ["a", "b", "c", "d"]
PART = 1_000_000
COMPARED = 1_000_000  # records up to which the work in memory is done too
METHOD = "blocked(mdav)"


def write_table(path, rows):
    """Write records of which two columns hang together, one has a long tail, and one is uniform."""
    rng = np.random.default_rng(1)
    schema = pa.schema([(name, pa.float64()) for name in COLUMNS])
    with pq.ParquetWriter(path, schema, use_dictionary=False) as writer:
        for start in range(0, rows, PART):
            many = min(PART, rows - start)
            base = rng.normal(size=many)
            columns = [
                base + rng.normal(size=many),
                np.exp(rng.normal(size=many)),
                2.0 * base + rng.normal(size=many),
                rng.uniform(size=many) * 1e5,
            ]
            writer.write_table(pa.table(columns, schema=schema))


def protected(path, to, engine):
    """Protect a table in this process, and print what there is to say as JSON."""
    wall, cpu = perf_counter(), process_time()
    result = microagg.protect(
        path,
        K,
        COLUMNS,
        method=METHOD,
        to=to,
        engine=engine,
        memory_limit=LIMIT if engine == "duckdb" else None,
    )
    status = Path("/proc/self/status").read_text()
    peak = int(status.split("VmHWM:")[1].split()[0]) * 1024 if "VmHWM" in status else 0
    told = {
        "wall": perf_counter() - wall,
        "cpu": process_time() - cpu,
        "peak": peak,
        "loss": result.loss.percent,
        "smallest": result.classes.smallest,
        "records": result.classes.records,
        "seconds": dict(result.seconds),
    }
    print(json.dumps(told))


def in_its_own_process(path, to, engine):
    command = [sys.executable, "-m", "benchmarks.out_of_core", "--protect", path, to, engine]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def means(path):
    """Return the mean of each column, from exact sums."""
    sums, rows = [[] for _ in COLUMNS], 0
    with pq.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            part = file.read_row_group(group, columns=COLUMNS)
            rows += part.num_rows
            for parts, column in zip(sums, part.columns, strict=True):
                parts[:] = fewer_parts([*parts, *exact_parts(column.to_numpy())])
    return np.array([sum_of_parts(parts).high / rows for parts in sums])


def measured(rows, folder):
    """Return what a table of so many records took, its answer made sure of."""
    given, safe = folder / "given.parquet", folder / "safe.parquet"
    write_table(given, rows)
    told = in_its_own_process(given, safe, "duckdb")
    assert told["records"] == rows, "records were lost"
    assert told["smallest"] >= K, "a class has fewer than k"
    np.testing.assert_allclose(means(safe), means(given), rtol=1e-9, atol=1e-9)
    assert {path.name for path in folder.iterdir()} == {"given.parquet", "safe.parquet"}, "something is left"
    if rows <= COMPARED:
        in_its_own_process(given, folder / "memory.parquet", "memory")
        assert pq.read_table(safe).equals(pq.read_table(folder / "memory.parquet")), "another answer"
    for path in folder.iterdir():
        path.unlink()
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--rows", type=float, nargs="+", default=[1e6, 5e6, 20e6])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--protect", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.protect:
        protected(*asked.protect)
        return
    print(f"{METHOD}, k = {K}, {len(COLUMNS)} columns of float64, {LIMIT} allowed\n")
    print("| records | seconds | CPU seconds | records a second | peak memory | loss |")
    print("|---:|---:|---:|---:|---:|---:|")
    for rows in map(int, asked.rows):
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            told = measured(rows, Path(folder))
        print(
            f"| {rows:,} | {told['wall']:.1f} | {told['cpu']:.1f} | {rows / told['wall']:,.0f} "
            f"| {told['peak'] / 1e9:.2f} GB | {told['loss']:.4f} % |",
            flush=True,
        )


if __name__ == "__main__":
    main()
