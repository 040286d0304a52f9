"""Work in pieces: all results in their order, and nothing left running."""

from __future__ import annotations

import threading
import time

import pytest

from microagg.run.in_parallel import STEPS, all_of, part_of

PATIENCE = 10.0


def until_stopped(progress):
    """Work until told to stop."""
    began = time.perf_counter()
    while time.perf_counter() - began < PATIENCE:
        progress(1, 2)
        time.sleep(0.005)
    raise AssertionError("nobody stopped it")


@pytest.mark.parametrize("hands", [1, 2, 7])
def test_results_stand_in_the_order_of_the_pieces(hands):
    def piece(number):
        def work(progress):
            time.sleep(0.002 * (5 - number))
            return number

        return work

    assert all_of([piece(number) for number in range(5)], hands) == [0, 1, 2, 3, 4]


def test_no_more_work_at_the_same_time_than_there_are_hands():
    busy, most, lock = [0], [0], threading.Lock()

    def work(progress):
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        time.sleep(0.01)
        with lock:
            busy[0] -= 1

    all_of([work] * 8, 2)
    assert most == [2]


def test_what_a_piece_raises_stops_the_others():
    def fails(progress):
        raise ZeroDivisionError

    begun = []
    with pytest.raises(ZeroDivisionError):
        all_of([until_stopped, fails, *[begun.append] * 20], 2)
    assert len(begun) < 20


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_is_raised_in_progress_stops_all(error):
    threads = threading.active_count()

    def progress(done, total):
        raise error

    with pytest.raises(error):
        all_of([until_stopped, until_stopped, until_stopped], 2, progress)
    assert threading.active_count() == threads


def test_progress_adds_up_what_all_have_told():
    gate, told = threading.Event(), []

    def half(progress):
        progress(3, 6)
        assert gate.wait(PATIENCE)

    def watch(done, total):
        told.append((done, total))
        if done >= STEPS:
            gate.set()

    all_of([half, half], 2, watch)
    assert (STEPS, 2 * STEPS) in told
    assert told[-1] == (2 * STEPS, 2 * STEPS)


def test_a_part_of_the_work_is_told_as_a_part():
    told = []
    part = part_of(lambda *state: told.append(state), 0.5, 1.0)
    for done in (0, 5, 10):
        part(done, 10)
    part(0, 0)
    assert told == [(50, STEPS), (75, STEPS), (100, STEPS), (50, STEPS)]
