"""notify with a bot: one episode is one message."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from slack_sdk.models.blocks import Block

from functions.notify.app import lambda_handler as notify
from gpucost.adapters.memory import MemoryTrackBook
from gpucost.adapters.memory_queue import MemoryDeadLetters
from gpucost.adapters.slack_bot import SlackBot
from gpucost.domain.alerts.blocks import Reply, slack_message
from gpucost.domain.alerts.finding import Finding, Kind, Step, stable_id
from gpucost.domain.alerts.messages import notification
from gpucost.runtime.environment import NotifyEnvironment
from gpucost.tracking import Posted
from tests.support.findings import HOUR, finding, with_pods
from tests.support.handlers import Context, install, sample
from tests.support.presses import EPISODE
from tests.support.slack_web import CHANNEL, TOKEN, SlackWeb, slack_web


class Secrets:
    def get(self, _name: str, refresh: bool = False) -> str:
        return TOKEN


def step(kind: Step, hours: int = 3, usd: str = "36") -> Finding:
    """A step of one idle slice's episode."""
    plain = with_pods(finding(), 2)
    return replace(
        plain,
        id=stable_id("step", EPISODE, kind, str(hours)),
        kind=Kind.IDLE_SLICE,
        step=kind,
        episode=EPISODE,
        subject="ns/Job/train nvidia.com/mig-3g.40gb",
        since=HOUR,
        hour=HOUR.plus(hours - 1),
        hours=hours,
        so_far_usd=Decimal(usd),
        facts=("Meanwhile bu-x waits for 1 (1 pod).",),
        mention="<@U0123ABCD>" if kind is Step.OPEN else "",
    )


def event_of(*findings: Finding) -> dict[str, Any]:
    event: dict[str, Any] = sample("notify-findings")
    record = event["Records"][0]
    event["Records"] = [
        {**record, "messageId": one.id, "body": json.dumps(notification(one), ensure_ascii=False)} for one in findings
    ]
    return event


@pytest.fixture
def web() -> Iterator[SlackWeb]:
    with slack_web() as double:
        yield double


class Notifying:
    """notify with a bot that talks to Slack's Web API on loopback."""

    def __init__(self, patch: pytest.MonkeyPatch, web: SlackWeb) -> None:
        self.dead, self.book = MemoryDeadLetters(), MemoryTrackBook()
        self.bot = SlackBot(Secrets(), "arn:secret", CHANNEL, web.url)
        self.parts = install(
            patch,
            NotifyEnvironment,
            bot=self.bot,
            messages=self.book,
            dead_letters=self.dead,
        )

    def run(self, *findings: Finding) -> list[str]:
        answer: dict[str, Any] = notify(event_of(*findings), Context())
        return [one["itemIdentifier"] for one in answer["batchItemFailures"]]


