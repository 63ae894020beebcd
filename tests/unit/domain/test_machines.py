"""What a node's labels and provider id say of the instance behind it."""

from collections.abc import Mapping

import pytest

from gpucost.domain.allocation.machines import Lifecycle, Machine, lifecycle_of, machines
from gpucost.domain.readings import NodeFacts
from tests.support.readings import allocatable, mask, node, pod, readings, request

ID = "aws:///us-west-2b/i-0f3a9c51d2e47b860"


def provided(name: str, provider_id: str, minutes: int = mask(0, 60)) -> NodeFacts:
    return NodeFacts(name, minutes, provider_id=provider_id)


def machine(labels: Mapping[str, str], provider_id: str = ID) -> Machine:
    (found,) = machines(readings(node(labels=labels), provided("node-a", provider_id), allocatable(1)))
    return found


def test_a_node_is_its_instance() -> None:
    labels = {"node_kubernetes_io_instance_type": "p4d.24xlarge", "eks_amazonaws_com_capacityType": "ON_DEMAND"}
    found = machine(labels)
    assert found == Machine("node-a", "p4d.24xlarge", "i-0f3a9c51d2e47b860", "us-west-2b", Lifecycle.ON_DEMAND)
    assert found.region == "us-west-2"


@pytest.mark.parametrize(
    ("zone", "region"),
    [
        ("us-west-2b", "us-west-2"),
        ("us-west-2-lax-1a", "us-west-2"),
        ("us-gov-west-1a", "us-gov-west-1"),
        ("ap-southeast-2c", "ap-southeast-2"),
        ("eusc-de-east-1a", "eusc-de-east-1"),
        ("zone-7", None),
    ],
)
def test_a_zone_lies_in_a_region(zone: str, region: str | None) -> None:
    assert machine({"topology_kubernetes_io_zone": zone}).region == region


def test_what_nothing_says_is_unknown() -> None:
    assert machine({}, "gce://project/zone/name") == Machine("node-a")
    assert Machine("node-a").region is None


def test_the_zone_of_the_provider_id_serves_where_the_label_is_not_allowed() -> None:
    assert machine({}).zone == "us-west-2b"


@pytest.mark.parametrize(
    ("label", "word", "lifecycle"),
    [
        ("karpenter_sh_capacity_type", "spot", Lifecycle.SPOT),
        ("karpenter_sh_capacity_type", "on-demand", Lifecycle.ON_DEMAND),
        ("karpenter_sh_capacity_type", "reserved", None),
        ("eks_amazonaws_com_capacityType", "SPOT", Lifecycle.SPOT),
        ("eks_amazonaws_com_capacityType", "CAPACITY_BLOCK", Lifecycle.CAPACITY_BLOCK),
        ("eks_amazonaws_com_capacity_type", "ON_DEMAND", Lifecycle.ON_DEMAND),
    ],
)
def test_labels_say_how_it_is_bought(label: str, word: str, lifecycle: Lifecycle | None) -> None:
    assert machine({label: word}).lifecycle is lifecycle


def test_ec2_has_words_of_its_own() -> None:
    assert lifecycle_of("capacity-block") is Lifecycle.CAPACITY_BLOCK
    assert lifecycle_of("scheduled") is None


def test_only_nodes_that_may_have_gpus_are_asked_about() -> None:
    plain = {"node_kubernetes_io_instance_type": "m5.large"}
    gpu = {"node_kubernetes_io_instance_type": "g5.xlarge"}
    facts = readings(node("cpu", labels=plain), node("gpu", labels=gpu), node("held", labels=plain), node(""))
    assert [one.node for one in machines(facts)] == ["gpu"]
    held = readings(node("held", labels=plain), request(pod("p"), node="held"))
    assert [one.node for one in machines(held)] == ["held"]


def test_a_name_that_was_given_again_is_the_later_instance() -> None:
    early = provided("node-a", "aws:///us-west-2b/i-0000000000000000a", mask(0, 20))
    late = provided("node-a", "aws:///us-west-2c/i-0000000000000000b", mask(25, 60))
    for order in ((early, late), (late, early)):
        (found,) = machines(readings(*order, allocatable(1)))
        assert (found.instance_id, found.zone) == ("i-0000000000000000b", "us-west-2c")


def test_the_label_that_holds_last_counts() -> None:
    early = node(minutes=mask(0, 20), labels={"karpenter_sh_capacity_type": "spot"})
    late = node(minutes=mask(20, 60), labels={"karpenter_sh_capacity_type": "on-demand"})
    for order in ((early, late), (late, early)):
        (found,) = machines(readings(*order, allocatable(1)))
        assert found.lifecycle is Lifecycle.ON_DEMAND


@pytest.mark.parametrize("turn", [1, -1])
def test_the_later_instance_has_no_label_of_the_earlier_one(turn: int) -> None:
    """A Spot node's name, and minutes later one of another pool that says nothing of how it was bought."""
    early, late = mask(0, 20), mask(30, 60)
    kind = {"node_kubernetes_io_instance_type": "g5.xlarge"}
    facts = [
        node(minutes=early, labels={**kind, "karpenter_sh_capacity_type": "spot"}),
        provided("node-a", "aws:///us-west-2b/i-00000000000000001", early),
        node(minutes=late, labels=kind),
        provided("node-a", "aws:///us-west-2b/i-00000000000000002", late),
    ]
    (found,) = machines(readings(allocatable(1), *facts[::turn]))
    assert (found.instance_id, found.instance_type, found.lifecycle) == ("i-00000000000000002", "g5.xlarge", None)
