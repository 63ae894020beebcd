"""Cursors: where the next page begins, in a form that a caller can neither read anything foreign from nor change.

A cursor is signed, and its signature also covers the question and the caller's scope. So it is good for going on with
the same question under the same rights, and for nothing else.
"""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass

from gpucost.domain.hours import Hour

_SIGNATURE_BYTES = 16
_LONGEST = 512


class CursorError(ValueError):
    """The cursor is broken, or belongs to another question or another caller."""


@dataclass(frozen=True, slots=True)
class Page:
    """The window as it was resolved for the first page, how many rows were given, and the digest of all of them."""

    first: Hour
    end: Hour
    offset: int
    digest: str


def sign(page: Page, question: str, scope: str, key: bytes) -> str:
    """The cursor of a page. `question` and `scope` name what was asked, and what the caller may see."""
    body = json.dumps([page.first.epoch, page.end.epoch, page.offset, page.digest], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_signature(body, question, scope, key) + body).decode().rstrip("=")


def read(cursor: str, question: str, scope: str, key: bytes) -> Page:
    """The page that a cursor leads to. CursorError unless it was signed for this question and scope."""
    try:
        if len(cursor) > _LONGEST or not cursor.isascii():
            raise ValueError(cursor)
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
    except (binascii.Error, ValueError):
        raise CursorError("the cursor is broken") from None
    if not hmac.compare_digest(signature, _signature(body, question, scope, key)):
        raise CursorError("the cursor is broken, or belongs to another question or another caller")
    first, end, offset, digest = json.loads(body)
    return Page(_hour(first), _hour(end), offset, digest)


def _signature(body: bytes, question: str, scope: str, key: bytes) -> bytes:
    text = b"\0".join([question.encode(), scope.encode(), body])
    return hmac.new(key, text, hashlib.sha256).digest()[:_SIGNATURE_BYTES]


def _hour(epoch: int) -> Hour:
    return _EPOCH.plus(epoch // 3600)


_EPOCH = Hour.parse("1970-01-01T00:00:00Z")
