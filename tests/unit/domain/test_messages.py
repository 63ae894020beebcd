"""The message on the topic: the documented shape, and the finding comes back from it as it was."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.alerts.finding import Finding, Kind, PodWaste, Severity, Step
from gpucost.domain.alerts.messages import email_text, finding_of, finding_subject, notification
from gpucost.domain.report import Basis
from tests.support.findings import HOUR, finding, with_pods

ODD_BU = 'R&D "비전" \\ team\n2 ©'

usd = st.integers(0, 10**15).map(lambda units: Decimal(units).scaleb(-9))
ratio = st.integers(0, 10**9).map(lambda units: Decimal(units).scaleb(-9))
pods = st.builds(
    PodWaste,
    namespace=st.text(),
    pod=st.text(),
    node=st.text(),
    resource=st.text(),
    workload=st.none() | st.text(),
    held_minutes=st.integers(0, 60),
    waste_usd=usd,
    utilization=st.none() | ratio,
    basis=st.sampled_from(Basis),
    vram_used_mib=st.none() | usd,
    allocated_usd=st.none() | usd,
    slice_hours=st.none() | usd,
    samples_seen=st.integers(0, 60),
    samples_expected=st.integers(0, 60),
)
findings = st.builds(
    Finding,
    id=st.text(min_size=1),
    kind=st.sampled_from(Kind),
    severity=st.sampled_from(Severity),
    cluster=st.text(),
    hour=st.just(HOUR),
    bu=st.text(),
    allocated_usd=usd,
    waste_usd=usd,
    utilization=ratio,
    unknown_usd=usd,
    pods=st.lists(pods, max_size=10).map(tuple),
    more_pods=st.integers(0, 10_000),
    more_pods_usd=usd,
)


@given(findings)
def test_a_finding_comes_back_as_it_was(told: Finding) -> None:
    assert finding_of(json.loads(json.dumps(notification(told)))) == told


def test_the_shape_is_a_custom_notification() -> None:
    told = replace(finding(), pods=())
    document = notification(told)
    assert set(document) == {"version", "source", "id", "content", "metadata"}
    assert (document["version"], document["source"], document["id"]) == ("1.0", "custom", told.id)
    assert set(document["content"]) == {"textType", "title", "description", "nextSteps", "keywords"}
    assert document["content"]["textType"] == "client-markdown"
    assert set(document["metadata"]) == {
        "threadId",
        "summary",
        "eventType",
        "relatedResources",
        "additionalContext",
    }


@given(findings)
def test_every_value_is_text_or_a_list_of_texts_and_the_description_is_of_bounded_length(told: Finding) -> None:
    document = notification(told)
    content, metadata = document["content"], document["metadata"]
    for value in (*content.values(), *metadata.values()):
        if isinstance(value, list):
            assert all(isinstance(item, str) for item in value)
        elif isinstance(value, dict):
            assert all(isinstance(item, str) for item in value.values())
        else:
            assert isinstance(value, str)
    assert 0 < len(content["description"]) <= 3000
    assert "\n" not in content["title"]
    assert "<" not in content["description"].replace("<$0.01", "").replace("<0.1 %", "")


def test_a_message_that_was_queued_before_pods_said_so_much_is_read() -> None:
    document = notification(with_pods(finding(), 1))
    held = document["metadata"]["additionalContext"]
    (pod,) = json.loads(held["pods"])
    lately = ("allocated_usd", "slice_hours", "samples_seen", "samples_expected")
    held["pods"] = json.dumps([{key: value for key, value in pod.items() if key not in lately}])
    assert finding_of(document) == with_pods(finding(), 1)


def test_hours_of_one_bu_share_a_thread_and_nobody_else_does() -> None:
    def thread(told: Finding) -> str:
        return str(notification(told)["metadata"]["threadId"])

    assert thread(finding()) == thread(finding(hour=HOUR.plus(1)))
    assert len({thread(finding()), thread(finding("bu-b")), thread(finding(cluster="dev"))}) == 3


def test_a_bu_in_any_script_is_whole_in_the_body_and_ascii_in_the_subject() -> None:
    told = finding(ODD_BU)
    assert notification(told)["metadata"]["additionalContext"]["bu"] == ODD_BU
    assert notification(told)["content"]["title"] == 'GPU waste: `R&amp;D "비전" \\ team 2 ©` wasted $5.14 in one hour'
    assert finding_subject(told) == 'GPU waste $5.14: R&D "??" \\ team 2 ?, 2026-11-30 10:00-11:00 UTC, prod'


def test_a_long_bu_does_not_push_the_hour_out_of_the_subject() -> None:
    line = finding_subject(finding("x" * 300))
    assert len(line) <= 100
    assert "2026-11-30 10:00-11:00 UTC" in line


def test_the_email_is_plain_text() -> None:
    assert email_text(with_pods(finding("R&D"), 1)).split("\n") == [
        "R&D wasted $1.00 of $10.28: 50 % used, on prod, 2026-11-30 10:00-11:00 UTC",
        "",
        "• ns/pod-0 on node-a: nvidia.com/gpu for 60 minutes, wasted $1.00, 4.5 % used, 38.4 GiB of VRAM held",
        "",
        "What to do:",
        "- Scale down or delete the pods that hold GPUs without using them.",
        "- Ask for a smaller MIG slice where a pod uses only part of what it holds.",
        "",
        f"Finding {finding('R&D').id}",
        "",
    ]


def _changed(**context: Any) -> dict[str, Any]:
    document = notification(with_pods(finding(), 1))
    document["metadata"]["additionalContext"] |= context
    return document


def _without(key: str) -> dict[str, Any]:
    document = notification(finding())
    del document["metadata"]["additionalContext"][key]
    return document


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (None, "not a notification of a finding"),
        ([], "not a notification of a finding"),
        ({"version": "1.0", "source": "custom", "id": "x"}, "not a notification of a finding"),
        (_changed() | {"version": "2.0"}, "not a notification of a finding"),
        (_changed() | {"id": 7}, "not a notification of a finding"),
        (_without("bu"), "lacks 'bu'"),
        (_changed(kind="gossip"), "'gossip' is not a valid Kind"),
        (_changed(severity="meh"), "'meh' is not a valid Severity"),
        (_changed(bu=7), "bu is int, not text"),
        (_changed(hour="yesterday"), "'yesterday' is not an instant"),
        (_changed(hour="2026-11-30T10:30:00Z"), "an hour starts on the hour"),
        (_changed(waste_usd="much"), "waste_usd is 'much', not a figure"),
        (_changed(waste_usd="NaN"), "waste_usd is 'NaN', not a figure"),
        (_changed(more_pods="some"), "invalid literal for int()"),
        (_changed(pods="["), "cannot be read"),
        (_changed(pods="[1]"), "cannot be read"),
        (_changed(pods="{}x"), "cannot be read"),
        (_changed(pods='[{"namespace": 1}]'), "namespace is int, not text"),
    ],
)
def test_anything_else_is_refused_in_one_line_that_says_why(document: object, says: str) -> None:
    with pytest.raises(ValueError, match=r"notification") as caught:
        finding_of(document)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("step", [Step.OPEN, Step.CLOSE])
def test_the_subject_of_other_kinds_says_what_the_message_is_about(step: Step) -> None:
    told = replace(finding("y" * 300), kind=Kind.IDLE_SLICE, step=step, subject="x" * 300)
    line = finding_subject(told)
    assert line.isascii()
    assert len(line) <= 100
    assert ("Over" in line) is (step is Step.CLOSE)
    assert "dle GPU slice" in line


def test_keywords_and_length_of_a_notification() -> None:
    told = with_pods(finding(), 400, "p" * 40)
    document = notification(told)
    assert document["content"]["keywords"] == ["GPU", "cost", "bu_waste"]
    assert 2800 < len(document["content"]["description"]) <= 3000


def test_a_thread_is_of_one_kind_and_an_episode_has_its_own() -> None:
    told = finding()
    threads = [notification(replace(told, kind=kind))["metadata"]["threadId"] for kind in Kind]
    assert len(set(threads)) == len(Kind)
    assert notification(replace(told, episode="e1"))["metadata"]["threadId"] == "e1"
