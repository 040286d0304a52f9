"""A protect() in a process of its own, which stops in the middle of what it writes until it is killed."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
STALLED = "stalled"

_JOB = """
import sys, time
from io import BufferedRandom
from microagg import protect, whole_files
from microagg.tables import Destination, databases, sqlite

AFTER = 50_000  # bytes

def stall():
    print({stalled!r}, flush=True)
    time.sleep(600)

class Stalling(BufferedRandom):
    def write(self, content):
        written = super().write(content)
        if self.tell() > AFTER:
            self.flush()
            stall()
        return written

def stalling(table, batches=databases._batches):
    for place, batch in enumerate(batches(table)):
        if place == 4:
            stall()
        yield batch

databases._RECORDS_AT_ONCE = 1000
databases._batches = stalling
created = whole_files._created
whole_files._created = lambda path, mode: Stalling(created(path, mode).detach())

connect = sqlite.connect

def with_little_memory(address, *, write):
    # SQLite then writes to its file before the end, as it does with large tables
    connection = connect(address, write=write)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size = 2")
    return connection

sqlite.connect = with_little_memory

given, place, table = sys.argv[1:]
to = Destination(place, table=table or None, overwrite=bool(table))
protect(given, 3, ["x", "y"], keep="rest", method="mdav", to=to)
"""


@contextmanager
def stalled_job(given, place, table=""):
    """Give the process once it has written a part; it is killed in the end."""
    arguments = [sys.executable, "-c", _JOB.format(stalled=STALLED), str(given), str(place), table]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = process.stdout.readline().strip()
            assert said == STALLED, f"it ended with {process.wait()} before it was to"
            yield process
        finally:
            process.kill()
            process.wait()
