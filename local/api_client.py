"""The costs API as a client sees it: deployed, with signed requests, or on this machine."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import boto3
import requests
import simplejson
from botocore.exceptions import BotoCoreError
from requests_aws4auth import AWS4Auth

from gpucost.ports import GpucostError
from local.errors import UsageError

DEPLOYED = re.compile(r"[a-z0-9]+\.execute-api\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(\.cn)?")
TIMEOUT_SECONDS = 35.0


class ApiError(GpucostError):
    """The API refused, or did not answer as it should. The message is its own, with the status."""


class ApiUnavailable(ApiError):
    """The API could not be reached, or cannot answer right now."""

    retryable = True


class CostsApi:
    """An API by its base URL (the stack's output ApiUrl). Requests to AWS are signed with the caller's credentials.

    UsageError when the URL is none, or there are no credentials.
    """

    def __init__(self, url: str, timeout: float = TIMEOUT_SECONDS) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"--url is {url!r}; write the stack's output ApiUrl, or http://localhost:8642")
        self._base = url.rstrip("/")
        self._timeout = timeout
        match = DEPLOYED.fullmatch(parts.hostname)
        self._auth = _signer(match["region"]) if match else None

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """What a route answers. ApiError with the reason that the API gives."""
        try:
            answer = requests.get(f"{self._base}{path}", params=query, auth=self._auth, timeout=self._timeout)
        except requests.RequestException as error:
            raise ApiUnavailable(f"{self._base} cannot be reached: {type(error).__name__}; is --url right?") from None
        if answer.status_code == requests.codes.ok:
            return answer.text
        kind = ApiUnavailable if answer.status_code in (429, 502, 503, 504) else ApiError
        raise kind(f"the API answered {answer.status_code}: {_detail(answer.text)}")

    def rows(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        """A route's answer with the rows of all of its pages."""
        document = self._document(path, query)
        cursor = document.get("next_cursor")
        while cursor:
            page = self._document(path, {**query, "cursor": cursor})
            document["rows"] += page["rows"]
            cursor = page.get("next_cursor")
        return document

    def _document(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        text = self.text(path, query)
        try:
            document = simplejson.loads(text, use_decimal=True)
        except ValueError:
            document = None
        if not isinstance(document, dict) or "rows" not in document:
            raise ApiError(f"{self._base}{path} did not answer with rows: is --url the costs API?")
        return document


def _signer(region: str) -> AWS4Auth:
    try:
        credentials = boto3.Session().get_credentials()
    except BotoCoreError as error:
        raise UsageError(f"the AWS credentials cannot be used: {error}") from None
    if credentials is None:
        raise UsageError("there are no AWS credentials: set AWS_PROFILE, or run `aws configure` or `aws sso login`")
    return AWS4Auth(region=region, service="execute-api", refreshable_credentials=credentials)


def _detail(text: str) -> str:
    try:
        document = simplejson.loads(text)
        return str(document.get("detail") or document.get("message") or text[:200])
    except (ValueError, AttributeError):
        return text[:200] or "nothing"
