"""Documents as compressed parts that each fit into an item, and back. Numbers stay exact."""

import zlib
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import simplejson

GZIP = 31
"""zlib's name for the gzip format. It writes no time into the header, so equal content gives equal bytes."""

PART_BYTES = 300_000
"""Of the 400 KB that an item may have; the rest is for keys and figures beside the body."""


def pack(document: Any) -> list[bytes]:
    """The document as gzipped JSON, cut into parts. The same document gives the same parts."""
    text = simplejson.dumps(document, use_decimal=True, allow_nan=False, separators=(",", ":"))
    body = zlib.compress(text.encode(), wbits=GZIP)
    return [body[start : start + PART_BYTES] for start in range(0, len(body), PART_BYTES)]


def unpack(parts: Sequence[bytes]) -> Any:
    """The document that `pack` made the parts of. Every number is a Decimal."""
    text = zlib.decompress(b"".join(parts), wbits=GZIP)
    return simplejson.loads(text, parse_float=Decimal, parse_int=Decimal)
