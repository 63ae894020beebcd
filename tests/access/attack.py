"""Random requests by random callers, and what must hold of every answer."""

import csv
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import simplejson

from gpucost.adapters.memory import MemoryTrackBook
from gpucost.domain.alerts.tracks import Track
from gpucost.usecases.opencost.document import IDLE
from tests.access import oracle
from tests.access.callers import CALLERS, WEIGHTS, Caller
from tests.access.questions import Question, question
from tests.support.api import Reply, ask
from tests.support.house import CLUSTERS

_DOCUMENT = Path(__file__).parents[2] / "openapi.json"
ROUTES = {
    (method.upper(), path): re.compile(re.sub(r"\{\w+\}", "[^/]+", path))
    for path, operations in simplejson.loads(_DOCUMENT.read_text())["paths"].items()
    for method in operations
}
"""Every route of the API, with what its paths look like."""
_OF_CLUSTERS = ("capacity_", "unallocated_usd", "unallocated_gpu", "stranded_", IDLE)


class LeakError(AssertionError):
    """An answer had something in it that is not the caller's."""


@dataclass
class Attack:
    """A run. `cursors` are those that were handed out, with whom they were handed to and for what.

    `book` has the findings that the API knows.
    """

    known: Sequence[oracle.Known]
    book: MemoryTrackBook
    seed: int = 0
    cursors: list[tuple[Question, str]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    rows: int = 0
    totals: int = 0
    routes: set[tuple[str, str]] = field(default_factory=set)
    settled: int = 0

    def run(self, requests: int) -> None:
        draw = random.Random(self.seed)
        for _ in range(requests):
            (caller,) = draw.choices(CALLERS, WEIGHTS)
            asked = self._question(draw)
            before = self._stories()
            reply = ask(asked.path, asked.query, caller.identity, method=asked.method)
            self.statuses[reply.status] += 1
            if reply.status == 200:
                self.routes |= {route for route in ROUTES if _is_of(asked, route)}
            try:
                self.check(caller, asked, reply)
                self._check_change(caller, reply, [one for one in self._stories() if one not in before])
            except (AssertionError, KeyError) as error:
                raise LeakError(f"seed {self.seed}: {caller} asked {asked}: {error}; {reply.body[:500]}") from error

    def _question(self, draw: random.Random) -> Question:
        if self.cursors and draw.random() < 0.2:
            asked, cursor = draw.choice(self.cursors[-200:])
            kept = asked if draw.random() < 0.7 else question(draw)
            return replace(kept, query={**kept.query, "cursor": cursor})
        return question(draw)

    def _stories(self) -> list[Track]:
        return [track for cluster in CLUSTERS for track in self.book.tracks(cluster)]

    def _check_change(self, caller: Caller, reply: Reply, changed: Sequence[Track]) -> None:
        """Whatever a caller changed is the caller's, and a refusal changes nothing."""
        assert not changed or reply.status == 200
        assert all(caller.bus is None or (track.bu and caller.may_see(track.bu)) for track in changed), "foreign change"
        self.settled += len(changed)

    def check(self, caller: Caller, asked: Question, reply: Reply) -> None:
        assert reply.status < 500
        seen = f"{reply.body}{dict(reply.headers)}"
        for name in caller.foreign:
            assert name not in seen, f"{name} is not the caller's"
        if caller.bus is not None:
            assert not any(word in seen for word in _OF_CLUSTERS), "sums of clusters"
        if caller.bus == frozenset():
            assert reply.status in (400, 403)
        if reply.status != 200:
            assert reply.headers["content-type"] == "application/problem+json"
            assert set(reply.json) == {"type", "title", "status", "detail"}
        elif asked.path == "/v1/focus":
            self._check_focus(caller, asked, reply.body)
        elif reply.headers["content-type"] == "application/json":
            self._check_document(caller, asked, reply.json)

    def _check_document(self, caller: Caller, asked: Question, document: dict[str, Any]) -> None:
        if asked.path.startswith("/allocation"):
            self._check_allocations(caller, asked, document)
            return
        assert document["currency"] == "USD"
        if asked.path.startswith("/v1/findings"):
            shown = document.get("rows", [document])
            assert all(caller.bus is None or (row["bu"] and caller.may_see(row["bu"])) for row in shown)
        self.rows += len(document.get("rows", []))
        if document.get("next_cursor"):
            self.cursors.append((asked, document["next_cursor"]))
        if asked.path.startswith("/v1/costs") and "from" in asked.query and "cursor" not in asked.query:
            bu = asked.path.removeprefix("/v1/costs").lstrip("/") or None
            expected = oracle.allocated(list(self.known), caller, asked.query, bu)
            assert document["totals"]["allocated_usd"] == expected, f"the total should be {expected}"
            self.totals += 1

    def _check_focus(self, caller: Caller, asked: Question, body: str) -> None:
        lines = csv.DictReader(StringIO(body)) if asked.query["format"] == "csv" else _documents(body)
        rows = [row for row in lines if row["AllocatedResourceId"]]
        assert all(caller.may_see(row["x_BusinessUnit"]) for row in rows)
        expected = oracle.allocated(list(self.known), caller, asked.query)
        assert sum(Decimal(row["EffectiveCost"]) for row in rows) == expected, f"the total should be {expected}"
        self.rows, self.totals = self.rows + len(rows), self.totals + 1

    def _check_allocations(self, caller: Caller, asked: Question, document: dict[str, Any]) -> None:
        rows = [row for one in document["data"] for row in one.values()]
        assert all(row["currency"] == "USD" for row in rows)
        self.rows += len(rows)
        if "filter" not in asked.query:
            first, end = asked.query["window"].split(",")
            held = sum(row["gpuCost"] for row in rows if IDLE not in row["name"])
            expected = oracle.allocated(list(self.known), caller, {"from": first, "to": end})
            assert held == expected, f"the total should be {expected}"
            self.totals += 1


def _is_of(asked: Question, route: tuple[str, str]) -> bool:
    return asked.method == route[0] and ROUTES[route].fullmatch(asked.path) is not None


def _documents(body: str) -> list[dict[str, Any]]:
    return [simplejson.loads(line, use_decimal=True) for line in body.splitlines()]
