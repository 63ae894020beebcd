"""Secrets Manager: where the Slack webhook's URL is kept."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters import redaction
from gpucost.adapters.aws_errors import explained

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

PERMISSIONS = ("secretsmanager:GetSecretValue",)

MAX_AGE = 300.0
NONE = "none"
"""Stands for no text: Secrets Manager takes no empty one, and never forgets the last."""


class SecretsManager:
    """`ports.Secrets` on AWS Secrets Manager. A rotated secret is in use after MAX_AGE seconds at the latest."""

    def __init__(self, client: "SecretsManagerClient", clock: Callable[[], float] = time.monotonic) -> None:
        redaction.install()
        self._client = client
        self._clock = clock
        self._cache: dict[str, tuple[float, str]] = {}

    def get(self, name: str, refresh: bool = False) -> str:
        """The text, "" for the word none or no text. ServiceError, naming the secret, when it cannot be read."""
        now = self._clock()
        held = self._cache.get(name)
        if held is None or refresh or now - held[0] >= MAX_AGE:
            held = (now, self._fetch(name))
            self._cache[name] = held
        return held[1]

    def _fetch(self, name: str) -> str:
        try:
            text = self._client.get_secret_value(SecretId=name).get("SecretString", "")
            return "" if text.strip() == NONE else text
        except ClientError as error:
            if _never_filled(error):
                return ""
            raise explained(error, f"reading the secret {name}") from error
        except BotoCoreError as error:
            raise explained(error, f"reading the secret {name}") from error


def _never_filled(error: ClientError) -> bool:
    # The same code also stands for a secret that does not exist; only the message tells the two apart.
    about = error.response.get("Error", {})
    return about.get("Code") == "ResourceNotFoundException" and "staging label" in about.get("Message", "")
