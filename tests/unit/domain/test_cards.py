"""Cards that the exporter counts where no label does: of each minute, and cut as they are then."""

from decimal import Decimal

import pytest

from gpucost.domain.allocation.cards import cards_of
from gpucost.domain.readings import DeviceSeries
from gpucost.domain.timeline import FULL
from tests.support.allocation import codes, node_of, report_of, row_of
from tests.support.readings import allocatable, device, mask, node, phase, pod, request

A100 = "NVIDIA A100-SXM4-40GB"
FIRST, LAST = mask(0, 25), mask(30, 60)


def part(index: int, profile: str = "2g.10gb", minutes: int = FULL, uuid: str = "GPU-0") -> DeviceSeries:
    return device(None, uuid=uuid, instance=str(index), profile=profile, model=A100, minutes=minutes)


def test_a_name_that_another_machine_took_over_has_the_cards_of_one_at_a_time() -> None:
    """Two cards until 10:25, four others from 10:30 on: (2 × 25 + 4 × 30) / 60 GPU-hours."""
    early, late = pod("early"), pod("late")
    row = node_of(
        report_of(
            request(early, 2, minutes=FIRST),
            phase(early, minutes=FIRST),
            request(late, 4, minutes=LAST),
            phase(late, minutes=LAST),
            allocatable(2, minutes=FIRST),
            allocatable(4, minutes=LAST),
            node(minutes=FIRST | LAST),
            *(device(early, uuid=f"GPU-{index}", minutes=FIRST) for index in range(2)),
            *(device(late, uuid=f"GPU-new-{index}", minutes=LAST) for index in range(4)),
        )
    )
    assert row.capacity_gpu_hours == row.allocated_gpu_hours == Decimal("2.833333333333")
    assert row.capacity_source == "dcgm_uuids"


def test_a_gap_of_the_exporter_takes_no_card_away() -> None:
    cards = cards_of([device(uuid="GPU-0", minutes=FIRST), device(uuid="GPU-1", minutes=FIRST)])
    assert (cards.count(FULL), cards.count(LAST), cards.profiles(LAST)) == (2, 2, {""})


def test_a_card_without_a_usable_sample_is_there() -> None:
    assert cards_of([device(uuid="GPU-0", value=None), device(uuid="GPU-1", minutes=FIRST)]).count(FULL) == 2
    assert cards_of([]).count(FULL) == 0
    assert cards_of([]).profiles(FULL) == frozenset()


def test_instances_reported_beside_their_card_still_name_the_slice() -> None:
    """An exporter that is told to report both: three 2g of an A100 are 6/7, and one seventh is nobody's to take."""
    who = pod("a-0")
    report = report_of(
        request(who),
        phase(who),
        allocatable(3),
        node(),
        device(None, uuid="GPU-0", model=A100),
        *(part(index) for index in range(3)),
    )
    assert row_of(report, "a-0").share == "2/7"
    assert node_of(report).stranded_gpu_hours == Decimal("0.142857142857")
    assert "shares_scaled" not in codes(report)


def test_slices_that_are_cut_anew_in_mid_hour_are_what_they_are_in_each_minute() -> None:
    """The single strategy without labels: seven 1g until 10:25, three 2g from 10:30 on; old series linger a while."""
    small, large = pod("small"), pod("large")
    report = report_of(
        request(small, minutes=FIRST),
        phase(small, minutes=FIRST),
        request(large, minutes=LAST),
        phase(large, minutes=LAST),
        allocatable(7, minutes=FIRST),
        allocatable(3, minutes=LAST),
        node(),
        *(part(index, "1g.5gb", mask(0, 33)) for index in range(7)),
        *(part(index, "2g.10gb", LAST) for index in range(3)),
    )
    assert row_of(report, "small").figures.gpu_hours == Decimal("0.059523809524")  # 25/60 of 1/7
    assert row_of(report, "large").figures.gpu_hours == Decimal("0.142857142857")  # 30/60 of 2/7
    assert "shares_scaled" not in codes(report)


@pytest.mark.parametrize("profiles", [("1g.5gb", "2g.10gb"), ("2g.10gb", "1g.5gb")])
def test_the_longest_state_names_the_profiles_in_whatever_order_series_come(profiles: tuple[str, str]) -> None:
    minutes = {"1g.5gb": FIRST, "2g.10gb": LAST}
    cards = cards_of([part(index, name, minutes[name]) for index, name in enumerate(profiles)])
    assert cards.profiles(FULL) == {"2g.10gb"}
    assert cards.profiles(FIRST) == {"1g.5gb"}
    assert cards.profiles(mask(26, 28)) == {"2g.10gb"}
