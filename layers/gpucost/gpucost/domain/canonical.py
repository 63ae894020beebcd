"""One spelling for one content, so that equal content has equal digests whoever writes it, and in whatever order."""

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpucost.domain.documents import report_document
from gpucost.domain.report import HourReport


def canonical(value: Any) -> bytes:
    """The value as sorted, compact JSON; a Decimal is written as text, without trailing zeros or exponent.

    ValueError on a float, on a Decimal that is not finite, and on anything else that a record cannot hold.
    """
    return json.dumps(_plain(value, ""), sort_keys=True, separators=(",", ":")).encode()


def digest_of(value: Any) -> str:
    """SHA-256 of the canonical form, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def content_of(report: HourReport) -> dict[str, Any]:
    """What a report says, without the revision under which it was published."""
    document = report_document(report)
    del document["revision"]
    return document


def content_digest(content: Mapping[str, Any]) -> str:
    """Names what was found. How it was asked (the query traces) does not belong to it."""
    return digest_of({name: value for name, value in content.items() if name != "queries"})


def _plain(value: Any, place: str) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Decimal):
        return _number(value, place)
    if isinstance(value, Mapping):
        return {str(key): _plain(part, f"{place}.{key}") for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, f"{place}[{index}]") for index, part in enumerate(value)]
    raise ValueError(f"{place.lstrip('.')} is {value!r}, a {type(value).__name__}: figures are Decimal or None")


def _number(value: Decimal, place: str) -> str:
    if not value.is_finite():
        raise ValueError(f"{place.lstrip('.')} is {value}: an unknown figure is None")
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text
