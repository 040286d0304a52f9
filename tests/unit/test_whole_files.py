"""Files that are written whole or not at all."""

from __future__ import annotations

import fcntl
import os
import stat
import time

import pytest

from microagg.whole_files import replacing


def test_the_new_file_takes_the_place_of_the_old_one_only_in_the_end(tmp_path):
    path = tmp_path / "safe.csv"
    path.write_text("old")
    path.chmod(0o640)
    with replacing(path, 0o600) as stream:
        stream.write(b"new")
        assert path.read_text() == "old"
        assert len(list(tmp_path.iterdir())) == 2
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "failure", [OSError(28, "No space left on device"), KeyboardInterrupt(), SystemExit()]
)
def test_when_writing_fails_the_old_one_stays_and_no_other(tmp_path, failure):
    path = tmp_path / "safe.csv"
    path.write_text("old")

    def write():
        with replacing(path) as stream:
            stream.write(b"new")
            raise failure

    with pytest.raises(type(failure)):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_crash_left_is_removed_but_not_what_another_run_is_writing(tmp_path):
    left, held, fresh, alien = (
        tmp_path / name
        for name in (".microagg-0a.part", ".microagg-0b.part", ".microagg-0c.part", "other.part")
    )
    for part in (left, held, fresh, alien):
        part.write_text("half of it")
    hour_ago = time.time() - 3600
    for part in (left, held, alien):
        os.utime(part, (hour_ago, hour_ago))
    with held.open() as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with replacing(tmp_path / "safe.csv") as stream:
            stream.write(b"new")
    assert sorted(tmp_path.iterdir()) == sorted([held, fresh, alien, tmp_path / "safe.csv"])


def test_a_run_of_hours_keeps_its_file(tmp_path):
    hour_ago = time.time() - 3600
    with replacing(tmp_path / "slow.csv") as slow:
        os.utime(slow.name if isinstance(slow.name, str) else slow.fileno(), (hour_ago, hour_ago))
        with replacing(tmp_path / "quick.csv") as quick:
            quick.write(b"quick")
        slow.write(b"slow")
    assert (tmp_path / "slow.csv").read_text() == "slow"
