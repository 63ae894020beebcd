import re
from datetime import date

from gpucost.domain.gpus.instances import INSTANCE_TYPES, PRICES_AS_OF, PRICES_REGION
from gpucost.domain.gpus.mig import gpu_of_model
from gpucost.domain.gpus.mig_gpus import MIG_GPUS


def test_every_type_is_whole() -> None:
    for name, kind in INSTANCE_TYPES.items():
        assert re.fullmatch(r"[a-z0-9-]+\.([0-9]*x?large|metal)", name), name
        assert kind.vcpus > 0, name
        assert kind.memory_gib > 0, name
        assert kind.gpus in {0, 1, 2, 4, 8}, name
        assert kind.gpu_memory_mib > 0, name
        assert kind.usd_per_hour is None or kind.usd_per_hour > 0, name


def test_types_with_no_whole_gpu_are_the_fractional_ones() -> None:
    assert {name.split(".")[0] for name, kind in INSTANCE_TYPES.items() if not kind.gpus} == {"g6f", "gr6f"}


def test_prices_have_a_date_and_a_region() -> None:
    assert date.fromisoformat(PRICES_AS_OF) < date(2026, 11, 30)
    assert PRICES_REGION == "us-east-1"


def test_the_gpus_of_mig_capable_types_are_known_to_have_mig() -> None:
    found = {kind.gpu: gpu_of_model(kind.gpu) for kind in INSTANCE_TYPES.values()}
    assert {name for name, gpu in found.items() if gpu in MIG_GPUS.values()} == {
        "a100", "h100", "h200", "b200", "b300", "rtx-pro-server-6000",
    }  # fmt: skip
