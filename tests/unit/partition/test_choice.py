"""Which method is taken, and for how long, beside what was measured once."""

from __future__ import annotations

import pytest

from microagg.partition.choice import chosen, expected

MEASURED = [  # seconds of MDAV and V-MDAV at k = 3, of one core that others used too
    (10_000, 2, 0.009, 0.008),
    (10_000, 5, 0.013, 0.013),
    (10_000, 10, 0.016, 0.016),
    (100_000, 2, 0.100, 0.110),
    (100_000, 4, 0.165, 0.172),
    (100_000, 8, 0.194, 0.207),
    (1_000_000, 2, 1.29, 1.39),
    (1_000_000, 3, 2.05, 1.99),
    (1_000_000, 5, 4.79, 3.24),
    (1_000_000, 10, 9.79, 6.59),
    (10_000_000, 2, 20.4, 20.4),
]


@pytest.mark.parametrize(("records", "dimensions", "mdav", "vmdav"), MEASURED)
def test_the_time_is_within_a_factor_of_two(records, dimensions, mdav, vmdav):
    for method, seconds in (("mdav", mdav), ("vmdav(gamma=0.2)", vmdav)):
        assert seconds / 2 < expected(method, records, dimensions, 3).seconds < seconds * 2


def test_more_records_and_dimensions_take_longer_and_a_larger_k_does_not():
    sizes = (1_000, 12_000, 10**5, 10**6, 10**7, 10**8)
    times = [expected("vmdav", records, 4, 3).seconds for records in sizes]
    assert times == sorted(times)
    times = [expected("mdav", 10**5, dimensions, 3).seconds for dimensions in (2, 3, 4, 7, 10, 40)]
    assert times == sorted(times)
    for records in (5_000, 10**5):
        assert expected("mdav", records, 4, 50).seconds < expected("mdav", records, 4, 3).seconds


def test_the_method_that_loses_least_is_taken_if_there_is_time():
    assert chosen(10**6, 1, 3, 1.0).method == "univariate"
    assert chosen(10**5, 4, 3, 60.0).method.startswith("refined(mdav, iterations=")
    assert chosen(10**5, 4, 3, 9.0).method == "vmdav"
    assert chosen(3 * 10**7, 2, 3, 90.0).method == "mdav"
    assert chosen(10**7, 4, 3, 60.0).method == "blocked(mdav)"
    assert chosen(10**7, 4, 3, 900.0).method.startswith("refined(")
    assert chosen(5, 4, 3, 60.0).method == "vmdav"


@pytest.mark.parametrize("records", [20, 1000, 10**5, 10**6])
@pytest.mark.parametrize("budget", [10.0, 60.0, 600.0])
def test_a_search_fits_into_the_budget_and_its_time_is_told(records, budget):
    found = chosen(records, 3, 3, budget)
    assert found.seconds <= budget
    assert found == expected(found.method, records, 3, 3, found.why)


def test_a_search_that_is_stopped_takes_no_longer():
    long = expected("refined(mdav)", 10**5, 3, 3).seconds
    assert expected("refined(mdav, seconds=2)", 10**5, 3, 3).seconds == pytest.approx(
        2 + expected("mdav", 10**5, 3, 3).seconds
    )
    assert long > 4


def test_blocks_take_as_long_as_all_of_them():
    whole = expected("mdav", 10**7, 5, 3)
    blocked = expected("blocked(mdav)", 10**7, 5, 3)
    assert blocked.seconds < whole.seconds / 2
    assert 90 < blocked.seconds / expected("mdav", 10**5, 5, 3).seconds < 150
    assert blocked.compiles
    assert expected("blocked(mdav)", 90_000, 5, 3).seconds == expected("mdav", 90_000, 5, 3).seconds
    small = [expected(f"blocked(mdav, max_leaf={most})", 10**6, 5, 3).seconds for most in (100, 1000, 10_000)]
    assert max(small) < 1.1 * min(small)
    assert not expected("blocked(mdav, max_leaf=100)", 5000, 5, 3).compiles


def test_it_is_told_why_blocks_are_taken():
    why = chosen(10**8, 4, 3, 60.0).why
    assert "blocked(mdav), which takes about" in why
    assert "mdav would take about" in why
    assert "60 s are allowed" in why
