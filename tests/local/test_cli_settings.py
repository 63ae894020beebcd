"""`gpucost settings`, and the files it reads."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from gpucost.runtime.settings import Settings
from local.commands.settings import schema_text
from local.settings_file import read_settings
from tests.local.conftest import CommandLine

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "settings.schema.json"


def test_the_published_schema_is_the_one_in_force(gpucost: CommandLine) -> None:
    assert PUBLISHED.read_text() == schema_text(), "run `gpucost settings schema > docs/settings.schema.json`"
    assert gpucost("settings", "schema").out == schema_text()


def test_the_schema_describes_every_setting() -> None:
    assert json.loads(schema_text())["properties"].keys() == Settings.model_fields.keys()


@pytest.mark.parametrize(("name", "content"), [("empty.yaml", ""), ("empty.json", "{}"), ("note.yml", "# nothing\n")])
def test_an_empty_file_is_the_defaults(gpucost: CommandLine, tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert gpucost("settings", "check", str(path)).out == (
        f"{path} is valid and is the defaults; digest {Settings().digest()}\n"
    )


def test_check_says_what_a_file_changes(gpucost: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("usd_per_gpu_hour: 10.5\nutilization: recipe\nslices_per_gpu: 7\n")
    run = gpucost("settings", "check", str(path))
    assert run.code == 0
    assert "differs from the defaults in usd_per_gpu_hour, utilization;" in run.out


def test_numbers_keep_every_digit(tmp_path: Path) -> None:
    exact = "3.4308812500000000000001"
    for name, content in (("a.yaml", f"usd_per_gpu_hour: {exact}\n"), ("a.json", f'{{"usd_per_gpu_hour": {exact}}}')):
        (tmp_path / name).write_text(content)
        assert read_settings(tmp_path / name).usd_per_gpu_hour == Decimal(exact)
