"""Callers with different rights, and the settings that give these to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.support.house import BUS

_ACCOUNT = "111122223333"


@dataclass(frozen=True, slots=True)
class Caller:
    """How a caller presents itself, and what it may see (None: everything)."""

    identity: str | Mapping[str, str]
    bus: frozenset[str] | None

    def may_see(self, bu: str) -> bool:
        return self.bus is None or bu in self.bus

    @property
    def foreign(self) -> frozenset[str]:
        """The names that must never reach this caller: BUs, and with them their namespaces and pods."""
        return frozenset(bu for bu in BUS if not self.may_see(bu))


def _session(role: str) -> str:
    return f"arn:aws:sts::{_ACCOUNT}:assumed-role/{role}/someone"


CALLERS = (
    Caller(_session("finops"), None),
    Caller(_session("team-one"), frozenset({"alpha"})),
    Caller(_session("team-two"), frozenset({"alpha", "bravo"})),
    Caller({"groups": "[x charlie-people]"}, frozenset({"charlie"})),
    Caller(_session("stranger"), frozenset()),
    Caller({"groups": "charlie"}, frozenset()),
    Caller({}, frozenset()),
)
WEIGHTS = (3, 3, 3, 3, 1, 1, 1)
"""How often each asks: refusals of those who may see nothing are soon all alike."""
SETTINGS = json.dumps(
    {
        "access": {
            "mode": "rules",
            "rules": [
                {"principal": f"arn:aws:iam::{_ACCOUNT}:role/finops", "bus": "all"},
                {"principal": f"arn:aws:iam::{_ACCOUNT}:role/team-*", "bus": ["alpha"]},
                {"principal": f"arn:aws:iam::{_ACCOUNT}:role/team-two", "bus": ["bravo"]},
                {"claim": "groups", "value": "charlie-people", "bus": ["charlie"]},
            ],
        },
        "alerts": {"by_bu": {bu: {"budget_usd": 1000} for bu in BUS}},
    }
)
