"""What is wrong with a settings document: where, and what to write instead."""

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

_LONGEST = 60
_OURS = "Value error, "


def in_words(faults: Collection[Mapping[str, Any]], schema: Mapping[str, Any]) -> str:
    """Pydantic's faults in one line, each with its place. The schema knows the names that there are."""
    names = sorted(set(_names(schema)))
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'settings'}: {_wrong(one, names)}" for one in faults)


def _wrong(fault: Mapping[str, Any], names: Collection[str]) -> str:
    message = str(fault["msg"])
    if fault["type"] == "extra_forbidden":
        close = get_close_matches(str(fault["loc"][-1]), names, 1)
        return f"there is no such setting; {f'did you mean {close[0]}' if close else 'docs/settings.md lists them'}"
    if fault["type"] == "missing":
        return "it is missing here, and has no default"
    if message.startswith(_OURS):
        return message.removeprefix(_OURS)
    given = fault.get("input")
    shown = isinstance(given, str | bool | int | float | Decimal) or given is None
    written = str(given) if isinstance(given, Decimal) else repr(given)
    return f"{message[0].lower()}{message[1:]}" + (f", not {written[:_LONGEST]}" if shown else "")


def _names(schema: Any) -> Iterator[str]:
    """The names of all properties, at whatever depth."""
    if isinstance(schema, Mapping):
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            yield from properties
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _names(part)
