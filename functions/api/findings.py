"""/v1/findings: what goes on, and what callers say to it; /v1/budgets and /v1/whatif: what will, and what would be."""

from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from functions.api import caller, finding_schemas
from functions.api.parameters import TEXT, BuName, ClusterName, From, To, WindowText
from functions.api.responses import answers
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.answers.whatif import Sharing
from gpucost.domain.hours import Hour
from gpucost.runtime.http import Routes, answered
from gpucost.runtime.json_text import json_text
from gpucost.usecases.answers.budget_answers import budgets
from gpucost.usecases.answers.finding_answers import finding, findings, settled
from gpucost.usecases.answers.whatif_answers import what_if

routes = Routes()

KindName = Annotated[Kind | None, Query(alias="kind", description="Findings of this kind only.")]
Episode = Annotated[str, Path(min_length=1, max_length=64, description="The finding's id.")]
Span = Annotated[Literal["1h", "8h", "24h", "monday"], Query(alias="for", description="How long it keeps quiet.")]
MonthText = Annotated[str | None, Query(alias="month", max_length=16, description="2026-11; without it, this month.")]
SharingName = Annotated[
    Sharing, Query(alias="sharing", description="How the cost of what nobody held is laid on the BUs.")
]
Gpus = Annotated[int | None, Query(alias="gpus", ge=0, le=10_000, description="So many GPUs instead.")]
Cut = Annotated[
    str | None,
    Query(
        alias="geometry",
        max_length=TEXT,
        description="Each GPU cut so instead: 3g.20gb:1,1g.5gb:4; whole; any (the default) is as holders need it.",
    ),
]


@routes.get("/v1/findings", summary="What goes on", responses=answers(finding_schemas.Findings))
def get_findings(kind: KindName = None, bu: BuName = None, cluster: ClusterName = None) -> Response[Any]:
    """Episodes that are not over, the most expensive first."""
    found = findings(kind.value if kind else None, bu, cluster, caller.tracks(routes))
    return answered(routes.event, json_text(found))


@routes.get("/v1/findings/<episode>", summary="One finding", responses=answers(finding_schemas.FoundOne))
def get_finding(episode: Episode) -> Response[Any]:
    """One episode that is not over."""
    track = caller.tracks(routes).one(caller.from_path(episode))
    return answered(routes.event, json_text({"currency": "USD", **finding(track)}))


@routes.post(
    "/v1/findings/<episode>/acknowledge", summary="Say that you know", responses=answers(finding_schemas.FoundOne)
)
def post_acknowledge(episode: Episode) -> Response[Any]:
    """It escalates no more; its end is told."""
    track = caller.tracks(routes).acknowledge(caller.from_path(episode), caller.name(routes))
    return answered(routes.event, json_text(settled(track)))


@routes.post("/v1/findings/<episode>/snooze", summary="Hear of it later", responses=answers(finding_schemas.FoundOne))
def post_snooze(episode: Episode, span: Span) -> Response[Any]:
    """It keeps quiet for a while, except for its end."""
    rules = caller.parts().settings.policy().alerts
    track = caller.tracks(routes).snooze(caller.from_path(episode), span, rules, caller.now())
    return answered(routes.event, json_text(settled(track)))


@routes.get("/v1/budgets", summary="Budgets of a month", responses=answers(finding_schemas.Budgets))
def get_budgets(month: MonthText = None, bu: BuName = None) -> Response[Any]:
    """What BUs may spend, have spent, and will have spent, with the day on which it runs out."""
    rules = caller.parts().settings.policy().alerts
    by_bu = {name: own.budget_usd for name, own in rules.by_bu.items() if own.budget_usd is not None}
    over = Hour.containing(caller.now())
    return answered(routes.event, json_text(budgets(month, bu, by_bu, over, caller.visible(routes))))


@routes.get("/v1/whatif", summary="What would have been", responses=answers(finding_schemas.WhatIf))
def get_whatif(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    cluster: ClusterName = None,
    sharing: SharingName = Sharing.PROPORTIONAL,
    gpus: Gpus = None,
    geometry: Cut = None,
) -> Response[Any]:
    """Recorded demand under another sharing of what nobody held, and on other GPUs or in another MIG geometry."""
    asked = caller.window_of(window, start, end)
    return answered(routes.event, json_text(what_if(asked, cluster, sharing, gpus, geometry, caller.visible(routes))))
