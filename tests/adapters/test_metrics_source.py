"""Reading an hour through the signing gateway in front of a real Prometheus, with faults in the way."""

import itertools
from collections.abc import Callable

import boto3
import pytest

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics import amp_metrics, prometheus_metrics
from gpucost.adapters.metrics.catalogue import Catalogue, quoted
from gpucost.adapters.metrics.errors import AccessDenied, ResponseTooLarge, UnreadableAnswer
from gpucost.adapters.metrics.factory import region_of
from gpucost.domain.hours import Hour
from gpucost.domain.policy import BuRules, Policy
from gpucost.ports import MetricsError
from local.stack.aws import ACCESS_KEY, SECRET_KEY
from local.stack.sigv4_gateway import REGION, Fault, sigv4_gateway
from tests.support.cases import CASES
from tests.support.series_notation import openmetrics_of

pytestmark = pytest.mark.real
HOUR = Hour.parse("2026-11-30T10:00:00Z")
CASE = CASES / "36-timeslice-4-replicas" / "series.yaml"


@pytest.fixture
def prometheus(prometheus_factory: Callable[[str], str]) -> str:
    return prometheus_factory(openmetrics_of(CASE))


def session(secret: str = SECRET_KEY) -> boto3.Session:
    return boto3.Session(ACCESS_KEY, secret, region_name=REGION)


def test_a_signed_read_is_the_same_as_an_unsigned_one(prometheus: str) -> None:
    with sigv4_gateway(prometheus) as gateway:
        signed = amp_metrics(gateway.endpoint, LabelNames(), Policy(), session(), REGION).read_hour("c", HOUR)
    assert signed == prometheus_metrics(prometheus, LabelNames(), Policy()).read_hour("c", HOUR)


def test_a_wrong_secret_is_denied_with_advice(prometheus: str) -> None:
    with sigv4_gateway(prometheus) as gateway:
        source = amp_metrics(gateway.endpoint, LabelNames(), Policy(), session("wrong"), REGION)
        with pytest.raises(AccessDenied, match=r"403.*aps:QueryMetrics"):
            source.read_hour("c", HOUR)


def test_an_answer_over_the_limit_is_asked_for_in_parts(prometheus: str) -> None:
    """Splitting the hour and adding up gives the hour."""
    whole = prometheus_metrics(prometheus, LabelNames(), Policy()).read_hour("c", HOUR)
    with sigv4_gateway(prometheus) as gateway:
        too_large = Fault(413, "response larger than the max (181673024 vs 52428800)", "text/plain")
        gateway.faults = {1: too_large, 2: too_large}
        parts = amp_metrics(gateway.endpoint, LabelNames(), Policy(), session(), REGION).read_hour("c", HOUR)
    assert sorted(parts.requests, key=lambda one: one.pod) == sorted(whole.requests, key=lambda one: one.pod)
    assert parts.seen == whole.seen


def test_a_limit_that_one_minute_exceeds_is_an_error(prometheus: str) -> None:
    with sigv4_gateway(prometheus) as gateway:
        gateway.always = Fault(413, "response larger than the max", "text/plain")
        source = amp_metrics(gateway.endpoint, LabelNames(), Policy(), session(), REGION)
        with pytest.raises(ResponseTooLarge, match="query requests"):
            source.read_hour("c", HOUR)


def test_a_warning_of_the_engine_reaches_the_readings(prometheus: str) -> None:
    body = '{"status":"success","data":{"resultType":"matrix","result":[]},"warnings":["partial data"],"infos":["x"]}'
    with sigv4_gateway(prometheus) as gateway:
        gateway.faults = {1: Fault(200, body)}
        found = amp_metrics(gateway.endpoint, LabelNames(), Policy(), session(), REGION).read_hour("c", HOUR)
    assert found.engine_warnings == ("partial data",)


def test_a_page_that_is_no_answer_is_an_error(prometheus: str) -> None:
    with sigv4_gateway(prometheus) as gateway:
        gateway.faults = {3: Fault(200, "<html>sign in</html>", "text/html")}
        source = amp_metrics(gateway.endpoint, LabelNames(), Policy(), session(), REGION)
        with pytest.raises(UnreadableAnswer, match="query phases"):
            source.read_hour("c", HOUR)


def test_the_number_of_questions_does_not_depend_on_the_cluster(prometheus: str) -> None:
    counts = set()
    for case in ("36-timeslice-4-replicas", "68-odd-label-values"):
        with sigv4_gateway(prometheus) as gateway:
            amp_metrics(gateway.endpoint, LabelNames(), Policy(), session(), REGION).read_hour(case, HOUR)
            counts.add(len(gateway.received))
    assert counts <= {11, 12}


def test_credentials_go_to_amp_only() -> None:
    assert region_of("https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-1/") == "us-west-2"
    assert region_of("https://vpce-1.aps-workspaces.eu-west-1.vpce.amazonaws.com/workspaces/ws-1") == "eu-west-1"
    for endpoint in (
        "https://evil.example/workspaces/ws-1",
        "https://aps-workspaces.us-west-2.amazonaws.com.evil.example/",
        "https://evil.example/aps-workspaces.us-west-2.amazonaws.com",
    ):
        with pytest.raises(MetricsError, match="no other host"):
            amp_metrics(endpoint, LabelNames(), Policy(), session(), "us-west-2")


def test_missing_credentials_are_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    with pytest.raises(AccessDenied, match="no AWS credentials"):
        amp_metrics("http://127.0.0.1:1/workspaces/ws-1", LabelNames(), Policy(), boto3.Session())


def test_only_the_bu_labels_that_the_rules_name_are_asked_for() -> None:
    rules = BuRules(pod_label="team", namespace_label="cost-center/bu", namespace_annotation="owner")
    names = {one.name: one.promql for one in Catalogue(LabelNames(), "c").questions(Policy(bu=rules))}
    assert names["namespace_labels"] == 'kube_namespace_labels{label_cost_center_bu!=""}'
    assert names["namespace_annotations"] == 'kube_namespace_annotations{annotation_owner!=""}'
    assert names["pod_labels"] == 'kube_pod_labels{label_team!=""}'
    assert "pod_labels" not in {one.name for one in Catalogue(LabelNames(), "c").questions(Policy())}


def test_every_question_is_limited_to_the_cluster_and_parses() -> None:
    promql_parser = pytest.importorskip("promql_parser")
    hostile = 'prod"} or vector(1) # \\'
    catalogue = Catalogue(LabelNames(cluster="cluster"), hostile)
    tame = Catalogue(LabelNames(cluster="cluster"), "prod")
    rules = BuRules("a", "b", "c")
    asked = [*catalogue.questions(Policy(bu=rules)), catalogue.fallback()]
    for one, plain in itertools.zip_longest(asked, [*tame.questions(Policy(bu=rules)), tame.fallback()]):
        assert f"cluster={quoted(hostile)}" in one.promql
        assert type(promql_parser.parse(one.promql)) is type(promql_parser.parse(plain.promql))
