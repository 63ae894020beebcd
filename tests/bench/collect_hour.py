"""How much a cluster-hour costs: engine time, our own time, memory, and the ratio to the bare queries, in one run.

The bare queries are the same selectors, each as `sum_over_time(selector[1h:1m])`: the least that an engine must do to
say anything about the hour. Absolute times depend on the machine; the ratio is what to watch.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.catalogue import Catalogue
from gpucost.adapters.metrics.client import EngineClient
from gpucost.adapters.metrics.source import EngineMetrics
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.policy import Policy
from gpucost.runtime.memory import expect_many_objects
from local.stack.prometheus import import_history, serve
from tests.bench.cluster import write_history

HOUR = Hour.parse("2026-11-30T10:00:00Z")
ROUNDS = 3
LIMIT = 3.0
MEMORY_LIMIT_MB = 256


@dataclass
class Stopwatch:
    """Seconds spent in the engine, as the client waits for them."""

    seconds: float = 0.0


class TimedClient(EngineClient):
    """A client that adds up the time its questions take, transfer included."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self.watch = Stopwatch()

    def post(self, path: str, parameters: dict[str, str]) -> str:  # type: ignore[override]
        started = time.perf_counter()
        try:
            return super().post(path, parameters)
        finally:
            self.watch.seconds += time.perf_counter() - started


def bare(url: str) -> float:
    """Seconds for all bare queries, their JSON parsed."""
    client = TimedClient(url)
    at = str(HOUR.epoch + 3570)
    started = time.perf_counter()
    for question in Catalogue(LabelNames(), "c").questions(Policy()):
        selector = question.promql.removesuffix(" == 1")
        query = question.promql if question.instant else f"sum_over_time({selector}[1h:1m])"
        json.loads(client.post("query", {"query": query, "time": at}))
    return time.perf_counter() - started


def collect(url: str) -> tuple[float, float, int]:
    """Engine seconds, own seconds and rows of the whole: reading, assembling, allocating."""
    expect_many_objects()
    client = TimedClient(url)
    policy = Policy()
    started = time.perf_counter()
    report = allocate(EngineMetrics(client, LabelNames(), policy).read_hour("c", HOUR), policy, "c", HOUR)
    total = time.perf_counter() - started
    return client.watch.seconds, total - client.watch.seconds, len(report.pods)


def peak_memory_mb(url: str) -> float:
    """Peak resident memory of a fresh process that does the collecting."""
    code = (
        "import resource, sys; from tests.bench.collect_hour import collect; collect(sys.argv[1]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    out = subprocess.run([sys.executable, "-c", code, url], check=True, capture_output=True, text=True)
    return float(out.stdout)


@contextmanager
def loaded_engine(pods: int) -> Iterator[str]:
    """A Prometheus that holds the hour of a cluster of that many pods."""
    with tempfile.TemporaryDirectory() as folder:
        history = Path(folder) / "history.om"
        write_history(history, HOUR, pods)
        import_history(history, Path(folder) / "data")
        with serve(Path(folder) / "data") as url:
            yield url


def main(pods: int) -> int:
    """Print the figures; 1 when a budget is exceeded."""
    with loaded_engine(pods) as url:
        bare(url)
        rounds = [(bare(url), *collect(url)) for _ in range(ROUNDS)]
        memory = peak_memory_mb(url)
    base, engine, own = (statistics.median(values) for values in list(zip(*rounds, strict=True))[:3])
    ratio = statistics.median((engine + own) / base for base, engine, own, _ in rounds)
    print(f"collect, {rounds[0][3]} GPU pods, median of {ROUNDS} rounds")
    print(f"  bare queries   {base:7.2f} s")
    print(f"  engine         {engine:7.2f} s   {engine / base:5.2f} × bare")
    print(f"  own            {own:7.2f} s   {own / base:5.2f} × bare")
    print(f"  whole collect  {engine + own:7.2f} s   {ratio:5.2f} × bare   (budget {LIMIT:.0f} ×)")
    print(f"  peak memory    {memory:7.0f} MB  (budget {MEMORY_LIMIT_MB} MB)")
    return int(ratio > LIMIT or memory > MEMORY_LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
