"""What every place for secrets does: the in-memory twin, and the Secrets Manager adapter against moto."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError

from gpucost.adapters.memory_chat import MemorySecrets
from gpucost.adapters.secrets import MAX_AGE, SecretsManager
from gpucost.ports import Secrets, ServiceError

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient


class Vault(Protocol):
    """Secrets together with a way to change them from outside."""

    @property
    def secrets(self) -> Secrets: ...

    def put(self, name: str, text: str) -> None: ...


@dataclass
class MemoryVault:
    secrets: MemorySecrets = field(default_factory=lambda: MemorySecrets({}))

    def put(self, name: str, text: str) -> None:
        self.secrets.texts[name] = text


@dataclass
class MotoVault:
    client: "SecretsManagerClient"
    now: float = 0.0
    secrets: SecretsManager = field(init=False)

    def __post_init__(self) -> None:
        self.secrets = SecretsManager(self.client, clock=lambda: self.now)

    def put(self, name: str, text: str) -> None:
        known = {secret["Name"] for secret in self.client.list_secrets()["SecretList"]}
        if name in known:
            self.client.put_secret_value(SecretId=name, SecretString=text)
        else:
            self.client.create_secret(Name=name, SecretString=text)


@pytest.fixture
def moto_vault(clean_moto: str) -> MotoVault:
    return MotoVault(boto3.client("secretsmanager", endpoint_url=clean_moto))


@pytest.fixture(params=["memory", "moto"])
def vault(request: pytest.FixtureRequest) -> Vault:
    makers: dict[str, Callable[[], Vault]] = {
        "memory": MemoryVault,
        "moto": lambda: request.getfixturevalue("moto_vault"),
    }
    return makers[request.param]()


def test_a_secret_is_its_text(vault: Vault) -> None:
    vault.put("hook", "https://hooks.example/비전")
    assert vault.secrets.get("hook") == "https://hooks.example/비전"


def test_a_rotated_secret_shows_at_once_when_it_is_read_anew(vault: Vault) -> None:
    vault.put("hook", "old")
    assert vault.secrets.get("hook") == "old"
    vault.put("hook", "new")
    assert vault.secrets.get("hook") == "old"
    assert vault.secrets.get("hook", refresh=True) == "new"
    assert vault.secrets.get("hook") == "new"


def test_secrets_do_not_mix(vault: Vault) -> None:
    vault.put("hook", "one")
    vault.put("other", "two")
    assert (vault.secrets.get("hook"), vault.secrets.get("other")) == ("one", "two")


def test_a_secret_that_does_not_exist_is_named(vault: Vault) -> None:
    with pytest.raises(ServiceError, match="reading the secret nowhere failed"):
        vault.secrets.get("nowhere")


def test_a_rotated_secret_shows_after_five_minutes_at_the_latest(moto_vault: MotoVault) -> None:
    moto_vault.put("hook", "old")
    assert moto_vault.secrets.get("hook") == "old"
    moto_vault.put("hook", "new")
    moto_vault.now = MAX_AGE - 1
    assert moto_vault.secrets.get("hook") == "old"
    moto_vault.now = MAX_AGE
    assert moto_vault.secrets.get("hook") == "new"
    assert MAX_AGE == 300


def test_a_secret_that_was_never_filled_is_empty(moto_vault: MotoVault) -> None:
    moto_vault.client.create_secret(Name="hook")
    assert moto_vault.secrets.get("hook") == ""


def test_a_secret_is_switched_off_by_the_word_none(moto_vault: MotoVault) -> None:
    moto_vault.put("hook", "https://hooks.example/1")
    moto_vault.put("hook", "none\n")
    assert moto_vault.secrets.get("hook", refresh=True) == ""


def test_an_unreachable_service_may_be_asked_again() -> None:
    once = Config(retries={"total_max_attempts": 1})
    client = boto3.client("secretsmanager", endpoint_url="http://127.0.0.1:9", config=once)
    client.meta.events.register("before-send.*.*", _unreachable)
    with pytest.raises(ServiceError, match="reading the secret hook failed") as caught:
        SecretsManager(client).get("hook")
    assert caught.value.retryable


def _unreachable(**_: object) -> None:
    raise EndpointConnectionError(endpoint_url="http://127.0.0.1:9")
