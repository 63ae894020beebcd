"""Act on a button of a Slack message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gpucost.domain.alert_rules import AlertRules
from gpucost.domain.slack_actions import is_signed, press_of
from gpucost.ports import RequestError
from gpucost.tracking import TrackBook
from gpucost.usecases.answer_findings import acknowledge, open_tracks, snooze, snoozed_until

SNOOZE = "snooze:"


class NotSlackError(RequestError):
    """The request is not signed with the app's signing secret, or too old."""


@dataclass(frozen=True, slots=True)
class Answering:
    """What an answer changes, and the rules that say in which zone Monday begins."""

    clusters: Sequence[str]
    tracks: TrackBook
    rules: AlertRules


def press(headers: Mapping[str, str], body: bytes, secret: str, its: Answering, now: datetime) -> None:
    """Acknowledge or snooze what the button names. `headers` have small letters.

    NotSlackError before anything else is looked at; RequestError when the button names nothing that goes on.
    """
    timestamp, signature = headers.get("x-slack-request-timestamp", ""), headers.get("x-slack-signature", "")
    if not is_signed(secret, timestamp, body, signature, now.timestamp()):
        raise NotSlackError("the request is not signed by Slack, or too old")
    try:
        pressed = press_of(body)
    except ValueError as error:
        raise RequestError(str(error)) from None
    if pressed is None:
        return
    if pressed.cluster not in its.clusters:
        raise RequestError("the button belongs to a cluster that is not watched here any more")
    if pressed.action == "acknowledge":
        acknowledge(pressed.cluster, pressed.episode, pressed.user, its.tracks)
    elif pressed.action.startswith(SNOOZE):
        zone = _zone(pressed.cluster, pressed.episode, its)
        until = snoozed_until(pressed.action.removeprefix(SNOOZE), now, zone)
        snooze(pressed.cluster, pressed.episode, until, its.tracks)
    else:
        raise RequestError("this button is of a version that is not known here")


def _zone(cluster: str, episode: str, its: Answering) -> str:
    for track in open_tracks([cluster], its.tracks):
        if track.current and track.current.id == episode:
            return its.rules.of(track.bu).voice.zone
    return its.rules.voice.zone
