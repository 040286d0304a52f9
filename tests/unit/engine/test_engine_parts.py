"""What the work larger than memory is made of: places on disk, ties, room, and folding."""

from __future__ import annotations

import os
import pickle
import threading

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg.tables as tables
from microagg.check import classes
from microagg.engine import Block, InMemory
from microagg.engine.checking import classes_in
from microagg.engine.duckdb import bundles_of
from microagg.engine.facts import facts_of
from microagg.engine.releasing import Releasing
from microagg.engine.room import Room
from microagg.engine.ties import tied_in
from microagg.engine.words import Sorted, Words
from microagg.engine.working import folded
from microagg.partition.mdav import MDAV
from microagg.plan import Plan
from microagg.tables.parts import Asked, coding_of, look_at
from microagg.tables.streams import stream_of

few = st.sampled_from([0.0, 1.0, 2.5, float("nan")])


@given(parts=st.lists(st.integers(0, 6), min_size=1, max_size=200), step=st.integers(1, 50))
def test_records_come_back_by_their_parts(parts, step, tmp_path_factory):
    of = np.array(parts)
    words = np.column_stack((np.arange(len(of)), of * 7))
    place = Sorted(tmp_path_factory.mktemp("sorted") / "words", np.bincount(of, minlength=8), 2)
    for start in range(0, len(of), step):
        place.put(of[start : start + step], words[start : start + step])
    for part in range(8):
        assert place.read(part).tolist() == words[of == part].tolist()
        assert [row for piece in place.pieces(part) for row in piece.tolist()] == words[of == part].tolist()
    place.remove()


def test_a_part_that_lacks_records_is_not_read(tmp_path):
    place = Sorted(tmp_path / "words", np.array([2, 1]), 1)
    place.put(np.array([0, 1]), np.array([[5], [6]]))
    assert place.read(1).tolist() == [[6]]
    with pytest.raises(AssertionError, match="other records than were counted"):
        place.read(0)


def test_a_write_that_ends_early_goes_on(tmp_path, monkeypatch):
    honest = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, place: honest(handle, data[:5], place))
    words = Words(tmp_path / "words", 3)
    words.write(2, np.arange(12).reshape(4, 3))
    assert words.read(2, 6).tolist() == np.arange(12).reshape(4, 3).tolist()
    with pytest.raises(OSError, match="ends too early"):
        words.read(5, 7)


@given(st.lists(st.tuples(few, few), min_size=1, max_size=60))
def test_tied_records_are_those_that_share_all_numbers(rows):
    numbers = np.array(rows)
    run, tied = tied_in(numbers)
    texts = [str(row) for row in numbers.tolist()]
    assert sorted(tied.tolist()) == [place for place, text in enumerate(texts) if texts.count(text) > 1]
    runs = {}
    for number, place in zip(run.tolist(), tied.tolist(), strict=True):
        runs.setdefault(number, []).append(place)
    assert sorted(runs) == list(range(len(runs)))
    for places in runs.values():
        assert places == sorted(places)
        assert len({texts[place] for place in places}) == 1
    assert len({texts[places[0]] for places in runs.values()}) == len(runs)


@given(st.lists(st.integers(1, 300_000), min_size=1, max_size=40))
def test_bundles_hold_blocks_in_their_order(counts):
    found = bundles_of(np.array(counts))
    assert found.of.tolist() == sorted(found.of.tolist())
    assert sorted(set(found.of.tolist())) == list(range(len(found.counts)))
    for bundle, held in enumerate(found.counts.tolist()):
        blocks = counts[found.first[bundle] : found.first[bundle + 1]]
        assert sum(blocks) == held
        assert len(blocks) == 1 or held <= 200_000


def test_what_is_done_to_a_block_can_be_sent_elsewhere():
    table = pa.table({"a": [1.0, 2.0, None, 5.0, 5.5, 9.0], "b": ["x", "y", "x", None, "z", "x"]})
    asked = [Asked("a", "continuous", pa.float64()), Asked("b", "nominal", pa.string())]
    codings = [coding_of(of, look_at(of, table.column(of.name).chunk(0), 0, str)) for of in asked]
    numbers = np.column_stack([of.numbers(table.column(of.asked.name).chunk(0), str) for of in codings])
    facts = facts_of(InMemory(numbers), codings, Plan(k=3, quasi_identifiers=("a", "b")), ("mean", "mode"))
    work = Releasing(facts, MDAV(), 3, 0, np.array([1]), compiled=False)
    block = Block(0, numbers, lambda rows: ())
    sent = pickle.loads(pickle.dumps(work)).released(block)
    here = work.released(block)
    assert np.array_equal(sent.released, here.released, equal_nan=True)
    assert sent.squares == here.squares


def test_who_needs_more_room_than_is_left_waits():
    room, most, now = Room(10), [0], [0]
    lock = threading.Lock()

    def work(needed):
        with room.taken(needed):
            with lock:
                now[0] += min(needed, 10)
                most[0] = max(most[0], now[0])
            threading.Event().wait(0.005)
            with lock:
                now[0] -= min(needed, 10)

    threads = [threading.Thread(target=work, args=(needed,)) for needed in (3, 4, 5, 10, 99, 1, 9, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert most[0] <= 10
    assert room.free == 10


def test_folding_joins_every_part_once():
    found = folded(
        100, lambda part: [part], lambda several: [one for found in several for one in found], lambda: None
    )
    assert sorted(found) == list(range(100))


def test_an_error_in_a_part_ends_the_folding():
    def part(number):
        if number == 3:
            raise ValueError("bad part")
        return number

    with pytest.raises(ValueError, match="bad part"):
        folded(10, part, sum, lambda: None)


def test_what_is_watched_may_stop_the_folding():
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folded(1000, lambda part: threading.Event().wait(0.001), lambda found: None, stop)


def test_arrow_holds_little_of_a_row_group_however_large(tmp_path):
    import subprocess
    import sys

    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    table = pa.table({name: rng.normal(size=2_000_000) for name in "abcd"})
    pq.write_table(table, tmp_path / "one.parquet", row_group_size=len(table), use_dictionary=False)
    code = (
        "import sys, pyarrow as pa\nfrom microagg.tables.streams import stream_of\n"
        "rows = sum(part.num_rows for part in stream_of(sys.argv[1]).parts())\n"
        "print(rows, pa.default_memory_pool().max_memory())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "one.parquet"], capture_output=True, check=True
    )
    rows, most = map(int, done.stdout.split())
    assert rows == len(table)
    assert most < table.nbytes / 2


odd = st.sampled_from([None, 0.0, -0.0, 1.5, -1.5])


@pytest.mark.parametrize("form", [pa.float64(), pa.float32()], ids=str)
@given(
    rows=st.lists(st.tuples(odd, st.sampled_from(["a", "b", "", None])), min_size=1, max_size=40),
    k=st.integers(2, 4),
)
def test_the_check_counts_what_the_check_in_memory_counts(form, rows, k, tmp_path_factory):
    table = pa.table(
        {
            "x": pa.array([x for x, _ in rows], form),
            "y": pa.array([y for _, y in rows], pa.string()),
        }
    )
    seen = [tables.codes(table.column(name)) for name in table.column_names]
    folder = tmp_path_factory.mktemp("check")
    found = classes_in(stream_of(table), table.column_names, k, folder, 500_000_000, lambda: None)
    if None in (x for x, _ in rows):  # where numbers are missing, the other check takes both zeros for one
        seen[0] = tables.codes(pa.chunked_array([[str(x) for x, _ in rows]]))
    assert found == classes(seen, k)
