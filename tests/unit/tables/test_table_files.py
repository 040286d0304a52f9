"""Files in and out: what can be read and written, and what is left when something goes wrong."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microagg import whole_files
from microagg.errors import InputError
from microagg.tables import Table, as_written, files, read, target_of, write

READABLE = ".csv, .parquet, .arrow, .feather, .xlsx, .sav, .dta and .sas7bdat"
WRITABLE = ".csv, .parquet, .arrow, .feather, .xlsx, .sav and .dta"
TABLE = pa.table({"a": [1.5, 2.0], "b": ["x", ""]})
ORDINARY = 65_534  # the user "nobody"


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def open_folder():
    """Make a folder that every user can reach, unlike pytest's."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o777)
        yield path


@contextmanager
def as_ordinary_user():
    """Take away root's privilege to write anywhere, if these tests have it."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(ORDINARY)
    try:
        yield
    finally:
        os.seteuid(before)


def fault(action, *arguments):
    with pytest.raises(InputError) as caught:
        action(*arguments)
    (only,) = caught.value.faults
    return only


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def save(path, table=TABLE):
    target = target_of(path, None)
    write(as_written(table, Table(table), target), Table(table), target)


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.parquet", "Größe 1.Parquet", "t.arrow", "t.feather"])
def test_what_is_written_can_be_read(folder, name):
    save(folder / name)
    found = read(folder / name)
    assert found.names == ["a", "b"]
    assert found.encoded("a", "continuous").column.values.tolist() == [1.5, 2.0]
    assert names_in(folder) == [name]


def test_a_path_may_be_text(folder):
    save(str(folder / "t.csv"))
    assert read(str(folder / "t.csv")).records == 2


def test_a_released_parquet_file_says_nothing_beside_its_columns(folder):
    given = TABLE.replace_schema_metadata({"author": "me"})
    save(folder / "t.parquet", Table(given).released(["a", "b"], {}))
    assert not pq.read_schema(folder / "t.parquet").metadata


def test_files_that_hold_no_table_are_refused(folder):
    def refused(name, content=None):
        path = folder / name
        if content is not None:
            path.write_bytes(content)
        return fault(read, path).removeprefix(f"{path} ")

    assert refused("absent.csv") == "cannot be read: No such file or directory"
    assert refused("t.txt", b"x") == f"ends in .txt: supported are {READABLE}"
    assert refused("none", b"x") == f"ends in nothing: supported are {READABLE}"
    assert refused("empty.csv", b"") == "is empty: expected a table"
    assert refused("empty.parquet", b"") == "is empty: expected a table"
    assert refused("bad.parquet", b"PAR1 PAR1").startswith("cannot be read as Parquet: ")
    assert refused("x" * 300 + ".csv") == "cannot be read: File name too long"


def test_a_pipe_is_refused_rather_than_waited_for(folder):
    pipe = folder / "pipe.csv"
    os.mkfifo(pipe)
    assert fault(read, pipe) == f"{pipe} is a device or a pipe: expected a file"
    assert fault(target_of, pipe, None) == f"{pipe} is a device or a pipe: expected a file"


def test_a_cut_off_parquet_file_is_refused(folder):
    path = folder / "t.parquet"
    pq.write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:40] + path.read_bytes()[80:])
    assert fault(read, path).startswith(f"{path} cannot be read")


def test_a_file_without_permission_is_refused(open_folder):
    path = open_folder / "secret.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    with as_ordinary_user():
        assert fault(read, path) == f"{path} cannot be read: Permission denied"


def test_what_is_no_table_is_refused():
    assert fault(read, 5).startswith("cannot read data from int: give the path of a file")
    assert fault(read, {"a": [1]}).startswith("cannot read data from dict: ")


def test_the_file_that_is_read_is_never_written_by_whatever_name(folder):
    given = folder / "given.csv"
    given.write_text("a\n1\n")
    (folder / "soft.csv").symlink_to(given)
    (folder / "hard.csv").hardlink_to(given)
    for name in ("given.csv", "soft.csv", "hard.csv", f"../{folder.name}/given.csv"):
        target = folder / name
        assert fault(target_of, target, given) == (
            f"{target} is the file that is read: choose another, the input is never touched"
        )


def test_a_target_that_cannot_be_written_is_refused_before_work_starts(folder):
    absent = folder / "absent"
    (folder / "circle.csv").symlink_to(folder / "circle.csv")
    assert fault(target_of, absent / "t.csv", None).endswith(
        f"cannot be written: there is no folder {absent}"
    )
    assert fault(target_of, folder, None) == f"{folder} is a folder: expected a file"
    assert fault(target_of, folder / "t.txt", None).endswith(f"in .txt: supported are {WRITABLE}")
    assert fault(target_of, folder / "t.sas7bdat", None).endswith(
        "ends in .sas7bdat: SAS files can be read, not written"
    )
    assert fault(target_of, folder / ("x" * 300 + ".csv"), None).endswith(
        "cannot be written: File name too long"
    )
    assert "symbolic links" in fault(target_of, folder / "circle.csv", None)
    assert names_in(folder) == ["circle.csv"]


@pytest.mark.skipif(
    not Path("/proc/self").exists(), reason="needs Linux's /proc, where no one can make files"
)
def test_a_folder_where_no_file_can_be_made_is_refused_before_work_starts():
    assert fault(target_of, "/proc/t.csv", None).startswith("/proc/t.csv cannot be written: ")


def test_a_folder_without_permission_is_refused_before_work_starts(open_folder):
    open_folder.chmod(0o555)
    with as_ordinary_user():
        target = open_folder / "t.csv"
        assert fault(target_of, target, None) == f"{target} cannot be written: Permission denied"


def test_a_file_that_may_not_be_changed_is_refused_before_work_starts(open_folder):
    target = open_folder / "t.csv"
    target.write_text("old")
    target.chmod(0o444)
    with as_ordinary_user():
        assert fault(target_of, target, None) == f"{target} cannot be written: Permission denied"
    assert target.read_text() == "old"


def test_looking_at_a_target_changes_nothing(folder):
    old = folder / "t.csv"
    old.write_text("old")
    os.utime(old, (1, 1))
    target_of(old, None)
    target_of(folder / "new.csv", None)
    assert names_in(folder) == ["t.csv"]
    assert (old.read_text(), old.stat().st_mtime) == ("old", 1)


def test_a_file_behind_a_link_is_replaced_and_the_link_stays(folder):
    (folder / "there").mkdir()
    real, link = folder / "there" / "t.csv", folder / "link.csv"
    link.symlink_to(real)
    save(link)
    assert link.is_symlink()
    assert real.read_text() == "a,b\n1.5,x\n2,\n"


def test_a_replaced_file_keeps_its_permissions(folder):
    target = folder / "t.csv"
    target.write_text("old")
    target.chmod(0o640)
    save(target)
    assert target.stat().st_mode & 0o777 == 0o640


def half_written(stream, *_):
    stream.write(b"a,b\n1")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def lost_on_the_way(_):
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def stopped(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("owner", "step", "failure", "error"),
    [
        (files, "_write_to", half_written, InputError),
        (os, "fsync", lost_on_the_way, InputError),
        (whole_files.shutil, "copymode", stopped, KeyboardInterrupt),
        (Path, "replace", stopped, KeyboardInterrupt),
    ],
    ids=["disk full", "disk lost", "stopped before", "stopped at the end"],
)
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_when_writing_fails_the_old_file_is_whole_and_nothing_is_left(
    folder, monkeypatch, name, owner, step, failure, error
):
    target = folder / name
    target.write_text("old")
    monkeypatch.setattr(owner, step, failure)
    with pytest.raises(error) as caught:
        save(target)
    monkeypatch.undo()
    assert names_in(folder) == [name]
    assert target.read_text() == "old"
    if error is InputError:
        assert str(caught.value).startswith(f"{target} could not be written: ")
        assert str(caught.value).endswith("; nothing was changed")
