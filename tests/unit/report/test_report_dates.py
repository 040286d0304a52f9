"""Dates in the page: as dates, whichever is the earliest."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg
from microagg.columns import Calendar, Column, Unit
from microagg.measures.columns import column_loss
from microagg.measures.compared import NO_WEIGHTS, Pair
from microagg.report import drawing, times
from microagg.report.distributions import distribution
from tests.unit.report.reading import read

DAY = 86_400
RNG = np.random.default_rng(2)


def pair(before, after, calendar, kind="date"):
    columns = (Column("d", kind, np.array(values, float), calendar=calendar) for values in (before, after))
    return Pair(*columns, Unit())


def dates(per_day, start=0):
    return Calendar(start, per_day)


@given(
    st.sampled_from([1, DAY, DAY * 10**6]),
    st.datetimes(datetime(1, 1, 1), datetime(9990, 1, 1)),
    st.floats(0, 3000),
)
def test_numbers_stand_for_the_days_that_a_plain_sum_finds(per_day, start, days):
    calendar = Calendar((start - datetime(1970, 1, 1)) // timedelta(days=1) * per_day, per_day)
    begin = start.replace(hour=0, minute=0, second=0, microsecond=0)
    number = round(days * per_day) * 1.0
    found = calendar.at(number)
    expected = begin + timedelta(days=number / per_day)
    if per_day == 1:
        assert found == expected.date()
        assert not isinstance(found, datetime)
    else:
        assert abs(found - expected) < timedelta(milliseconds=1)


def test_there_is_no_time_off_the_calendar():
    assert Calendar(0).at(1e9) == date.max
    assert Calendar(0, DAY).at(-1e18) == datetime.min


@pytest.mark.parametrize("start", [0, 20_000, -30_000])
def test_figures_of_dates_are_dates_and_days_and_nothing_is_relative_to_the_earliest(start):
    loss = column_loss(pair([0, 10, 50], [2, 12, 52], Calendar(start)), NO_WEIGHTS, 0.0)
    first = date(1970, 1, 1) + timedelta(days=start)
    assert loss.mean == (first + timedelta(days=20), first + timedelta(days=22), 2.0)
    assert loss.mean.relative is None
    assert loss.quantiles[0.5].texts == tuple((first + timedelta(days=days)).isoformat() for days in (10, 12))
    assert loss.deviation.before == pytest.approx(np.std([0, 10, 50], ddof=1))


def test_points_in_time_are_told_to_the_minute_and_their_deviation_in_days():
    loss = column_loss(pair([0, 6 * 3600, 2 * DAY], [0] * 3, Calendar(90, DAY)), NO_WEIGHTS, 0.0)
    assert loss.quantiles[0.5].texts == ("1970-01-01 06:01", "1970-01-01 00:01")
    assert loss.quantiles[0.5].days == -0.25
    assert loss.deviation.before == pytest.approx(np.std([0, 0.25, 2], ddof=1))


SPANS = st.floats(1e-3, 3.6e6)


@given(
    st.sampled_from([1, DAY, DAY * 10**9]), st.integers(-700_000, -600_000), SPANS, st.sampled_from([3, 24])
)
def test_borders_of_bins_hold_all_and_are_about_as_many_as_asked(per_day, start, days, most):
    calendar, high = Calendar(start * per_day, per_day), float(np.ceil(days * per_day))
    borders = times.bins(calendar, 0.0, high, most)
    assert borders[0] <= 0.0
    assert borders[-1] >= high
    assert 2 <= len(borders) <= most + 3
    assert len({round(step) for step in np.diff(borders)}) == 1
    found = times.ticks(calendar, 0.0, high, most)
    assert 1 <= len(found) <= most + 2
    assert all(0.0 <= at <= high for at in found)
    assert len(set(times.texts(calendar, found))) == len(found)


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (3000, ["2000", "2005"]),
        (400, ["2000-01", "2000-07", "2001-01"]),
        (12, ["2000-01-04", "2000-01-08", "2000-01-12"]),
    ],
)
def test_axes_have_round_dates(days, told):
    calendar = Calendar((date(2000, 1, 1) - date(1970, 1, 1)).days)
    found = times.texts(calendar, times.ticks(calendar, 0.0, days, 3))
    assert times.short(found) == told


def test_a_picture_of_dates_shows_dates():
    of = pair(range(100), range(100), Calendar(18_262))
    texts = [label.text for label in read(drawing.distribution("d", distribution(of))).all("text")]
    assert texts
    assert all(re.fullmatch(r"2020-\d\d(-\d\d)?", text) for text in texts)


@pytest.mark.parametrize("values", [[0], [0, 1], [0, 1, 5], [0, 40], [0, 400_000]])
@pytest.mark.parametrize("per_day", [1, 86_400_000_000_000])
def test_any_dates_have_a_picture(values, per_day):
    of = pair(values, [0] * len(values), Calendar(-700_000 * per_day, per_day), "datetime")
    assert read(drawing.distribution("d", distribution(of)))


def test_the_page_and_the_figures_of_a_release_tell_dates(tmp_path):
    import pyarrow as pa

    days = [date(2019, 1, 1) + timedelta(days=int(day)) for day in RNG.integers(0, 900, 60)]
    moments = [datetime(2019, 1, 1, 8, 30) + timedelta(hours=int(of)) for of in RNG.integers(0, 9000, 60)]
    table = pa.table({"day": days, "moment": moments})
    result = microagg.protect(table, 3, ["day", "moment"], method="mdav")
    of_result, of_tables = result.evaluate(), microagg.evaluate(table, result.data, ["day", "moment"])
    for name in ("day", "moment"):
        assert of_result.loss.by_column[name].mean == of_tables.loss.by_column[name].mean
    mean = datetime(2019, 1, 1) + timedelta(
        days=float(np.mean([(day - date(2019, 1, 1)).days for day in days]))
    )
    assert abs(datetime.combine(of_result.loss.by_column["day"].mean.before, datetime.min.time()) - mean) < (
        timedelta(days=1)
    )
    result.report(tmp_path / "page.html")
    root = read((tmp_path / "page.html").read_text("utf-8"))
    (amounts,) = (
        table
        for table in root.all("table")
        if "Means and standard deviations of amounts" in next(table.all("caption")).text
    )
    (day, moment) = ([cell.text for cell in row.children] for row in list(amounts.all("tr"))[1:])
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", day[1])
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", moment[2])
    assert day[3].endswith(" days")
    assert moment[4].endswith(" days")
    assert "from the earliest" not in root.text
