"""All measures and the report of large tables: `python -m benchmarks.measures [--quick]`.

Prints a Markdown table: by number of records, the seconds of each group of measures, of all of them as
`Result.evaluate` takes them, and of the report; the size of the page; and the peak memory of the process.
The tables are correlated and skewed, five amounts and a sensitive column, grouped by MDAV with k = 5. Two
more have nominal columns of many values, in groups of five neighbours, and are judged by `evaluate`: three
amounts with columns of 500 and of 80 values; and one amount with a column in which all values differ.
What is measured is looked at: the loss is that of the result, and the risk below that of a guess in k.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

K, COLUMNS = 5, 5
MOST_SECONDS, MOST_BYTES, REPORT_SECONDS = 30.0, 1_500_000, 10.0  # of a million records

JOB = """
import json, re, sys, time
from pathlib import Path
import numpy as np, pyarrow as pa
import microagg
from microagg.measures.intervals import intervals
from microagg.measures.linkage import linkage
from microagg.measures.loss import loss_measures
from microagg.measures.probabilistic import probabilistic_linkage

records, k, width, page = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
draw = np.random.default_rng(0)
base = draw.normal(size=(records, 1))
X = np.exp(0.7 * base + draw.normal(size=(records, width)))
names = [f"amount {j}" for j in range(width)]
table = pa.table([*X.T.copy(), draw.integers(0, 12, records)], names=[*names, "illness"])
result = microagg.protect(table, k, names, sensitive=["illness"], method="mdav")
seconds = {}

def timed(name, step):
    wall, cpu = time.perf_counter(), time.process_time()
    value = step()
    seconds[name] = (time.perf_counter() - wall, time.process_time() - cpu)
    return value

compared = timed("ready", result.evidence.compared)
timed("linkage", lambda: linkage(compared))
timed("intervals", lambda: intervals(compared))
timed("patterns", lambda: probabilistic_linkage(compared))
timed("loss", lambda: loss_measures(compared, result.loss.percent, result.loss.by_column))
del compared
found = timed("all", result.evaluate)
timed("report", lambda: result.report(page))
assert found.loss.percent == result.loss.percent
assert found.risk.linkage.released_to_original <= 1 / k
peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps({"seconds": seconds, "peak": peak}))
"""

NOMINAL = """
import json, sys, time
import numpy as np, pyarrow as pa
import microagg
from microagg.measures import linkage, risk

records, k, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
draw = np.random.default_rng(0)
widths, levels = {"80 and 500": (3, (80, 500)), "all different": (1, (records,))}[kind]
X = draw.normal(size=(widths, records))
nominal = [draw.permutation(records) % count for count in levels]
order = np.lexsort((X[0], *nominal))
group = np.empty(records, np.intp)
group[order] = np.arange(records) // k
sizes = np.bincount(group)

def table(amounts, nominal):
    texts = [np.char.add("v", column.astype(str)) for column in nominal]
    return pa.table([*amounts, *texts], names=[f"column {j}" for j in range(len(amounts) + len(texts))])

before = table(X, nominal)
after = table([(np.bincount(group, x) / sizes)[group] for x in X], [of[order[::k]][group] for of in nominal])
seconds = {}

def timed(*options):
    wall, cpu = time.perf_counter(), time.process_time()
    found = linkage.linkage(*options)
    seconds["linkage"] = (time.perf_counter() - wall, time.process_time() - cpu)
    return found

risk.linkage = timed
wall, cpu = time.perf_counter(), time.process_time()
found = microagg.evaluate(before, after, before.column_names)
seconds["all"] = (time.perf_counter() - wall, time.process_time() - cpu)
of = found.risk.linkage
assert of.released_to_original <= 1 / k + 4 * of.error
print(json.dumps({"seconds": seconds, "sample": of.sample, "error": of.error}))
"""


def measured(code, *arguments):
    """Return what a process of its own prints."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def job(records):
    """Return the seconds of each step, the peak, and the page's size."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        found = measured(JOB, records, K, COLUMNS, page)
        return found["seconds"], found["peak"], page.stat().st_size


def nominal_jobs(sizes):
    """Print what tables with nominal columns take, the most of which is linkage."""
    print(f"\nGroups of {K} neighbours, nominal columns; wall seconds (CPU seconds)\n")
    print("| values | records | linkage | all | linked | standard error |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind in ("80 and 500", "all different"):
        for records in sizes:
            found = measured(NOMINAL, records, K, kind)
            times = " | ".join(f"{wall:.2f} ({cpu:.2f})" for wall, cpu in found["seconds"].values())
            print(
                f"| {kind} | {records:,} | {times} | {found['sample']:,} | {found['error']:.4f} |", flush=True
            )
            assert found["seconds"]["all"][0] < MOST_SECONDS, "all measures take too long"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables, in half a minute")
    quick = parser.parse_args().quick
    job(20_000)  # so that everything is compiled
    sizes = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    for records in sizes:
        seconds, peak, size = job(records)
        if records == sizes[0]:
            print(f"MDAV, k = {K}, {COLUMNS} amounts; wall seconds (CPU seconds)\n")
            print(f"| records | {' | '.join(seconds)} | page, kB | peak, MB |")
            print(f"|---:|{'---:|' * (len(seconds) + 2)}")
        times = " | ".join(f"{wall:.2f} ({cpu:.2f})" for wall, cpu in seconds.values())
        print(f"| {records:,} | {times} | {size / 1e3:,.0f} | {peak / 1e6:,.0f} |", flush=True)
        assert size < MOST_BYTES, "the page is too large"
        assert seconds["all"][0] < MOST_SECONDS, "all measures take too long"
        assert seconds["report"][0] < REPORT_SECONDS, "the report takes too long"
    nominal_jobs(sizes[1:])


if __name__ == "__main__":
    main()
