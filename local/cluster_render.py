"""`python -m local.cluster_render [--values FILE] [--out FOLDER]`: the files of cluster/ with a user's values.

The values are NAME=value lines. `${NAME}` in the files stands for one; `$$` is a dollar sign. Two values are made from
other files: RULES is the text of the rules, SCRAPE_CONFIG the collector's scrape jobs as Prometheus takes them.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import yaml

from local.errors import StackError

FOLDER = Path(__file__).resolve().parents[1] / "cluster"
VALUES = FOLDER / "values.env"
RULES = FOLDER.parent / "rules" / "gpucost.rules.yaml"
COLLECTOR = "5-collector.yaml"


def values(file: Path = VALUES) -> dict[str, str]:
    """The values of a file over the defaults. StackError names the line that is none, or a value that there is not."""
    found = dict(_lines(VALUES))
    for name, value in _lines(file):
        if name not in found:
            raise StackError(f"{file}: there is no value {name}; there are {', '.join(found)}")
        found[name] = value
    return found


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier() or not value.strip():
            raise StackError(f"{file}, line {number}: {text!r} is not NAME=value")
        yield name, value.strip()


def rendered(given: Mapping[str, str]) -> dict[str, str]:
    """Every file with the values, by name, in the order in which they are applied. StackError for a missing value."""
    collector = collector_config(_substituted(FOLDER / COLLECTOR, given))
    # A JSON string is a YAML string too, whatever lines it has.
    made = {"RULES": json.dumps(RULES.read_text()), "SCRAPE_CONFIG": json.dumps(_scrape_config(collector))}
    return {file.name: _substituted(file, {**given, **made}) for file in sorted(FOLDER.glob("*.yaml"))}


def _substituted(file: Path, given: Mapping[str, str]) -> str:
    try:
        return Template(file.read_text()).substitute(given)
    except KeyError as error:
        raise StackError(f"{file.name} uses {error.args[0]}, which {VALUES.name} does not have") from None
    except ValueError as error:
        raise StackError(f"{file.name}: {error}; a dollar sign is written as $$") from None


def collector_config(text: str) -> dict[str, Any]:
    """The collector's own configuration, out of its manifests."""
    (config,) = (one for one in yaml.safe_load_all(text) if one.get("data", {}).get("collector.yaml"))
    found: dict[str, Any] = yaml.safe_load(config["data"]["collector.yaml"])
    return found


def _scrape_config(collector: Mapping[str, Any]) -> str:
    """The collector's scrape jobs as a Prometheus configuration. There is one scraper, so no replica's label."""
    scraping = collector["receivers"]["prometheus"]["config"]
    labels = collector["exporters"]["prometheusremotewrite"]["external_labels"]
    own = {name: value for name, value in labels.items() if name != "__replica__"}
    return yaml.safe_dump({**scraping, "global": {**scraping["global"], "external_labels": own}}, sort_keys=False)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make cluster-render", description="Show cluster/ with your values.")
    parser.add_argument("--values", type=Path, default=VALUES, help="NAME=value lines over those of cluster/values.env")
    parser.add_argument("--out", type=Path, help="a folder to write the files to, instead of showing them")
    given = parser.parse_args(arguments)
    try:
        files = rendered(values(given.values))
        if given.out is not None:
            given.out.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (given.out / name).write_text(text)
    except (StackError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for name, text in files.items() if given.out is None else ():
        sys.stdout.write(f"# ---------------------------------------------------------------- {name}\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
