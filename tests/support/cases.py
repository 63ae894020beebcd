"""The worked examples under tests/cases: their settings, windows and expectations."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

CASES = Path(__file__).parents[1] / "cases"


@dataclass(frozen=True)
class Window:
    """One expected report: an hour of one cluster ("" where the case has only one)."""

    case: str
    hour: str
    cluster: str
    config: dict[str, Any]
    namespaces: dict[str, dict[str, Any]]
    totals: dict[str, Any]
    extra: dict[str, Any]

    def __str__(self) -> str:
        return "-".join(part for part in (self.case, self.cluster, self.hour[11:13]) if part)


def load(path: Path) -> Any:
    """JSON with Decimals for numbers, so that no expectation is a float."""
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)


def metric_windows() -> Iterator[Window]:
    """Every (case, cluster, hour) that series describe."""
    for folder in sorted(CASES.iterdir()):
        if not (folder / "series.yaml").exists():
            continue
        expected = load(folder / "expected.json")
        config = json.loads((folder / "expected.json").read_text(encoding="utf-8")).get("config", {})
        windows = expected.get("windows") or [{**expected["window"], **expected}]
        for window in windows:
            clusters = expected.get("by_cluster") or {"": window}
            for cluster, facts in clusters.items():
                yield Window(
                    folder.name, window["start"], cluster, config, facts["namespaces"], facts["cluster"], expected
                )
