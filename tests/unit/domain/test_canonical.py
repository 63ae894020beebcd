"""One spelling for one content."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.canonical import canonical, content_digest, content_of, digest_of
from tests.support.hours import pod, report

figures = st.decimals(allow_nan=False, allow_infinity=False, places=9)


def test_the_canonical_form_is_compact_and_sorted() -> None:
    value = {"b": [Decimal("1.50"), None, True], "a": {"é": 1}}
    assert canonical(value) == b'{"a":{"\\u00e9":1},"b":["1.5",null,true]}'


@pytest.mark.parametrize("text", ["8", "8.0", "8.000000000", "0.8E+1", "80E-1"])
def test_one_number_has_one_spelling(text: str) -> None:
    assert canonical(Decimal(text)) == b'"8"'


@pytest.mark.parametrize("text", ["0", "-0", "0.00", "-0.0", "0E-9"])
def test_there_is_one_zero(text: str) -> None:
    assert canonical(Decimal(text)) == b'"0"'


@given(figures)
def test_a_number_is_spelled_exactly(value: Decimal) -> None:
    text = canonical(value).decode().strip('"')
    assert Decimal(text) == value
    assert "E" not in text


@given(figures, figures)
def test_two_numbers_have_one_digest_only_if_they_are_equal(left: Decimal, right: Decimal) -> None:
    assert (digest_of(left) == digest_of(right)) is (left == right)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"totals": {"usd": 1.5}}, r"^totals\.usd is 1\.5, a float: figures are Decimal or None$"),
        ({"rows": [Decimal("NaN")]}, r"^rows\[0\] is NaN: an unknown figure is None$"),
        ({"rows": [Decimal("-Infinity")]}, r"^rows\[0\] is -Infinity: an unknown figure is None$"),
        ({"at": b"x"}, "a bytes"),
    ],
)
def test_what_a_record_cannot_hold_is_refused_with_its_place(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        canonical(value)


def test_the_revision_is_not_content_and_the_queries_are_not_in_the_digest() -> None:
    told = report(pod("a", "8"))
    assert content_of(replace(told, revision=3)) == content_of(told)
    other = replace(told, queries=())
    assert content_of(other) != content_of(told)
    assert content_digest(content_of(other)) == content_digest(content_of(told))


def test_everything_else_is_in_the_digest() -> None:
    told = report(pod("a", "8"))
    others = [
        report(pod("a", "8.000000001")),
        report(pod("b", "8")),
        replace(told, cluster="other"),
        replace(told, hour=told.hour.plus(1)),
        replace(told, warnings=()),
        replace(told, unpriced=()),
        replace(told, nodes=()),
        replace(told, settings_digest=""),
        replace(told, rule_version="0"),
    ]
    digests = {content_digest(content_of(one)) for one in [told, *others]}
    assert len(digests) == len(others) + 1
