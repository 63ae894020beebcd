"""What a scenario is: some hours of one cluster's metrics, and the settings they are read with."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpucost.domain.hours import Hour, hours_between
from local.scenarios.history import Series, Span, openmetrics

FIRST_HOUR = Hour.parse("2026-11-30T04:00:00Z")
HOURS = 8
REFERENCE_HOUR = Hour.parse("2026-11-30T10:00:00Z")
"""The hour whose figures the documentation quotes."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A cluster with a history of HOURS hours from FIRST_HOUR."""

    cluster: str
    title: str
    build: Callable[[Span], Iterable[Series]]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def openmetrics(self, cluster_label: str | None = None) -> str:
        """The history as OpenMetrics text without its end marker, told apart by an external label if one is named."""
        external = {cluster_label: self.cluster} if cluster_label else {}
        return openmetrics(self.build(Span.of_hours(FIRST_HOUR, HOURS)), external)


def scenario_hours() -> list[Hour]:
    """The hours that every scenario has."""
    return list(hours_between(FIRST_HOUR, FIRST_HOUR.plus(HOURS)))
