"""SSM Parameter Store: where the settings document is kept in AWS."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

PERMISSIONS = ("ssm:GetParameter",)

MAX_AGE = 300.0


class SsmParameter:
    """One parameter's text, read when it is first asked for and again when it is older than five minutes."""

    def __init__(self, client: "SSMClient", name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._name = name
        self._clock = clock
        self._read: tuple[float, str] | None = None

    def text(self) -> str:
        """The text, at most MAX_AGE seconds old. ServiceError naming the parameter when it cannot be had."""
        now = self._clock()
        if self._read is None or now - self._read[0] >= MAX_AGE:
            self._read = (now, self._fetch())
        return self._read[1]

    def _fetch(self) -> str:
        try:
            answer = self._client.get_parameter(Name=self._name, WithDecryption=True)
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"reading the settings parameter {self._name}") from error
        return answer["Parameter"].get("Value", "")
