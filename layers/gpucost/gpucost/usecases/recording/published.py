"""The announcement that an hour was published, as the ledger's stream carries it."""

from collections.abc import Mapping
from typing import Any

from gpucost.domain.hours import Hour
from gpucost.ports import MessageError


def published_hour(item: Mapping[str, Any]) -> tuple[str, Hour] | None:
    """The cluster-hour that a head announces, None for other items of the ledger. MessageError when it names none."""
    if item.get("type") != "head":
        return None
    match item:
        case {"cluster": str(cluster), "hour": str(hour)} if cluster:
            try:
                return cluster, Hour.parse(hour)
            except ValueError as error:
                raise MessageError(f"the published hour is wrong: {error}") from None
    raise MessageError("the head in the stream names no cluster or no hour")
