"""Metric history as OpenMetrics text, one sample a minute."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpucost.domain.hours import MINUTES, Hour

MINUTE = 60


@dataclass(frozen=True, slots=True)
class Series:
    """A series without gaps: `values` are its samples, one a minute, the first at `start` (seconds since 1970)."""

    name: str
    labels: Mapping[str, str]
    start: int
    values: Sequence[str]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of whole minutes."""

    start: int
    minutes: int

    @classmethod
    def of_hours(cls, first: Hour, hours: int) -> "Span":
        return cls(first.epoch, hours * MINUTES)

    def part(self, first_minute: int, minutes: int) -> "Span":
        """Some minutes of this span, counted from its start."""
        return Span(self.start + first_minute * MINUTE, minutes)

    def steady(self, name: str, labels: Mapping[str, str], value: int | str) -> Series:
        """A series that has one value throughout the span."""
        return Series(name, labels, self.start, [str(value)] * self.minutes)


def openmetrics(series: Iterable[Series], external: Mapping[str, str]) -> str:
    """The series as OpenMetrics text without its end marker, each with the `external` labels that a collector adds."""
    lines: list[str] = []
    for one in series:
        labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in {**one.labels, **external}.items() if value)
        head = f"{one.name}{{{labels}}}"
        lines += [f"{head} {value} {one.start + minute * MINUTE}" for minute, value in enumerate(one.values)]
    return "\n".join(lines) + "\n"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
