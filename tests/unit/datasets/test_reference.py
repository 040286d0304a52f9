"""The reference sets: found on this machine, or fetched, checked, converted and kept."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import numpy as np
import pytest

from microagg.datasets import download as download_module
from microagg.datasets import load_reference
from microagg.datasets.reference import cache_folder
from microagg.datasets.sources import ADDRESS, SOURCES
from microagg.datasets.verify import values_digest
from microagg.errors import InputError, ReferenceDataError
from tests.conftest import FOLDER
from tests.unit.datasets import answers
from tests.unit.datasets.rda_file import rda_bytes
from tests.unit.datasets.towns import TOWNS, TOWNS_FILE, TOWNS_SOURCE, is_towns, put_csv, put_rda

SHAPES = {"census": (1080, 13), "tarragona": (834, 13), "eia": (4092, 11)}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    return made


@pytest.fixture
def said():
    return []


@pytest.mark.parametrize("put", [put_csv, put_rda])
@pytest.mark.parametrize("place", ["argument", "variable", "cache"])
def test_a_file_on_this_machine_is_found_in_each_place(monkeypatch, cache, folder, said, put, place):
    put(cache if place == "cache" else folder)
    if place == "variable":
        monkeypatch.setenv("MICROAGG_REFERENCE_DATA", str(folder))
    named = folder if place == "argument" else None
    assert is_towns(load_reference("towns", named, fetch=False, say=said.append))
    assert said == []


def test_the_folder_named_comes_first_and_the_cache_last(monkeypatch, cache, tmp_path):
    places = [tmp_path / "argument", tmp_path / "variable", cache]
    monkeypatch.setenv("MICROAGG_REFERENCE_DATA", str(places[1]))
    for place in places:
        put_csv(place, {**TOWNS, "id": [0, 0, 0, 0]})  # spoilt, so that the error tells which one was read
    with pytest.raises(InputError, match=r"argument.towns.csv"):
        load_reference("towns", places[0])
    with pytest.raises(InputError, match=r"variable.towns.csv"):
        load_reference("towns")


SPOILT_TABLES = {
    "some values differ": {**TOWNS, "sales": [10, -20, 30, 8]},
    "some values differ ": {**TOWNS, "town": ["Reus", "Valls", "Cambrils", "reus"]},
    "it has 3 records, expected 4": {name: values[:3] for name, values in TOWNS.items()},
    "it has 0 records, expected 4": {name: [] for name in TOWNS},
    "its columns are id, town; expected id, town, sales": {"id": TOWNS["id"], "town": TOWNS["town"]},
    "its columns are town, id, sales": {name: TOWNS[name] for name in ("town", "id", "sales")},
    "column sales holds something else than whole numbers": {**TOWNS, "sales": [10, -20, 30, 7.5]},
    "column id holds something else than whole numbers": {**TOWNS, "id": [1, 2, 3, 10**30]},
}


@pytest.mark.parametrize("fault", SPOILT_TABLES)
def test_a_spoilt_table_is_refused_with_its_fault(folder, fault):
    put_csv(folder, SPOILT_TABLES[fault])
    with pytest.raises(InputError) as caught:
        load_reference("towns", folder)
    assert f"{folder / 'towns.csv'} is not the reference set towns: " in str(caught.value)
    assert fault.strip() in str(caught.value)


SPOILT_FILES = {
    f"it has 100 bytes, expected {len(TOWNS_FILE)}": TOWNS_FILE[:100],
    f"it is larger than the {len(TOWNS_FILE)} bytes expected": TOWNS_FILE + b"\0",
    "its SHA-256 is": TOWNS_FILE[:-1] + b"\0",
}


@pytest.mark.parametrize("fault", SPOILT_FILES)
def test_a_spoilt_published_file_is_refused_with_its_fault(folder, fault):
    put_rda(folder, SPOILT_FILES[fault])
    with pytest.raises(InputError) as caught:
        load_reference("towns", folder)
    assert f"{folder / 'Towns.rda'} is not the reference set towns: {fault}" in str(caught.value)


def test_the_right_file_with_other_values_is_refused(monkeypatch, folder):
    other = rda_bytes({**TOWNS, "sales": [1, 2, 3, 4]})
    pinned = {"size": len(other), "sha256": hashlib.sha256(other).hexdigest()}
    monkeypatch.setitem(SOURCES, "towns", replace(TOWNS_SOURCE, **pinned))
    put_rda(folder, other)
    with pytest.raises(InputError, match="some values differ from those published"):
        load_reference("towns", folder)


def test_a_folder_where_the_file_should_be_is_refused(folder):
    (folder / "towns.csv").mkdir()
    with pytest.raises(InputError, match=r"towns\.csv is not the reference set towns: .*directory"):
        load_reference("towns", folder)


def test_a_spoilt_copy_in_the_cache_is_passed_over(cache, said):
    put_csv(cache, SPOILT_TABLES["some values differ"])
    put_rda(cache)
    assert is_towns(load_reference("towns", fetch=False, say=said.append))
    assert said == [
        f"passed over: {cache / 'towns.csv'} is not the reference set towns: "
        "it has the right columns, but some values differ from those published"
    ]


@pytest.mark.parametrize("address_from", ["argument", "variable"])
def test_what_is_nowhere_is_fetched_and_kept(monkeypatch, server, cache, said, address_from):
    server.answers["/data/Towns.rda"] = answers.file(TOWNS_FILE)
    mirror = f"{server.address}/data/"
    if address_from == "variable":
        monkeypatch.setenv("MICROAGG_REFERENCE_ADDRESS", mirror)
    address = mirror if address_from == "argument" else None
    assert is_towns(load_reference("towns", address=address, say=said.append))
    assert said == [
        f"fetching the reference set towns (4 records; invented): {len(TOWNS_FILE)} bytes "
        f"from {server.address}/data/Towns.rda",
        f"kept as {cache / 'towns.csv'}",
    ]
    assert [path.name for path in cache.iterdir()] == ["towns.csv"]

    assert is_towns(load_reference("towns", address=address, say=said.append))
    assert len(said) == 2
    assert server.asked == ["/data/Towns.rda"]


def test_a_spoilt_copy_in_the_cache_is_replaced(server, cache, said):
    put_csv(cache, SPOILT_TABLES["some values differ"])
    server.answers["/Towns.rda"] = answers.file(TOWNS_FILE)
    assert is_towns(load_reference("towns", address=server.address, say=said.append))
    assert [line.split(" ")[0] for line in said] == ["passed", "fetching", "kept"]
    assert is_towns(load_reference("towns", fetch=False))


def test_a_cache_that_cannot_be_written_costs_only_another_fetch(server, cache, said):
    cache.parent.mkdir(parents=True)
    cache.write_text("a file where the folder should be")
    server.answers["/Towns.rda"] = answers.file(TOWNS_FILE)
    assert is_towns(load_reference("towns", address=server.address, say=said.append))
    assert "could not be kept" in said[-1]
    assert cache.read_text() == "a file where the folder should be"


def test_what_happens_is_told_on_stderr_unless_asked_otherwise(server, capsys):
    server.answers["/Towns.rda"] = answers.file(TOWNS_FILE)
    load_reference("towns", address=server.address)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("microagg: fetching the reference set towns (4 records; invented)")


BAD_ANSWERS = {
    "the server answered 404": answers.error(404),
    "the server answered 500": answers.error(500),
    "it has 50 bytes, expected": answers.file(TOWNS_FILE[:50], claimed=len(TOWNS_FILE)),
    "it has 0 bytes, expected": answers.file(b""),
    "it is larger than": answers.file(TOWNS_FILE + b"more"),
    "its SHA-256 is": answers.file(bytes(len(TOWNS_FILE))),
    "the server took too long": answers.silence,
    "which is not followed": answers.redirect("ftp://127.0.0.1/Towns.rda"),
}


@pytest.mark.parametrize("reason", BAD_ANSWERS)
def test_a_bad_answer_is_refused_and_nothing_is_kept(monkeypatch, server, cache, reason):
    monkeypatch.setattr(download_module, "SILENCE_LIMIT_S", 0.3)
    server.answers["/Towns.rda"] = BAD_ANSWERS[reason]
    with pytest.raises(ReferenceDataError, match=f"fetching {server.address}/Towns.rda: .*{reason}"):
        load_reference("towns", address=server.address)
    assert not cache.exists()


def test_offline_the_error_says_what_to_do_by_hand(monkeypatch, nobody_there, cache, folder):
    monkeypatch.setenv("MICROAGG_REFERENCE_DATA", str(folder / "named"))
    with pytest.raises(ReferenceDataError) as caught:
        load_reference("towns", folder, address=nobody_there)
    title, looked, fetching, by_hand = str(caught.value).splitlines()
    assert title == "the reference set towns is not on this machine and was not fetched"
    assert looked == f"looked for towns.csv and Towns.rda in: {folder}, {folder / 'named'}, {cache}"
    assert fetching.startswith(f"fetching {nobody_there}/Towns.rda: the connection failed")
    assert by_hand == (
        f"by hand: get Towns.rda ({len(TOWNS_FILE)} bytes) from that address, put it unchanged into {cache}, "
        "or into any folder that you name by folder=... or by MICROAGG_REFERENCE_DATA"
    )
    put_rda(cache)
    assert is_towns(load_reference("towns", folder, address=nobody_there))


def test_without_leave_to_fetch_nothing_is_asked_of_a_server(server):
    with pytest.raises(ReferenceDataError, match="not tried, as asked"):
        load_reference("towns", address=server.address, fetch=False)
    assert server.asked == []


@pytest.mark.parametrize(
    ("name", "hint"), [("Census", "did you mean 'census'"), ("iris", "choose census, tarragona")]
)
def test_an_unknown_set_is_refused_with_a_hint(name, hint):
    with pytest.raises(InputError, match=hint):
        load_reference(name)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        load_reference("towns", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("platform", "variable", "value", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "/var/cache", "/var/cache/microagg"),
        ("linux", "XDG_CACHE_HOME", "relative", "/home/ana/.cache/microagg"),
        ("linux", "XDG_CACHE_HOME", "", "/home/ana/.cache/microagg"),
        ("darwin", "XDG_CACHE_HOME", "/var/cache", "/home/ana/Library/Caches/microagg"),
        ("win32", "LOCALAPPDATA", "/users/ana", "/users/ana/microagg/Cache"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="the paths are those of POSIX")
def test_the_cache_lies_where_the_platform_has_it(monkeypatch, platform, variable, value, expected):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.setenv(variable, value)
    assert cache_folder().as_posix() == expected


def test_the_pinned_address_is_one_commit_and_every_pin_is_whole():
    assert ADDRESS.startswith("https://raw.githubusercontent.com/sdcTools/sdcMicro/")
    assert len(ADDRESS.split("/")[5]) == 40
    for name in SHAPES:
        source = SOURCES[name]
        assert len(bytes.fromhex(source.sha256)) == len(bytes.fromhex(source.values_sha256)) == 32
        assert (source.records, len(source.used)) == SHAPES[name]


def real_table(name):
    if not (FOLDER / f"{name}.csv").is_file():
        pytest.skip(f"the reference set {name} is not in {FOLDER}: set MICROAGG_REFERENCE_DATA")
    return load_reference(name, FOLDER, fetch=False)


@pytest.mark.parametrize("name", SHAPES)
def test_the_real_sets_have_the_shape_of_the_papers(name):
    reference = real_table(name)
    assert reference.X.shape == SHAPES[name]
    assert reference.columns == SOURCES[name].used
    assert values_digest(reference.table) == SOURCES[name].values_sha256


@pytest.mark.parametrize("name", SHAPES)
def test_the_real_sets_come_back_from_an_rda_file_as_they_are_in_csv(monkeypatch, folder, name):
    from_csv = real_table(name)
    content = rda_bytes({column: values.tolist() for column, values in from_csv.table.items()})
    pinned = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    monkeypatch.setitem(SOURCES, name, replace(SOURCES[name], **pinned))
    (folder / SOURCES[name].file).write_bytes(content)
    from_rda = load_reference(name, folder, fetch=False)
    assert np.array_equal(from_rda.X, from_csv.X)
    for column, values in from_csv.table.items():
        assert from_rda.table[column].dtype == values.dtype
        assert np.array_equal(from_rda.table[column], values)
