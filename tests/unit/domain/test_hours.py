from datetime import UTC, datetime, timedelta, timezone

import pytest

from gpucost.domain.hours import MINUTES, Hour, hours_between, parse_instant

TEN = datetime(2026, 11, 30, 10, tzinfo=UTC)


def test_an_hour_is_half_open_and_has_sixty_instants() -> None:
    hour = Hour(TEN)
    assert hour.end == datetime(2026, 11, 30, 11, tzinfo=UTC)
    assert MINUTES == 60
    assert Hour.containing(hour.end) == hour.plus(1)


def test_the_key_is_the_start_and_reads_back() -> None:
    hour = Hour(TEN)
    assert hour.key == str(hour) == "2026-11-30T10:00:00Z"
    assert Hour.parse(hour.key) == hour


def test_the_epoch_counts_seconds_since_1970() -> None:
    assert Hour.parse("1970-01-02T01:00:00Z").epoch == 90_000


@pytest.mark.parametrize(
    ("moment", "over"),
    [
        (datetime(2026, 11, 30, 11, 2, 17, 5, tzinfo=UTC), "2026-11-30T10:00:00Z"),
        (datetime(2026, 11, 30, 11, 0, 0, tzinfo=UTC), "2026-11-30T10:00:00Z"),
        (datetime(2026, 11, 30, 10, 59, 59, 999_999, tzinfo=UTC), "2026-11-30T09:00:00Z"),
        (datetime(2026, 12, 1, 0, 10, tzinfo=timezone(timedelta(hours=5, minutes=30))), "2026-11-30T17:00:00Z"),
    ],
)
def test_the_completed_hour_is_the_last_that_was_over(moment: datetime, over: str) -> None:
    assert Hour.completed_before(moment).key == over


@pytest.mark.parametrize(
    ("start", "complaint"),
    [
        (datetime(2026, 11, 30, 10), "an hour starts at a UTC time, not at datetime"),  # noqa: DTZ001
        (datetime(2026, 11, 30, 10, tzinfo=timezone(timedelta(hours=1))), "an hour starts at a UTC time, not at"),
        (TEN.replace(minute=1), "an hour starts on the hour, not at 2026-11-30T10:01:00"),
        (TEN.replace(second=1), "an hour starts on the hour, not at 2026-11-30T10:00:01"),
        (TEN.replace(microsecond=1), "an hour starts on the hour, not at 2026-11-30T10:00:00.000001"),
    ],
)
def test_what_is_not_the_start_of_a_utc_hour_is_refused(start: datetime, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"^{complaint}"):
        Hour(start)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("tomorrow", "^'tomorrow' is not an instant such as 2026-11-30T10:00:00Z$"),
        ("2026-11-30T10:00:00", "^'2026-11-30T10:00:00' has no time zone; write UTC with a trailing Z, such as 2026-"),
    ],
)
def test_an_instant_without_a_zone_or_meaning_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        parse_instant(text)


def test_an_instant_with_an_offset_is_turned_into_utc() -> None:
    moment = parse_instant("2026-11-30T12:00:00+02:00")
    assert moment == TEN
    assert moment.tzinfo is UTC


def test_hours_between_excludes_the_end() -> None:
    hour = Hour(TEN)
    assert [one.key[11:13] for one in hours_between(hour, hour.plus(3))] == ["10", "11", "12"]
    assert list(hours_between(hour, hour)) == []
