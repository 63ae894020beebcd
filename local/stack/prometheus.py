"""A real Prometheus on loopback, filled with history from OpenMetrics text."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import requests

from local.errors import StackError
from local.stack.processes import LOOPBACK, server

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "prometheus"
HOW_TO_INSTALL = (
    "Prometheus is not here. Install it with `sudo apt-get update && sudo apt-get install --no-install-recommends "
    "prometheus` (Debian, Ubuntu) or `brew install prometheus` (macOS), or put prometheus and promtool on PATH"
)


@dataclass(frozen=True, slots=True)
class Binaries:
    """Where Prometheus and its promtool are."""

    prometheus: Path
    promtool: Path


def find_binaries() -> Binaries:
    """Prometheus from PATH, or from where `install` unpacked it. StackError says how to get it."""
    for folder in (None, str(CACHE / "usr" / "bin")):
        prometheus, promtool = shutil.which("prometheus", path=folder), shutil.which("promtool", path=folder)
        if prometheus and promtool:
            return Binaries(Path(prometheus), Path(promtool))
    raise StackError(HOW_TO_INSTALL)


def find_or_install() -> Binaries:
    """`find_binaries`, and if they are missing, an attempt to install them with apt or Homebrew first."""
    try:
        return find_binaries()
    except StackError:
        install()
        return find_binaries()


def install() -> None:
    """Unpack Debian's package into .cache (no root, no service), or `brew install`. StackError if neither works."""
    try:
        if shutil.which("apt-get") and shutil.which("dpkg-deb"):
            _download()
            package = max(CACHE.glob("prometheus_*.deb"), key=lambda path: path.stat().st_mtime)
            _run(["dpkg-deb", "--extract", str(package), str(CACHE)], CACHE)
        elif shutil.which("brew"):
            _run(["brew", "install", "prometheus"], None)
    except (subprocess.CalledProcessError, OSError, ValueError) as error:
        raise StackError(f"{HOW_TO_INSTALL} (tried: {error})") from None


def _download() -> None:
    """Debian's package into .cache; with lists of our own, which need no root, where the machine has none."""
    for folder in ("lists/partial", "apt"):
        (CACHE / folder).mkdir(parents=True, exist_ok=True)
    try:
        _run(["apt-get", "download", "prometheus"], CACHE)
    except subprocess.CalledProcessError:
        own = ["apt-get", "-o", f"Dir::State::lists={CACHE / 'lists'}", "-o", f"Dir::Cache={CACHE / 'apt'}"]
        _run([*own, "update"], CACHE)
        _run([*own, "download", "prometheus"], CACHE)


def _run(command: list[str], cwd: Path | None) -> None:
    subprocess.run(command, cwd=cwd, check=True, capture_output=True, timeout=300)


def create_blocks(openmetrics: str, folder: Path) -> None:
    """Turn OpenMetrics text with timestamps into TSDB blocks under the folder. StackError when promtool refuses it."""
    text = openmetrics if openmetrics.rstrip().endswith("# EOF") else f"{openmetrics.rstrip()}\n# EOF\n"
    with TemporaryDirectory(prefix="gpucost-openmetrics-") as scratch:
        source = Path(scratch) / "input.om"
        source.write_text(text)
        import_history(source, folder)


def import_history(source: Path, folder: Path) -> None:
    """Turn an OpenMetrics file with timestamps into TSDB blocks. StackError when promtool refuses it."""
    folder.mkdir(parents=True, exist_ok=True)
    promtool = str(find_binaries().promtool)
    command = [promtool, "tsdb", "create-blocks-from", "openmetrics", "-q", str(source), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StackError(f"promtool refused the history: {(done.stderr or done.stdout).strip().splitlines()[-1]}")


@contextmanager
def serve(folder: Path, *options: str) -> Iterator[str]:
    """Prometheus over the blocks in the folder; yields its base URL. `options` are further command-line options.

    OpenMetrics has no staleness markers. A lookback of 59 s ends a series with its last minute all the same.
    """
    config = folder / "prometheus.yml"
    config.write_text("{}\n")
    binary = find_binaries().prometheus

    def command(port: int) -> list[str]:
        return [
            str(binary),
            f"--config.file={config}",
            f"--storage.tsdb.path={folder}",
            "--storage.tsdb.retention.time=3650d",
            "--query.lookback-delta=59s",
            f"--web.listen-address={LOOPBACK}:{port}",
            *options,
        ]

    with server("Prometheus", command, _ready, folder / "prometheus.log") as port:
        yield f"http://{LOOPBACK}:{port}"


@contextmanager
def prometheus_with(openmetrics: str) -> Iterator[str]:
    """A Prometheus that holds exactly this history; yields its base URL."""
    with TemporaryDirectory(prefix="gpucost-prometheus-") as folder:
        create_blocks(openmetrics, Path(folder))
        with serve(Path(folder)) as url:
            yield url


def _ready(port: int) -> bool:
    try:
        return requests.get(f"http://{LOOPBACK}:{port}/-/ready", timeout=1).ok
    except requests.RequestException:
        return False
