"""Every compiled loop is compiled once, and lets other threads run."""

from __future__ import annotations

import os
import subprocess
import sys


def test_every_loop_has_one_signature_and_releases_the_lock(tmp_path):
    """In a process with an empty cache, since loops from the cache do not tell what they call."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.kernels.all_kinds_of_work"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loops = [line.split() for line in done.stdout.splitlines()]
    assert len(loops) > 30
    assert [loop for loop in loops if loop[1:] != ["1", "True"]] == []
