"""The composition root: which adapters stand behind the ports of each function.

Nothing is built at import, and each part only when it is first used; then it lives as long as the Lambda environment.
"""

import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from gpucost.books import Books
from gpucost.domain.blocks import Reply
from gpucost.ports import AlertLog, Chat, DeadLetters, Jobs, Metrics, Publisher, Secrets
from gpucost.prices import BillBook, PriceBook, PriceList, PriceSources
from gpucost.runtime.environment import (
    ApiEnvironment,
    BillsEnvironment,
    CollectEnvironment,
    ConfigurationError,
    DetectEnvironment,
    Environment,
    ExportEnvironment,
    HasClusters,
    HasDeadLetters,
    HasJobs,
    HasReceives,
    HasSettings,
    HasTable,
    InteractEnvironment,
    NotifyEnvironment,
    PlanEnvironment,
    WritesTable,
)
from gpucost.runtime.settings import Settings, settings_from_json
from gpucost.tracking import MessageBook, TrackBook
from gpucost.usecases.export_costs import Files
from gpucost.usecases.press_button import Answering
from gpucost.usecases.take import Alerting
from gpucost.usecases.true_up import BillSources, TrueUp
from gpucost.usecases.upkeep import Upkeep

if TYPE_CHECKING:
    from gpucost.adapters.slack_bot import SlackBot
    from gpucost.adapters.ssm import SsmParameter

AWS_CONFIG = Config(connect_timeout=3, read_timeout=10, retries={"mode": "standard", "max_attempts": 4})


