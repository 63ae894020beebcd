"""Query parameters: sane defaults, and RequestError for whatever cannot be answered, whatever it is."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.hours import Hour
from gpucost.ports import RequestError
from gpucost.runtime.http import query_parameters
from gpucost.usecases.cost_query import MAX_HOURS, CostQuery, GroupBy

NOW = datetime(2026, 11, 30, 11, 59, 59, tzinfo=UTC)


def parsed(**parameters: str) -> CostQuery:
    return CostQuery.parse({name.rstrip("_"): [value] for name, value in parameters.items()}, NOW)


def test_the_default_is_the_last_24_hours_that_are_over() -> None:
    query = parsed()
    assert (query.first.key, query.end.key, query.hours) == ("2026-11-29T11:00:00Z", "2026-11-30T11:00:00Z", 24)
    assert query.group_by is GroupBy.BU


def test_an_empty_value_is_as_good_as_none() -> None:
    assert parsed(from_="", to="", bu="", cluster="", group_by="") == parsed()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2026-11-30", "2026-11-30T00:00:00Z"),
        ("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"),
        ("2026-11-30T11:00:00+01:00", "2026-11-30T10:00:00Z"),
    ],
)
def test_an_hour_may_be_a_date_or_an_instant_with_an_offset(text: str, key: str) -> None:
    assert parsed(from_=text).first.key == key


def test_the_longest_window_is_answered_and_an_hour_more_is_not() -> None:
    longest = Hour.containing(NOW).plus(-MAX_HOURS)
    assert parsed(from_=longest.key).hours == MAX_HOURS
    with pytest.raises(RequestError, match=str(MAX_HOURS + 1)):
        parsed(from_=longest.plus(-1).key)


texts = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["2026-11-30", "0001-01-01", "9999-12-31", "2026-W49-1", "now", "-1", "null", "NaN"]),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.datetimes().map(lambda moment: moment.isoformat()[:14] + "00:00+23:59"),
)
names = st.one_of(st.sampled_from(["from", "to", "group_by", "cluster", "bu"]), st.text(max_size=5))


@given(st.dictionaries(names, st.lists(texts, max_size=2), max_size=5))
def test_any_parameters_are_answered_or_refused(parameters: dict[str, list[str]]) -> None:
    try:
        query = CostQuery.parse(parameters, NOW)
    except RequestError:
        return
    assert 0 < query.hours <= MAX_HOURS
    assert query.end <= Hour.containing(NOW)


optional = st.one_of(st.none(), st.text(max_size=20))
events = st.fixed_dictionaries(
    {},
    optional={
        "rawQueryString": st.one_of(st.none(), st.text(max_size=60)),
        "queryStringParameters": st.one_of(st.none(), st.dictionaries(st.text(max_size=5), optional)),
        "multiValueQueryStringParameters": st.one_of(
            st.none(), st.dictionaries(st.text(max_size=5), st.one_of(st.none(), st.lists(st.text(max_size=5))))
        ),
    },
)


@given(events)
def test_whatever_the_event_holds_parameters_are_lists_of_text(event: dict[str, object]) -> None:
    for values in query_parameters(event).values():
        assert values
        assert all(isinstance(value, str) for value in values)


def test_the_raw_query_keeps_commas_and_repeats_apart() -> None:
    event = {"rawQueryString": "bu=a%2Cb&bu=c", "queryStringParameters": {"bu": "a,b,c"}}
    assert query_parameters(event) == {"bu": ["a,b", "c"]}
