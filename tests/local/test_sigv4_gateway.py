"""The gateway lets a rightly signed question through to Prometheus, and refuses every other as AMP does."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.stack.aws import ACCESS_KEY, SECRET_KEY
from local.stack.sigv4_gateway import REGION, Fault, Gateway, sigv4_gateway

HISTORY = 'up{job="x"} 1 1796032800\n'
QUERY = b"query=up&time=1796032800"
FORM = "application/x-www-form-urlencoded"

pytestmark = pytest.mark.real


@pytest.fixture
def gateway(prometheus_factory: Callable[[str], str]) -> Iterator[Gateway]:
    with sigv4_gateway(prometheus_factory(HISTORY)) as gateway:
        yield gateway


def signed(url: str, **changes: str) -> AWSRequest:
    signer = {"key": ACCESS_KEY, "secret": SECRET_KEY, "region": REGION, "service": "aps"} | changes
    request = AWSRequest("POST", url, data=QUERY, headers={"Content-Type": FORM})
    credentials = Credentials(signer["key"], signer["secret"], signer.get("token"))
    SigV4Auth(credentials, signer["service"], signer["region"]).add_auth(request)
    return request


def send(request: AWSRequest, body: bytes = QUERY) -> requests.Response:
    prepared = request.prepare()
    return requests.post(prepared.url, data=body, headers=dict(prepared.headers), timeout=5)


def test_a_signed_question_is_answered_by_prometheus(gateway: Gateway) -> None:
    answer = send(signed(f"{gateway.endpoint}api/v1/query"))
    assert answer.status_code == 200
    assert answer.json()["data"]["result"][0]["value"] == [1796032800, "1"]
    assert gateway.received[0].status == 200


def test_a_get_with_a_query_string_is_verified_too(gateway: Gateway) -> None:
    url = f"{gateway.endpoint}api/v1/query?query=up%7Bjob%3D~%22x%7Cy%22%7D&time=1796032800"
    request = AWSRequest("GET", url)
    SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), "aps", REGION).add_auth(request)
    headers = dict(request.prepare().headers)
    assert requests.get(url, headers=headers, timeout=5).json()["data"]["result"] != []
    assert requests.get(url.replace("%7Cy", ""), headers=headers, timeout=5).status_code == 403


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"secret": "wrong"}, "The request signature we calculated does not match"),
        ({"key": "NOBODY"}, "The security token included in the request is invalid."),
        ({"token": "a-token-that-nobody-issued"}, "The security token included in the request is invalid."),
        ({"region": "eu-west-1"}, "Credential should be scoped to a valid region"),
        ({"service": "execute-api"}, "Credential should be scoped to a valid region and service"),
    ],
)
def test_the_wrong_signer_is_refused(gateway: Gateway, changes: dict[str, str], message: str) -> None:
    answer = send(signed(f"{gateway.endpoint}api/v1/query", **changes))
    assert answer.status_code == 403
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["message"].startswith(message)


def test_another_body_under_the_same_signature_is_refused(gateway: Gateway) -> None:
    answer = send(signed(f"{gateway.endpoint}api/v1/query"), body=QUERY.replace(b"up", b"no"))
    assert (answer.status_code, answer.json()["message"][:30]) == (403, "The request signature we calcu")


def test_a_declared_body_hash_has_to_be_the_bodys(gateway: Gateway) -> None:
    request = AWSRequest("POST", f"{gateway.endpoint}api/v1/query", data=QUERY, headers={"Content-Type": FORM})
    request.headers["X-Amz-Content-SHA256"] = hashlib.sha256(b"something else").hexdigest()
    SigV4Auth(Credentials(ACCESS_KEY, SECRET_KEY), "aps", REGION).add_auth(request)
    assert "x-amz-content-sha256 does not match" in send(request).json()["message"]


def test_an_unsigned_request_is_refused(gateway: Gateway) -> None:
    answer = requests.post(f"{gateway.endpoint}api/v1/query", data=QUERY, timeout=5)
    assert (answer.status_code, answer.json()) == (403, {"message": "Missing Authentication Token"})


def test_a_header_that_came_after_signing_is_refused(gateway: Gateway) -> None:
    request = signed(f"{gateway.endpoint}api/v1/query")
    request.headers["X-Amz-Target"] = "Other"
    assert "headers present in the request which were not signed" in send(request).json()["message"]


def test_an_old_signature_is_refused(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    old = datetime.now(UTC) - timedelta(minutes=6)
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda remove_tzinfo=True: old.replace(tzinfo=None))
    assert send(signed(f"{gateway.endpoint}api/v1/query")).json()["message"].startswith("Signature expired")


def test_another_workspace_is_not_there(gateway: Gateway) -> None:
    answer = send(signed(f"{gateway.base_url}/workspaces/ws-other/api/v1/query"))
    assert answer.status_code == 404


def test_faults_meet_the_requests_they_are_for(gateway: Gateway) -> None:
    gateway.faults[1] = Fault(413, "response larger than the max (181673024 vs 52428800)", "text/plain; charset=utf-8")
    gateway.faults[2] = Fault(drop=True)
    url = f"{gateway.endpoint}api/v1/query"
    assert send(signed(url)).text.startswith("response larger than the max")
    with pytest.raises(requests.ConnectionError):
        send(signed(url))
    assert send(signed(url)).status_code == 200
    assert [seen.status for seen in gateway.received] == [413, None, 200]
