"""What a node is in each minute: its physical GPUs, the shares that its resources stand for, and what it advertises."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

from gpucost.domain.gpus.instances import INSTANCE_TYPES, TYPE_LABELS
from gpucost.domain.gpus.mig import Profile, most_instances, parse_profile, profile_share
from gpucost.domain.gpus.resources import GPU, Resource, ResourceKind, parse_resource
from gpucost.domain.policy import Policy
from gpucost.domain.readings import Labels

_MIG_INVALID = "-MIG-INVALID"
"""Instead of a profile under the single strategy, when the cards are cut in different ways."""
_MIG_SUFFIX = re.compile(r"-MIG-([0-9]+g\.[0-9]+gb[+.\-_a-z]*?)(?:-SHARED)?$")
ONE = Fraction(1)
MOST_GPUS = 16
"""The largest EC2 instance types have 16 accelerators (p2.16xlarge); none has more."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one unit of a resource is: a part of a GPU, and how many slice-hours an hour of it counts."""

    gpus: Fraction
    slices: int = 1
    shared: bool = False


@dataclass(frozen=True)
class NodeState:
    """One constant stretch of a node's life. `device_profiles` are those seen on it ("" for a whole GPU)."""

    node: str
    labels: Labels
    allocatable: tuple[tuple[str, Decimal], ...]
    gpu_uuids: int
    device_profiles: frozenset[str]
    device_model: str
    policy: Policy

    @cached_property
    def label(self) -> Mapping[str, str]:
        return dict(self.labels)

    @cached_property
    def instance_type(self) -> str | None:
        return next((self.label[key] for key in TYPE_LABELS if self.label.get(key)), None)

    @cached_property
    def product(self) -> str:
        """The GPU product by NVIDIA's node label, with its MIG and SHARED suffixes."""
        return self.label.get("nvidia_com_gpu_product", "")

    @cached_property
    def gpu_model(self) -> str | None:
        """The GPU model without suffixes: from the node label, else from the exporter, else from the instance type."""
        bare = _MIG_SUFFIX.sub("", self.product).removesuffix("-SHARED").removesuffix(_MIG_INVALID)
        known = INSTANCE_TYPES.get(self.instance_type or "")
        return bare or self.device_model.replace(" ", "-") or (known.gpu if known else None)

    @cached_property
    def advertised(self) -> dict[str, Decimal]:
        """Allocatable units by priced resource, without a whole-GPU count that MIG made stale."""
        units = {name: count for name, count in self.allocatable if count > 0 and self.resource(name).priced}
        mig = sum((self._nominal(name).gpus * Fraction(count) for name, count in units.items() if name != GPU), ONE * 0)
        if GPU in units and mig and self.physical is not None:
            room = max(self.physical - mig, Fraction(0))
            fits = int(room / self._nominal(GPU).gpus)
            units[GPU] = min(units[GPU], Decimal(fits))
        return {name: count for name, count in units.items() if count > 0}

    def resource(self, name: str) -> Resource:
        return parse_resource(name, self.policy.passthrough)

    @cached_property
    def single_profile(self) -> Profile | None:
        """The MIG profile that `nvidia.com/gpu` stands for under the single strategy, if it does."""
        suffix = _MIG_SUFFIX.search(self.product)
        if suffix:
            return parse_profile(suffix[1])
        mixed = any(self.resource(name).kind is ResourceKind.MIG for name, count in self.allocatable if count > 0)
        if mixed:
            return None
        if len(self.device_profiles) == 1:
            return parse_profile(next(iter(self.device_profiles)))
        single = self.label.get("nvidia_com_mig_strategy") == "single" and not self.device_profiles and not self.product
        return parse_profile(self.label.get("nvidia_com_mig_config", "").removeprefix("all-")) if single else None

    def _nominal(self, name: str) -> Share:
        """A unit's share by its name and the node's labels, before it is fitted to the physical GPUs."""
        resource = self.resource(name)
        if resource.kind is ResourceKind.AWS_VGPU:
            return Share(Fraction(1, self.policy.aws_vgpu_per_gpu), shared=True)
        profile = resource.profile or (self.single_profile if resource.kind is ResourceKind.GPU else None)
        share = self._profile_share(profile) if profile else Share(ONE)
        if profile is None and resource.kind is ResourceKind.GPU and self._slices_unnamed:
            share = Share(Fraction(1, self.policy.slices_per_gpu))
        replicas = self._replicas(resource)
        return Share(share.gpus / replicas, share.slices, shared=resource.shared or replicas > 1)

    def _profile_share(self, profile: Profile) -> Share:
        model = self.gpu_model or ""
        return Share(
            profile_share(profile, model, self.policy.weight_basis, self.policy.slices_per_gpu), profile.slices
        )

    @property
    def _slices_unnamed(self) -> bool:
        """More "GPUs" than any machine has, and nothing that names their profile or counts the cards."""
        return self.physical is None and dict(self.allocatable).get(GPU, Decimal(0)) > MOST_GPUS

    def _replicas(self, resource: Resource) -> int:
        if resource.kind is ResourceKind.MIG:
            stem = resource.name.removesuffix("_shared")
            replicated = resource.shared or self.label.get(f"{stem}_product", "").endswith("-SHARED")
            return _count(self.label.get(f"{stem}_replicas")) if replicated else 1
        if resource.kind is ResourceKind.GPU and (resource.shared or self.product.endswith("-SHARED")):
            return _count(self.label.get("nvidia_com_gpu_replicas"))
        return 1

    @cached_property
    def physical(self) -> Fraction | None:
        """Physical GPUs by what is known of the node besides its resources; None when nothing is."""
        return self._physical[0]

    @cached_property
    def capacity_source(self) -> str:
        """Where the count of physical GPUs comes from."""
        return self._physical[1]

    @cached_property
    def _physical(self) -> tuple[Fraction | None, str]:
        if self.node in self.policy.physical_gpus:
            return Fraction(self.policy.physical_gpus[self.node]), "settings"
        known = INSTANCE_TYPES.get(self.instance_type or "")
        if known is not None and known.gpus:
            return Fraction(known.gpus), "instance_type"
        if self.gpu_uuids:
            return Fraction(self.gpu_uuids), "dcgm_uuids"
        count = _count(self.label.get("nvidia_com_gpu_count"), none=0)
        if count:
            profile = self.single_profile
            per_gpu = most_instances(profile, self.gpu_model or "", self.policy.slices_per_gpu) if profile else 1
            return Fraction(-(-count // per_gpu)), "node_labels"
        return None, "advertised"

    @cached_property
    def nominal_gpus(self) -> Fraction:
        """GPUs that the advertised units add up to, before fitting."""
        parts = (self._nominal(name).gpus * Fraction(count) for name, count in self.advertised.items())
        return sum(parts, Fraction(0))

    @cached_property
    def gpus(self) -> Fraction:
        """The capacity of one minute, in GPUs."""
        if self.physical is not None:
            return self.physical
        return Fraction(0) if self.slots_of_hami else self.nominal_gpus

    @cached_property
    def slots_of_hami(self) -> bool:
        """Whether a "GPU" is one of HAMi's slots here, many to a card: not where MIG or AWS' plugin cut the cards."""
        others = {ResourceKind.MIG, ResourceKind.AWS_VGPU}
        cut = any(self.resource(name).kind in others for name, count in self.allocatable if count > 0)
        return self.policy.hami and not cut and not _MIG_SUFFIX.search(self.product)

    @cached_property
    def fit(self) -> Fraction:
        """What nominal shares are multiplied by so that they don't exceed the physical GPUs: 1, or less."""
        if self.slots_of_hami or self.nominal_gpus <= self.gpus:
            return ONE
        return self.gpus / self.nominal_gpus

    @cached_property
    def advertised_gpus(self) -> Fraction:
        """GPUs that somebody could hold: the physical ones, less what no advertised unit covers (stranded)."""
        return self.gpus if self.slots_of_hami else self.nominal_gpus * self.fit

    def share(self, name: str) -> Share:
        """What one unit of a resource is on this node."""
        if name not in self._shares:
            self._shares[name] = self._fitted(name)
        return self._shares[name]

    @cached_property
    def _shares(self) -> dict[str, Share]:
        return {}

    def _fitted(self, name: str) -> Share:
        if self.slots_of_hami and name == GPU:
            return Share(ONE, shared=True)
        nominal = self._nominal(name)
        return Share(nominal.gpus * self.fit, nominal.slices, nominal.shared or (self.fit < 1 and name == GPU))


def _count(text: str | None, none: int = 1) -> int:
    return int(text) if text is not None and text.isdecimal() and int(text) > 0 else none
