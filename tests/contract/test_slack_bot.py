"""The bot over HTTP: posts, changes, and what each of Slack's answers means."""

from collections.abc import Iterator

import pytest

from gpucost.adapters.slack_bot import SlackBot
from gpucost.ports import (
    DeliveryAmbiguous,
    DeliveryError,
    DeliveryGone,
    DeliveryUnavailable,
    ServiceUnavailable,
)
from gpucost.tracking import Posted
from tests.support.slack_web import CHANNEL, TOKEN, SlackWeb, slack_web

PAYLOAD: dict[str, object] = {"text": "one"}


@pytest.fixture
def web() -> Iterator[SlackWeb]:
    with slack_web() as double:
        yield double


class Secret:
    """A secret that may have been rotated: the first reading may be an old one."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)

    def get(self, _name: str, refresh: bool = False) -> str:
        if refresh and len(self.texts) > 1:
            self.texts.pop(0)
        return self.texts[0]


def bot(web: SlackWeb, *texts: str) -> SlackBot:
    return SlackBot(Secret(*(texts or (TOKEN,))), "arn:secret", CHANNEL, web.url)


def test_a_message_is_posted_and_changed_in_place(web: SlackWeb) -> None:
    posted = bot(web).post(PAYLOAD)
    assert posted == Posted(CHANNEL, "1796032800.000000")
    bot(web).update(posted, {"text": "two"})
    assert web.messages == {(CHANNEL, posted.timestamp): [{"text": "one"}, {"text": "two"}]}


def test_a_bu_can_have_a_channel_of_its_own(web: SlackWeb) -> None:
    posted = bot(web).post(PAYLOAD, "C0999")
    assert posted is not None
    assert posted.channel == "C0999"


def test_without_a_token_slack_is_off(web: SlackWeb) -> None:
    off = bot(web, "")
    assert off.post(PAYLOAD) is None
    off.update(Posted(CHANNEL, "1.0"), PAYLOAD)
    assert web.calls == []


def test_a_rotated_token_is_read_anew_at_once(web: SlackWeb) -> None:
    assert bot(web, "xoxb-old", TOKEN).post(PAYLOAD) is not None
    with pytest.raises(DeliveryError, match="invalid_auth"):
        bot(web, "xoxb-old").post(PAYLOAD)


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_is_refused_without_a_word_is_read_anew_at_once(web: SlackWeb, status: int) -> None:
    web.answers = [(status, {})]
    assert bot(web, "xoxb-old", TOKEN).post(PAYLOAD) is not None
    assert web.calls == ["chat.postMessage"] * 2


@pytest.mark.parametrize("wait", ["²", "soon", "-1", "9" * 400])
def test_a_wait_that_is_no_number_of_seconds_is_no_wait(web: SlackWeb, wait: str) -> None:
    web.wait, web.answers = wait, [(429, {})]
    with pytest.raises(DeliveryUnavailable) as caught:
        bot(web).post(PAYLOAD)
    assert caught.value.retry_after is None


def test_a_secret_that_cannot_be_read_is_tried_again_later(web: SlackWeb) -> None:
    class Gone(Secret):
        def get(self, _name: str, refresh: bool = False) -> str:
            raise ServiceUnavailable("throttled")

    with pytest.raises(DeliveryUnavailable, match="throttled"):
        SlackBot(Gone(), "arn:secret", CHANNEL, web.url).post(PAYLOAD)


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        ((429, {}), DeliveryUnavailable, "429"),
        ((200, {"ok": False, "error": "ratelimited"}), DeliveryUnavailable, "ratelimited"),
        ((503, {}), DeliveryAmbiguous, "503"),
        ((200, {"ok": False, "error": "internal_error"}), DeliveryAmbiguous, "internal_error"),
        ((200, {"ok": False, "error": "is_archived"}), DeliveryError, "is_archived"),
        ((200, {"ok": False, "error": "channel_not_found"}), DeliveryError, "channel_not_found"),
        ((200, {"ok": False, "error": "invalid_blocks"}), DeliveryError, "invalid_blocks"),
        ((403, {}), DeliveryError, "403"),
        ((200, []), DeliveryError, "not with JSON"),
        ((200, {"ok": False, "error": "message_not_found"}), DeliveryGone, "message_not_found"),
    ],
)
def test_every_answer_has_its_meaning(
    web: SlackWeb, answer: tuple[int, object], kind: type[DeliveryError], said: str
) -> None:
    web.answers = [answer]
    with pytest.raises(DeliveryError, match=said) as caught:
        bot(web).post(PAYLOAD)
    assert type(caught.value) is kind
    assert TOKEN not in str(caught.value)
    assert getattr(caught.value, "retry_after", None) == (30.0 if answer[0] == 429 else None)


def test_a_slack_that_is_not_there_was_never_reached(web: SlackWeb) -> None:
    with pytest.raises(DeliveryUnavailable, match="could not be reached") as caught:
        SlackBot(Secret(TOKEN), "arn:secret", CHANNEL, "http://127.0.0.1:9/api").post(PAYLOAD)
    assert type(caught.value) is DeliveryUnavailable
    assert caught.value.__cause__ is None
