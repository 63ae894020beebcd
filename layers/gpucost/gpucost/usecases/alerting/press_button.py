"""Act on a button of a Slack message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.slack_actions import Press, is_signed, press_of
from gpucost.ports import RequestError
from gpucost.tracking import TrackBook
from gpucost.usecases.alerting.answer_findings import acknowledge, open_tracks, snooze, snoozed_until

SNOOZE = "snooze:"


class NotSlackError(RequestError):
    """The request is not signed with the app's signing secret, or too old."""


@dataclass(frozen=True, slots=True)
class Answering:
    """What an answer changes, and the rules that say in which zone Monday begins."""

    clusters: Sequence[str]
    tracks: TrackBook
    rules: AlertRules


@dataclass(frozen=True, slots=True)
class Said:
    """What to tell whoever pressed a button, and the URL that Slack takes it at."""

    text: str
    to: str = ""


def press(headers: Mapping[str, str], body: bytes, secret: str, its: Answering, now: datetime) -> Said | None:
    """Acknowledge or snooze what the button names; None when it is none of ours. `headers` have small letters.

    NotSlackError before anything else is looked at. The same request again leaves things as they are.
    """
    timestamp, signature = headers.get("x-slack-request-timestamp", ""), headers.get("x-slack-signature", "")
    if not is_signed(secret, timestamp, body, signature, now.timestamp()):
        raise NotSlackError("the request is not signed by Slack, or too old")
    try:
        pressed = press_of(body)
    except ValueError as error:
        return Said(str(error))
    if pressed is None:
        return None
    try:
        # Counted from when it was pressed, a request that comes twice does not snooze for longer.
        return Said(_act(pressed, its, datetime.fromtimestamp(int(timestamp), UTC)), pressed.answer_to)
    except RequestError as error:
        return Said(str(error), pressed.answer_to)


def _act(pressed: Press, its: Answering, now: datetime) -> str:
    """Do what the button says. RequestError when it names nothing that goes on, or nothing that is known."""
    if pressed.cluster not in its.clusters:
        raise RequestError("the button belongs to a cluster that is not watched here any more")
    if pressed.action == "acknowledge":
        acknowledge(pressed.cluster, pressed.episode, pressed.user, its.tracks)
        return "Acknowledged: it escalates no more, and its end will be told."
    if pressed.action.startswith(SNOOZE):
        zone = _zone(pressed.cluster, pressed.episode, its)
        until = snoozed_until(pressed.action.removeprefix(SNOOZE), now, zone)
        snooze(pressed.cluster, pressed.episode, until, its.tracks)
        return f"Snoozed until {until.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone}. Its end will be told."
    raise RequestError("this button is of a version that is not known here")


def _zone(cluster: str, episode: str, its: Answering) -> str:
    for track in open_tracks([cluster], its.tracks):
        if track.current and track.current.id == episode:
            return its.rules.of(track.bu).voice.zone
    return its.rules.voice.zone
