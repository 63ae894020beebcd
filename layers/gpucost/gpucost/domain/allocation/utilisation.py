"""Who used what: device samples as ratios, joined minute by minute to the pods that ran.

The unit belongs to the metric's name. Impossible samples (negative, not finite, 2 or more) are dropped; a small excess
over 1 is clamped. Only pods that hold a GPU are joined: an idle device that carries the exporter's own pod is nobody's.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import NamedTuple

from gpucost.domain.readings import DeviceSeries, Samples
from gpucost.domain.timeline import FULL, Mask

ONE = Decimal(1)
TOO_MUCH = Decimal(2)

UTILIZATION_METRICS: Mapping[str, int] = {
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 1,
    "DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO": 1,
    "DCGM_FI_DEV_GPU_UTIL": 100,
    "DCGM_FI_DEV_GPU_UTIL_RATIO": 100,
}
"""Metric name -> what turns its value into a ratio by division, best first. Two names are DCGM 4.6's renamings."""

MEMORY_METRIC = "DCGM_FI_DEV_FB_USED"
"""Frame buffer in use, MiB."""

BLANK = 0x7FFFFFF0
"""DCGM's values for "blank", "not found", "not supported" and "no permission" start here (dcgm_fields.h, int32)."""


class DeviceKey(NamedTuple):
    """A GPU, or one MIG instance of it: instance ids are reused across cards, so the card's uuid is part of it."""

    node: str
    uuid: str
    instance: str


@dataclass(frozen=True, slots=True)
class Device:
    """One device's ratios by minute, as one workload's series had them ("" when the series named no workload)."""

    key: DeviceKey
    profile: str
    namespace: str
    pod: str
    container: str
    ratios: Samples


@dataclass(slots=True)
class _Cleaner:
    """Turns samples into ratios once for every distinct run of samples; constant series share theirs."""

    seen: dict[tuple[int, int], tuple[Samples, Samples]]

    def ratios(self, samples: Samples, divisor: int) -> Samples:
        known = self.seen.get((id(samples), divisor))
        if known is None:
            known = (samples, _ratios(samples, divisor))
            self.seen[id(samples), divisor] = known
        return known[1]


def _ratios(samples: Samples, divisor: int) -> Samples:
    """The samples as ratios. Most runs are whole and in range already; a gap or a NaN cannot be compared."""
    try:
        if divisor == 1 and min(samples) >= 0 and max(samples) <= ONE:  # type: ignore[type-var, operator]
            return samples
    except (TypeError, InvalidOperation):
        pass
    return tuple(_ratio(sample, divisor) for sample in samples)


def _ratio(sample: Decimal | None, divisor: int) -> Decimal | None:
    if sample is None or not sample.is_finite():
        return None
    ratio = sample / divisor if divisor != 1 else sample
    if not 0 <= ratio < TOO_MUCH:
        return None
    return min(ratio, ONE)


def devices_of(series: Iterable[DeviceSeries]) -> list[Device]:
    """Every (device, workload) once, sorted: the best metric per minute, and the larger value of duplicates."""
    cleaner = _Cleaner({})
    order = list(UTILIZATION_METRICS)
    best: dict[tuple[DeviceKey, str, str, str], dict[int, Samples]] = defaultdict(dict)
    profiles: dict[DeviceKey, str] = {}
    for one in series:
        key = DeviceKey(one.node, one.uuid or one.index, one.instance)
        profiles[key] = max(one.profile, profiles.get(key, ""))
        by_metric = best[key, one.namespace, one.pod, one.container]
        ratios = cleaner.ratios(one.samples, UTILIZATION_METRICS[one.metric])
        rank = order.index(one.metric)
        known = by_metric.get(rank)
        by_metric[rank] = ratios if known is None or known is ratios else larger(known, ratios)
    return [
        Device(key, profiles[key], namespace, pod, container, _first_present(by_metric))
        for (key, namespace, pod, container), by_metric in sorted(best.items())
    ]


def larger(left: Samples, right: Samples) -> Samples:
    """Two reports of the same device, minute by minute: the larger, or the only one."""
    return tuple(b if a is None else a if b is None else max(a, b) for a, b in zip(left, right, strict=True))


def _first_present(by_metric: Mapping[int, Samples]) -> Samples:
    ranked = [by_metric[rank] for rank in sorted(by_metric)]
    if len(ranked) == 1:
        return ranked[0]
    return tuple(next((value for value in values if value is not None), None) for values in zip(*ranked, strict=True))


def memory_of(series: Iterable[DeviceSeries]) -> list[Device]:
    """Every (device, workload) once, with its memory in use (MiB) in place of ratios."""
    best: dict[tuple[DeviceKey, str, str, str, str], Samples] = {}
    for one in series:
        key = DeviceKey(one.node, one.uuid or one.index, one.instance)
        identity = (key, one.profile, one.namespace, one.pod, one.container)
        known = best.get(identity)
        best[identity] = one.samples if known is None or known is one.samples else larger(known, one.samples)
    return [Device(*identity, samples) for identity, samples in sorted(best.items(), key=lambda item: item[0])]


def peak_memory(devices: Iterable[Device]) -> Decimal | None:
    """The most memory in use on each device, added up, MiB; None when nothing was reported."""
    peaks: dict[DeviceKey, Decimal] = {}
    for device in devices:
        known = [value for value in device.ratios if value is not None and value.is_finite() and 0 <= value < BLANK]
        if known:
            peaks[device.key] = max(*known, peaks.get(device.key, Decimal(0)))
    return sum(peaks.values(), Decimal(0)) if peaks else None


@dataclass(frozen=True, slots=True)
class Usage:
    """A sum of ratios and how many device-minutes it is over."""

    total: Decimal = Decimal(0)
    samples: int = 0

    def plus(self, other: "Usage") -> "Usage":
        return Usage(self.total + other.total, self.samples + other.samples)

    @property
    def mean(self) -> Fraction | None:
        """The mean ratio, exactly; None without a sample."""
        if not self.samples:
            return None
        top, bottom = self.total.as_integer_ratio()
        return Fraction(top, bottom * self.samples)


def usage_within(ratios: Samples, mask: Mask) -> Usage:
    """The usage of some minutes of one device."""
    if mask == FULL:
        try:
            return Usage(sum(ratios, Decimal(0)), len(ratios))  # type: ignore[arg-type, type-var]
        except TypeError:  # a gap
            pass
    total, samples = Decimal(0), 0
    for minute, ratio in enumerate(ratios):
        if ratio is not None and mask >> minute & 1:
            total += ratio
            samples += 1
    return Usage(total, samples)
