"""The grammar of accelerator resources, by kube-state-metrics' sanitised names. Exact names, never a loose pattern."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gpucost.domain.gpus.mig import Profile, parse_profile


class ResourceKind(StrEnum):
    """What one unit of a resource is."""

    GPU = "gpu"
    MIG = "mig"
    AWS_VGPU = "aws_vgpu"
    PASSTHROUGH = "passthrough"
    HAMI_CORES = "hami_cores"
    HAMI_MEMORY = "hami_memory"
    HAMI_MEMORY_PERCENT = "hami_memory_percent"
    OTHER = "other"


GPU = "nvidia_com_gpu"
AWS_VGPU = "k8s_amazonaws_com_vgpu"
HAMI_CORES = "nvidia_com_gpucores"
HAMI_MEMORY = "nvidia_com_gpumem"
HAMI_MEMORY_PERCENT = "nvidia_com_gpumem_percentage"
_HAMI = {
    HAMI_CORES: ResourceKind.HAMI_CORES,
    HAMI_MEMORY: ResourceKind.HAMI_MEMORY,
    HAMI_MEMORY_PERCENT: ResourceKind.HAMI_MEMORY_PERCENT,
}
_MIG_PREFIX = "nvidia_com_mig_"
_SHARED = "_shared"

ACCELERATOR_SELECTOR = (
    "nvidia_com_.+|k8s_amazonaws_com_vgpu|aws_amazon_com_neuron.*|amd_com_.+|habana_ai_.+|gpu_intel_com_.+"
    "|google_com_tpu|qualcomm_com_.+|huawei_com_.+"
)
"""A regular expression over the resources worth asking for: the priced kinds, and others only to be listed."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A parsed resource name. `shared` marks a time-slicing or MPS replica that was renamed to `.shared`."""

    name: str
    kind: ResourceKind
    shared: bool = False
    profile: Profile | None = None

    @property
    def priced(self) -> bool:
        """Whether holding it is holding (a share of) a GPU that has a price here."""
        return self.kind in {ResourceKind.GPU, ResourceKind.MIG, ResourceKind.AWS_VGPU, ResourceKind.PASSTHROUGH}


def sanitize(name: str) -> str:
    """A resource's name as kube-state-metrics writes it: everything but letters, digits and _ becomes _."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)


@lru_cache(maxsize=256)
def label_names(key: str) -> tuple[str, ...]:
    """The names that a label or annotation of Kubernetes may have in series, the likelier first.

    kube-state-metrics writes costCenter as cost_center; other pipelines leave capitals as they are.
    """
    plain = sanitize(key)
    return tuple(dict.fromkeys((re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", plain).lower(), plain)))


@lru_cache(maxsize=1024)
def parse_resource(name: str, passthrough: tuple[str, ...] = ()) -> Resource:
    """Tell what a sanitised resource name stands for. What is not in the grammar is OTHER: listed, never priced."""
    if name == AWS_VGPU:
        return Resource(name, ResourceKind.AWS_VGPU)
    if name in _HAMI:
        return Resource(name, _HAMI[name])
    if any(name == sanitize(listed) for listed in passthrough):
        return Resource(name, ResourceKind.PASSTHROUGH)
    shared = name.endswith(_SHARED)
    stem = name.removesuffix(_SHARED)
    if stem == GPU:
        return Resource(name, ResourceKind.GPU, shared)
    if stem.startswith(_MIG_PREFIX):
        profile = parse_profile(stem.removeprefix(_MIG_PREFIX))
        if profile is not None:
            return Resource(name, ResourceKind.MIG, shared, profile)
    return Resource(name, ResourceKind.OTHER)
