from fractions import Fraction

import pytest

from gpucost.domain.gpus.mig import Profile, gpu_of_model, most_instances, parse_profile, profile_share
from gpucost.domain.gpus.mig_gpus import MIG_GPUS
from gpucost.domain.policy import WeightBasis

COMPUTE, MEMORY, DOMINANT = WeightBasis.COMPUTE, WeightBasis.MEMORY, WeightBasis.DOMINANT

MODEL_OF = {
    "A30-24GB": "NVIDIA-A30",
    "A100-40GB": "NVIDIA-A100-SXM4-40GB",
    "A100-80GB": "NVIDIA A100-SXM4-80GB",
    "H100-80GB": "NVIDIA-H100-80GB-HBM3",
    "H100-NVL-94GB": "NVIDIA-H100-NVL",
    "H100-96GB/GH200-96GB/H20": "NVIDIA-GH200-480GB",
    "H200-141GB": "NVIDIA-H200",
    "GH200-144GB": "NVIDIA-GH200-144G-HBM3e",
    "B200-180GB": "NVIDIA-B200",
    "GB200-186GB": "NVIDIA-GB200",
    "B300-269GB": "NVIDIA-B300-SXM6-AC",
    "GB300-278GB": "NVIDIA-GB300",
    "RTX-PRO-6000-BSE-96GB": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
}
EVERY_PROFILE = [(gpu, profile) for gpu, facts in MIG_GPUS.items() for profile in facts.profiles]


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("1g.5gb", Profile(1, 1, 5, "1g.5gb")),
        ("1g_5gb", Profile(1, 1, 5, "1g.5gb")),
        ("7g.141gb", Profile(7, 7, 141, "7g.141gb")),
        ("1c.3g.20gb", Profile(1, 3, 20, "3g.20gb")),
        ("1c_3g_20gb", Profile(1, 3, 20, "3g.20gb")),
        ("5c.3g.20gb", Profile(3, 3, 20, "3g.20gb")),
        ("1g.10gb+me", Profile(1, 1, 10, "1g.10gb")),
        ("1g_10gb_me", Profile(1, 1, 10, "1g.10gb")),
        ("1g.24gb+me.all", Profile(1, 1, 24, "1g.24gb")),
        ("1g.24gb-me", Profile(1, 1, 24, "1g.24gb")),
        ("0g.5gb", None),
        ("", None),
        ("1g.5GB", None),
        ("1g.5gb8", None),
        ("x1g.5gb", None),
        ("g.5gb", None),
        ("disabled", None),
    ],
)
def test_a_profile_name_is_read_as_nvidia_or_the_exporter_writes_it(text: str, profile: Profile | None) -> None:
    assert parse_profile(text) == profile


def test_the_table_of_models_names_every_gpu() -> None:
    assert MODEL_OF.keys() == MIG_GPUS.keys()


@pytest.mark.parametrize(("gpu", "model"), sorted(MODEL_OF.items()))
def test_a_gpu_is_known_by_the_name_that_nvidia_writes(gpu: str, model: str) -> None:
    assert gpu_of_model(model) is MIG_GPUS[gpu]


@pytest.mark.parametrize(
    ("model", "gpu"),
    [
        ("a100", "A100-40GB"),
        ("GA100_A100_SXM4_80GB", "A100-80GB"),
        ("NVIDIA-A100-PCIE-40GB", "A100-40GB"),
        ("NVIDIA-H100-PCIe", "H100-80GB"),
        ("NVIDIA H100 96GB HBM2e", "H100-96GB/GH200-96GB/H20"),
        ("NVIDIA-H100-94GB", "H100-NVL-94GB"),
        ("NVIDIA-GH200-96GB", "H100-96GB/GH200-96GB/H20"),
        ("NVIDIA-H20", "H100-96GB/GH200-96GB/H20"),
        ("rtx-pro-server-6000", "RTX-PRO-6000-BSE-96GB"),
        ("b300", "B300-269GB"),
    ],
)
def test_other_spellings_lead_to_the_same_gpu(model: str, gpu: str) -> None:
    assert gpu_of_model(model) is MIG_GPUS[gpu]


@pytest.mark.parametrize("model", ["", "NVIDIA-A10G", "Tesla-T4", "NVIDIA-L40S", "NVIDIA-RTX-A3000", "GA100", "H1000"])
def test_a_gpu_without_mig_is_not_taken_for_one_that_has_it(model: str) -> None:
    assert gpu_of_model(model) is None


