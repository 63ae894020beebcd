import operator

import pytest

from gpucost.domain.timeline import FULL, carried, combine, hull, merge, merge_all, minutes, present, since, within
from tests.support.readings import mask

A, B, C = mask(0, 10), mask(10, 20), mask(20, 60)


def test_a_full_hour_has_sixty_minutes() -> None:
    assert minutes(FULL) == 60
    assert minutes(0) == 0
    assert A | B | C == FULL


def test_present_is_the_union_of_the_parts() -> None:
    assert present({1: A, 2: mask(5, 20)}) == A | B
    assert present({}) == 0


@pytest.mark.parametrize(
    ("minutes_seen", "expected"),
    [(0, 0), (FULL, FULL), (A | C, FULL), (mask(7, 8), mask(7, 8)), (mask(3, 4) | mask(59, 60), mask(3, 60))],
)
def test_a_hull_reaches_from_the_first_minute_to_the_last(minutes_seen: int, expected: int) -> None:
    assert hull(minutes_seen) == expected


@pytest.mark.parametrize(
    ("minutes_seen", "expected"), [(0, 0), (A, FULL), (B | C, B | C), (mask(59, 60), mask(59, 60))]
)
def test_since_reaches_from_the_first_minute_to_the_end_of_the_hour(minutes_seen: int, expected: int) -> None:
    assert since(minutes_seen) == expected


def test_within_cuts_and_drops_what_is_left_empty() -> None:
    assert within({1: A, 2: B, 3: mask(5, 15)}, A) == {1: A, 3: mask(5, 10)}


def test_combine_joins_only_where_both_have_a_value_and_unites_equal_results() -> None:
    assert combine({2: A, 1: B, 9: mask(20, 30)}, {1: A, 2: B}, operator.mul) == {2: A | B}
    assert combine({1: A}, {1: B}, operator.mul) == {}


def test_merge_keeps_the_value_that_stands_alone() -> None:
    assert merge({1: A | B}, {2: B | C}, operator.add) == {1: A, 3: B, 2: C}


def test_merge_unites_what_becomes_equal() -> None:
    assert merge({1: A, 3: C}, {3: B}, max) == {1: A, 3: B | C}
    assert merge({1: A, 2: B}, {1: A, 2: B}, lambda a, b: 7) == {7: A | B}
    assert merge({1: A, 5: B}, {2: A | B}, max) == {2: A, 5: B}


@pytest.mark.parametrize(
    ("timelines", "joined"),
    [
        ([], {}),
        ([{}], {}),
        ([{1: A}], {1: A}),
        ([{}, {1: A}], {1: A}),
        ([{1: A}, {}], {1: A}),
        ([{1: FULL}, {1: FULL}, {1: A}], {3: A, 2: B | C}),
    ],
)
def test_merge_all_joins_any_number(timelines: list[dict[int, int]], joined: dict[int, int]) -> None:
    assert merge_all(timelines, operator.add) == joined


def test_merge_all_does_not_touch_what_it_was_given() -> None:
    first = {1: A}
    merge_all([first], max)[2] = B
    assert first == {1: A}


@pytest.mark.parametrize(
    ("timeline", "over", "filled"),
    [
        ({"x": A | B}, A, {"x": A}),
        ({"x": A, "y": B}, A | B, {"x": A, "y": B}),
        ({"x": A, "y": C}, FULL, {"x": A | B, "y": C}),
        ({"y": C}, FULL, {"y": FULL}),
        ({"x": A, "y": B}, FULL, {"x": A, "y": B | C}),
        ({"x": A, "y": C}, B, {"x": B}),
        ({"x": mask(0, 1), "y": mask(59, 60)}, mask(30, 60), {"x": mask(30, 59), "y": mask(59, 60)}),
        ({}, FULL, {}),
        ({"x": A}, 0, {}),
    ],
)
def test_a_gap_takes_the_value_before_it_and_a_leading_gap_the_one_after(
    timeline: dict[str, int], over: int, filled: dict[str, int]
) -> None:
    assert carried(timeline, over) == filled
