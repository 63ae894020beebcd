"""Figures and names as people read them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.wording import (
    SUBJECT_DEFAULT,
    cents,
    code,
    count,
    gibibytes,
    one_line,
    percent,
    shortened,
    span,
    subject,
)
from tests.support.findings import HOUR


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        ("5.140532", "$5.14"),
        ("1234.5", "$1,234.50"),
        ("0", "$0.00"),
        ("0.004", "<$0.01"),
        ("0.01", "$0.01"),
        ("1E+2", "$100.00"),
    ],
)
def test_dollars_to_the_cent(usd: str, shown: str) -> None:
    assert cents(Decimal(usd)) == shown


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [("0", "0 %"), ("1", "100 %"), ("0.0454", "4.5 %"), ("0.5", "50 %"), ("0.0001", "<0.1 %"), (None, "unknown")],
)
def test_a_ratio_as_a_percentage(ratio: str | None, shown: str) -> None:
    assert percent(None if ratio is None else Decimal(ratio)) == shown


def test_other_figures() -> None:
    assert gibibytes(Decimal("39321.6")) == "38.4 GiB"
    assert (count(1, "BU"), count(2, "BU"), count(1000, "pod")) == ("1 BU", "2 BUs", "1,000 pods")
    assert span(HOUR) == "2026-11-30 10:00-11:00 UTC"
    assert span(HOUR.plus(13)) == "2026-11-30 23:00-00:00 UTC"


def test_a_name_of_the_greatest_length_is_whole_and_a_longer_one_keeps_both_ends() -> None:
    assert shortened("x" * 120) == "x" * 120
    long = shortened("begin" + "x" * 120 + "end")
    assert len(long) == 120
    assert long.startswith("begin")
    assert long.endswith("end")
    assert "…" in long


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("bu-a", "`bu-a`"),
        ("R&D <b>", "`R&amp;D &lt;b&gt;`"),
        ("<!channel>", "`&lt;!channel&gt;`"),
        ("a`b", "`aˋb`"),
        ("a\nb\u2028c\td", "`a b c d`"),
        ("a\u202eb\u200b\ud800c", "`abc`"),
        ("비전 ©", "`비전 ©`"),
        ("", "`(no name)`"),
        ("\n", "`(no name)`"),
        ("null", "`null`"),
    ],
)
def test_a_name_is_shown_as_it_is_and_never_taken_for_markup(name: str, shown: str) -> None:
    assert code(name) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 100, "x" * 100),
        ("x" * 101, "x" * 97 + "..."),
        ("GPU waste\nbu-a", "GPU waste bu-a"),
        ("GPU 낭비 bu-a", "GPU ?? bu-a"),
        ("", SUBJECT_DEFAULT),
        (" \r\n\x00", SUBJECT_DEFAULT),
    ],
)
def test_a_subject_is_what_sns_accepts(text: str, shown: str) -> None:
    assert subject(text) == shown


@given(st.text())
def test_every_subject_is_one_printable_ascii_line_of_at_most_100_characters(text: str) -> None:
    line = subject(text)
    assert 0 < len(line) <= 100
    assert line.isascii()
    assert line.isprintable()
    assert line == line.strip()


@given(st.text())
def test_no_name_leaves_its_code_span(text: str) -> None:
    shown = code(text)
    inside = shown[1:-1]
    assert shown[0] == shown[-1] == "`"
    assert inside
    assert not set(inside) & set("`<>\n\r\u2028\u2029")
    assert len(inside) <= 120 * len("&amp;")


@given(st.text())
def test_one_line_is_stable(text: str) -> None:
    assert one_line(one_line(text)) == one_line(text)
