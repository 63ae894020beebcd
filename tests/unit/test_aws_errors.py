"""What AWS said decides whether the same call is worth another try."""

import pytest
from botocore.exceptions import ClientError, NoCredentialsError, ReadTimeoutError

from gpucost.adapters.aws_errors import explained


def refused(code: str, status: int) -> ClientError:
    answer = {"Error": {"Code": code, "Message": "because"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "Call")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        # SNS under a key of KMS, and SNS over its rate: neither is named as other services name it.
        ("KMSThrottling", 400),
        ("Throttled", 429),
        ("NeverHeardOf", 429),
        ("ThrottlingException", 400),
        ("NeverHeardOf", 503),
    ],
)
def test_a_throttle_passes_by_whatever_name(code: str, status: int) -> None:
    assert explained(refused(code, status), "publishing").retryable


@pytest.mark.parametrize(("code", "status"), [("AuthorizationError", 403), ("KMSAccessDenied", 400), ("NotFound", 404)])
def test_what_is_forbidden_or_not_there_stays_so(code: str, status: int) -> None:
    assert not explained(refused(code, status), "publishing").retryable


def test_without_an_answer_it_may_pass_without_credentials_it_cannot() -> None:
    assert explained(ReadTimeoutError(endpoint_url="https://sns"), "publishing").retryable
    assert not explained(NoCredentialsError(), "publishing").retryable
