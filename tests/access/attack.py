"""Random requests by random callers, and what must hold of every answer."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gpucost.usecases.opencost_document import IDLE
from tests.access import oracle
from tests.access.callers import CALLERS, WEIGHTS, Caller
from tests.access.questions import Question, question
from tests.support.api import Reply, ask

_OF_CLUSTERS = ("capacity_", "unallocated_", "stranded_", IDLE)


class LeakError(AssertionError):
    """An answer had something in it that is not the caller's."""


@dataclass
class Attack:
    """A run. `cursors` are those that were handed out, with whom they were handed to and for what."""

    known: Sequence[oracle.Known]
    seed: int = 0
    cursors: list[tuple[Question, str]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    rows: int = 0
    totals: int = 0

    def run(self, requests: int) -> None:
        draw = random.Random(self.seed)
        for _ in range(requests):
            (caller,) = draw.choices(CALLERS, WEIGHTS)
            asked = self._question(draw)
            reply = ask(asked.path, asked.query, caller.identity)
            self.statuses[reply.status] += 1
            try:
                self.check(caller, asked, reply)
            except (AssertionError, KeyError) as error:
                raise LeakError(f"seed {self.seed}: {caller} asked {asked}: {error}; {reply.body[:500]}") from error

    def _question(self, draw: random.Random) -> Question:
        if self.cursors and draw.random() < 0.2:
            asked, cursor = draw.choice(self.cursors[-200:])
            kept = asked if draw.random() < 0.7 else question(draw)
            return Question(kept.path, {**kept.query, "cursor": cursor})
        return question(draw)

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
