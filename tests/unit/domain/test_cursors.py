"""Cursors are good for one question of one caller, and for nothing else."""

import base64
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.answers.cursors import CursorError, Page, read, sign
from gpucost.domain.hours import Hour

PAGE = Page(Hour.parse("2026-11-30T10:00:00Z"), Hour.parse("2026-11-30T12:00:00Z"), 1000, "d" * 64)
KEY = b"key"


def cursor(page: Page = PAGE) -> str:
    return sign(page, "question", "scope", KEY)


def test_it_comes_back_as_it_was_signed() -> None:
    assert read(cursor(), "question", "scope", KEY) == PAGE


@pytest.mark.parametrize(
    ("question", "scope", "key"),
    [("other", "scope", KEY), ("question", "other", KEY), ("question", "scope", b"other"), ("questio", "nscope", KEY)],
)
def test_it_is_good_for_nothing_else(question: str, scope: str, key: bytes) -> None:
    with pytest.raises(CursorError):
        read(cursor(), question, scope, key)


def test_every_changed_byte_breaks_it() -> None:
    signed = cursor()
    raw = bytearray(base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4)))
    for place in range(len(raw)):
        raw[place] ^= 1
        with pytest.raises(CursorError):
            read(base64.urlsafe_b64encode(raw).decode(), "question", "scope", KEY)
        raw[place] ^= 1


@given(st.text(max_size=80))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(CursorError):
        read(text, "question", "scope", KEY)


def test_it_fits_into_a_url_as_it_is_and_hangs_on_what_it_was_signed_for_only() -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+", cursor())
    assert cursor() == cursor()
    for other in (replace(PAGE, offset=7), replace(PAGE, digest=""), replace(PAGE, end=PAGE.end.plus(1))):
        assert cursor(other) != cursor()
        assert read(cursor(other), "question", "scope", KEY) == other


@pytest.mark.parametrize("text", ["", "a", "?" * 20, "\u00e9" * 20, "a" * 513])
def test_a_broken_one_is_said_to_be_broken(text: str) -> None:
    with pytest.raises(CursorError, match=r"^the cursor is broken"):
        read(text, "question", "scope", KEY)
