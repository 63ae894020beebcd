"""What each kind of finding is called when it begins and when it ends."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucost.domain.alerts.finding import Kind, Step
from gpucost.domain.alerts.finding_text import headline, plain_name, title
from gpucost.domain.wording import code
from tests.support.findings import finding

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
