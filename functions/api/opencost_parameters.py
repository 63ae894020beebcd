"""The parameters of OpenCost's dialect, as its clients send them."""

from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from gpucost.usecases.opencost.fields import RECORDED

_WINDOW = (
    "As for /v1/costs; parts of an hour stand for the hours that they touch. The answer says which hours it is of."
)
_AGGREGATE = (
    f"Of {', '.join(RECORDED)}, label:KEY, deployment, statefulset, daemonset, job; several with commas. Fields that "
    "are not recorded (container, service, annotation:KEY) are __unallocated__."
)
_NO_EFFECT = "Taken, without effect: only GPUs have costs."

WindowName = Annotated[str, Query(alias="window", min_length=1, max_length=128, description=_WINDOW)]
Aggregate = Annotated[str | None, Query(alias="aggregate", max_length=256, description=_AGGREGATE)]
StepText = Annotated[str | None, Query(alias="step", max_length=16, description="Length of a set: 1h, 1d, 7d, 1w.")]
Accumulate = Annotated[
    Literal["true", "false", "hour", "day", "week"],
    Query(alias="accumulate", description="true: one set for the window. hour, day, week: sets of that length."),
]
AccumulateBy = Annotated[
    Literal["hour", "day", "week"] | None, Query(alias="accumulateBy", description="Sets of that length.")
]
IncludeIdle = Annotated[bool, Query(alias="includeIdle", description="What nobody held, as __idle__.")]
Idle = Annotated[bool, Query(alias="idle", description="An older name of includeIdle.")]
ShareIdle = Annotated[
    Literal["true", "false", "weighted"],
    Query(alias="shareIdle", description="Share what nobody held out to the holders, by what they held."),
]
IdleByNode = Annotated[bool, Query(alias="idleByNode", description="Keep idle cost by node instead of by cluster.")]
FilterText = Annotated[str | None, Query(alias="filter", max_length=2000, description="OpenCost's filter, version 2.")]
Offset = Annotated[int, Query(alias="offset", ge=0, le=10**6, description="Leave out so many names of every set.")]
Names = Annotated[int | None, Query(alias="limit", ge=1, le=10**6, description="At most so many names of every set.")]
Format = Annotated[Literal["json", "csv"], Query(alias="format", description="json or csv.")]
Resolution = Annotated[str | None, Query(alias="resolution", max_length=16, description="Taken, without effect.")]
Metadata = Annotated[bool, Query(alias="includeAggregatedMetadata", description="Taken, without effect.")]
Proportional = Annotated[bool, Query(alias="includeProportionalAssetResourceCosts", description=_NO_EFFECT)]
Balancers = Annotated[bool, Query(alias="sharelb", description=_NO_EFFECT)]
External = Annotated[bool, Query(alias="external", description=_NO_EFFECT)]
Reconcile = Annotated[bool, Query(alias="reconcile", description="Taken, without effect: hours are billed hours.")]

OLDER_FILTERS = {
    "filterClusters": "cluster",
    "filterNodes": "node",
    "filterNamespaces": "namespace",
    "filterControllerKinds": "controllerKind",
    "filterControllers": "controller",
    "filterPods": "pod",
    "filterLabels": "label",
}
_OLDER = "One of several names with commas; NAME* stands for all that begin so."
FilterClusters = Annotated[str | None, Query(alias="filterClusters", max_length=1000, description=_OLDER)]
FilterNodes = Annotated[str | None, Query(alias="filterNodes", max_length=1000, description=_OLDER)]
FilterNamespaces = Annotated[str | None, Query(alias="filterNamespaces", max_length=1000, description=_OLDER)]
FilterKinds = Annotated[str | None, Query(alias="filterControllerKinds", max_length=1000, description=_OLDER)]
FilterControllers = Annotated[str | None, Query(alias="filterControllers", max_length=1000, description=_OLDER)]
FilterPods = Annotated[str | None, Query(alias="filterPods", max_length=1000, description=_OLDER)]
FilterLabels = Annotated[
    str | None, Query(alias="filterLabels", max_length=1000, description="KEY:VALUE, several with commas.")
]
