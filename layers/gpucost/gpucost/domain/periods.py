"""Days and months of hours, in UTC: what roll-ups stand for and what gets closed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from gpucost.domain.hours import Hour


@dataclass(frozen=True, order=True, slots=True)
class Day:
    """The 24 hours of a UTC date."""

    date: date

    @classmethod
    def of(cls, hour: Hour) -> "Day":
        return cls(hour.start.date())

    @classmethod
    def parse(cls, key: str) -> "Day":
        """Read the key form, 2026-11-30. ValueError when it is anything else."""
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", key):
            raise ValueError(f"{key!r} is not a day such as 2026-11-30")
        return cls(date.fromisoformat(key))

    @property
    def first(self) -> Hour:
        return Hour(datetime(self.date.year, self.date.month, self.date.day, tzinfo=UTC))

    @property
    def end(self) -> Hour:
        return self.first.plus(24)

    @property
    def key(self) -> str:
        return self.date.isoformat()

    def next(self) -> "Day":
        return Day(self.date + timedelta(days=1))


@dataclass(frozen=True, order=True, slots=True)
class Month:
    """A calendar month in UTC. `number` is 1..12."""

    year: int
    number: int

    @classmethod
    def of(cls, hour: Hour) -> "Month":
        return cls(hour.start.year, hour.start.month)

    @classmethod
    def parse(cls, key: str) -> "Month":
        """Read the key form, 2026-11. ValueError when it is anything else."""
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", key):
            raise ValueError(f"{key!r} is not a month such as 2026-11")
        return cls(int(key[:4]), int(key[5:]))

    @property
    def first(self) -> Hour:
        return Hour(datetime(self.year, self.number, 1, tzinfo=UTC))

    @property
    def end(self) -> Hour:
        return self.next().first

    @property
    def key(self) -> str:
        return f"{self.year:04}-{self.number:02}"

    def next(self) -> "Month":
        return self.plus(1)

    def plus(self, months: int) -> "Month":
        years, number = divmod(self.year * 12 + self.number - 1 + months, 12)
        return Month(years, number + 1)

    def days(self) -> Iterator[Day]:
        day = Day.of(self.first)
        while day.first < self.end:
            yield day
            day = day.next()


type Period = Day | Month


def months_between(first: Hour, end: Hour) -> Iterator[Month]:
    """The months that [first, end) touches, in order; none when it is empty."""
    month = Month.of(first)
    while first < end and month.first < end:
        yield month
        month = month.next()


def hours_in(period: Period) -> int:
    """How many hours the period has."""
    return (period.end.epoch - period.first.epoch) // 3600
