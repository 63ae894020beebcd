"""The parts of the local stack start, hold what they are given, and say what to do when they cannot."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import boto3
import pytest
import requests

from local.errors import StackError
from local.stack import dynamodb_local as dynamodb_local_stack
from local.stack.processes import free_port, preferred_port, server
from local.stack.prometheus import create_blocks, find_binaries, find_or_install
from tests.support.prometheus_pool import PrometheusPool

HISTORY = 'up{job="x"} 1 1796032800\nup{job="x"} 0 1796032860\n'


@pytest.mark.real
def test_prometheus_holds_the_history_and_a_series_ends_with_its_last_minute(
    prometheus_factory: Callable[[str], str],
) -> None:
    url = prometheus_factory(HISTORY)

    def at(moment: int) -> list[str]:
        answer = requests.get(f"{url}/api/v1/query", params={"query": "up", "time": str(moment)}, timeout=5).json()
        return [series["value"][1] for series in answer["data"]["result"]]

    assert at(1796032800) == ["1"]
    assert at(1796032919) == ["0"]
    assert at(1796032920) == []


@pytest.mark.real
def test_the_same_history_is_served_by_the_same_prometheus(prometheus_factory: Callable[[str], str]) -> None:
    assert prometheus_factory(HISTORY) == prometheus_factory(HISTORY)
    assert prometheus_factory("# EOF\n") != prometheus_factory(HISTORY)


@pytest.mark.real
def test_a_history_asked_for_again_is_served_though_its_server_made_room() -> None:
    pool = PrometheusPool(keep=1)
    with closing(pool):
        first = pool(HISTORY)
        pool("# EOF\n")
        with pytest.raises(requests.ConnectionError):
            requests.get(first, timeout=5)
        assert requests.get(f"{pool(HISTORY)}/-/ready", timeout=5).ok


@pytest.mark.real
def test_history_that_is_not_openmetrics_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StackError, match=r"promtool refused the history: .*INVALID"):
        create_blocks("up{ 1 2\n", tmp_path)


@pytest.mark.real
def test_dynamodb_local_keeps_items(dynamodb_local: str) -> None:
    client = boto3.client("dynamodb", endpoint_url=dynamodb_local)
    client.create_table(
        TableName="stack-parts",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    client.put_item(TableName="stack-parts", Item={"pk": {"S": "a"}})
    assert client.get_item(TableName="stack-parts", Key={"pk": {"S": "a"}})["Item"] == {"pk": {"S": "a"}}


def test_a_missing_jar_says_how_to_get_it(tmp_path: Path) -> None:
    with (
        pytest.raises(StackError, match=r"DynamoDB Local is not in .*: run `make setup`"),
        dynamodb_local_stack.dynamodb_local(tmp_path),
    ):
        pytest.fail("it must not start")


def test_a_missing_prometheus_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("local.stack.prometheus.CACHE", tmp_path)
    with pytest.raises(StackError, match="apt-get install --no-install-recommends prometheus"):
        find_binaries()


ASKED_ALREADY = "touch prometheus_1_amd64.deb"
NEVER_ASKED = """
case "$*" in
  *Dir::State::lists=*/cache/lists*update) touch ../asked ;;
  *Dir::State::lists=*/cache/lists*download*) [ -e ../asked ] && touch prometheus_1_amd64.deb ;;
  *) exit 100 ;;
esac
"""


@pytest.mark.parametrize("apt", [ASKED_ALREADY, NEVER_ASKED])
def test_prometheus_is_unpacked_from_debians_package_when_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, apt: str
) -> None:
    tools, cache = tmp_path / "tools", tmp_path / "cache"
    tools.mkdir()
    unpack = "mkdir -p $3/usr/bin && for name in prometheus promtool; do cp $0 $3/usr/bin/$name; done"
    for name, script in {"apt-get": apt, "dpkg-deb": unpack}.items():
        (tools / name).write_text(f"#!/bin/sh\nexport PATH=/usr/bin:/bin\n{script}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setattr("local.stack.prometheus.CACHE", cache)
    assert find_or_install().prometheus == cache / "usr" / "bin" / "prometheus"


def test_an_installation_that_fails_says_what_was_tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("apt-get", "dpkg-deb"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 100\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("local.stack.prometheus.CACHE", tmp_path / "cache")
    with pytest.raises(StackError, match=r"Prometheus is not here.*tried: .*apt-get.*100"):
        find_or_install()


def test_a_port_in_use_gives_way_to_any_other() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert preferred_port(taken.getsockname()[1]) == 0
    port = free_port()
    assert preferred_port(port) == port


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    def command(port: int) -> list[str]:
        return ["sh", "-c", "echo the reason; exit 1"]

    with (
        pytest.raises(StackError, match="Thing did not start: the reason"),
        server("Thing", command, lambda port: False, tmp_path / "log"),
    ):
        pytest.fail("it must not start")


def test_moto_answers_for_the_services_in_use(clean_moto: str) -> None:
    assert boto3.client("sns", endpoint_url=clean_moto).list_topics()["Topics"] == []


WITH_CHILD = """
import sys, time
from pathlib import Path
from local.stack.processes import ended_in_order, server
folder = Path(sys.argv[1])
pid = folder / "pid"
command = ["sh", "-c", 'echo $$ > "$0" && exec sleep 300', str(pid)]
with ended_in_order(), server("x", lambda port: command, lambda port: pid.exists() and pid.read_text(), folder / "log"):
    print("up", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_whoever_is_told_to_end_leaves_no_server_behind(how: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITH_CHILD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        child = int((tmp_path / "pid").read_text())
        os.kill(child, 0)
        process.send_signal(how)
        process.wait(timeout=15)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