class Container:
    """The parts of one function. A part that the function's environment does not provide for is refused."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._settings: tuple[str, Settings] | None = None
        self._metrics: tuple[Settings, Metrics] | None = None

    def now(self) -> datetime:
        return _clock()

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    @cached_property
    def clusters(self) -> Sequence[str]:
        return self._its(HasClusters).clusters

    @cached_property
    def max_receives(self) -> int:
        return self._its(HasReceives).max_receives

    @cached_property
    def jobs(self) -> Jobs:
        from gpucost.adapters.sqs import SqsJobs

        return SqsJobs(self._session.client("sqs", config=AWS_CONFIG), self._its(HasJobs).jobs_queue_url)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        from gpucost.adapters.sqs import SqsDeadLetters

        url = self._its(HasDeadLetters).dead_letter_queue_url
        return SqsDeadLetters(self._session.client("sqs", config=AWS_CONFIG), url)

    @cached_property
    def ledger(self) -> Books:
        from gpucost.adapters.dynamodb import DynamoLedger

        its = self._its(HasTable)
        keep_days = its.keep_days if isinstance(its, WritesTable) else None
        return DynamoLedger(self._session.client("dynamodb", config=AWS_CONFIG), its.table, keep_days)

    @property
    def upkeep(self) -> Upkeep:
        return Upkeep(reach_days=self._its(PlanEnvironment).reach_days)

    @cached_property
    def price_book(self) -> PriceBook:
        from gpucost.adapters.dynamodb import DynamoPriceBook

        return DynamoPriceBook(self._session.client("dynamodb", config=AWS_CONFIG), self._its(HasTable).table)

    @cached_property
    def bill_book(self) -> BillBook:
        from gpucost.adapters.dynamodb import DynamoBillBook

        return DynamoBillBook(self._session.client("dynamodb", config=AWS_CONFIG), self._its(HasTable).table)

    @cached_property
    def bill_sources(self) -> BillSources:
        from gpucost.adapters.bill_files import BillFiles
        from gpucost.adapters.bill_query import AthenaBills

        its = self._its(BillsEnvironment)
        athena = self._session.client("athena", config=AWS_CONFIG)
        files = BillFiles(self._session.client("s3", config=AWS_CONFIG))
        return BillSources(files, AthenaBills(athena, its.workgroup, its.bill_table))

    @cached_property
    def files(self) -> Files:
        from gpucost.adapters.s3_files import S3Files

        bucket = self._its(ExportEnvironment).export_bucket
        if not bucket:
            raise ConfigurationError("there is no bucket to export to: deploy with ExportBucket")
        return S3Files(self._session.client("s3", config=AWS_CONFIG), bucket)

    @property
    def true_up(self) -> TrueUp:
        return TrueUp(self.clusters, self.bill_book, self.ledger, self.jobs)

    @cached_property
    def price_list(self) -> PriceList:
        from gpucost.adapters.aws_prices import aws_price_list

        return aws_price_list(self._session)

    def price_sources(self, settings: Settings) -> PriceSources | None:
        """Whom to ask for prices; None when the settings want their own rates only."""
        return self._price_sources if settings.asks_aws else None

    @cached_property
    def _price_sources(self) -> PriceSources:
        from gpucost.adapters.aws_prices import aws_price_sources

        return aws_price_sources(self._session, self.price_book, self.bill_book)

    @cached_property
    def alert_log(self) -> AlertLog:
        from gpucost.adapters.dynamodb import DynamoAlertLog

        return DynamoAlertLog(self._session.client("dynamodb", config=AWS_CONFIG), self._its(HasTable).table)

    @cached_property
    def tracks(self) -> TrackBook:
        from gpucost.adapters.dynamodb import DynamoTrackBook

        return DynamoTrackBook(self._session.client("dynamodb", config=AWS_CONFIG), self._its(HasTable).table)

    @property
    def alerting(self) -> Alerting:
        """The parts of alerting under the settings in force."""
        rules = self.settings.policy().alerts
        return Alerting(self.ledger, self.tracks, self.alert_log, self.publisher, rules, self.clusters)

    @cached_property
    def publisher(self) -> Publisher:
        from gpucost.adapters.sns import SnsPublisher

        return SnsPublisher(self._session.client("sns", config=AWS_CONFIG), self._its(DetectEnvironment).topic_arn)

    @cached_property
    def chat(self) -> Chat:
        from gpucost.adapters.slack import SlackWebhook

        return SlackWebhook(self._secrets, self._its(NotifyEnvironment).slack_secret)

    @cached_property
    def _secrets(self) -> Secrets:
        from gpucost.adapters.secrets import SecretsManager

        return SecretsManager(self._session.client("secretsmanager", config=AWS_CONFIG))

    def cursor_key(self) -> bytes:
        """The key that pages of answers are signed with, at most five minutes old."""
        name = self._its(ApiEnvironment).cursor_secret
        key = self._secrets.get(name)
        if not key:
            raise ConfigurationError(f"the secret {name} holds no key: put any long random text in")
        return key.encode()

    @cached_property
    def bot(self) -> "SlackBot | None":
        """The bot, where a channel is named for it; else messages go by the webhook."""
        from gpucost.adapters.slack_bot import SlackBot

        its = self._its(NotifyEnvironment)
        if not its.slack_channel:
            return None
        return SlackBot(self._secrets, its.slack_token_secret, its.slack_channel, its.slack_api)

    @cached_property
    def messages(self) -> MessageBook:
        from gpucost.adapters.dynamodb import DynamoTrackBook

        return DynamoTrackBook(self._session.client("dynamodb", config=AWS_CONFIG), self._its(HasTable).table)

    @property
    def reply(self) -> Reply:
        its = self._its(NotifyEnvironment)
        return Reply(its.interactive == "true", its.api_url)

    @property
    def signing_secret(self) -> str:
        """Slack's signing secret, at most five minutes old; "" while there is none, and then no request is taken."""
        return self._secrets.get(self._its(InteractEnvironment).signing_secret).strip()

    def tell_whoever_pressed(self, url: str, text: str) -> str:
        """Why it could not be told, or ""."""
        from gpucost.adapters.slack_reply import tell_whoever_pressed

        return tell_whoever_pressed(url, text)

    @property
    def answering(self) -> Answering:
        return Answering(self.clusters, self.tracks, self.settings.policy().alerts)

    @property
    def settings(self) -> Settings:
        """The settings in force, at most five minutes old. SettingsError when the document is not valid."""
        text = self._settings_parameter.text()
        if self._settings is None or self._settings[0] != text:
            self._settings = (text, settings_from_json(text))
        return self._settings[1]

    def metrics(self, settings: Settings) -> Metrics:
        """The metrics engine, asked as the settings say. It keeps its connections while these stay the same."""
        from gpucost.adapters.metrics import amp_metrics

        if self._metrics is None or self._metrics[0] != settings:
            endpoint = self._its(CollectEnvironment).amp_endpoint
            engine = amp_metrics(endpoint, settings.labels(), settings.policy(), self._session)
            self._metrics = (settings, engine)
        return self._metrics[1]

    @cached_property
    def _settings_parameter(self) -> "SsmParameter":
        from gpucost.adapters.ssm import SsmParameter

        return SsmParameter(self._session.client("ssm", config=AWS_CONFIG), self._its(HasSettings).settings_parameter)

    @cached_property
    def _session(self) -> boto3.Session:
        return boto3.Session()

    def _its[E: Environment](self, kind: type[E]) -> E:
        if not isinstance(self._environment, kind):
            raise ConfigurationError(f"{type(self._environment).__name__} does not provide what {kind.__name__} does")
        return self._environment


def _utc_now() -> datetime:
    return datetime.now(UTC)


_clock: Callable[[], datetime] = _utc_now
_containers: dict[type[Environment], Container] = {}


def parts(kind: type[Environment]) -> Container:
    """The parts of the function with this environment, built on first use. ConfigurationError when it is incomplete."""
    if kind not in _containers:
        _containers[kind] = Container(kind.read(os.environ))
    return _containers[kind]


def reset(clock: Callable[[], datetime] = _utc_now) -> None:
    """Forget all parts, and go by this clock: for tests and replays; in Lambda nothing of the kind ever changes."""
    global _clock  # noqa: PLW0603 -- the one clock of the process
    _clock = clock
    _containers.clear()
