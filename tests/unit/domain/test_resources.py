import re

import pytest

from gpucost.domain.gpus.resources import ACCELERATOR_SELECTOR, ResourceKind, parse_resource, sanitize
from gpucost.domain.policy import KUBEVIRT_PASSTHROUGH


@pytest.mark.parametrize(
    ("name", "kind", "shared", "profile", "priced"),
    [
        ("nvidia_com_gpu", "gpu", False, None, True),
        ("nvidia_com_gpu_shared", "gpu", True, None, True),
        ("nvidia_com_mig_1g_5gb", "mig", False, "1g.5gb", True),
        ("nvidia_com_mig_1g_5gb_me", "mig", False, "1g.5gb", True),
        ("nvidia_com_mig_3g_20gb_shared", "mig", True, "3g.20gb", True),
        ("k8s_amazonaws_com_vgpu", "aws_vgpu", False, None, True),
        ("nvidia_com_GA100_A100_SXM4_40GB", "passthrough", False, None, True),
        ("nvidia_com_gpucores", "hami_cores", False, None, False),
        ("nvidia_com_gpumem", "hami_memory", False, None, False),
        ("nvidia_com_gpumem_percentage", "hami_memory_percent", False, None, False),
        ("nvidia_com_gpumem_shared", "other", False, None, False),
        ("nvidia_com_gpus", "other", False, None, False),
        ("nvidia_com_mig_odd", "other", False, None, False),
        ("nvidia_com_mig_", "other", False, None, False),
        ("my_nvidia_com_gpu", "other", False, None, False),
        ("nvidia_com_TU102", "other", False, None, False),
        ("aws_amazon_com_neuron", "other", False, None, False),
        ("amd_com_gpu", "other", False, None, False),
        ("", "other", False, None, False),
    ],
)
def test_the_grammar_is_exact(name: str, kind: str, shared: bool, profile: str | None, priced: bool) -> None:
    resource = parse_resource(name, KUBEVIRT_PASSTHROUGH)
    assert resource.name == name
    assert resource.kind is ResourceKind(kind)
    assert resource.shared is shared
    assert (resource.profile.name if resource.profile else None) == profile
    assert resource.priced is priced


def test_passthrough_names_count_only_when_listed() -> None:
    assert parse_resource("nvidia_com_TU104GL_Tesla_T4").kind is ResourceKind.OTHER
    assert parse_resource("nvidia_com_TU104GL_Tesla_T4", ("nvidia.com/TU104GL_Tesla_T4",)).priced


def test_names_are_sanitised_as_kube_state_metrics_does() -> None:
    assert sanitize("cost-center.io/bu_1") == "cost_center_io_bu_1"


@pytest.mark.parametrize(
    ("resource", "asked"),
    [
        ("nvidia_com_gpu", True),
        ("nvidia_com_mig_1g_5gb", True),
        ("k8s_amazonaws_com_vgpu", True),
        ("aws_amazon_com_neuroncore", True),
        ("habana_ai_gaudi", True),
        ("cpu", False),
        ("memory", False),
        ("vpc_amazonaws_com_pod_eni", False),
    ],
)
def test_the_engine_is_asked_for_accelerators_only(resource: str, asked: bool) -> None:
    assert bool(re.fullmatch(ACCELERATOR_SELECTOR, resource)) is asked
