"""A metrics engine that answers with readings made up for the test, or not at all."""

from decimal import Decimal

from gpucost.domain.hours import Hour
from gpucost.domain.readings import ContainerRequest, NodeFacts, NodeResource, PodId, PodPhase, Readings
from gpucost.domain.timeline import FULL

GPU = "nvidia_com_gpu"
NODE = "node-a"


def one_gpu_held() -> Readings:
    """A node of eight GPUs, one of which a pod of bu-a holds all the hour; nothing is known of its use."""
    pod = PodId("bu-a", "train-0", "uid-train-0")
    return Readings(
        seen=FULL,
        requests=(ContainerRequest(pod, "main", NODE, GPU, {Decimal(1): FULL}),),
        phases=(PodPhase(pod, "Running", FULL),),
        node_resources=(NodeResource(NODE, GPU, {Decimal(8): FULL}),),
        nodes=(NodeFacts(NODE, FULL),),
    )


class FixedMetrics:
    """`ports.Metrics` that gives the same readings for every hour, or raises what it was given."""

    def __init__(self, answer: Readings | Exception) -> None:
        self.answer = answer
        self.asked: list[tuple[str, Hour]] = []

    def read_hour(self, cluster: str, hour: Hour) -> Readings:
        self.asked.append((cluster, hour))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer
