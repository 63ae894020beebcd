"""`python -m local.cluster_render [VALUES]`: the files of cluster/ with a user's values, to standard output.

The values are NAME=value lines. `${NAME}` in the files stands for one; `$$` is a dollar sign.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template

from local.errors import StackError

FOLDER = Path(__file__).resolve().parents[1] / "cluster"
VALUES = FOLDER / "values.env"


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
    out = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        try:
            out[file.name] = Template(file.read_text()).substitute(given)
        except (KeyError, ValueError) as error:
            raise StackError(f"{file.name} uses {error}, which values.env does not have") from None
    return out


def main(arguments: list[str]) -> int:
    try:
        files = rendered(values(Path(arguments[0]) if arguments else VALUES))
    except (StackError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for name, text in files.items():
        sys.stdout.write(f"# ---------------------------------------------------------------- {name}\n{text}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
