"""A slice of work is as long as the time that the last one took lets it be."""

from __future__ import annotations

from microagg.partition import slices


def test_slices_grow_and_shrink_with_the_time_they_take(monkeypatch):
    clock = iter([0.0, 0.01, 0.01, 0.5, 0.5])
    monkeypatch.setattr(slices, "perf_counter", lambda: next(clock))
    work = slices.Slices(100, None, 1000)
    work.end(10, spent=True)
    assert work.budget == 2001  # it took a fifth of the time it may: twice the work
    work.end(20, spent=True)
    assert work.budget == 1001  # it took ten times as long: half


def test_a_slice_that_ended_before_its_budget_says_nothing_of_the_next(monkeypatch):
    clock = iter([0.0, 0.5])
    monkeypatch.setattr(slices, "perf_counter", lambda: next(clock))
    told = []
    work = slices.Slices(100, lambda *state: told.append(state), 1000)
    work.end(10, spent=False)
    assert work.budget == 1000
    assert told == [(10, 100)]
