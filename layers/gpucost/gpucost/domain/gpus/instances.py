"""EC2 instance types with NVIDIA GPUs, and a dated On-Demand price for when nothing better is known.

Sources: instance types from the Karpenter AWS provider's reference (v1.14, 2026-07-11); Linux On-Demand prices of
us-east-1 from its generated price list of 2026-07-20, cross-checked with the AWS price list of 2026-07-28. Prices move
(p4d and p5 fell by a third and more in June 2025), so a figure from here is always flagged as a fallback.
"""

from dataclasses import dataclass
from decimal import Decimal

PRICES_AS_OF = "2026-07-20"
PRICES_REGION = "us-east-1"
TYPE_LABELS = ("node_kubernetes_io_instance_type", "beta_kubernetes_io_instance_type")
"""The labels that name a node's instance type, as kube-state-metrics writes them, the better one first."""


@dataclass(frozen=True, slots=True)
class InstanceType:
    """vCPUs, memory (GiB), whole GPUs (0: a fraction of one), GPU name, memory per GPU (MiB), USD per hour if known."""

    vcpus: int
    memory_gib: int
    gpus: int
    gpu: str
    gpu_memory_mib: int
    usd_per_hour: Decimal | None


def _type(vcpus: int, memory_gib: int, gpus: int, gpu: str, gpu_memory_mib: int, usd: str | None) -> InstanceType:
    return InstanceType(vcpus, memory_gib, gpus, gpu, gpu_memory_mib, None if usd is None else Decimal(usd))


