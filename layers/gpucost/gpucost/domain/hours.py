"""Hours: the half-open UTC intervals [T, T+1h) that the ledger is made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Self

HOUR = timedelta(hours=1)
MINUTES = 60


@dataclass(frozen=True, order=True, slots=True)
class Hour:
    """The hour [start, start + 1h) in UTC. Its 60 instants start, start+1m … start+59m each stand for their minute."""

    start: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.start.utcoffset() != timedelta(0):
            raise ValueError(f"an hour starts at a UTC time, not at {self.start!r}")
        if (self.start.minute, self.start.second, self.start.microsecond) != (0, 0, 0):
            raise ValueError(f"an hour starts on the hour, not at {self.start.isoformat()}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the key form, such as 2026-11-30T10:00:00Z. ValueError when the text is anything else."""
        return cls(parse_instant(text))

    @classmethod
    def containing(cls, moment: datetime) -> Self:
        """The hour that the moment lies in."""
        return cls(moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0))

    @classmethod
    def completed_before(cls, moment: datetime) -> Self:
        """The last hour that was over at the moment: 11:02:17 and 11:00:00 both give [10:00, 11:00)."""
        return cls(cls.containing(moment).start - HOUR)

    @property
    def end(self) -> datetime:
        return self.start + HOUR

    @property
    def key(self) -> str:
        """The start as the ledger and the reports write it: 2026-11-30T10:00:00Z."""
        return f"{self.start.replace(tzinfo=None).isoformat()}Z"

    @property
    def epoch(self) -> int:
        """The start in seconds since 1970."""
        return int(self.start.timestamp())

    def plus(self, hours: int) -> "Hour":
        return Hour(self.start + hours * HOUR)

    def __str__(self) -> str:
        return self.key


def hours_between(first: Hour, end: Hour) -> Iterator[Hour]:
    """The hours from first (included) to end (excluded)."""
    hour = first
    while hour < end:
        yield hour
        hour = hour.plus(1)


def parse_instant(text: str) -> datetime:
    """An RFC 3339 instant as UTC. ValueError when it is not one, or has no offset."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an instant such as 2026-11-30T10:00:00Z") from None
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; write UTC with a trailing Z, such as 2026-11-30T10:00:00Z")
    return moment.astimezone(UTC)
