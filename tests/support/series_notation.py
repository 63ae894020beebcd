"""promtool's unit-test notation for series, expanded to OpenMetrics text that a real Prometheus can load."""

import re
from datetime import UTC, datetime
from pathlib import Path

import yaml

_REPEAT = re.compile(r"^([^x]+)x(\d+)$")
_GAP = re.compile(r"^_(?:x(\d+))?$")


def openmetrics_of(path: Path) -> str:
    """The series file as OpenMetrics: one sample a minute from its start, nothing for gaps and staleness markers."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    start = document["start"]
    moment = start if isinstance(start, datetime) else datetime.strptime(start, "%Y-%m-%dT%H:%M:%SZ")  # noqa: DTZ007
    epoch = int(moment.replace(tzinfo=UTC).timestamp())
    families: dict[str, list[str]] = {}
    for one in document["input_series"]:
        name = one["series"].split("{", 1)[0]
        lines = families.setdefault(name, [f"# TYPE {name} gauge"])
        lines.extend(
            f"{one['series']} {value} {epoch + 60 * minute}"
            for minute, value in enumerate(expand(one["values"]))
            if value is not None
        )
    return "\n".join([line for lines in families.values() for line in lines] + ["# EOF", ""])


def expand(values: str) -> list[str | None]:
    """`2x3 _x2 stale 5` -> 2 2 2 2, two gaps, a gap, 5."""
    out: list[str | None] = []
    for token in values.split():
        gap, repeat = _GAP.match(token), _REPEAT.match(token)
        if token == "stale":
            out.append(None)
        elif gap:
            out += [None] * int(gap[1] or 1)
        elif repeat:
            out += [repeat[1]] * (int(repeat[2]) + 1)
        else:
            out.append(token)
    return out
