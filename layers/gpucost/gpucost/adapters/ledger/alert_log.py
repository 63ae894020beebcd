"""Which findings were told."""

from datetime import datetime, timedelta

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.store import Absent, Conflict, Item, Put, Store
from gpucost.domain.alerts.finding import Finding
from gpucost.ports import LedgerError

KEEP = timedelta(days=400)
"""Longer than any hour is looked at again."""


class StoreAlertLog:
    """`ports.AlertLog` over a table: begun findings are items, and `told_at` says that they were told."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, finding: Finding, now: datetime) -> bool:
        item: Item = {
            "pk": keys.finding_pk(finding.id),
            "sk": "F",
            "type": "finding",
            "kind": finding.kind.value,
            "cluster": finding.cluster,
            "hour": finding.hour.key,
            "bu": finding.bu,
            "begun_at": now.isoformat(),
            "told_at": None,
            "expires_at": int((now + KEEP).timestamp()),
        }
        try:
            self._store.write([Put(item, Absent())])
        except Conflict:
            known = self._store.get(keys.finding_pk(finding.id), "F")
            return known is None or known["told_at"] is None
        return True

    def done(self, finding_id: str, now: datetime) -> None:
        item = self._store.get(keys.finding_pk(finding_id), "F")
        if item is None:
            raise LedgerError(f"the finding {finding_id} was told but never begun")
        self._store.write([Put({**item, "told_at": now.isoformat()})])
