"""What the use cases need from outside. Adapters implement these; tests use in-memory twins held to the same contracts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from gpucost.domain.alerts import Finding
from gpucost.domain.hours import Hour
from gpucost.domain.readings import Readings
from gpucost.domain.report import Coverage, HourReport, NamespaceRow, Status, Totals


class GpucostError(Exception):
    """Base of every error this product raises on purpose. `retryable` says whether the same call may succeed later."""

    retryable = False


class MetricsError(GpucostError):
    """The metrics engine could not be asked, or answered with an error. Names the endpoint, the status and the body."""


class MetricsUnavailable(MetricsError):
    """A timeout, a throttle or a server error: the same question may succeed later."""

    retryable = True


class LedgerError(GpucostError):
    """The ledger refused a write or a read."""


class DeliveryError(GpucostError):
    """A message was refused for good (4xx): repeating it cannot help."""


class DeliveryUnavailable(DeliveryError):
    """A message was not delivered, and may be later. `retry_after` is seconds, when the receiver named them."""

    retryable = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DeliveryAmbiguous(DeliveryUnavailable):
    """The receiver may or may not have taken the message (a timeout after sending, a 5xx)."""


class Metrics(Protocol):
    """A Prometheus-compatible engine that holds the series of one or more clusters."""

    def read_hour(self, cluster: str, hour: Hour) -> Readings:
        """Everything that the accounting of this cluster-hour needs. MetricsError when it cannot be had."""
        ...


@dataclass(frozen=True, slots=True)
class HourJob:
    """One cluster-hour to work out. `reason` says why it was queued: schedule, recheck, gap, backfill."""

    cluster: str
    hour: Hour
    reason: str = "schedule"


class Jobs(Protocol):
    """The queue between plan and collect."""

    def send(self, jobs: Sequence[HourJob]) -> None:
        """Queue every job, or raise GpucostError naming those that were not taken."""
        ...


class Outcome(StrEnum):
    """What became of a report that was offered to the ledger."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    KEPT_BETTER = "kept_better"


@dataclass(frozen=True, slots=True)
class Head:
    """The published state of one cluster-hour: what readers follow. Rows that no head points to are invisible."""

    cluster: str
    hour: Hour
    revision: int
    attempt: str
    status: Status
    digest: str
    published_at: datetime
    totals: Totals
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Publication:
    """The outcome of offering a report, and the head that is in force afterwards."""

    outcome: Outcome
    head: Head


class Ledger(Protocol):
    """The record of published hours. Only `publish` writes, and an hour becomes visible by one conditional write."""

    def publish(self, report: HourReport, now: datetime) -> Publication:
        """Write the rows, then the head, in this order.

        The same content again is UNCHANGED (also when the first acknowledgement was lost). A reading with a worse
        status than the published one is KEPT_BETTER and changes nothing. Anything else becomes revision n+1.
        """
        ...

    def head(self, cluster: str, hour: Hour) -> Head | None: ...

    def heads(self, cluster: str, first: Hour, end: Hour) -> Sequence[Head]:
        """The heads of [first, end) in order of time; an hour without one was never published."""
        ...

    def report(self, cluster: str, hour: Hour) -> HourReport | None:
        """The whole published report of one hour, with its revision."""
        ...

    def namespaces(
        self, cluster: str, first: Hour, end: Hour, bu: str | None = None
    ) -> Sequence[tuple[Hour, NamespaceRow]]:
        """The published namespace rows of [first, end), by hour and then by (bu, namespace); of one BU if given."""
        ...


class AlertLog(Protocol):
    """Remembers which findings were told, so that one hour delivered twice tells once."""

    def begin(self, finding: Finding, now: datetime) -> bool:
        """True when the finding still has to be told: it is new, or an earlier attempt did not get as far as `done`."""
        ...

    def done(self, finding_id: str, now: datetime) -> None: ...


class Publisher(Protocol):
    """The topic that findings go out on."""

    def publish(self, finding: Finding) -> None: ...


class Chat(Protocol):
    """A chat channel behind a webhook."""

    def post(self, payload: dict[str, object]) -> None:
        """Deliver one message, or raise DeliveryError or one of its kinds."""
        ...


class Secrets(Protocol):
    """Where secrets are kept."""

    def get(self, name: str, refresh: bool = False) -> str:
        """The secret's text, at most five minutes old; read anew when refresh is set."""
        ...
