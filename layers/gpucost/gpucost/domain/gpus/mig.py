"""Which part of its GPU a MIG instance is, by compute, by memory, or by the larger of the two."""

import re
from dataclasses import dataclass
from fractions import Fraction

from gpucost.domain.gpus.mig_gpus import MIG_GPUS, MigGpu
from gpucost.domain.policy import WeightBasis

_PROFILE = re.compile(r"(?:(?P<ci>[0-9]+)c\.)?(?P<g>[0-9]+)g\.(?P<gb>[0-9]+)gb(?P<attributes>[+.\-_a-z]*)")

_MODELS = (
    ("RTX-PRO-6000", "RTX-PRO-6000-BSE-96GB"),
    ("RTX-PRO-SERVER-6000", "RTX-PRO-6000-BSE-96GB"),
    ("A30", "A30-24GB"),
    ("A100", "A100-40GB"),
    ("GB300", "GB300-278GB"),
    ("GB200", "GB200-186GB"),
    ("B300", "B300-269GB"),
    ("B200", "B200-180GB"),
    ("GH200", "GH200-144GB"),
    ("H200", "H200-141GB"),
    ("H100-NVL", "H100-NVL-94GB"),
    ("H100", "H100-80GB"),
    ("H20", "H100-96GB/GH200-96GB/H20"),
)
_BY_MEMORY = {
    ("A100", "80GB"): "A100-80GB",
    ("A100", "40GB"): "A100-40GB",
    ("GH200", "96GB"): "H100-96GB/GH200-96GB/H20",
    ("GH200", "480GB"): "H100-96GB/GH200-96GB/H20",
    ("H100", "96GB"): "H100-96GB/GH200-96GB/H20",
    ("H100", "94GB"): "H100-NVL-94GB",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """A parsed profile name: compute instances asked for, compute slices g, and memory in GB."""

    compute_instances: int
    slices: int
    memory_gb: int
    name: str


def parse_profile(text: str) -> Profile | None:
    """Read `1g.5gb`, `1c.3g.20gb`, `1g.10gb+me` and their sanitised forms (`1g_5gb`, `1g_10gb_me`); None if not one."""
    normal = re.sub(r"(?<=[cg])_", ".", text)
    match = _PROFILE.fullmatch(normal)
    if match is None:
        return None
    slices = int(match["g"])
    if slices == 0:
        return None
    instances = int(match["ci"]) if match["ci"] else slices
    return Profile(min(instances, slices), slices, int(match["gb"]), f"{slices}g.{match['gb']}gb")


def gpu_of_model(model: str) -> MigGpu | None:
    """The MIG facts of a GPU by its name as NVIDIA, DCGM or EC2 writes it; None when it is not known to have MIG."""
    name = model.upper().replace(" ", "-").replace("_", "-")
    for needle, key in _MODELS:
        if re.search(rf"(?<![A-Z0-9]){needle}(?![0-9])", name):
            sized = (gpu for (family, memory), gpu in _BY_MEMORY.items() if needle == family and memory in name)
            return MIG_GPUS[next(sized, key)]
    return None


def _gpu_of_profile(profile: Profile, model: str, slices_per_gpu: int) -> MigGpu:
    """The GPU that offers the profile: the named model if it does, else the one that the profile name points to."""
    named = gpu_of_model(model)
    if named is not None and (profile.name in named.profiles or not _offers(profile)):
        return named
    offers = _offers(profile)
    if named is not None:
        same_size = [gpu for gpu in offers if gpu.compute_slices == named.compute_slices]
        return same_size[0] if same_size else named
    totals = {gpu.compute_slices for gpu in offers}
    if len(totals) == 1:
        return offers[0]
    return next((gpu for gpu in offers if gpu.compute_slices == slices_per_gpu), MigGpu(slices_per_gpu, 8, {}))


def _offers(profile: Profile) -> list[MigGpu]:
    return [gpu for gpu in MIG_GPUS.values() if profile.name in gpu.profiles]


def profile_share(profile: Profile, model: str, basis: WeightBasis, slices_per_gpu: int) -> Fraction:
    """The part of one GPU that an instance of the profile is, at most 1.

    `model` decides between GPUs that use the same profile name; `slices_per_gpu` is used when neither tells.
    """
    gpu = _gpu_of_profile(profile, model, slices_per_gpu)
    _, memory_slices, _ = gpu.profiles.get(profile.name, (0, profile.slices, 0))
    part = Fraction(profile.compute_instances, profile.slices)
    compute = part * Fraction(profile.slices, gpu.compute_slices)
    memory = part * Fraction(memory_slices, gpu.memory_slices)
    chosen = {WeightBasis.COMPUTE: compute, WeightBasis.MEMORY: memory, WeightBasis.DOMINANT: max(compute, memory)}
    return min(chosen[basis], Fraction(1))


def most_instances(profile: Profile, model: str, slices_per_gpu: int) -> int:
    """How many instances of the profile fit on one GPU: two 3g fill an A100, though they are 6/7 of its compute."""
    gpu = _gpu_of_profile(profile, model, slices_per_gpu)
    _, _, most = gpu.profiles.get(profile.name, (0, 0, gpu.compute_slices // profile.slices))
    return max(1, most)
