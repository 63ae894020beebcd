"""EC2's word on how instances are bought."""

from collections.abc import Callable, Mapping, Sequence
from itertools import batched
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.domain.allocation.machines import Lifecycle, lifecycle_of

if TYPE_CHECKING:
    from mypy_boto3_ec2 import EC2Client

PERMISSIONS = ("ec2:DescribeInstances",)
MOST_IDS = 200


class Ec2Fleet:
    """`prices.Fleet` on EC2. `client_of` gives the client of a region."""

    def __init__(self, client_of: "Callable[[str], EC2Client]") -> None:
        self._client_of = client_of

    def lifecycles(self, region: str, instance_ids: Sequence[str]) -> Mapping[str, Lifecycle]:
        """Asked by filter, because one id that is gone would fail a question by ids."""
        out: dict[str, Lifecycle] = {}
        try:
            pages = self._client_of(region).get_paginator("describe_instances")
            for ids in batched(instance_ids, MOST_IDS, strict=False):
                for page in pages.paginate(Filters=[{"Name": "instance-id", "Values": list(ids)}]):
                    for reservation in page["Reservations"]:
                        for one in reservation["Instances"]:
                            # EC2 names no lifecycle for On-Demand.
                            known = lifecycle_of(one.get("InstanceLifecycle") or "on-demand")
                            if known:
                                out[one["InstanceId"]] = known
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"looking up {len(instance_ids)} instances in {region}") from error
        return out