def test_one_episode_is_one_message_changed_in_place(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    for one in (step(Step.OPEN), step(Step.UPDATE, 4, "48"), step(Step.CLOSE, 5, "60")):
        assert notifying.run(one) == []
    (versions,) = web.messages.values()
    assert len(versions) == 3
    first, last = json.dumps(versions[0], ensure_ascii=False), json.dumps(versions[-1], ensure_ascii=False)
    assert "<@U0123ABCD>" in first
    assert "bu-x waits for 1" in first
    assert "It lasted 5 hours and cost $60.00, from 2026-11-30 10:00 to 2026-11-30 15:00 UTC." in last


def test_steps_that_come_together_are_told_in_order_of_time(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    assert notifying.run(step(Step.CLOSE, 5), step(Step.OPEN), step(Step.UPDATE, 4), step(Step.OPEN)) == []
    (versions,) = web.messages.values()
    assert ["Over" in str(version) for version in versions] == [False, False, True]
    assert notifying.parts.pauses == [1.0, 1.0]


def test_a_message_that_somebody_deleted_is_posted_anew(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    notifying.run(step(Step.OPEN))
    web.messages.clear()
    notifying.run(step(Step.UPDATE, 4))
    assert len(web.messages) == 1


def test_what_slack_cannot_take_now_comes_again_and_the_rest_is_not_tried(
    monkeypatch: pytest.MonkeyPatch, web: SlackWeb
) -> None:
    notifying = Notifying(monkeypatch, web)
    web.wait, web.answers = "120", [(429, {})]
    other = replace(step(Step.OPEN, 4), episode="other")
    assert len(notifying.run(step(Step.OPEN), other)) == 2
    assert web.calls == ["chat.postMessage"]
    assert notifying.run(step(Step.OPEN), other) == []
    assert len(web.messages) == 2


def test_slack_is_waited_for_as_long_as_it_asks(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    web.answers = [(429, {})]
    assert notifying.run(step(Step.OPEN)) == []
    web.answers = [(429, {})]
    assert notifying.run(step(Step.UPDATE, 4)) == []
    assert notifying.parts.pauses == [30.0, 30.0]
    assert [len(versions) for versions in web.messages.values()] == [2]


def test_a_step_that_comes_late_or_again_does_not_undo_a_later_one(
    monkeypatch: pytest.MonkeyPatch, web: SlackWeb
) -> None:
    notifying = Notifying(monkeypatch, web)
    opened, closed = replace(step(Step.OPEN), number=3), replace(step(Step.CLOSE, 5), number=5)
    for one in (opened, closed, replace(step(Step.UPDATE, 4), number=4), opened, closed):
        assert notifying.run(one) == []
    (versions,) = web.messages.values()
    assert ["Over" in str(version) for version in versions] == [False, True]


def test_a_digest_that_comes_again_is_posted_once(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    digest = replace(finding(), step=Step.DIGEST, number=1)
    assert [notifying.run(digest) for _ in range(2)] == [[], []]
    assert len(web.messages) == 1


def test_two_who_tell_one_episode_at_once_make_one_message(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    opened, later = replace(step(Step.OPEN), number=1), replace(step(Step.UPDATE, 4), number=2)
    failed: list[list[str]] = []

    class Overtaken(SlackBot):
        def post(self, payload: Mapping[str, object], channel: str = "") -> Posted | None:
            notifying.parts.bot = notifying.bot
            failed.append(notifying.run(later))
            return super().post(payload, channel)

    notifying.parts.bot = Overtaken(Secrets(), "arn:secret", CHANNEL, web.url)
    assert notifying.run(opened) == []
    assert failed == [[later.id]]
    assert notifying.run(later) == []
    assert [len(versions) for versions in web.messages.values()] == [2]


def test_an_ambiguous_post_is_repeated_once_and_an_ambiguous_change_comes_again(
    monkeypatch: pytest.MonkeyPatch, web: SlackWeb
) -> None:
    notifying = Notifying(monkeypatch, web)
    web.answers = [("done", 500)]
    assert notifying.run(step(Step.OPEN)) == []
    assert len(web.messages) == 2
    assert all(EPISODE in str(versions) or step(Step.OPEN).id in str(versions) for versions in web.messages.values())
    web.answers = [("done", 500)]
    assert len(notifying.run(step(Step.UPDATE, 4))) == 1
    assert notifying.run(step(Step.UPDATE, 4)) == []
    web.answers = [(500, {}), (500, {})]
    assert notifying.run(replace(step(Step.OPEN), episode="third")) == []
    assert "after two tries" in notifying.dead.letters[0].reason


def test_what_slack_refuses_for_good_is_kept_and_not_repeated(monkeypatch: pytest.MonkeyPatch, web: SlackWeb) -> None:
    notifying = Notifying(monkeypatch, web)
    web.answers = [(200, {"ok": False, "error": "is_archived"})]
    assert notifying.run(step(Step.OPEN)) == []
    assert "is_archived" in notifying.dead.letters[0].reason
    assert len(web.calls) == 1


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("which", [Step.OPEN, Step.ESCALATE, Step.CLOSE])
def test_every_kind_reads_well_within_slacks_limits(kind: Kind, which: Step) -> None:
    hostile = ("<!channel> & `x`", "<@U1>", "\u202e")
    told = replace(step(which), kind=kind, facts=hostile, subject="<!here> `s`", bu="<!channel>")
    for reply in (Reply(), Reply(interactive=True), Reply(api_url="https://api.example")):
        payload: dict[str, Any] = slack_message([told], reply)
        for block in payload["blocks"]:
            parsed = Block.parse(block)
            assert parsed is not None
            parsed.validate_json()
        # A heading is plain text, in which nothing is markup.
        marked = [payload["text"], *(block for block in payload["blocks"] if block["type"] != "header")]
        text = json.dumps(marked, ensure_ascii=False).replace("<@U0123ABCD>", "")
        assert "<!" not in text
        assert "<@" not in text
