"""Requests made up from the OpenAPI document, good ones and bad ones; every answer has to be as the document says.

Texts that are made up from a schema alone hardly ever name an hour or a cluster. So that not all requests end at the
first check, some of their parameters are replaced by values that mean something.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import hypothesis
import pytest
import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from gpucost.runtime.environment import ApiEnvironment
from tests.fuzz.wsgi import application
from tests.support.handlers import install
from tests.support.house import BUS, CLUSTERS, FIRST, house
from tests.support.stories import episode_of, stories

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
_WINDOWS = [f"{FIRST},{FIRST.plus(length)}" for length in (1, 24, 60)]
SENSIBLE: Mapping[str, list[str]] = {
    "window": [*_WINDOWS, "7d", "month"],
    "from": [FIRST.key, "2026-10-31"],
    "to": [FIRST.plus(5).key, "2026-11-02"],
    "cluster": [*CLUSTERS, "nowhere"],
    "bu": [*BUS, "nobody"],
    "namespace": ["commons", "alpha-jobs"],
    "hour": [FIRST.key, FIRST.plus(30).key],
    "group_by": ["bu", "namespace,cluster", "pod", "resource", "label:app.kubernetes.io/part-of"],
    "aggregate": ["namespace", "cluster,pod", "node", "label:app.kubernetes.io/part-of", "service"],
    "filter": ['namespace:"commons"', 'pod<~:"alpha"+cluster:"prod"'],
    "limit": ["1", "7"],
    "episode": [episode_of(cluster, bu) for cluster in CLUSTERS for bu in BUS],
    "filterNamespaces": ["alpha*,commons"],
    "filterLabels": ["app.kubernetes.io/part-of:alpha-suite"],
    "geometry": ["3g.20gb:2", "1g.5gb:7", "3g.20gb:1,1g.5gb:4", "any"],
    "month": ["2026-11", "2026-10"],
}


@contextmanager
def deployed() -> Iterator[None]:
    """The API over a ledger with some history."""
    with pytest.MonkeyPatch.context() as patch:
        install(patch, ApiEnvironment, ledger=house(), tracks=stories(CLUSTERS, BUS, FIRST), clusters=CLUSTERS)
        yield


def fuzz(cases: int) -> Counter[int]:
    """At least so many requests over all routes; how many were answered with which status. Raises what fails."""
    statuses: Counter[int] = Counter()
    schema = schemathesis.openapi.from_wsgi("/openapi.json", application)
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    each = -(-cases // (2 * len(operations)))
    for operation in operations:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            try:
                strategy = operation.as_strategy(generation_mode=mode)
                _run(strategy, each, statuses)
            except hypothesis.errors.Unsatisfiable:
                continue
    return statuses


def _run(strategy: st.SearchStrategy[Any], cases: int, statuses: Counter[int]) -> None:
    names = sorted(SENSIBLE)
    chosen = st.fixed_dictionaries({}, optional={name: st.sampled_from(SENSIBLE[name]) for name in names})

    @hypothesis.settings(
        max_examples=cases,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(strategy, chosen)
    def check(case: Any, values: dict[str, Any]) -> None:
        declared = {parameter.name for parameter in case.operation.iter_parameters()}
        for name in declared & set(values):
            place = case.path_parameters if name in case.path_parameters else case.query
            place[name] = values[name]
        answer = case.call()
        statuses[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    check()
