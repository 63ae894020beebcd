"""One episode, one message: posted when it opens, changed while it goes on, closed with what it cost."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from gpucost.domain.alerts.blocks import Reply, slack_message
from gpucost.domain.alerts.finding import Finding, Step
from gpucost.domain.hours import Hour
from gpucost.ports import DeliveryAmbiguous, DeliveryGone, DeliveryUnavailable, LedgerUnavailable
from gpucost.tracking import MessageBook, Posted
from gpucost.usecases.alerting.deliver import PAUSE_SECONDS, ambiguous_twice
from gpucost.usecases.alerting.patience import Patience

SECONDS_BETWEEN_CALLS = 1.0


class Bot(Protocol):
    """A chat whose messages can be changed."""

    def post(self, payload: Mapping[str, object], channel: str = "") -> Posted | None:
        """Post a message; None while the chat is off. DeliveryError, or one of its kinds, when it is not taken."""
        ...

    def update(self, posted: Posted, payload: Mapping[str, object]) -> None:
        """Change a message. DeliveryGone when it is there no more."""
        ...


@dataclass(frozen=True, slots=True)
class Teller:
    """What telling needs: the bot, where its messages stand, how people can answer, and the time."""

    bot: Bot
    book: MessageBook
    reply: Reply
    pause: Callable[[float], None]
    now: Callable[[], datetime]


def tell_batch(findings: Iterable[Finding], its: Teller) -> dict[str, Exception]:
    """Bring steps of episodes to the chat, in order. Gives back why a finding was not delivered, by its id.

    A failure does not keep back the others, except when the chat cannot take any for now: then the rest is not tried.
    A message that is there no more is posted anew. A step that comes late, or again, changes nothing.
    """
    failures: dict[str, Exception] = {}
    unavailable: DeliveryUnavailable | None = None
    patience = Patience(its.pause)
    for index, finding in enumerate(_in_order(findings)):
        if unavailable is None and index:
            its.pause(SECONDS_BETWEEN_CALLS)
        try:
            if unavailable is not None:
                raise unavailable
            _tell(finding, its, patience)
        except DeliveryUnavailable as error:
            unavailable = error
            failures[finding.id] = error
        except Exception as error:
            failures[finding.id] = error
    return failures


def _in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once: stories in the order in which they began, each in the order of its steps."""
    once = {finding.id: finding for finding in findings}.values()
    began: dict[str, Hour] = {}
    for one in once:
        began[one.episode] = min(began.get(one.episode, one.hour), one.since or one.hour)

    def order(one: Finding) -> tuple[Hour, str, int, Hour, int, str]:
        return (began[one.episode], one.episode, one.number, one.hour, list(Step).index(one.step), one.id)

    return sorted(once, key=order)


def _tell(finding: Finding, its: Teller, patience: Patience) -> None:
    held = its.book.take(finding.episode or finding.id, its.now())
    if held is None:
        raise LedgerUnavailable("somebody else is changing the message about this episode: try again later")
    try:
        if held.posted is None or finding.number > held.number or not finding.number:
            posted = _shown(finding, held.posted, its, patience)
            held = replace(held, posted=posted, number=finding.number if posted else held.number)
    finally:
        its.book.put_back(held, its.now())


def _shown(finding: Finding, posted: Posted | None, its: Teller, patience: Patience) -> Posted | None:
    """Where the message stands that shows the finding; None while the chat is off."""
    payload = slack_message([finding], its.reply)
    if posted is not None:
        try:
            # To change a message twice does no harm, so what is ambiguous is simply tried again later.
            patience.send(lambda: its.bot.update(posted, payload))
        except DeliveryGone:
            pass
        except DeliveryAmbiguous as error:
            raise DeliveryUnavailable(str(error)) from error
        else:
            return posted
    return _posted_once(finding, payload, its, patience)


def _posted_once(finding: Finding, payload: Mapping[str, object], its: Teller, patience: Patience) -> Posted | None:
    def post() -> Posted | None:
        return its.bot.post(payload, finding.channel)

    try:
        return patience.send(post)
    except DeliveryAmbiguous:
        its.pause(PAUSE_SECONDS)
    try:
        return patience.send(post)
    except DeliveryAmbiguous as error:
        raise ambiguous_twice([finding], error) from error
