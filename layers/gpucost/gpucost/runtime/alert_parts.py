"""The parts that tell people, and hear what they say to it."""

from functools import cached_property
from typing import TYPE_CHECKING

from gpucost.domain.alerts.blocks import Reply
from gpucost.ports import AlertLog, Chat, Publisher
from gpucost.runtime.environment import DetectEnvironment, HasTable, InteractEnvironment, NotifyEnvironment
from gpucost.runtime.ledger_parts import LedgerParts
from gpucost.tracking import MessageBook, TrackBook
from gpucost.usecases.alerting.press_button import Answering
from gpucost.usecases.alerting.take import Alerting

if TYPE_CHECKING:
    from gpucost.adapters.slack_bot import SlackBot


class AlertParts(LedgerParts):
    """From published hours to episodes, from episodes to messages, and back by buttons."""

    @cached_property
    def alert_log(self) -> AlertLog:
        from gpucost.adapters.dynamodb import DynamoAlertLog

        return DynamoAlertLog(self._dynamodb, self._its(HasTable).table)

    @cached_property
    def tracks(self) -> TrackBook:
        from gpucost.adapters.dynamodb import DynamoTrackBook

        return DynamoTrackBook(self._dynamodb, self._its(HasTable).table)

    @property
    def alerting(self) -> Alerting:
        """The parts of alerting under the settings in force."""
        rules = self.settings.policy().alerts
        return Alerting(self.ledger, self.tracks, self.alert_log, self.publisher, rules, self.clusters)

    @cached_property
    def publisher(self) -> Publisher:
        from gpucost.adapters.sns import SnsPublisher

        return SnsPublisher(self._session.client("sns", config=self._config), self._its(DetectEnvironment).topic_arn)

    @cached_property
    def chat(self) -> Chat:
        from gpucost.adapters.slack import SlackWebhook

        return SlackWebhook(self._secrets, self._its(NotifyEnvironment).slack_secret)

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

        return DynamoTrackBook(self._dynamodb, self._its(HasTable).table)

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
