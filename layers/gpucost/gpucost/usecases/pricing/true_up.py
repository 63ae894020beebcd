"""Put the bill in the place of the estimate: keep what it says, and have the hours that it changes worked out again."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpucost.books import Books
from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import BilledHour
from gpucost.ports import HourJob, Jobs, MessageError
from gpucost.prices import BillBook, BillEngine, BillExports, Delivery

REASON = "bill"
_FINAL = {"SUCCEEDED", "FAILED", "CANCELLED"}


@dataclass(frozen=True, slots=True)
class BillSources:
    """Where the bill is, and who reads its Parquet."""

    exports: BillExports
    engine: BillEngine


@dataclass(frozen=True, slots=True)
class TrueUp:
    """Where the bill goes: what it says is kept, and the published hours of the clusters are queued again."""

    clusters: Sequence[str]
    bills: BillBook
    ledger: Books
    jobs: Jobs

    def take(self, delivery: Delivery, billed: Sequence[BilledHour]) -> list[HourJob]:
        """Keep the delivery, and queue the published cluster-hours that it changes. Safe to repeat.

        The hours go the way of every other look: as the next revision, or, in a closed month, as an adjustment. Whoever
        dies before they are queued leaves them to the next delivery, or to the same one again.
        """
        changed = self.bills.keep(delivery, billed)
        due = [
            HourJob(cluster, hour, REASON) for cluster in self.clusters for hour in self._published(cluster, changed)
        ]
        if due:
            self.jobs.send(due)
        self.bills.restated(changed)
        return due

    def _published(self, cluster: str, hours: Sequence[Hour]) -> list[Hour]:
        if not hours:
            return []
        wanted = set(hours)
        heads = self.ledger.heads(cluster, hours[0], hours[-1].plus(1))
        return [head.hour for head in heads if head.hour in wanted]


def on_event(event: object, sources: BillSources, into: TrueUp) -> list[HourJob]:
    """Act on what EventBridge tells: a manifest was written to S3, or Athena is done with a query.

    A Parquet delivery is only handed to Athena; its end is the next event. MessageError for an event of another kind.
    """
    match event:
        case {
            "detail-type": "Object Created",
            "detail": {"bucket": {"name": str(bucket)}, "object": {"key": str(key)}},
        }:
            manifest = sources.exports.manifest(bucket, key)
            if manifest.is_parquet:
                sources.engine.start(manifest)
                return []
            return into.take(manifest.delivery, sources.exports.read(manifest.files))
        case {
            "detail-type": "Athena Query State Change",
            "detail": {"queryExecutionId": str(query), "currentState": str(state)},
        } if state in _FINAL:
            delivery, files = sources.engine.result(query)
            return into.take(delivery, sources.exports.read(files))
    raise MessageError('neither an "Object Created" of S3 nor a final "Athena Query State Change"')
