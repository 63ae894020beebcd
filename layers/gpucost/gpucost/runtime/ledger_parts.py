"""The parts that work hours out, keep them, and give them away."""

from functools import cached_property

from gpucost.books import Books
from gpucost.ports import DeadLetters, Jobs, Metrics
from gpucost.runtime.base_parts import BaseParts
from gpucost.runtime.environment import (
    ApiEnvironment,
    CollectEnvironment,
    ConfigurationError,
    Environment,
    ExportEnvironment,
    HasDeadLetters,
    HasJobs,
    HasReceives,
    HasTable,
    PlanEnvironment,
    WritesTable,
)
from gpucost.runtime.settings import Settings
from gpucost.usecases.answers.export_costs import Files
from gpucost.usecases.recording.upkeep import Upkeep


class LedgerParts(BaseParts):
    """From the metrics engine to the ledger, and from the ledger to files and pages."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._metrics: tuple[Settings, Metrics] | None = None

    @cached_property
    def max_receives(self) -> int:
        return self._its(HasReceives).max_receives

    @cached_property
    def jobs(self) -> Jobs:
        from gpucost.adapters.sqs import SqsJobs

        return SqsJobs(self._sqs, self._its(HasJobs).jobs_queue_url)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        from gpucost.adapters.sqs import SqsDeadLetters

        url = self._its(HasDeadLetters).dead_letter_queue_url
        return SqsDeadLetters(self._sqs, url)

    @cached_property
    def ledger(self) -> Books:
        from gpucost.adapters.dynamodb import DynamoLedger

        its = self._its(HasTable)
        keep_days = its.keep_days if isinstance(its, WritesTable) else None
        return DynamoLedger(self._dynamodb, its.table, keep_days)

    @property
    def upkeep(self) -> Upkeep:
        return Upkeep(reach_days=self._its(PlanEnvironment).reach_days)

    def metrics(self, settings: Settings) -> Metrics:
        """The metrics engine, asked as the settings say. It keeps its connections while these stay the same."""
        from gpucost.adapters.metrics import amp_metrics

        if self._metrics is None or self._metrics[0] != settings:
            endpoint = self._its(CollectEnvironment).amp_endpoint
            engine = amp_metrics(endpoint, settings.labels(), settings.policy(), self._session)
            self._metrics = (settings, engine)
        return self._metrics[1]

    @cached_property
    def files(self) -> Files:
        from gpucost.adapters.s3_files import S3Files

        bucket = self._its(ExportEnvironment).export_bucket
        if not bucket:
            raise ConfigurationError("there is no bucket to export to: deploy with ExportBucket")
        return S3Files(self._s3, bucket)

    def cursor_key(self) -> bytes:
        """The key that pages of answers are signed with, at most five minutes old."""
        name = self._its(ApiEnvironment).cursor_secret
        key = self._secrets.get(name)
        if not key:
            raise ConfigurationError(f"the secret {name} holds no key: put any long random text in")
        return key.encode()
