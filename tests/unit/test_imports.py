"""What is loaded when: some packages in this field take a minute to import; ours loads what it needs."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg

HEAVY = {
    "numpy",
    "numba",
    "llvmlite",
    "sklearn",
    "scipy",
    "pyarrow",
    "pandas",
    "polars",
    "matplotlib",
    "highspy",
    "rich",
}
SMALL = "age,income,town\n" + "".join(f"{row % 50},{row * 7 % 1000},x\n" for row in range(300))


def loaded_by(program, *arguments, folder=None):
    """Return which heavy packages a fresh interpreter has loaded at the end of a program."""
    shown = "import sys; sys.stderr.write(' '.join(sys.modules))"
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import atexit\natexit.register(lambda: exec({shown!r}))\n{program}",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return HEAVY & set(run.stderr.split())


def test_the_package_loads_nothing_heavy():
    assert loaded_by("import microagg; dir(microagg); microagg.__version__") == set()


def test_a_small_file_needs_no_more_than_numpy_and_a_reader(tmp_path):
    (tmp_path / "small.csv").write_text(SMALL)
    program = "import sys; from microagg.cli import main; main()"
    arguments = ["protect", "small.csv", "-k", "3", "-q", "age,income", "--keep", "town", "-o", "safe.csv"]
    assert loaded_by(program, *arguments, "-m", "vmdav", folder=tmp_path) == {"numpy", "pyarrow"}
    assert (tmp_path / "safe.csv").exists()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_kept_columns_of_every_type_need_no_data_frame_library(tmp_path, ending):
    table = {
        "a": pa.array([1, 1, 1, 1], pa.int32()),
        "b": pa.array([1, 2, None, 4], pa.timestamp("ms")),
        "c": pa.array(["x", "", None, "x"]).dictionary_encode(),
        "d": pa.array([1.5, 2, None, 3], pa.float32()),
    }
    pq.write_table(pa.table(table), tmp_path / "given.parquet")
    program = f"import microagg; microagg.protect('given.parquet', 2, 'a', keep='rest', to='safe.{ending}')"
    assert loaded_by(program, folder=tmp_path) == {"numpy", "pyarrow"}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_proposal_needs_no_data_frame_library(tmp_path, ending):
    table = {
        "age": pa.array([31, 42, None, 65, 42, 31]),
        "asked": pa.array([1, 2, None, 4, 4, 4], pa.timestamp("ns")),
        "size": pa.array(["small", "large", "medium", None, "small", "large"]).dictionary_encode(),
    }
    pq.write_table(pa.table(table), tmp_path / "given.parquet")
    (tmp_path / "given.csv").write_text(SMALL)
    program = (
        "from microagg.proposal import propose\n"
        f"found = propose('given.{ending}'); found.plan.save('plan.toml', found.reasons)"
    )
    assert loaded_by(program, folder=tmp_path) == {"numpy", "pyarrow"}


@pytest.mark.parametrize("name", microagg.__all__)
def test_every_public_name_is_found(name):
    assert getattr(microagg, name).__name__.removeprefix("microagg.") == name
    assert name in dir(microagg)


def test_a_name_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(
        AttributeError, match=r"no attribute 'mdav'; it has Blocked, Destination, Genetic, MDAV, .*protect"
    ):
        _ = microagg.mdav
