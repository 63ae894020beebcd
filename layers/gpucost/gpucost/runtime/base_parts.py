"""What the parts of every function are built from: its environment, its settings, and AWS' clients."""

import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from gpucost.ports import Secrets
from gpucost.runtime.environment import (
    ApiEnvironment,
    ConfigurationError,
    Environment,
    HasClusters,
    HasSettings,
    InteractEnvironment,
)
from gpucost.runtime.settings import Settings, settings_from_json

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

    from gpucost.adapters.ssm import SsmParameter

AWS_CONFIG = Config(connect_timeout=3, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 4})
"""A call that hangs each time ends within a function's shortest timeout (60 s), so its failure has a reason."""
WAITED_FOR = Config(connect_timeout=1, read_timeout=3, retries={"mode": "standard", "total_max_attempts": 3})
"""For functions that somebody waits for: the caller is told to try again, before API Gateway or Slack gives up."""


def aws_config(kind: type[Environment]) -> Config:
    """How long the function with this environment waits for AWS."""
    return WAITED_FOR if issubclass(kind, (ApiEnvironment, InteractEnvironment)) else AWS_CONFIG


class BaseParts:
    """A part that the function's environment does not provide for is refused. A client is made once: that is slow."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._settings: tuple[str, Settings] | None = None

    def pause(self, seconds: float) -> None:
        time.sleep(seconds)

    @cached_property
    def clusters(self) -> Sequence[str]:
        return self._its(HasClusters).clusters

    @property
    def settings(self) -> Settings:
        """The settings in force, at most five minutes old. SettingsError when the document is not valid."""
        text = self._settings_parameter.text()
        if self._settings is None or self._settings[0] != text:
            self._settings = (text, settings_from_json(text))
        return self._settings[1]

    @cached_property
    def _settings_parameter(self) -> "SsmParameter":
        from gpucost.adapters.ssm import SsmParameter

        return SsmParameter(self._session.client("ssm", config=self._config), self._its(HasSettings).settings_parameter)

    @cached_property
    def _secrets(self) -> Secrets:
        from gpucost.adapters.secrets import SecretsManager

        return SecretsManager(self._session.client("secretsmanager", config=self._config))

    @cached_property
    def _dynamodb(self) -> "DynamoDBClient":
        return self._session.client("dynamodb", config=self._config)

    @cached_property
    def _sqs(self) -> "SQSClient":
        return self._session.client("sqs", config=self._config)

    @cached_property
    def _s3(self) -> "S3Client":
        return self._session.client("s3", config=self._config)

    @cached_property
    def _config(self) -> Config:
        return aws_config(type(self._environment))

    @cached_property
    def _session(self) -> boto3.Session:
        return boto3.Session()

    def _its[E: Environment](self, kind: type[E]) -> E:
        if not isinstance(self._environment, kind):
            raise ConfigurationError(f"{type(self._environment).__name__} does not provide what {kind.__name__} does")
        return self._environment
