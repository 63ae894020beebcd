"""Windows: sane defaults, words that mean what they say, and RequestError for whatever cannot be answered."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.hours import Hour
from gpucost.ports import RequestError
from gpucost.usecases.answers.window import FIRST_HOUR, WORDS, Window

NOW = datetime(2026, 12, 2, 11, 59, 59, tzinfo=UTC)  # a Wednesday


def between(start: str | None = None, end: str | None = None) -> tuple[str, str]:
    window = Window.between(start, end, NOW)
    return window.first.key, window.end.key


def named(text: str) -> tuple[str, str]:
    window = Window.named(text, NOW)
    return window.first.key[:13], window.end.key[:13]


def test_the_default_is_the_last_24_hours_that_are_over() -> None:
    assert between() == ("2026-12-01T11:00:00Z", "2026-12-02T11:00:00Z")
    assert Window.between(None, None, NOW).hours == 24


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("2026-11-30", "2026-11-30T00:00:00Z"),
        ("2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z"),
        ("2026-11-30T11:00:00+01:00", "2026-11-30T10:00:00Z"),
    ],
)
def test_an_hour_may_be_a_date_or_an_instant_with_an_offset(text: str, key: str) -> None:
    assert between(text)[0] == key


def test_hours_that_are_not_over_are_left_out() -> None:
    assert between("2026-12-01", "2027-01-01") == ("2026-12-01T00:00:00Z", "2026-12-02T11:00:00Z")
    assert named("today") == ("2026-12-02T00", "2026-12-02T11")


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("today", "2026-12-02T00", "2026-12-02T11"),
        ("yesterday", "2026-12-01T00", "2026-12-02T00"),
        ("week", "2026-11-29T00", "2026-12-02T11"),
        ("lastweek", "2026-11-22T00", "2026-11-29T00"),
        ("month", "2026-12-01T00", "2026-12-02T11"),
        ("lastmonth", "2026-11-01T00", "2026-12-01T00"),
        ("1h", "2026-12-02T10", "2026-12-02T11"),
        ("120m", "2026-12-02T09", "2026-12-02T11"),
        ("7d", "2026-11-25T11", "2026-12-02T11"),
        ("2w", "2026-11-18T11", "2026-12-02T11"),
        ("2026-11-01,2026-12-01", "2026-11-01T00", "2026-12-01T00"),
        ("2026-11-01T05:00:00Z,2026-11-01T06:00:00Z", "2026-11-01T05", "2026-11-01T06"),
        ("1793491200,1793494800", "2026-11-01T00", "2026-11-01T01"),
    ],
)
def test_words_lengths_and_pairs(text: str, first: str, end: str) -> None:
    assert named(text) == (first, end)


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("30m", "2026-12-02T10", "2026-12-02T11"),
        ("90m", "2026-12-02T09", "2026-12-02T11"),
        ("2026-11-01T05:59:59Z,2026-11-01T06:00:01Z", "2026-11-01T05", "2026-11-01T07"),
        ("2026-11-01T05:00:00Z,2026-11-01T06:00:00Z", "2026-11-01T05", "2026-11-01T06"),
        ("2026-11-01T05:30:00.25+05:30,2026-11-01T07:00:00+01:00", "2026-11-01T00", "2026-11-01T06"),
        ("1793491201,1793494801", "2026-11-01T00", "2026-11-01T02"),
        ("2026-11-01,2026-12-01", "2026-11-01T00", "2026-12-01T00"),
        ("2026-12-02T09:10:00Z,2026-12-02T11:29:00Z", "2026-12-02T09", "2026-12-02T11"),
    ],
)
def test_widened_parts_of_an_hour_are_the_hours_that_they_touch(text: str, first: str, end: str) -> None:
    window = Window.named(text, NOW, widened=True)
    assert (window.first.key[:13], window.end.key[:13]) == (first, end)


BAD_PAIRS = [
    *(
        "2026-11-01T05:00:00,2026-11-01T06:00:00",
        "a,b",
        ",",
        "0001-01-01,9999-12-31",
        "9999-12-31T23:59:59Z,2026-11-01",
    ),
    *("2026-11-01,9999-12-31T23:59:59.999999Z", "2026-11-01T05:10:00Z,2026-11-01T05:10:00+02:00"),
]


@pytest.mark.parametrize("text", BAD_PAIRS)
def test_widened_pairs_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(RequestError, match="window"):
        Window.named(text, NOW, widened=True)


REFUSED = ["", "now", "30m", "90m", "0h", "-1d", "7", "d", "99999w", "2026-11-01,", ",", "a,b", "1,2", "1h,2h"]
FUTURE = "2026-12-02T11:00:00Z,2026-12-02T12:00:00Z"


@pytest.mark.parametrize("text", [*REFUSED, FUTURE, "2026-11-02,2026-11-01", "1793491201,1793494800"])
def test_what_is_no_window_is_refused(text: str) -> None:
    with pytest.raises(RequestError, match="window"):
        Window.named(text, NOW)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-12-02T11:00:00Z", None),
        ("2026-11-30", "2026-11-30"),
        ("2026-11-30", "2026-11-29"),
        (None, "2014-12-31"),
        ("2026-11-30T10:30:00Z", None),
        ("2026-11-30T10:00:00", None),
        ("yesterday", None),
        (None, "9999-12-31T23:59:59+23:59"),
        ("0001-01-01", None),
    ],
)
def test_empty_reversed_future_and_broken_windows_are_refused(start: str | None, end: str | None) -> None:
    with pytest.raises(RequestError):
        Window.between(start, end, NOW)


def test_the_window_before_is_as_long() -> None:
    window = Window.named("7d", NOW)
    assert (window.before().end, window.before().hours) == (window.first, window.hours)


texts = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["2026-11-30", "0001-01-01", "9999-12-31", "2026-W49-1", "now", "-1", "null", "NaN", *WORDS]),
    st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
    st.datetimes().map(lambda moment: moment.isoformat()[:14] + "00:00+23:59"),
)


@given(st.one_of(texts, st.tuples(texts, texts).map(",".join), st.from_regex(r"\d{1,6}[mhdw]", fullmatch=True)))
def test_any_text_is_a_window_or_refused(text: str) -> None:
    try:
        window = Window.named(text, NOW)
    except RequestError:
        return
    assert FIRST_HOUR <= window.first < window.end <= Hour.containing(NOW)


@given(st.one_of(st.none(), texts), st.one_of(st.none(), texts))
def test_any_ends_are_a_window_or_refused(start: str | None, end: str | None) -> None:
    try:
        window = Window.between(start, end, NOW)
    except RequestError:
        return
    assert FIRST_HOUR <= window.first < window.end <= Hour.containing(NOW)


@pytest.mark.parametrize(
    ("text", "said"), [(",", "the time ''"), ("today,", "the time 'today'"), ("2026-11-01,x", "the time 'x'")]
)
def test_a_part_of_a_window_is_not_said_to_be_the_whole(text: str, said: str) -> None:
    with pytest.raises(RequestError, match=f"^'window' has {said}; write a UTC hour"):
        Window.named(text, NOW)
