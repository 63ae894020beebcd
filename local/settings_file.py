"""Settings from a YAML or JSON file."""

from collections.abc import Hashable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import yaml

from gpucost.runtime.settings import Settings, SettingsError, parse_settings, settings_from_json


def read_settings(path: Path | None) -> Settings:
    """The settings in the file, or the defaults without one. SettingsError names the file, the place and the fault."""
    if path is None:
        return Settings()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SettingsError(f"{path}: the settings file cannot be read: {reason}") from None
    try:
        return settings_from_json(text) if path.suffix == ".json" else _settings_from_yaml(text)
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}") from None


def _settings_from_yaml(text: str) -> Settings:
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader, with exact numbers
    except (yaml.YAMLError, RecursionError) as error:
        raise SettingsError(f"the settings are not YAML: {_placed(error)}") from None
    return parse_settings({} if document is None else document)


def _placed(error: Exception) -> str:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return str(error) if mark is None else f"line {mark.line + 1}: {error.problem}"  # type: ignore[attr-defined]


class _Loader(yaml.SafeLoader):
    """YAML's safe types, but numbers are exact, and a key that is there twice is an error instead of the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = []
        for place, _ in node.value:
            key = self.construct_object(place, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key!r} is there twice", place.start_mark)
            seen.append(key)
        return super().construct_mapping(node, deep)


def _exact(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Decimal:
    text = str(loader.construct_scalar(node)).replace("_", "")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise yaml.constructor.ConstructorError(None, None, f"{text!r} is not a number", node.start_mark) from None


_Loader.add_constructor("tag:yaml.org,2002:float", _exact)