@pytest.mark.parametrize("basis", list(WeightBasis))
@pytest.mark.parametrize(("gpu", "name"), EVERY_PROFILE)
def test_all_instances_that_a_gpu_can_hold_fit_on_it(gpu: str, name: str, basis: WeightBasis) -> None:
    profile = parse_profile(name)
    assert profile is not None
    share = profile_share(profile, MODEL_OF[gpu], basis, slices_per_gpu=7)
    assert 0 < share <= 1
    assert MIG_GPUS[gpu].profiles[name][2] * share <= 1


@pytest.mark.parametrize(("gpu", "name"), EVERY_PROFILE)
def test_a_profile_weighs_its_slices_of_compute_or_memory_or_the_larger_part(gpu: str, name: str) -> None:
    facts = MIG_GPUS[gpu]
    compute_slices, memory_slices, _ = facts.profiles[name]
    profile = parse_profile(name)
    assert profile is not None
    assert profile.slices == compute_slices
    compute, memory = Fraction(compute_slices, facts.compute_slices), Fraction(memory_slices, facts.memory_slices)
    weighed = [profile_share(profile, MODEL_OF[gpu], basis, slices_per_gpu=7) for basis in (COMPUTE, MEMORY, DOMINANT)]
    assert weighed == [compute, memory, max(compute, memory)]


@pytest.mark.parametrize(
    ("name", "model", "basis", "slices", "share"),
    [
        # the profile name decides where the model does not tell
        ("1g.5gb", "", COMPUTE, 7, "1/7"),
        ("1g.6gb", "", COMPUTE, 7, "1/4"),
        ("7g.80gb", "a100", MEMORY, 7, "1"),
        ("1g.20gb", "", MEMORY, 7, "1/4"),
        # one that 4- and 7-slice GPUs both have goes by the slices of the settings
        ("1g.24gb", "", COMPUTE, 7, "1/7"),
        ("1g.24gb", "", COMPUTE, 4, "1/4"),
        ("1g.24gb", "", MEMORY, 4, "1/4"),
        ("1g.24gb", "", COMPUTE, 5, "1/5"),
        ("1g.24gb", "", MEMORY, 5, "1/8"),
        ("1g.24gb", "NVIDIA-RTX-PRO-6000", COMPUTE, 7, "1/4"),
        ("1g.24gb", "NVIDIA-GB200", COMPUTE, 4, "1/7"),
        # a wrong or unknown combination keeps the named GPU's slices
        ("1g.5gb", "NVIDIA-A30", COMPUTE, 7, "1/4"),
        ("2g.99gb", "NVIDIA-A30", COMPUTE, 7, "1/2"),
        ("2g.99gb", "NVIDIA-A30", MEMORY, 7, "1/2"),
        ("2g.99gb", "", COMPUTE, 7, "2/7"),
        ("2g.99gb", "", MEMORY, 7, "1/4"),
        ("1g.10gb", "NVIDIA-H200", MEMORY, 7, "1/4"),
        ("7g.40gb", "NVIDIA-A30", COMPUTE, 7, "1"),
        # compute instances inside an instance
        ("1c.3g.20gb", "NVIDIA-A100-SXM4-40GB", COMPUTE, 7, "1/7"),
        ("2c.3g.20gb", "NVIDIA-A100-SXM4-40GB", MEMORY, 7, "1/3"),
        ("1c.3g.20gb", "NVIDIA-A100-SXM4-40GB", DOMINANT, 7, "1/6"),
    ],
)
def test_a_share_goes_by_the_named_gpu_then_by_the_profile_then_by_the_settings(
    name: str, model: str, basis: WeightBasis, slices: int, share: str
) -> None:
    profile = parse_profile(name)
    assert profile is not None
    assert profile_share(profile, model, basis, slices) == Fraction(share)


@pytest.mark.parametrize(
    ("name", "model", "slices", "most"),
    [
        ("3g.20gb", "NVIDIA-A100-SXM4-40GB", 7, 2),
        ("1g.10gb", "NVIDIA-A100-SXM4-40GB", 7, 4),
        ("1g.10gb", "NVIDIA-A100-SXM4-80GB", 7, 7),
        ("4g.20gb", "", 7, 1),
        ("2g.99gb", "NVIDIA-A30", 7, 2),
        ("2g.99gb", "", 7, 3),
        ("7g.99gb", "", 4, 1),
    ],
)
def test_a_gpu_holds_as_many_instances_as_the_table_says_else_as_its_slices_allow(
    name: str, model: str, slices: int, most: int
) -> None:
    profile = parse_profile(name)
    assert profile is not None
    assert most_instances(profile, model, slices) == most
