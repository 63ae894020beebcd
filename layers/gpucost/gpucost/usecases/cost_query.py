"""The question that a caller of /v1/costs asks, read from query parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Self

from gpucost.domain.hours import Hour
from gpucost.ports import RequestError

DEFAULT_HOURS = 24
MAX_HOURS = 93 * 24
FIRST_HOUR = Hour(datetime(2015, 1, 1, tzinfo=UTC))
"""No cluster is older than Kubernetes."""


class GroupBy(StrEnum):
    """What a row of the answer stands for."""

    BU = "bu"
    NAMESPACE = "namespace"


@dataclass(frozen=True, slots=True)
class CostQuery:
    """Costs of the hours of [first, end), of one cluster or all, of one BU or all."""

    first: Hour
    end: Hour
    group_by: GroupBy = GroupBy.BU
    cluster: str | None = None
    bu: str | None = None

    @property
    def hours(self) -> int:
        return (self.end.epoch - self.first.epoch) // 3600

    @classmethod
    def parse(cls, parameters: Mapping[str, Sequence[str]], now: datetime) -> Self:
        """Read from, to, group_by, cluster and bu, each at most once. An empty value is as good as none.

        `to` is excluded. Without it the window ends with the last hour that was over at `now`; without `from` it
        begins 24 hours before its end. Hours that are not over at `now` are left out. RequestError for anything that
        cannot be answered.
        """
        given = _single(parameters)
        over = Hour.containing(now)
        end = min(_instant("to", given["to"]), over) if "to" in given else over
        first = _instant("from", given["from"]) if "from" in given else end.plus(-DEFAULT_HOURS)
        query = cls(first, end, _group_by(given.get("group_by", GroupBy.BU)), given.get("cluster"), given.get("bu"))
        if first >= end:
            raise RequestError(
                f"the window from {first} to {end} holds no hour that is over; 'from' has to be before 'to' and before "
                f"{over}"
            )
        if query.hours > MAX_HOURS:
            raise RequestError(f"the window has {query.hours} hours; ask for at most {MAX_HOURS} at once")
        return query


_NAMES = ("from", "to", "group_by", "cluster", "bu")


def _single(parameters: Mapping[str, Sequence[str]]) -> dict[str, str]:
    unknown = sorted(parameters.keys() - set(_NAMES))
    if unknown:
        raise RequestError(f"there is no parameter {', '.join(map(repr, unknown))}; the names are {', '.join(_NAMES)}")
    repeated = sorted(name for name, values in parameters.items() if len(values) > 1)
    if repeated:
        raise RequestError(f"{', '.join(map(repr, repeated))} is given more than once")
    return {name: values[0] for name, values in parameters.items() if values and values[0]}


def _instant(name: str, text: str) -> Hour:
    try:
        is_date = len(text) == len("2026-11-30")
        hour = Hour(datetime.combine(date.fromisoformat(text), time(), UTC)) if is_date else Hour.parse(text)
        if hour < FIRST_HOUR:
            raise ValueError(text)
        return hour
    except (ValueError, OverflowError):  # OverflowError at the ends of the calendar
        raise RequestError(
            f"{name!r} is {text!r}; write a UTC hour such as 2026-11-30T10:00:00Z, or a date such as 2026-11-30"
        ) from None


def _group_by(text: str) -> GroupBy:
    try:
        return GroupBy(text)
    except ValueError:
        raise RequestError(f"'group_by' is {text!r}; choose one of {', '.join(GroupBy)}") from None
