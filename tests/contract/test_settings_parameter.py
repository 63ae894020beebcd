"""The settings parameter in SSM, against moto: read late, kept for five minutes, and named when it is not there."""

from typing import TYPE_CHECKING

import boto3
import pytest

from gpucost.adapters.ssm import MAX_AGE, SsmParameter
from gpucost.ports import ServiceError

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

NAME = "/gpucost/settings"


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ssm(clean_moto: str) -> "SSMClient":
    return boto3.client("ssm", endpoint_url=clean_moto, region_name="us-west-2")


def put(ssm: "SSMClient", value: str) -> None:
    ssm.put_parameter(Name=NAME, Value=value, Type="String", Overwrite=True)


def test_a_change_is_seen_after_five_minutes_and_not_before(ssm: "SSMClient") -> None:
    put(ssm, '{"usd_per_gpu_hour": 12}')
    clock = Clock()
    parameter = SsmParameter(ssm, NAME, clock)
    assert parameter.text() == '{"usd_per_gpu_hour": 12}'
    put(ssm, '{"usd_per_gpu_hour": 11}')
    clock.now += MAX_AGE - 1
    assert parameter.text() == '{"usd_per_gpu_hour": 12}'
    clock.now += 1
    assert parameter.text() == '{"usd_per_gpu_hour": 11}'


def test_a_missing_parameter_is_named_and_asked_for_again(ssm: "SSMClient") -> None:
    parameter = SsmParameter(ssm, NAME)
    with pytest.raises(ServiceError, match=NAME) as missing:
        parameter.text()
    assert not missing.value.retryable
    put(ssm, "{}")
    assert parameter.text() == "{}"
