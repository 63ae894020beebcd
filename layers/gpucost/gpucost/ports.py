"""What the use cases need from outside: adapters implement these, and in-memory twins pass the same contract tests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol, Self

from gpucost.domain.alerts.finding import Finding
from gpucost.domain.hours import Hour
from gpucost.domain.readings import Readings
from gpucost.domain.report import Coverage, HourReport, NamespaceRow, Status, Totals


class GpucostError(Exception):
    """Base of every error this product raises on purpose. `retryable` says whether the same call may succeed later."""

    retryable = False


class MessageError(GpucostError):
    """A message or an event is not one of ours. Names what is wrong with it; reading it again cannot help."""


class RequestError(GpucostError):
    """A caller's request cannot be answered as it stands. The message says what to write instead."""


class ServiceError(GpucostError):
    """An AWS service refused a call for good: a missing permission, a name that does not exist. Names the call."""


class ServiceUnavailable(ServiceError):
    """An AWS service could not be reached, was throttled or failed: the same call may succeed later."""

    retryable = True


class MetricsError(GpucostError):
    """The metrics engine could not be asked, or answered with an error. Names the endpoint, the status and the body."""


class MetricsUnavailable(MetricsError):
    """A timeout, a throttle or a server error: the same question may succeed later."""

    retryable = True


class LedgerError(GpucostError):
    """The ledger refused a write or a read."""


class LedgerUnavailable(LedgerError):
    """The ledger could not be reached, was throttled or too busy: the same call may succeed later."""

    retryable = True


class DeliveryError(GpucostError):
    """A message was refused for good (4xx): repeating it cannot help."""


class DeliveryGone(DeliveryError):
    """The message that was to be changed is not there any more, or cannot be changed."""


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

    def message(self) -> str:
        """The job as it travels in a queue."""
        return json.dumps({"kind": "hour", "cluster": self.cluster, "hour": self.hour.key, "reason": self.reason})

    @classmethod
    def from_message(cls, message: str) -> Self:
        """The job that `message` gave. MessageError when this is anything else."""
        try:
            document = json.loads(message)
        except (ValueError, RecursionError) as error:
            raise MessageError(f"the job is not JSON: {error}") from None
        match document:
            case {"kind": "hour", "cluster": str(cluster), "hour": str(hour), "reason": str(reason)} if cluster:
                try:
                    return cls(cluster, Hour.parse(hour), reason)
                except ValueError as error:
                    raise MessageError(f"the job's hour is wrong: {error}") from None
        raise MessageError('not a job such as {"kind": "hour", "cluster": …, "hour": …Z, "reason": …}')


class Jobs(Protocol):
    """The queue between plan and collect."""

    def send(self, jobs: Sequence[HourJob]) -> None:
        """Queue every job, or raise GpucostError naming those that were not taken."""
        ...


class DeadLetters(Protocol):
    """Where messages go that cannot be worked on, with the reason, until somebody sends them again."""

    def put(self, body: str, reason: Exception, attributes: Mapping[str, str]) -> None:
        """Keep the message as it came, with why it failed, and short facts about where it came from."""
        ...


class Outcome(StrEnum):
    """What became of a report that was offered to the ledger."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    KEPT_BETTER = "kept_better"
    ADJUSTED = "adjusted"


@dataclass(frozen=True, slots=True)
class Head:
    """The published state of one cluster-hour: what readers follow. Rows that no head points to are invisible.

    `digest` names the content. `entry` is the number of the journal entry that published it, `link` that entry's hash.
    """

    cluster: str
    hour: Hour
    revision: int
    attempt: str
    status: Status
    digest: str
    published_at: datetime
    totals: Totals
    coverage: Coverage
    entry: int = 0
    link: str = ""


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
        status than the published one is KEPT_BETTER and changes nothing. Anything else becomes revision n+1, or, once
        the hour's month is closed, ADJUSTED: the head stays and the difference is booked at `now`.
        LedgerUnavailable when it may work later; a report with a float or a NaN is a LedgerError.
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

    def publish(self, finding: Finding) -> None:
        """Hand the finding to every subscriber, or raise ServiceError or ServiceUnavailable."""
        ...


class Chat(Protocol):
    """A chat channel behind a webhook."""

    def post(self, payload: dict[str, object]) -> None:
        """Deliver one message, or raise DeliveryError or one of its kinds."""
        ...


class Secrets(Protocol):
    """Where secrets are kept."""

    def get(self, name: str, refresh: bool = False) -> str:
        """The secret's text, at most five minutes old; read anew when refresh is set. "" when it holds none.

        ServiceError, naming the secret, when it cannot be read.
        """
        ...
