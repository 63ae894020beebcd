"""What Lambda has to load: the size of the built layers, and how long a function takes until its first event."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support import artifacts

ROUNDS = 5
DEPENDENCIES_LIMIT_MB = 20
READY_LIMIT_MS = {"plan": 550, "collect": 550, "detect": 550, "notify": 550, "api": 750}

# What each function touches on its first event: its environment, its parts, its clients.
PARTS = {
    "plan": ("PlanEnvironment", "jobs"),
    "collect": ("CollectEnvironment", "ledger dead_letters _settings_parameter"),
    "detect": ("DetectEnvironment", "ledger alert_log publisher dead_letters _settings_parameter"),
    "notify": ("NotifyEnvironment", "chat dead_letters"),
    "api": ("ApiEnvironment", "ledger _settings_parameter"),
}
GIVEN = {"GPUCOST_INTERACTIVE": "false"}
"""Variables that take no number."""
_CODE = """
import time
started = time.perf_counter()
import functions.{name}.app
from gpucost.runtime import container, environment
kind = environment.{kind}
parts = container.Container(kind.read(dict.fromkeys(kind.variables(), "1") | {given!r}))
for part in {parts!r}.split():
    getattr(parts, part)
print((time.perf_counter() - started) * 1000)
"""


@contextmanager
def built() -> Iterator[tuple[Path, Path]]:
    """The artifacts, and the folder of Lambda's own packages."""
    with tempfile.TemporaryDirectory(prefix="gpucost-bench-") as name:
        yield artifacts.build(Path(name)), artifacts.lambda_runtime(Path(name))


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def ready_ms(name: str, folder: Path, runtime: Path) -> float:
    """Milliseconds from the start of Python to the first event, the best of some fresh processes."""
    kind, parts = PARTS[name]
    code = _CODE.format(name=name, kind=kind, parts=parts, given=GIVEN)
    command = [sys.executable, "-S", "-P", "-c", code]
    environment = {"PYTHONPATH": artifacts.python_path(name, folder, runtime), "AWS_DEFAULT_REGION": "us-west-2"}
    return min(_milliseconds(command, environment) for _ in range(ROUNDS))


def _milliseconds(command: list[str], environment: Mapping[str, str]) -> float:
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> int:
    """Print the figures; 1 when a budget is exceeded."""
    with built() as (folder, runtime):
        sizes = {layer: megabytes(folder / layer) for layer in artifacts.LAYERS}
        ready = {name: ready_ms(name, folder, runtime) for name in READY_LIMIT_MS}
    print("artifacts")
    for layer, size in sizes.items():
        print(f"  {layer:<18} {size:6.1f} MB" + (f"  (budget {DEPENDENCIES_LIMIT_MB} MB)" if "Dep" in layer else ""))
    print(f"ready for the first event, best of {ROUNDS}")
    for name, taken in ready.items():
        print(f"  {name:<18} {taken:6.0f} ms  (budget {READY_LIMIT_MS[name]} ms)")
    late = [name for name, taken in ready.items() if taken > READY_LIMIT_MS[name]]
    return int(bool(late) or sizes["DependenciesLayer"] > DEPENDENCIES_LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())
