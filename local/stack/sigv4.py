"""Verifies AWS Signature Version 4 the way a service does: by computing the signature again.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

MAX_SKEW = timedelta(minutes=5)
DATE_FORMAT = "%Y%m%dT%H%M%SZ"
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<day>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, ?"
    r"SignedHeaders=(?P<signed>[^,]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)


class SignatureError(Exception):
    """The request is not signed as it has to be. The message is what the service would say."""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request as it came over the wire. Header names are lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Verifier:
    """Knows the callers of one service in one region, by access key."""

    service: str
    region: str
    callers: Mapping[str, Credentials]

    def verify(self, request: SignedRequest, now: datetime) -> None:
        """SignatureError unless a known caller signed exactly this request within five minutes of `now`."""
        if "authorization" not in request.headers:
            raise SignatureError("Missing Authentication Token")
        parts = _AUTHORIZATION.fullmatch(request.headers["authorization"])
        if parts is None:
            raise SignatureError("Authorization header requires Credential, SignedHeaders and Signature of SigV4")
        caller = self._caller(parts["key"], request.headers.get("x-amz-security-token"))
        self._check_scope(parts["region"], parts["service"])
        signed = parts["signed"].split(";")
        _check_signed_headers(signed, request.headers)
        _check_date(request.headers["x-amz-date"], parts["day"], now)
        _check_body(request)
        if not hmac.compare_digest(self._signature(request, signed, caller), parts["signature"]):
            raise SignatureError(
                "The request signature we calculated does not match the signature you provided. Check your AWS Secret "
                "Access Key and signing method. Consult the service documentation for details."
            )

    def _caller(self, key: str, token: str | None) -> Credentials:
        caller = self.callers.get(key)
        if caller is None or token != caller.token:
            raise SignatureError("The security token included in the request is invalid.")
        return caller

    def _check_scope(self, region: str, service: str) -> None:
        if (region, service) != (self.region, self.service):
            raise SignatureError(
                f"Credential should be scoped to a valid region and service: '{self.region}', '{self.service}', "
                f"not '{region}', '{service}'."
            )

    def _signature(self, request: SignedRequest, signed: list[str], caller: Credentials) -> str:
        copy = AWSRequest(method=request.method, url=request.url, data=request.body)
        for name in signed:
            copy.headers[name] = request.headers[name]
        copy.context["timestamp"] = request.headers["x-amz-date"]
        auth = SigV4Auth(caller, self.service, self.region)
        return str(auth.signature(auth.string_to_sign(copy, auth.canonical_request(copy)), copy))


def _check_signed_headers(signed: list[str], headers: Mapping[str, str]) -> None:
    if missing := sorted({"host", "x-amz-date"} - set(signed)):
        raise SignatureError(f"'{missing[0]}' must be a signed header of the request.")
    if absent := [name for name in signed if name not in headers]:
        raise SignatureError(f"'{absent[0]}' is a signed header, but the request does not have it.")
    unsigned = [name for name in headers if name.startswith("x-amz-") and name not in signed]
    if unsigned:
        raise SignatureError(f"There were headers present in the request which were not signed: {', '.join(unsigned)}")


def _check_date(text: str, day: str, now: datetime) -> None:
    try:
        moment = datetime.strptime(text, DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError:
        raise SignatureError(f"Date must be in ISO-8601 basic format, not '{text}'.") from None
    if not text.startswith(day):
        raise SignatureError(f"Date in Credential scope does not match YYYYMMDD from ISO-8601: '{day}' != '{text}'.")
    if abs(now - moment) > MAX_SKEW:
        relation = "expired" if moment < now else "not yet current"
        raise SignatureError(f"Signature {relation}: {text} is not within 5 min. of {now.strftime(DATE_FORMAT)}.")


def _check_body(request: SignedRequest) -> None:
    declared = request.headers.get("x-amz-content-sha256")
    if declared is not None and declared != hashlib.sha256(request.body).hexdigest():
        raise SignatureError("The value of x-amz-content-sha256 does not match the body of the request.")
