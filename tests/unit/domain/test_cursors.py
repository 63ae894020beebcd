"""Cursors are good for one question of one caller, and for nothing else."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.cursors import CursorError, Page, read, sign
from gpucost.domain.hours import Hour

PAGE = Page(Hour.parse("2026-11-30T10:00:00Z"), Hour.parse("2026-11-30T12:00:00Z"), 1000, "d" * 64)
KEY = b"key"
CURSOR = sign(PAGE, "question", "scope", KEY)


def test_it_comes_back_as_it_was_signed() -> None:
    assert read(CURSOR, "question", "scope", KEY) == PAGE


@pytest.mark.parametrize(
    ("question", "scope", "key"),
    [("other", "scope", KEY), ("question", "other", KEY), ("question", "scope", b"other"), ("questio", "nscope", KEY)],
)
def test_it_is_good_for_nothing_else(question: str, scope: str, key: bytes) -> None:
    with pytest.raises(CursorError):
        read(CURSOR, question, scope, key)


def test_every_changed_byte_breaks_it() -> None:
    raw = bytearray(base64.urlsafe_b64decode(CURSOR + "=" * (-len(CURSOR) % 4)))
    for place in range(len(raw)):
        raw[place] ^= 1
        with pytest.raises(CursorError):
            read(base64.urlsafe_b64encode(raw).decode(), "question", "scope", KEY)
        raw[place] ^= 1


@given(st.text(max_size=80))
def test_any_text_is_refused(text: str) -> None:
    with pytest.raises(CursorError):
        read(text, "question", "scope", KEY)
