"""What a node's GPU-hour costs by the settings: by instance type, by GPU model, then the global rate."""

from gpucost.domain.policy import RateCard
from gpucost.domain.report import Price

FALLBACK = "fallback"


def settings_price(rates: RateCard, instance_type: str | None, gpu_model: str | None) -> Price:
    """The rate from the settings that fits best. A rate of zero is a price nobody pays: it counts as missing.

    The global rate is a flagged fallback where rates by type or model are given, but not for this one.
    """
    for source, table, key in (
        ("settings:instance_type", rates.by_instance_type, instance_type),
        ("settings:gpu_model", rates.by_gpu_model, gpu_model),
    ):
        rate = table.get(key or "")
        if rate is not None and rate > 0:
            return Price(rate, source)
    if rates.by_instance_type or rates.by_gpu_model:
        return Price(rates.usd_per_gpu_hour, FALLBACK, flag=FALLBACK)
    return Price(rates.usd_per_gpu_hour, "settings:global")
