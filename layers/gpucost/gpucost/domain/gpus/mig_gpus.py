"""MIG facts: which profiles each GPU offers, and what part of the GPU one instance is.

Sources: NVIDIA's MIG user guide (supported profiles), the defaults of NVIDIA mig-parted and GPU Operator,
and `nvidia-smi mig -lgip` listings published for each GPU. A profile `Ng.Xgb` is N compute slices of the GPU's total
(7, or 4 on A30 and RTX PRO 6000); memory slices are eighths (quarters on the two small ones).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MigGpu:
    """A MIG-capable GPU. `profiles` maps a profile to (compute slices, memory slices, most instances per GPU)."""

    compute_slices: int
    memory_slices: int
    profiles: dict[str, tuple[int, int, int]]


MIG_GPUS: dict[str, MigGpu] = {
    "A30-24GB": MigGpu(
        4,
        4,
        {
            "1g.6gb": (1, 1, 4),
            "1g.6gb+me": (1, 1, 1),
            "2g.12gb": (2, 2, 2),
            "2g.12gb+me": (2, 2, 1),
            "4g.24gb": (4, 4, 1),
        },
    ),
    "A100-40GB": MigGpu(
        7,
        8,
        {
            "1g.5gb": (1, 1, 7),
            "1g.5gb+me": (1, 1, 1),
            "1g.10gb": (1, 2, 4),
            "2g.10gb": (2, 2, 3),
            "3g.20gb": (3, 4, 2),
            "4g.20gb": (4, 4, 1),
            "7g.40gb": (7, 8, 1),
        },
    ),
    "A100-80GB": MigGpu(
        7,
        8,
        {
            "1g.10gb": (1, 1, 7),
            "1g.10gb+me": (1, 1, 1),
            "1g.20gb": (1, 2, 4),
            "2g.20gb": (2, 2, 3),
            "3g.40gb": (3, 4, 2),
            "4g.40gb": (4, 4, 1),
            "7g.80gb": (7, 8, 1),
        },
    ),
    "H100-80GB": MigGpu(
        7,
        8,
        {
            "1g.10gb": (1, 1, 7),
            "1g.10gb+me": (1, 1, 1),
            "1g.20gb": (1, 2, 4),
            "2g.20gb": (2, 2, 3),
            "3g.40gb": (3, 4, 2),
            "4g.40gb": (4, 4, 1),
            "7g.80gb": (7, 8, 1),
        },
    ),
    "H100-NVL-94GB": MigGpu(
        7,
        8,
        {
            "1g.12gb": (1, 1, 7),
            "1g.12gb+me": (1, 1, 1),
            "1g.24gb": (1, 2, 4),
            "2g.24gb": (2, 2, 3),
            "3g.47gb": (3, 4, 2),
            "4g.47gb": (4, 4, 1),
            "7g.94gb": (7, 8, 1),
        },
    ),
    "H100-96GB/GH200-96GB/H20": MigGpu(
        7,
        8,
        {
            "1g.12gb": (1, 1, 7),
            "1g.12gb+me": (1, 1, 1),
            "1g.24gb": (1, 2, 4),
            "2g.24gb": (2, 2, 3),
            "3g.48gb": (3, 4, 2),
            "4g.48gb": (4, 4, 1),
            "7g.96gb": (7, 8, 1),
        },
    ),
    "H200-141GB": MigGpu(
        7,
        8,
        {
            "1g.18gb": (1, 1, 7),
            "1g.18gb+me": (1, 1, 1),
            "1g.35gb": (1, 2, 4),
            "2g.35gb": (2, 2, 3),
            "3g.71gb": (3, 4, 2),
            "4g.71gb": (4, 4, 1),
            "7g.141gb": (7, 8, 1),
        },
    ),
    "GH200-144GB": MigGpu(
        7,
        8,
        {
            "1g.18gb": (1, 1, 7),
            "1g.18gb+me": (1, 1, 1),
            "1g.36gb": (1, 2, 4),
            "2g.36gb": (2, 2, 3),
            "3g.72gb": (3, 4, 2),
            "4g.72gb": (4, 4, 1),
            "7g.144gb": (7, 8, 1),
        },
    ),
    "B200-180GB": MigGpu(
        7,
        8,
        {
            "1g.23gb": (1, 1, 7),
            "1g.23gb+me": (1, 1, 1),
            "1g.45gb": (1, 2, 4),
            "2g.45gb": (2, 2, 3),
            "3g.90gb": (3, 4, 2),
            "4g.90gb": (4, 4, 1),
            "7g.180gb": (7, 8, 1),
        },
    ),
    "GB200-186GB": MigGpu(
        7,
        8,
        {
            "1g.24gb": (1, 1, 7),
            "1g.24gb+me": (1, 1, 1),
            "1g.47gb": (1, 2, 4),
            "2g.47gb": (2, 2, 3),
            "3g.93gb": (3, 4, 2),
            "4g.93gb": (4, 4, 1),
            "7g.186gb": (7, 8, 1),
        },
    ),
    "B300-269GB": MigGpu(
        7,
        8,
        {
            "1g.34gb": (1, 1, 7),
            "1g.34gb+me": (1, 1, 1),
            "1g.67gb": (1, 2, 4),
            "2g.67gb": (2, 2, 3),
            "3g.135gb": (3, 4, 2),
            "4g.135gb": (4, 4, 1),
            "7g.269gb": (7, 8, 1),
        },
    ),
    "GB300-278GB": MigGpu(
        7,
        8,
        {
            "1g.35gb": (1, 1, 7),
            "1g.35gb+me": (1, 1, 1),
            "1g.70gb": (1, 2, 4),
            "2g.70gb": (2, 2, 3),
            "3g.139gb": (3, 4, 2),
            "4g.139gb": (4, 4, 1),
            "7g.278gb": (7, 8, 1),
        },
    ),
    "RTX-PRO-6000-BSE-96GB": MigGpu(
        4,
        4,
        {
            "1g.24gb": (1, 1, 4),
            "1g.24gb+me": (1, 1, 1),
            "1g.24gb+gfx": (1, 1, 4),
            "1g.24gb+me.all": (1, 1, 1),
            "1g.24gb-me": (1, 1, 4),
            "2g.48gb": (2, 2, 2),
            "2g.48gb+gfx": (2, 2, 2),
            "2g.48gb+me.all": (2, 2, 1),
            "2g.48gb-me": (2, 2, 2),
            "4g.96gb": (4, 4, 1),
            "4g.96gb+gfx": (4, 4, 1),
        },
    ),
}
