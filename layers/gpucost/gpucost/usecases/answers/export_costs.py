"""Costs as files that Athena can query: FOCUS rows, one compressed file for every cluster and day."""

import gzip
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from gpucost.books import Books
from gpucost.domain.answers.access import EVERYTHING
from gpucost.domain.answers.focus import Account
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day
from gpucost.ports import MessageError
from gpucost.usecases.answers.exports import json_lines
from gpucost.usecases.answers.focus_export import focus_rows
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window

DAYS_AGAIN = 3
"""The day that is over, and those before it whose hours may have been revised."""


class Files(Protocol):
    """Where exported files go."""

    def put(self, key: str, body: bytes) -> None:
        """Write a file whole, over one that is there. ServiceError when it cannot be written."""
        ...


def requested_days(event: Mapping[str, object], now: datetime) -> list[Day]:
    """The days that an event asks for. MessageError when it is none of ours, or a day that is not over."""
    today = Day.of(Hour.containing(now))
    match event:
        case {"kind": "export", "day": str(text)}:
            try:
                day = Day.parse(text)
            except ValueError as error:
                raise MessageError(str(error)) from None
            if not day < today:
                raise MessageError(f"the day {day.key} is not over")
            return [day]
        case {"kind": "export"}:
            return [Day(today.date - timedelta(days=back)) for back in range(1, DAYS_AGAIN + 1)]
    raise MessageError('not an event such as {"kind": "export"} or {"kind": "export", "day": "2026-11-30"}')


def export_days(
    days: Sequence[Day], clusters: Sequence[str], ledger: Books, account: Account, files: Files
) -> list[str]:
    """Write the files of these days anew. Gives back their keys."""
    visible = VisibleLedger(ledger, clusters, EVERYTHING)
    keys = []
    for day in days:
        for cluster in clusters:
            rows = focus_rows(Window(day.first, day.end), cluster, account, visible)
            body = gzip.compress(json_lines(rows).encode(), mtime=0)
            key = f"focus/cluster={cluster}/day={day.key}/costs.jsonl.gz"
            files.put(key, body)
            keys.append(key)
    return keys
