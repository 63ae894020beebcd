"""The settings document: validated once, turned into the domain's policy. Its defaults are the AWS recipe's."""

import hashlib
import json
import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from gpucost.adapters.labels import LabelNames
from gpucost.domain.hours import Hour
from gpucost.domain.policy import (
    KUBEVIRT_PASSTHROUGH,
    RECIPE_SLICES,
    BuRules,
    CapacityBlock,
    Policy,
    PriceSource,
    RateCard,
    UtilizationMode,
    WeightBasis,
)
from gpucost.domain.report import Basis
from gpucost.ports import GpucostError
from gpucost.runtime.access_settings import AccessSettings
from gpucost.runtime.alert_settings import AlertSettings
from gpucost.runtime.setting_faults import in_words

type Rate = Annotated[Decimal, Field(gt=0, le=10_000, description="USD per GPU-hour")]


class SettingsError(GpucostError):
    """The settings document is not valid. The message lists every fault with its place."""


def _label_name(name: str) -> str:
    if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name):
        raise ValueError(f"{name!r} is not a Prometheus label name (letters, digits, underscores)")
    return name


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    return text


type LabelName = Annotated[str, AfterValidator(_label_name)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class LabelSettings(_Section):
    """The names of the identifying labels, where a pipeline renames them (OpenTelemetry: k8s_namespace_name …)."""

    namespace: LabelName = "namespace"
    pod: LabelName = "pod"
    container: LabelName = "container"
    node: LabelName = "node"
    uid: LabelName = "uid"


class BuPattern(_Section):
    """A regular expression over whole namespace names, and the BU it stands for (groups as \\1)."""

    match: Annotated[str, AfterValidator(_pattern)]
    bu: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _has_the_groups(self) -> Self:
        try:
            re.sub(self.match, self.bu, "")
        except (re.error, IndexError) as error:
            raise ValueError(f"{self.bu!r} names a group that {self.match!r} has not: {error}") from None
        return self


class BuSettings(_Section):
    """Which BU a pod belongs to: the first rule that answers; else the namespace itself."""

    pod_label: str | None = None
    namespace_label: str | None = None
    namespace_annotation: str | None = None
    by_namespace: dict[str, Annotated[str, Field(min_length=1)]] = {}
    patterns: tuple[BuPattern, ...] = ()


def _distinct(sources: tuple[PriceSource, ...]) -> tuple[PriceSource, ...]:
    if len(set(sources)) != len(sources):
        raise ValueError("each source once")
    return sources


type Sources = Annotated[tuple[PriceSource, ...], Field(min_length=1), AfterValidator(_distinct)]
type UtcHour = Annotated[str, AfterValidator(lambda text: Hour.parse(text).key)]


class CapacityBlockSettings(_Section):
    """A capacity block for ML: the fee that was paid up front for all its instances and hours."""

    instance_type: Annotated[str, Field(min_length=1)]
    instances: Annotated[int, Field(ge=1)]
    first: UtcHour
    """The first hour in UTC, such as 2026-11-01T11:00:00Z."""
    end: UtcHour
    """The hour after the last one."""
    upfront_fee_usd: Annotated[Decimal, Field(gt=0)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.first < self.end:
            raise ValueError(f"the block ends at {self.end}, which is not after {self.first}")
        return self

    def block(self) -> CapacityBlock:
        return CapacityBlock(
            self.instance_type, self.instances, Hour.parse(self.first), Hour.parse(self.end), self.upfront_fee_usd
        )


class Settings(_Section):
    """Settings of gpucost. Everything has a default. An empty document prices nodes by AWS, and last by $12."""

    usd_per_gpu_hour: Rate | None = None
    """USD per GPU-hour where no better price is known. Without it, an AWS price list of a known date stands in, and
    where AWS was never asked, the recipe's $12."""
    usd_per_gpu_hour_by_instance_type: dict[str, Rate] = {}
    """USD per GPU-hour by EC2 instance type."""
    usd_per_gpu_hour_by_gpu_model: dict[str, Rate] = {}
    """USD per GPU-hour by GPU model as NVIDIA's node label writes it (NVIDIA-A100-SXM4-40GB)."""
    price_sources: Sources = tuple(PriceSource)
    """Where prices come from, best first. `["settings"]` asks AWS for none; `settings` first lets own rates win."""
    list_price_discount: Annotated[Decimal, Field(ge=0, lt=1)] = Decimal(0)
    """The part that is taken off On-Demand list prices: 0.28 for 28 % by a Savings Plan or an agreement."""
    gpu_share_of_node_price: Literal[1, "split"] = 1
    """The part of an instance's price that its GPUs carry: all (1), or by AWS split cost allocation's weights."""
    capacity_blocks: tuple[CapacityBlockSettings, ...] = ()
    """Capacity blocks with the fees that were paid for them."""
    bill_cost: Literal["amortized", "net"] = "amortized"
    """Which cost of the bill (CUR) replaces the estimate: amortized, or net of private discounts too."""
    slices_per_gpu: Annotated[int, Field(ge=1, le=64)] = RECIPE_SLICES
    """MIG compute slices per GPU where neither the profile nor the model tells."""
    weight_basis: WeightBasis = WeightBasis.COMPUTE
    """A MIG slice's share of its GPU: by compute slices, by memory slices, or the larger of the two."""
    utilization: UtilizationMode = UtilizationMode.MEASURED
    """`recipe` reproduces the guide's cluster-wide proxy, 100 times too small, to reconcile before moving on."""
    utilization_estimates: tuple[Literal["node", "cluster"], ...] = ()
    """Where a pod has no series of its own: estimate it from its node's unlabelled devices, or from the cluster."""
    label_names: LabelSettings = LabelSettings()
    cluster_label: LabelName | None = None
    """The external label that tells clusters apart in one workspace; none means one workspace is one cluster."""
    physical_gpus: dict[str, Annotated[int, Field(ge=0, le=64)]] = {}
    """Physical GPUs by node name, where nothing else tells."""
    hami: bool = False
    """HAMi shares the GPUs: nvidia.com/gpucores (or gpumem-percentage) is the share, nvidia.com/gpu only a slot."""
    aws_vgpu_per_gpu: Annotated[int, Field(ge=1, le=1024)] = 10
    """How many k8s.amazonaws.com/vgpu make one GPU."""
    passthrough_resources: tuple[str, ...] = KUBEVIRT_PASSTHROUGH
    """Resource names under which whole GPUs are passed to virtual machines."""
    infer_use_without_request: bool = False
    """Price devices that a pod uses without a request (DRA): its devices count as held while they report it."""
    pod_labels: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=317)], ...], Field(max_length=20)] = ()
    """Keys of pod labels that are kept in the record, so that costs can be grouped by them (`group_by=label:team`).
    kube-state-metrics has to be allowed to report them (`--metric-labels-allowlist=pods=[team]`)."""
    bu: BuSettings = BuSettings()
    alerts: AlertSettings = AlertSettings()
    access: AccessSettings = AccessSettings()

    @property
    def asks_aws(self) -> bool:
        """Whether any price comes from elsewhere than these settings."""
        return set(self.price_sources) != {PriceSource.SETTINGS}

    def policy(self) -> Policy:
        """The domain's form of these settings."""
        return Policy(
            rates=RateCard(
                self.usd_per_gpu_hour,
                self.usd_per_gpu_hour_by_instance_type,
                self.usd_per_gpu_hour_by_gpu_model,
                sources=self.price_sources,
                list_discount=self.list_price_discount,
                split_node_price=self.gpu_share_of_node_price == "split",
                capacity_blocks=tuple(block.block() for block in self.capacity_blocks),
                net=self.bill_cost == "net",
            ),
            slices_per_gpu=self.slices_per_gpu,
            weight_basis=self.weight_basis,
            utilization=self.utilization,
            estimates=tuple(Basis(name) for name in self.utilization_estimates),
            physical_gpus=self.physical_gpus,
            hami=self.hami,
            aws_vgpu_per_gpu=self.aws_vgpu_per_gpu,
            passthrough=self.passthrough_resources,
            infer_use_without_request=self.infer_use_without_request,
            pod_labels=self.pod_labels,
            bu=BuRules(
                self.bu.pod_label,
                self.bu.namespace_label,
                self.bu.namespace_annotation,
                self.bu.by_namespace,
                tuple((rule.match, rule.bu) for rule in self.bu.patterns),
            ),
            alerts=self.alerts.rules(),
        )

    def labels(self) -> LabelNames:
        """The label names that the queries use."""
        return LabelNames(**self.label_names.model_dump(), cluster=self.cluster_label)

    def digest(self) -> str:
        """Names these settings in a record: equal settings, equal digest. Who may read them changes no figure."""
        text = json.dumps(self.model_dump(mode="json", exclude={"access"}), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse_settings(document: Any) -> Settings:
    """Validate a decoded settings document. SettingsError lists all faults in a line, each with its place."""
    if not isinstance(document, dict):
        raise SettingsError(f"the settings are {type(document).__name__}, but have to be a mapping of names to values")
    try:
        return Settings.model_validate(document)
    except ValidationError as error:
        raise SettingsError(in_words(error.errors(), Settings.model_json_schema())) from None


def settings_from_json(text: str) -> Settings:
    """The settings that a JSON text holds; an empty text is an empty document. SettingsError when it is not valid."""
    try:
        return parse_settings(json.loads(text, parse_float=Decimal) if text.strip() else {})
    except (json.JSONDecodeError, RecursionError) as error:
        raise SettingsError(f"the settings are not JSON: {error}") from None
