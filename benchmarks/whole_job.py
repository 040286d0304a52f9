"""The whole job from Parquet to Parquet: `python -m benchmarks.whole_job [--quick]`.

Prints a Markdown table: by number of records, the time of each stage of `protect`, the share of all but
the partition, and the peak memory of the process beside the table's. The tables are uniform and lie
in several row groups. Every time is the least of some rounds, in CPU seconds of all cores, with
everything compiled. What was written is read again and looked at.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

K = 3
COLUMNS = ["assets", "employees", "turnover", "wages"]
RECORDS_IN_ROW_GROUP = 1 << 20
SHARE = 0.3  # of the time, at most, for all but the partition of a million records
TIMES, BESIDE = 6, 400e6  # peak memory: at most so many times the table, and so many bytes

JOB = """
import json, re, sys
from pathlib import Path
from time import process_time
from microagg import protect

sys.modules["microagg.run.timing"].perf_counter = process_time  # others may use this machine too
given, written, k, *columns = sys.argv[1:]
began = process_time()
result = protect(given, int(k), columns, method="mdav", keep="rest", to=written)
whole = process_time() - began
peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
found = {"seconds": dict(result.seconds), "whole": whole, "peak": peak, "count": result.classes.count}
print(json.dumps(found))
"""


def save_uniform(path, records):
    """Write a table group by group, so that this process stays small."""
    draw = np.random.default_rng(0)
    schema = pa.schema([(name, pa.float64()) for name in COLUMNS])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, records, RECORDS_IN_ROW_GROUP):
            size = min(RECORDS_IN_ROW_GROUP, records - start)
            writer.write_table(pa.table([draw.random(size) for _ in COLUMNS], schema=schema))


def job(records, rounds):
    """Run the job in processes of its own, and return the least that it took."""
    with tempfile.TemporaryDirectory() as folder:
        given, written = Path(folder, "given.parquet"), Path(folder, "safe.parquet")
        save_uniform(given, records)
        command = [sys.executable, "-c", JOB, given, written, str(K), *COLUMNS]
        found = [
            json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            for _ in range(rounds)
        ]
        released = pq.read_table(written, columns=COLUMNS[:1]).column(0)
        assert len(released) == records
        assert len(released.unique()) <= found[0]["count"] <= records // K
    seconds = {stage: min(one["seconds"][stage] for one in found) for stage in found[0]["seconds"]}
    return seconds, min(one["whole"] for one in found), max(one["peak"] for one in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, in half a minute")
    quick = parser.parse_args().quick
    job(20_000, 1)  # so that everything is compiled
    sizes = (100_000, 1_000_000) if quick else (100_000, 1_000_000, 10_000_000)
    print(f"MDAV, k = {K}, {len(COLUMNS)} columns, CPU seconds\n")
    for records in sizes:
        seconds, whole, peak = job(records, 1 if records > 1_000_000 else 3)
        others, table = 1 - seconds["partition"] / whole, records * len(COLUMNS) * 8
        if records == sizes[0]:
            print(f"| records | {' | '.join(seconds)} | all but partition | peak, MB | table, MB |")
            print(f"|---:|{'---:|' * (len(seconds) + 3)}")
        times = " | ".join(f"{time:.2f}" for time in seconds.values())
        print(
            f"| {records:,} | {times} | {others:.0%} | {peak / 1e6:,.0f} | {table / 1e6:,.0f} |", flush=True
        )
        assert peak <= TIMES * table + BESIDE, "more memory than there should be"
        assert records != 1_000_000 or others <= SHARE, "too much time beside the partition"


if __name__ == "__main__":
    main()
