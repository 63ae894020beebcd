"""`gpucost settings`: check a settings file, print the schema."""

import json
import sys
from pathlib import Path

from gpucost.runtime.settings import Settings
from local.settings_file import read_settings


def check(path: Path) -> None:
    """Say what the file changes. SettingsError names every fault with its place."""
    settings = read_settings(path)
    changed = settings.model_dump(mode="json", exclude_defaults=True)
    difference = f"differs from the defaults in {', '.join(sorted(changed))}" if changed else "is the defaults"
    sys.stdout.write(f"{path} is valid and {difference}; digest {settings.digest()}\n")


def schema_text() -> str:
    """The JSON Schema of the settings document, as it is published in docs/settings.schema.json."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Settings.model_json_schema()}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def schema() -> None:
    """Print the schema."""
    sys.stdout.write(schema_text())
