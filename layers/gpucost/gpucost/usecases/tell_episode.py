"""One episode, one message: posted when it opens, changed while it goes on, closed with what it cost."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from gpucost.domain.alerts import Finding, Step
from gpucost.domain.blocks import Reply, slack_message
from gpucost.ports import DeliveryAmbiguous, DeliveryGone, DeliveryUnavailable
from gpucost.tracking import MessageBook, Posted
from gpucost.usecases.deliver import PAUSE_SECONDS, ambiguous_twice

SECONDS_BETWEEN_CALLS = 1.0


class Bot(Protocol):
    """A chat whose messages can be changed."""

    def post(self, payload: Mapping[str, object], channel: str = "") -> Posted | None:
        """Post a message; None while the chat is off. DeliveryError, or one of its kinds, when it is not taken."""
        ...

    def update(self, posted: Posted, payload: Mapping[str, object]) -> None:
        """Change a message. DeliveryGone when it is there no more."""
        ...


def tell_batch(
    findings: Iterable[Finding],
    bot: Bot,
    book: MessageBook,
    reply: Reply,
    pause: Callable[[float], None],
) -> dict[str, Exception]:
    """Bring steps of episodes to the chat, in order of time. Gives back why a finding was not delivered, by its id.

    A failure does not keep back the others, except when the chat cannot take any for now: then the rest is not tried.
    A message that is there no more is posted anew.
    """
    failures: dict[str, Exception] = {}
    unavailable: DeliveryUnavailable | None = None
    once = {finding.id: finding for finding in findings}.values()
    for index, finding in enumerate(sorted(once, key=lambda one: (one.hour, list(Step).index(one.step), one.id))):
        if unavailable is None and index:
            pause(SECONDS_BETWEEN_CALLS)
        try:
            if unavailable is not None:
                raise unavailable
            _tell(finding, bot, book, reply, pause)
        except DeliveryUnavailable as error:
            unavailable = error
            failures[finding.id] = error
        except Exception as error:
            failures[finding.id] = error
    return failures


def _tell(
    finding: Finding,
    bot: Bot,
    book: MessageBook,
    reply: Reply,
    pause: Callable[[float], None],
) -> None:
    payload = slack_message([finding], reply)
    posted = book.posted(finding.episode) if finding.episode else None
    if posted is not None:
        try:
            # To change a message twice does no harm, so what is ambiguous is simply tried again later.
            bot.update(posted, payload)
        except DeliveryGone:
            posted = None
        except DeliveryAmbiguous as error:
            raise DeliveryUnavailable(str(error)) from error
    if posted is None:
        new = _posted_once(finding, bot, payload, pause)
        if new is not None and finding.episode:
            book.keep_posted(finding.episode, new)


def _posted_once(
    finding: Finding, bot: Bot, payload: Mapping[str, object], pause: Callable[[float], None]
) -> Posted | None:
    try:
        return bot.post(payload, finding.channel)
    except DeliveryAmbiguous:
        pause(PAUSE_SECONDS)
    try:
        return bot.post(payload, finding.channel)
    except DeliveryAmbiguous as error:
        raise ambiguous_twice([finding], error) from error
