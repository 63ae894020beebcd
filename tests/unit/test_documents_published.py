"""What docs/ publishes is what the code does: warning codes, and the schema of the report."""

import json
import re
from decimal import Decimal
from pathlib import Path

import jsonschema
import pytest

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.documents import report_document
from gpucost.domain.policy import Policy
from gpucost.domain.readings import Readings
from gpucost.domain.warnings import Code
from tests.support.readings import GPU, HOUR, allocatable, device, mask, node, phase, pod, readings, request

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))


def test_every_warning_code_is_documented_and_no_other() -> None:
    table = re.findall(r"^\| `([a-z_]+)` \|", (DOCS / "warnings.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert table == [code.value for code in Code]


def odd_hour() -> Readings:
    """Holders with and without known use, an unpriced accelerator, a gap."""
    known, unknown, other = pod("a-0"), pod("b-0", "bu-b"), pod("c-0", "bu-c")
    return readings(
        request(known),
        request(unknown),
        request(other, 2, resource="amd_com_gpu"),
        *(phase(who) for who in (known, unknown, other)),
        allocatable(4),
        node(labels={"node_kubernetes_io_instance_type": "g5.12xlarge"}),
        device(known, "0.25"),
        seen=mask(0, 30),
    )


@pytest.mark.parametrize("facts", [odd_hour(), readings(node("cpu-node")), readings(allocatable(1, resource=GPU))])
def test_a_report_fits_the_published_schema(facts: Readings) -> None:
    document = report_document(allocate(facts, Policy(), "c", HOUR))
    numbers = json.loads(json.dumps(document, default=float))
    jsonschema.validate(numbers, SCHEMA, cls=jsonschema.Draft202012Validator)


def test_the_schema_refuses_what_is_no_report() -> None:
    document = json.loads(json.dumps(report_document(allocate(odd_hour(), Policy(), "c", HOUR)), default=float))
    for broken in ({**document, "status": "fine"}, {**document, "totals": {}}, {**document, "hour": 10}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, SCHEMA)


def test_the_schema_names_every_field() -> None:
    """A field that is added to a record has to be published, too."""
    document = report_document(allocate(odd_hour(), Policy(), "c", HOUR))
    assert set(SCHEMA["properties"]) == set(document)
    for kind in ("namespaces", "pods", "nodes", "unpriced", "warnings"):
        assert set(SCHEMA["properties"][kind]["items"]["properties"]) == set(document[kind][0]), kind
    assert set(SCHEMA["properties"]["totals"]["properties"]) == set(document["totals"])
    assert all(isinstance(value, Decimal | None) for value in document["totals"].values())
