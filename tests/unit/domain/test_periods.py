"""Days and months."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.periods import Day, Month, hours_in, months_between

months = st.builds(Month, st.integers(2000, 2100), st.integers(1, 12))
days = st.builds(Day, st.dates(date(2000, 1, 1), date(2100, 1, 1)))


@given(months)
def test_a_month_is_its_days_and_its_hours(month: Month) -> None:
    hours = list(hours_between(month.first, month.end))
    assert len(hours) == hours_in(month) == 24 * len(list(month.days()))
    assert {Month.of(hour) for hour in hours} == {month}
    assert Month.of(month.end) == month.next()


@given(days)
def test_a_day_has_24_hours(day: Day) -> None:
    hours = list(hours_between(day.first, day.end))
    assert len(hours) == hours_in(day) == 24
    assert {Day.of(hour) for hour in hours} == {day}
    assert Day.of(day.end) == day.next()


@given(months, days)
def test_keys_are_read_as_they_are_written(month: Month, day: Day) -> None:
    assert (Month.parse(month.key), Day.parse(day.key)) == (month, day)


@given(months, st.integers(-30, 30))
def test_months_can_be_counted_on(month: Month, count: int) -> None:
    assert month.plus(count).plus(-count) == month
    assert (month.plus(count) > month) is (count > 0)


@pytest.mark.parametrize(
    "text", ["", "2026", "2026-13", "2026-11-31", "30.11.2026", "2026-11-30T10", "2026-1-5", "2026-1"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not a day such as 2026-11-30|day is out of range|day .* must be in|month must be in"
    ):
        Day.parse(text)
    with pytest.raises(ValueError, match="is not a month such as 2026-11"):
        Month.parse(text)


@pytest.mark.parametrize(
    ("first", "end", "expected"),
    [
        ("2026-11-30T23", "2026-12-01T00", ["2026-11"]),
        ("2026-11-30T23", "2026-12-01T01", ["2026-11", "2026-12"]),
        ("2026-11-01T00", "2027-02-01T00", ["2026-11", "2026-12", "2027-01"]),
        ("2026-11-15T00", "2026-11-15T00", []),
        ("2026-11-15T00", "2026-10-15T00", []),
    ],
)
def test_a_window_touches_these_months(first: str, end: str, expected: list[str]) -> None:
    window = Hour.parse(f"{first}:00:00Z"), Hour.parse(f"{end}:00:00Z")
    assert [month.key for month in months_between(*window)] == expected