INSTANCE_TYPES: dict[str, InstanceType] = {
    "g4dn.xlarge": _type(4, 16, 1, "t4", 16384, "0.526"),
    "g4dn.2xlarge": _type(8, 32, 1, "t4", 16384, "0.752"),
    "g4dn.4xlarge": _type(16, 64, 1, "t4", 16384, "1.204"),
    "g4dn.8xlarge": _type(32, 128, 1, "t4", 16384, "2.176"),
    "g4dn.12xlarge": _type(48, 192, 4, "t4", 16384, "3.912"),
    "g4dn.16xlarge": _type(64, 256, 1, "t4", 16384, "4.352"),
    "g4dn.metal": _type(96, 384, 8, "t4", 16384, "7.824"),
    "g5.xlarge": _type(4, 16, 1, "a10g", 22888, "1.006"),
    "g5.2xlarge": _type(8, 32, 1, "a10g", 22888, "1.212"),
    "g5.4xlarge": _type(16, 64, 1, "a10g", 22888, "1.624"),
    "g5.8xlarge": _type(32, 128, 1, "a10g", 22888, "2.448"),
    "g5.12xlarge": _type(48, 192, 4, "a10g", 22888, "5.672"),
    "g5.16xlarge": _type(64, 256, 1, "a10g", 22888, "4.096"),
    "g5.24xlarge": _type(96, 384, 4, "a10g", 22888, "8.144"),
    "g5.48xlarge": _type(192, 768, 8, "a10g", 22888, "16.288"),
    "g5g.xlarge": _type(4, 8, 1, "t4g", 16384, "0.42"),
    "g5g.2xlarge": _type(8, 16, 1, "t4g", 16384, "0.556"),
    "g5g.4xlarge": _type(16, 32, 1, "t4g", 16384, "0.828"),
    "g5g.8xlarge": _type(32, 64, 1, "t4g", 16384, "1.372"),
    "g5g.16xlarge": _type(64, 128, 2, "t4g", 16384, "2.744"),
    "g5g.metal": _type(64, 128, 2, "t4g", 16384, "2.744"),
    "g6.xlarge": _type(4, 16, 1, "l4", 22888, "0.8048"),
    "g6.2xlarge": _type(8, 32, 1, "l4", 22888, "0.9776"),
    "g6.4xlarge": _type(16, 64, 1, "l4", 22888, "1.3232"),
    "g6.8xlarge": _type(32, 128, 1, "l4", 22888, "2.0144"),
    "g6.12xlarge": _type(48, 192, 4, "l4", 22888, "4.6016"),
    "g6.16xlarge": _type(64, 256, 1, "l4", 22888, "3.3968"),
    "g6.24xlarge": _type(96, 384, 4, "l4", 22888, "6.6752"),
    "g6.48xlarge": _type(192, 768, 8, "l4", 22888, "13.3504"),
    "g6e.xlarge": _type(4, 32, 1, "l40s", 45776, "1.861"),
    "g6e.2xlarge": _type(8, 64, 1, "l40s", 45776, "2.24208"),
    "g6e.4xlarge": _type(16, 128, 1, "l40s", 45776, "3.00424"),
    "g6e.8xlarge": _type(32, 256, 1, "l40s", 45776, "4.52856"),
    "g6e.12xlarge": _type(48, 384, 4, "l40s", 45776, "10.49264"),
    "g6e.16xlarge": _type(64, 512, 1, "l40s", 45776, "7.57719"),
    "g6e.24xlarge": _type(96, 768, 4, "l40s", 45776, "15.06559"),
    "g6e.48xlarge": _type(192, 1536, 8, "l40s", 45776, "30.13118"),
    "g6f.large": _type(2, 8, 0, "l4", 2861, "0.202"),
    "g6f.xlarge": _type(4, 16, 0, "l4", 2861, "0.2375"),
    "g6f.2xlarge": _type(8, 32, 0, "l4", 5722, "0.475"),
    "g6f.4xlarge": _type(16, 64, 0, "l4", 11444, "0.95"),
    "g7.2xlarge": _type(8, 32, 1, "rtx-pro-4500", 32768, "2.52"),
    "g7.4xlarge": _type(16, 64, 1, "rtx-pro-4500", 32768, "3.04208"),
    "g7.8xlarge": _type(32, 128, 1, "rtx-pro-4500", 32768, "4.08624"),
    "g7.12xlarge": _type(48, 192, 2, "rtx-pro-4500", 32768, "7.12832"),
    "g7.24xlarge": _type(96, 384, 4, "rtx-pro-4500", 32768, "14.25664"),
    "g7.48xlarge": _type(192, 768, 8, "rtx-pro-4500", 32768, "28.51328"),
    "g7e.2xlarge": _type(8, 64, 1, "rtx-pro-server-6000", 98304, "3.36312"),
    "g7e.4xlarge": _type(16, 128, 1, "rtx-pro-server-6000", 98304, "3.99816"),
    "g7e.8xlarge": _type(32, 256, 1, "rtx-pro-server-6000", 98304, "5.26824"),
    "g7e.12xlarge": _type(48, 512, 2, "rtx-pro-server-6000", 98304, "8.28608"),
    "g7e.24xlarge": _type(96, 1024, 4, "rtx-pro-server-6000", 98304, "16.57216"),
    "g7e.48xlarge": _type(192, 2048, 8, "rtx-pro-server-6000", 98304, "33.14432"),
    "gr6.4xlarge": _type(16, 128, 1, "l4", 22888, "1.5392"),
    "gr6.8xlarge": _type(32, 256, 1, "l4", 22888, "2.4464"),
    "gr6f.4xlarge": _type(16, 128, 0, "l4", 11444, "1.066"),
    "p3dn.24xlarge": _type(96, 768, 8, "v100", 32768, "31.212"),
    "p4d.24xlarge": _type(96, 1152, 8, "a100", 40960, "21.957642"),
    "p4de.24xlarge": _type(96, 1152, 8, "a100", 81920, "27.44705"),
    "p5.4xlarge": _type(16, 256, 1, "h100", 81920, "6.88"),
    "p5.48xlarge": _type(192, 2048, 8, "h100", 81920, "55.04"),
    "p5e.48xlarge": _type(192, 2048, 8, "h200", 144384, None),
    "p5en.48xlarge": _type(192, 2048, 8, "h200", 144384, "63.296"),
    "p6-b200.48xlarge": _type(192, 2048, 8, "b200", 183359, "113.9328"),
    "p6-b300.48xlarge": _type(192, 4096, 8, "b300", 275040, "142.416"),
}
