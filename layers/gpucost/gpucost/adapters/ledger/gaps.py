"""What was queued again, and what was left behind."""

from datetime import datetime, timedelta

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.publishing import StorePublishing
from gpucost.adapters.ledger.store import Conflict, Equals, Item
from gpucost.domain.hours import Hour, parse_instant
from gpucost.domain.ledger.healing import Requeue
from gpucost.domain.periods import Month

WRITER_LIVES = timedelta(hours=6)
"""No publisher is at work for longer: a function ends after 15 minutes, a backfill publishes hour by hour."""
REQUEUE_KEPT_DAYS = 200


class StoreGaps(StorePublishing):
    """`books.Gaps` over a table."""

    def requeues(self, cluster: str, first: Hour, end: Hour) -> dict[Hour, Requeue]:
        items = self._month_items("Q", cluster, first, end)
        return {Hour.parse(item["hour"]): Requeue(int(item["tries"]), parse_instant(item["at"])) for item in items}

    def note_requeued(self, cluster: str, requeues: dict[Hour, Requeue]) -> None:
        self._store.put_all(
            [
                {
                    "pk": keys.month_pk(cluster, Month.of(hour)),
                    "sk": keys.requeue_sk(hour),
                    "type": "requeue",
                    "hour": hour.key,
                    "tries": requeue.tries,
                    "at": requeue.at.isoformat(),
                    "expires_at": hour.plus(24 * REQUEUE_KEPT_DAYS).epoch,
                }
                for hour, requeue in requeues.items()
            ]
        )

    def sweep(self, cluster: str, hour: Hour, now: datetime) -> int:
        # The rows before the heads: an attempt that is published between the reads is then known as such.
        rows = self._store.query(keys.hour_pk(cluster, hour), *keys.all_of("A"))
        rows += self._month_items("N", cluster, hour, hour.plus(1))
        old = [item for item in rows if parse_instant(item["written_at"]) + WRITER_LIVES < now]
        in_force = {head.attempt for head in self._in_force(cluster, hour) if head}
        if all(item["attempt"] in in_force for item in old):
            return 0
        entries = self._store.query(keys.month_pk(cluster, Month.of(hour)), *keys.all_of("L"))
        published = {item["attempt"] for item in entries if item["hour"] == hour.key}
        return sum(self._removed(item) for item in old if item["attempt"] not in published)

    def _removed(self, item: Item) -> bool:
        """A writer that is at it again has set a new time, and keeps its rows."""
        try:
            self._store.delete(item["pk"], item["sk"], Equals("written_at", item["written_at"]))
        except Conflict:
            return False
        return True
