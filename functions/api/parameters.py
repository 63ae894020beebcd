"""The parameters that routes share, as the OpenAPI document describes them."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from gpucost.usecases.answers.cost_query import Step
from gpucost.usecases.answers.exports import Format
from gpucost.usecases.answers.paging import DEFAULT_LIMIT, MAX_LIMIT
from gpucost.usecases.answers.window import FORMS

TEXT = 256

WindowText = Annotated[
    str | None, Query(alias="window", max_length=64, description=f"The window in one word: {FORMS}. Not with from, to.")
]
From = Annotated[
    str | None,
    Query(
        alias="from",
        max_length=64,
        description="First hour: 2026-11-30T10:00:00Z, or a date (UTC). Without it: 24 hours before the end.",
    ),
]
To = Annotated[
    str | None,
    Query(
        alias="to",
        max_length=64,
        description="End of the window, itself excluded. Without it: the last hour that is over.",
    ),
]
ClusterName = Annotated[
    str | None, Query(alias="cluster", max_length=TEXT, description="One of the stack's clusters; without it, all.")
]
BuName = Annotated[str | None, Query(alias="bu", max_length=TEXT, description="One business unit.")]
NamespaceName = Annotated[str | None, Query(alias="namespace", max_length=TEXT, description="One namespace.")]
NodeName = Annotated[str | None, Query(alias="node", max_length=TEXT, description="One node.")]
WorkloadName = Annotated[
    str | None, Query(alias="workload", max_length=TEXT, description="One workload, as Kind/name.")
]
PodName = Annotated[str | None, Query(alias="pod", max_length=TEXT, description="One pod, by name.")]
ResourceName = Annotated[
    str | None, Query(alias="resource", max_length=TEXT, description="One resource, such as nvidia_com_mig_1g_5gb.")
]
StepName = Annotated[Step | None, Query(alias="step", description="Rows for each hour, day or month (UTC).")]
GroupByText = Annotated[
    str,
    Query(
        alias="group_by",
        max_length=TEXT,
        description="A row stands for a bu, namespace, cluster, node, workload, pod, resource, label:KEY; or several.",
    ),
]
FormatName = Annotated[
    Format,
    Query(alias="format", description="json; csv; jsonl (one JSON document a line). The last two have no pages."),
]
Limit = Annotated[int, Query(alias="limit", ge=1, le=MAX_LIMIT, description="Rows of a page.")]
CursorText = Annotated[
    str | None, Query(alias="cursor", max_length=512, description="The next_cursor of the page before.")
]
ClusterPath = Annotated[str, Path(min_length=1, max_length=TEXT, description="Name of the cluster.")]
HourPath = Annotated[str, Path(min_length=1, max_length=64, description="Start of the hour: 2026-11-30T10:00:00Z.")]

ROWS = DEFAULT_LIMIT
