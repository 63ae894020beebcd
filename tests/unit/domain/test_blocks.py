"""The Slack message: within every limit, honest about what it leaves out, and no name in it means anything to Slack."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from gpucost.domain.alerts.blocks import Reply, by_hour, packed, slack_message
from gpucost.domain.alerts.finding import Finding, Kind, Step
from gpucost.domain.money import ZERO
from gpucost.domain.wording import code
from local.stack.slack_limits import fault_of
from tests.support.findings import HOUR, finding, with_pods

HOSTILE = (
    "<!channel>",
    "<!here|x>",
    "<@U0123>",
    "&amp;",
    "a`b`",
    "```",
    "*_~",
    "a\nb",
    "\u202e",
    "",
    "x" * 2048,
    "&" * 2048,
)
SIXTY = tuple(
    finding(
        f"business-unit-{index:02}-computer-vision-platform-research", str(Decimal("5.140532") + Decimal(index) / 100)
    )
    for index in range(60)
)


def checked(payload: dict[str, Any]) -> dict[str, Any]:
    """The payload, after everything that would make Slack refuse it has been looked for."""
    assert fault_of(payload) is None
    for block in payload["blocks"]:
        parsed = Block.parse(block)
        assert parsed is not None
        parsed.validate_json()
    assert len(payload["blocks"]) <= 50
    assert sum(len(text) for text in texts(payload)) < 13_000
    json.dumps(payload)
    return payload


def texts(payload: dict[str, Any]) -> list[str]:
    """The texts of all blocks, in order."""
    parts = [part for block in payload["blocks"] for part in (block.get("text"), *block.get("elements", ())) if part]
    return [part["text"] for part in parts]


def lines(payload: dict[str, Any]) -> list[str]:
    """What the message says between its first sentence and its footer."""
    return [line for text in texts(payload)[2:-1] for line in text.split("\n")]


def test_one_finding_names_its_pods_and_its_id() -> None:
    told = with_pods(finding(), 2)
    payload = checked(slack_message([told]))
    assert payload["text"] == "1 BU wasted $3.00 on `prod`, 2026-11-30 10:00-11:00 UTC"
    assert texts(payload)[:2] == ["GPU waste: $3.00 in one hour", payload["text"]]
    assert lines(payload) == [
        "`bu-a` wasted $3.00 of $10.28: 50 % used",
        "• `ns/pod-0` on `node-a`: `nvidia.com/gpu` for 60 minutes, wasted $2.00, 4.5 % used, 38.4 GiB of VRAM held",
        "• `ns/pod-1` on `node-a`: `nvidia.com/gpu` for 60 minutes, wasted $1.00, 4.5 % used, 38.4 GiB of VRAM held",
    ]
    assert texts(payload)[-1] == f"gpucost: finding {told.id}"


def test_a_few_findings_name_the_three_worst_pods_of_each() -> None:
    told = [with_pods(finding("bu-a"), 5), with_pods(finding("bu-b"), 2)]
    shown = lines(checked(slack_message(told)))
    assert [line for line in shown if "more" in line] == ["• and 2 more, wasting $3.00"]
    assert sum(line.startswith("• `ns/") for line in shown) == 5


def test_sixty_bus_at_once_are_one_message_that_accounts_for_every_cent() -> None:
    payload = checked(slack_message(by_hour(SIXTY)[0]))
    assert sum(told.waste_usd for told in SIXTY) == Decimal("326.13192")
    assert payload["text"].startswith("60 BUs wasted $326.13 on ")
    shown = lines(payload)
    assert len(shown) == 60
    for told in SIXTY:
        (line,) = [line for line in shown if told.bu in line]
        assert line.startswith(f"`{told.id[:12]}` {code(told.bu)} wasted $")
        assert line.endswith("50 % used")


def test_what_does_not_fit_is_counted_and_added_up() -> None:
    told = by_hour(finding(f"bu-{index:03}-" + "x" * 100, str(200 - index)) for index in range(150))[0]
    shown = lines(checked(slack_message(told)))
    named = [line for line in shown if line.startswith("`")]
    match = re.fullmatch(r"and (\d+) more BUs, wasting \$([\d,.]+)", shown[-1])
    assert match is not None
    assert 0 < len(named) < 150
    assert len(named) + int(match[1]) == 150
    left_out = sum((finding.waste_usd for finding in told[len(named) :]), ZERO)
    assert Decimal(match[2].replace(",", "")) == left_out
    assert all(line.endswith("% used") for line in named)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text() | st.sampled_from(HOSTILE), st.integers(0, 12)), min_size=1, max_size=80))
def test_no_names_make_slack_refuse_the_message_or_mean_anything_in_it(drawn: list[tuple[str, int]]) -> None:
    told = [
        replace(with_pods(finding(name, "1"), pods, name=name), cluster=name, id=f"{index:032x}")
        for index, (name, pods) in enumerate(drawn)
    ]
    payload = checked(slack_message(told))
    for text in (payload["text"], *texts(payload)):
        outside = re.sub(r"`[^`]*`", "", text)
        assert "`" not in outside
        assert not re.search(r"<(?!\$0\.01|0\.1 %)", text)
        assert not set(outside) & set("*_~&@#|")


def test_even_one_bu_whose_pods_all_have_the_longest_names_fits() -> None:
    longest = "&" * 2048
    told = with_pods(finding(longest), 10, name=longest)
    told = replace(told, pods=tuple(replace(pod, node=longest, resource=longest) for pod in told.pods))
    shown = lines(checked(slack_message([told])))
    assert re.fullmatch(r"• and \d more, wasting \$\d+\.00", shown[-1])


def test_findings_go_by_cluster_and_hour_each_once_and_worst_first() -> None:
    later, other = finding(hour=HOUR.plus(1)), finding(cluster="dev")
    small, big = finding("bu-s", "1"), finding("bu-b", "9")
    groups = by_hour([later, small, other, big, small])
    assert groups == [(other,), (big, small), (later,)]


@given(st.lists(st.text(alphabet="ab", max_size=30), max_size=40), st.integers(30, 60))
def test_packing_keeps_every_line_whole_and_in_order(given_lines: list[str], length: int) -> None:
    packed_texts = packed(given_lines, length)
    assert [line for text in packed_texts for line in text.split("\n")] == given_lines
    assert all(len(text) <= length for text in packed_texts)


def test_the_same_findings_make_the_same_message() -> None:
    def message(told: list[Finding]) -> str:
        return json.dumps(slack_message(by_hour(told)[0]))

    assert message(list(SIXTY)) == message(list(reversed(SIXTY)))


IDLE = replace(
    finding("bu-b"), kind=Kind.IDLE_SLICE, step=Step.OPEN, subject="ns/Job/train nvidia.com/gpu", episode="e1"
)
BOTH = Reply(interactive=True, api_url="https://api.example")


def test_findings_of_several_kinds_are_counted_together_with_everybody_to_be_mentioned_once() -> None:
    told = [replace(one, mention="<@U1>") for one in (finding(), IDLE)]
    payload = checked(slack_message(told))
    assert texts(payload)[:2] == ["2 GPU findings", "<@U1> 2 GPU findings on `prod`, 2026-11-30 10:00-11:00 UTC"]


def test_an_episode_that_goes_on_can_be_answered_by_buttons_that_name_it() -> None:
    (actions,) = (block for block in checked_alone(IDLE, BOTH)["blocks"] if block["type"] == "actions")
    assert [one["action_id"] for one in actions["elements"]] == [
        "gpucost:acknowledge",
        "gpucost:snooze:1h",
        "gpucost:snooze:8h",
        "gpucost:snooze:24h",
        "gpucost:snooze:monday",
    ]
    assert {one["value"] for one in actions["elements"]} == {'["prod", "e1"]'}


def test_where_slack_reaches_nobody_there_is_a_link_instead() -> None:
    payload = checked_alone(IDLE, Reply(api_url="https://api.example"))
    assert "Acknowledge or snooze: <https://api.example/v1/findings/e1>" in texts(payload)
    assert "Acknowledge" not in str(checked_alone(IDLE, Reply()))


@pytest.mark.parametrize("told", [replace(IDLE, step=Step.CLOSE), replace(IDLE, step=Step.DIGEST), finding()])
def test_what_is_over_or_no_episode_asks_for_no_answer(told: Finding) -> None:
    assert "cknowledge" not in str(checked_alone(told, BOTH))


def checked_alone(told: Finding, reply: Reply) -> dict[str, Any]:
    payload: dict[str, Any] = slack_message([told], reply)
    assert fault_of(payload) is None
    return payload
