"""Findings in words: what each kind is called, what is said of its pods, and what is left out when there is no room."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucost.domain.alerts.finding import Kind, Step
from gpucost.domain.alerts.finding_text import described, headline, plain_name, story, title
from gpucost.domain.alerts.messages import finding_subject, notification
from gpucost.domain.report import Basis
from gpucost.domain.wording import code
from tests.support.findings import HOUR, finding, with_pods

TOLD = replace(finding("ml", "2.5"), utilization=Decimal("0.05"))
WORDS = {
    Kind.BU_WASTE: ("", "GPU waste: `ml` wasted $2.50 in one hour", "Over: GPU waste of `ml`"),
    Kind.IDLE_SLICE: ("a/b", "Idle GPU slice: `a/b` of `ml`", "Over: idle GPU slice `a/b` of `ml`"),
    Kind.UNALLOCATED: ("", "Nobody holds $2.50 of GPUs an hour", "Over: GPUs that nobody held"),
    Kind.STRANDED: ("", "GPU slices worth $2.50 an hour are stranded", "Over: stranded GPU slices"),
    Kind.BUDGET: (
        "2026-11",
        "The GPU budget of `ml` for `2026-11` is at risk",
        "The GPU budget of `ml` for `2026-11` is safe again",
    ),
    Kind.ANOMALY: ("", "Unusual GPU cost of `ml`: $5.00 in one hour", "Over: unusual GPU cost of `ml`"),
    Kind.DATA_LOSS: ("", "GPU cost data of `prod` is lost", "GPU cost data of `prod` is whole again"),
}


def test_every_kind_has_words() -> None:
    assert set(WORDS) == set(Kind)


@pytest.mark.parametrize("kind", Kind)
def test_a_kind_is_called_by_what_it_is(kind: Kind) -> None:
    subject, begins, ends = WORDS[kind]
    told = replace(TOLD, kind=kind, subject=subject)
    assert title(told) == title(told, code) == begins
    assert title(told, plain_name) == begins.replace("`", "")
    assert title(replace(told, step=Step.CLOSE)) == ends


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.BU_WASTE])
def test_the_headline_is_the_title_and_of_an_idle_slice_its_use(kind: Kind) -> None:
    told = replace(TOLD, kind=kind, subject=WORDS[kind][0])
    use = ": 5 % used, $2.50 wasted in the hour" if kind is Kind.IDLE_SLICE else ""
    assert headline(told) == WORDS[kind][1] + use
    assert headline(told, plain_name) == headline(told).replace("`", "")
    over = replace(told, step=Step.CLOSE)
    assert headline(over) == WORDS[kind][2]


def test_the_description_says_what_was_wasted_where_and_by_which_pods() -> None:
    told = replace(with_pods(finding(), 3), unknown_usd=Decimal(2), allocated_usd=Decimal(14))
    told = replace(told, more_pods=2, more_pods_usd=Decimal("0.12"))
    assert notification(told)["content"]["description"].split("\n") == [
        "`prod`, 2026-11-30 10:00-11:00 UTC",
        "`bu-a` wasted $6.00 of $12.00: 50 % used; $2.00 more has unknown utilization and was not judged",
        "• `ns/pod-0` on `node-a`: `nvidia.com/gpu` for 60 minutes, wasted $3.00, 4.5 % used, 38.4 GiB of VRAM held",
        "• `ns/pod-1` on `node-a`: `nvidia.com/gpu` for 60 minutes, wasted $2.00, 4.5 % used, 38.4 GiB of VRAM held",
        "• `ns/pod-2` on `node-a`: `nvidia.com/gpu` for 60 minutes, wasted $1.00, 4.5 % used, 38.4 GiB of VRAM held",
        "• and 2 more, wasting $0.12",
    ]


def test_an_estimate_and_an_unmeasured_vram_are_said_to_be_so() -> None:
    told = with_pods(finding(), 1)
    told = replace(told, pods=(replace(told.pods[0], basis=Basis.CLUSTER, vram_used_mib=None),))
    assert notification(told)["content"]["description"].split("\n")[-1] == (
        "• `ns/pod-0` on `node-a`: `nvidia.com/gpu` for 60 minutes, wasted $1.00, 4.5 % used (estimated by cluster)"
    )


def test_whose_a_pod_is_what_it_held_and_how_much_of_it_was_seen_are_said() -> None:
    told = with_pods(finding(), 1)
    pod = replace(told.pods[0], workload="Job/train", allocated_usd=Decimal(4), slice_hours=Decimal("3.0"))
    told = replace(told, pods=(replace(pod, samples_seen=57, samples_expected=60),))
    assert notification(told)["content"]["description"].split("\n")[-1] == (
        "• `ns/pod-0` of `Job/train` on `node-a`: `nvidia.com/gpu` for 60 minutes (3 slice-hours), "
        "wasted $1.00 of $4.00, 4.5 % used (by 57 of 60 samples), 38.4 GiB of VRAM held"
    )


def test_where_not_even_the_headline_fits_it_is_kept_whole() -> None:
    told = with_pods(finding(), 3)
    assert described(told, 10) == [headline(told)]


def test_a_digest_is_headed_by_its_span_and_its_bu() -> None:
    told = replace(finding(), step=Step.DIGEST, subject="yesterday", since=HOUR, hours=24)
    assert title(told) == "GPU costs of `bu-a`: yesterday"


@pytest.mark.parametrize(
    ("month", "says"),
    [
        ("2026-11", "The GPU budget of `bu-a` for `2026-11` is safe again"),
        ("2026-10", "The month is over: the GPU budget of `bu-a` for `2026-10`"),
    ],
)
def test_a_budgets_end_says_why_it_is_one(month: str, says: str) -> None:
    assert title(replace(finding(), kind=Kind.BUDGET, step=Step.CLOSE, subject=month)) == says


def test_facts_follow_the_headline_and_mean_nothing_to_slack() -> None:
    told = replace(finding(), facts=("Meanwhile <!channel>\nwaits.",))
    assert described(told, 3000)[1] == "Meanwhile &lt;!channel&gt; waits."
    assert notification(told)["metadata"]["summary"].endswith(". Meanwhile <!channel> waits.")


@pytest.mark.parametrize(
    ("kind", "hours", "says"),
    [
        (Kind.IDLE_SLICE, 1, ""),
        (Kind.IDLE_SLICE, 3, "Since 2026-11-30 08:00-09:00 UTC: 3 hours, $9.50 so far."),
        (Kind.DATA_LOSS, 3, "Since 2026-11-30 08:00-09:00 UTC: 3 hours so far."),
    ],
)
def test_a_story_says_since_when_and_what_it_has_cost_where_that_can_be_said(kind: Kind, hours: int, says: str) -> None:
    told = replace(finding(), kind=kind, since=HOUR.plus(-2), hours=hours, so_far_usd=Decimal("9.5"))
    assert story(told) == says


def test_a_name_or_a_fact_without_end_is_cut() -> None:
    told = replace(finding(), kind=Kind.IDLE_SLICE, subject="x" * 300, facts=("y" * 3000,))
    assert len(notification(told)["content"]["title"]) < 400
    assert "y" * 1000 not in "".join(described(told, 30_000))
    assert "y" * 1000 not in notification(told)["metadata"]["summary"]
    assert "x" * 41 not in finding_subject(told)
