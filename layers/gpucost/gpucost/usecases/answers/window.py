"""The window that a caller asks about, read from the texts that people and dashboards write."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Self

from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day, Month
from gpucost.ports import RequestError

DEFAULT_HOURS = 24
FIRST_HOUR = Hour(datetime(2015, 1, 1, tzinfo=UTC))
"""No cluster is older than Kubernetes."""
WORDS = ("today", "yesterday", "week", "lastweek", "month", "lastmonth")
FORMS = f"{', '.join(WORDS)}, a length such as 24h, 7d or 2w, or two instants such as 2026-11-01,2026-12-01"

_LENGTH = re.compile(r"([1-9]\d{0,4})([mhdw])")
_LAST_YEAR = 9999
_UNIX = re.compile(r"\d{9,11}")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}


@dataclass(frozen=True, slots=True)
class Window:
    """The hours of [first, end); at least one, and all of them over."""

    first: Hour
    end: Hour

    @property
    def hours(self) -> int:
        return (self.end.epoch - self.first.epoch) // 3600

    def before(self) -> "Window":
        """The window of the same length that ends where this one begins."""
        return Window(self.first.plus(-self.hours), self.first)

    @classmethod
    def between(cls, start: str | None, end: str | None, now: datetime) -> Self:
        """From `from` and `to` (excluded). Without `to` it ends with the last hour that was over at `now`; without
        `from` it begins 24 hours before its end. RequestError when no hour of it is over.
        """
        over = Hour.containing(now)
        last = min(instant("to", end), over) if end else over
        first = instant("from", start) if start else last.plus(-DEFAULT_HOURS)
        return cls.checked(first, last, over)

    @classmethod
    def named(cls, text: str, now: datetime, *, widened: bool = False) -> Self:
        """From one text: a word, a length that ends now, or two instants with a comma. RequestError for others.

        `widened`: parts of an hour stand for the whole hours that they touch, instead of being refused.
        """
        over = Hour.containing(now)
        if text in WORDS:
            first, end = _WORDS[text](Day.of(over))
        elif match := _LENGTH.fullmatch(text):
            first, end = over.plus(-_length(text, *match.groups(), widened=widened)), over
        elif text.count(",") == 1:
            first, end = _touched(text) if widened else _exact(text)
        else:
            raise RequestError(f"'window' is {text[:60]!r}; write {FORMS}")
        return cls.checked(first, min(end, over), over)

    @classmethod
    def checked(cls, first: Hour, end: Hour, over: Hour) -> Self:
        if first >= end:
            raise RequestError(
                f"the window from {first} to {end} holds no hour that is over; 'from' has to be before 'to' and before "
                f"{over}"
            )
        if first < FIRST_HOUR:
            raise RequestError(f"the window begins at {first}; begin at {FIRST_HOUR} or later")
        return cls(first, end)


def instant(name: str, text: str, is_: str = "is") -> Hour:
    """A UTC hour, or a date for its first hour. RequestError for anything else, with the parameter's name."""
    try:
        is_date = len(text) == len("2026-11-30")
        hour = Hour(datetime.combine(date.fromisoformat(text), time(), UTC)) if is_date else Hour.parse(text)
        if hour < FIRST_HOUR:
            raise ValueError(text)
        return hour
    except (ValueError, OverflowError):  # OverflowError at the ends of the calendar
        raise RequestError(
            f"{name!r} {is_} {text[:60]!r}; write a UTC hour such as 2026-11-30T10:00:00Z, or a date such as 2026-11-30"
        ) from None


def _exact(text: str) -> tuple[Hour, Hour]:
    first, end = (_boundary(part) for part in text.split(","))
    return first, end


def _boundary(text: str) -> Hour:
    if not _UNIX.fullmatch(text):
        return instant("window", text, "has the time")
    seconds = int(text)
    if seconds % 3600:
        raise RequestError(f"'window' has the time {text}, which is not a whole hour")
    return instant("window", Hour(datetime.fromtimestamp(seconds, UTC)).key)


def _touched(text: str) -> tuple[Hour, Hour]:
    """The whole hours of a stretch of time, any part of which may be asked for."""
    start, end = text.split(",")
    last = Hour.containing(_moment(end) + timedelta(hours=1) - timedelta.resolution)
    return Hour.containing(_moment(start)), last


def _moment(text: str) -> datetime:
    try:
        if _UNIX.fullmatch(text):
            return datetime.fromtimestamp(int(text), UTC)
        moment = datetime.fromisoformat(text)
        if len(text) == len("2026-11-30"):
            moment = moment.replace(tzinfo=UTC)
        if moment.tzinfo is None or not FIRST_HOUR.start.year <= moment.year < _LAST_YEAR:
            raise ValueError(text)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise RequestError(
            f"'window' has the time {text[:60]!r}; write seconds since 1970, a date, or an instant with its zone such "
            "as 2026-11-30T10:00:00Z"
        ) from None


def _length(text: str, number: str, unit: str, *, widened: bool) -> int:
    if unit == "m":
        if int(number) % 60 and not widened:
            raise RequestError(f"'window' is {text!r}; costs are kept by the hour, write whole hours")
        return -(-int(number) // 60)
    hours = int(number) * _HOURS[unit]
    if hours > 24 * 366 * 10:
        raise RequestError(f"'window' is {text!r}; that is longer than ten years")
    return hours


def _week(day: Day) -> Hour:
    """Weeks begin on Sunday, as OpenCost's do."""
    return Day(day.date - timedelta(days=(day.date.weekday() + 1) % 7)).first


def _month(day: Day) -> Month:
    return Month.of(day.first)


_WORDS: dict[str, Callable[[Day], tuple[Hour, Hour]]] = {
    "today": lambda day: (day.first, day.end),
    "yesterday": lambda day: (day.first.plus(-24), day.first),
    "week": lambda day: (_week(day), day.end),
    "lastweek": lambda day: (_week(day).plus(-7 * 24), _week(day)),
    "month": lambda day: (_month(day).first, day.end),
    "lastmonth": lambda day: (_month(day).plus(-1).first, _month(day).first),
}
