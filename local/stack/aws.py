"""moto's server for DynamoDB, SNS, SQS, SSM and Secrets Manager, and the environment that points boto3 at it."""

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from moto.server import ThreadedMotoServer

from local.stack.processes import LOOPBACK

REGION = "us-west-2"
ACCESS_KEY = "LOCALACCESSKEY"
SECRET_KEY = "localsecretkey"  # noqa: S105 - known to no account


@contextmanager
def moto_server() -> Iterator[str]:
    """A fresh moto on a free loopback port; yields its endpoint URL."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto = ThreadedMotoServer(ip_address=LOOPBACK, port=0, verbose=False)
    moto.start()
    try:
        host, port = moto.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        moto.stop()


def credentials_environment() -> dict[str, str]:
    """Made-up credentials and a region, so that nothing local can reach a real account."""
    return {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def aws_environment(endpoint: str) -> dict[str, str]:
    """The environment under which boto3 asks the endpoint instead of AWS."""
    # moto has no URL for the account-based endpoints that botocore derives from stream ARNs.
    return {
        **credentials_environment(),
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",
    }


@contextmanager
def environment(values: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for the time of the block, restored afterwards."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
