"""Fixtures on real parts. A part that is missing fails the test and says how to get it; nothing is skipped."""

from collections.abc import Callable, Iterator

import pytest
import pytest_socket
import requests

from local.stack import aws
from local.stack import dynamodb_local as dynamodb_local_stack
from local.stack.slack import SlackDouble, slack_double
from tests.support.prometheus_pool import PrometheusPool


def pytest_runtest_setup() -> None:
    """Tests reach loopback only."""
    pytest_socket.socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)


@pytest.fixture(scope="session", autouse=True)
def _no_real_account() -> Iterator[None]:
    """Credentials that no account knows, whatever the developer's shell holds."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
            patch.delenv(name, raising=False)
        for name, value in aws.credentials_environment().items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def _prometheus_pool() -> Iterator[PrometheusPool]:
    pool = PrometheusPool()
    yield pool
    pool.close()


@pytest.fixture
def prometheus_factory(_prometheus_pool: PrometheusPool) -> Callable[[str], str]:
    """OpenMetrics text in, base URL of a real Prometheus that holds it out.

    The URL is good for one test: the pool stops what was not asked for lately. So this is a function's fixture, and
    pytest refuses a fixture of a module or session that would keep the URL longer.
    """
    return _prometheus_pool


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[str]:
    """The endpoint URL of a DynamoDB Local for the session. Tests share it: give every table a name of its own."""
    with dynamodb_local_stack.dynamodb_local() as url:
        yield url


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    """The endpoint URL of moto's server for the session."""
    with aws.moto_server() as url:
        yield url


@pytest.fixture
def clean_moto(moto_server: str) -> str:
    """moto's server with nothing in it."""
    requests.post(f"{moto_server}/moto-api/reset", timeout=10).raise_for_status()
    return moto_server


@pytest.fixture
def slack() -> Iterator[SlackDouble]:
    """A Slack incoming webhook on loopback that takes every well-formed message."""
    with slack_double() as double:
        yield double
