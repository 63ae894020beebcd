"""A month of alerts through a Slack that throttles, answers unclearly and loses answers: nothing is lost."""

import json
from collections import Counter

import pytest

from gpucost.domain.alerts.finding import Finding, Step
from tests.simulation_alerts.month import Delivery


@pytest.fixture(scope="module", params=["bot", "webhook"])
def month(request: pytest.FixtureRequest) -> Delivery:
    return Delivery(request.param, seed=1).run()


def big(month: Delivery) -> list[Finding]:
    """What a chat is told in any case: messages that cannot be changed leave the small steps out."""
    return [one for one in month.published if one.step is not Step.UPDATE]


def test_all_that_was_published_was_settled_and_only_what_is_unclear_is_a_dead_letter(month: Delivery) -> None:
    assert {finding.id for finding in month.published} == month.settled | month.dead.keys()
    assert len(big(month)) > 100
    assert all("not known whether the message arrived" in reason for reason in month.dead.values())
    assert all(name in reason for name, reason in month.dead.items())


def test_no_finding_is_lost(month: Delivery) -> None:
    shown = json.dumps(month.slack.versions)
    known_elsewhere = month.dead.keys() | month.overtaken
    assert [one for one in big(month) if one.id not in known_elsewhere and one.id[:12] not in shown] == []


def test_doubles_are_those_that_nobody_could_know_and_are_recognised_by_their_id(month: Delivery) -> None:
    posts = Counter(json.dumps(post["blocks"]) for post in month.slack.posts)
    doubles = sum(times - 1 for times in posts.values())
    assert 0 < doubles <= month.slack.unclear
    ids = {one.id[:12] for one in month.published}
    assert all(any(name in post for name in ids) for post in posts)


def test_a_bots_message_shows_how_its_episode_stands() -> None:
    month = Delivery("bot", seed=1).run()
    last = {one.episode: one for one in sorted(month.published, key=lambda one: one.number)}
    wrong = []
    for one in last.values():
        stand = month.stand(one.episode)
        if one.id not in month.dead and (stand is None or one.id not in month.slack.shown(stand)):
            wrong.append(one)
    assert wrong == []
    assert sum(one.step is Step.CLOSE for one in last.values()) > 50
    assert month.overtaken
    # One message an episode, but for those that nobody could know of.
    assert len(month.slack.posts) - len(last) <= month.slack.unclear
