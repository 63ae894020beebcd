"""The warnings an hour can carry. Codes are stable: clients may test for them. docs/warnings.md explains each."""

from enum import StrEnum

from gpucost.domain.report import HourWarning


class Code(StrEnum):
    """Stable codes, in the order in which a reader should care."""

    ENGINE_WARNING = "engine_warning"
    CLUSTER_GAP = "cluster_gap"
    REQUEST_GAP = "request_gap"
    CAPACITY_GAP = "capacity_gap"
    PHASE_MISSING = "phase_missing"
    UNATTRIBUTED = "unattributed"
    UTILIZATION_MISSING = "utilization_missing"
    UTILIZATION_GAP = "utilization_gap"
    NO_GPUS = "no_gpus"
    CAPACITY_UNKNOWN = "capacity_unknown"
    OVERCOMMITTED = "overcommitted"
    SHARES_SCALED = "shares_scaled"
    NOTHING_ADVERTISED = "nothing_advertised"
    UNPRICED = "unpriced"
    USE_WITHOUT_REQUEST = "use_without_request"
    PRICE_FALLBACK = "price_fallback"
    PRICE_SUSPECT = "price_suspect"


def warn(code: Code, message: str, subject: str = "") -> HourWarning:
    return HourWarning(code.value, message, subject)
