"""Every way in which the command line fails: one line that says what to do, no output, and its own exit code."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.errors import ExitCode
from local.stack.processes import free_port
from local.stack.sigv4_gateway import Fault, Gateway, sigv4_gateway
from tests.local.conftest import HOUR, CommandLine, Run

PROMETHEUS = ("--prometheus-url", "http://localhost:9090")


def assert_refused(run: Run, code: ExitCode, *parts: str) -> None:
    assert (run.code, run.out) == (code, "")
    assert run.err.startswith("gpucost: ")
    assert run.err.count("\n") == 1
    assert [part for part in parts if part not in run.err] == []


@pytest.fixture
def gateway(recipe_url: str) -> Iterator[Gateway]:
    with sigv4_gateway(recipe_url) as gateway:
        yield gateway


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ((), ["Missing command", "gpucost --help"]),
        (("nonsense",), ["No such command 'nonsense'"]),
        (("hour", *PROMETHEUS), ["Missing option '--hour'"]),
        (("hour", *PROMETHEUS, "--hour", HOUR, "--nonsense"), ["--nonsense"]),
        (("hour", *PROMETHEUS, "--hour", "yesterday"), ["--hour", "2026-11-30T10:00:00Z"]),
        (("hour", *PROMETHEUS, "--hour", "2026-11-30T10:00:00"), ["time zone", "trailing Z"]),
        (("hour", *PROMETHEUS, "--hour", "2026-11-30T10:30:00Z"), ["starts on the hour"]),
        (("hour", *PROMETHEUS, "--hour", HOUR, "--cluster", ""), ["--cluster is empty"]),
        (("hour", *PROMETHEUS, "--hour", HOUR, "--timeout", "0"), ["--timeout"]),
        (("hour", "--hour", HOUR), ["--prometheus-url URL", "--workspace"]),
        (("hour", *PROMETHEUS, "--workspace", "ws-1", "--hour", HOUR), ["either --prometheus-url"]),
        (("hour", "--prometheus-url", "localhost:9090", "--hour", HOUR), ["http://localhost:9090"]),
        (("hour", "--prometheus-url", "http://localhost:x", "--hour", HOUR), ["http://localhost:9090"]),
        (("hour", "--workspace", "my-workspace", "--region", "us-west-2", "--hour", HOUR), ["its id, ws-…"]),
        (("hour", "--workspace", "ws-1", "--region", "evil.example/", "--hour", HOUR), ["--region", "us-west-2"]),
        (("settings", "check"), ["Missing argument"]),
    ],
)
def test_a_wrong_call_says_what_to_write(gpucost: CommandLine, arguments: tuple[str, ...], parts: list[str]) -> None:
    assert_refused(gpucost(*arguments), ExitCode.USAGE, *parts)


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("bad.yaml", "usd_per_gpu_hour: -1\nnonsense: 2\n", ["usd_per_gpu_hour", "greater than 0", "nonsense"]),
        ("bad.yaml", "usd_per_gpu_hour: [\n", ["not YAML"]),
        ("bad.yaml", "usd_per_gpu_hour: .inf\n", ["'.inf' is not a number"]),
        ("bad.yaml", "slices_per_gpu: 7\nslices_per_gpu: 8\n", ["'slices_per_gpu' is there twice", "line 2"]),
        ("bad.yaml", "- 1\n", ["mapping of names to values"]),
        ("bad.json", "{", ["not JSON"]),
    ],
)
def test_a_bad_settings_file_is_refused_with_the_place(
    gpucost: CommandLine, tmp_path: Path, name: str, content: str, parts: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    for arguments in (("hour", *PROMETHEUS, "--hour", HOUR, "--settings", str(path)), ("settings", "check", str(path))):
        assert_refused(gpucost(*arguments), ExitCode.USAGE, str(path), *parts)


def test_a_settings_file_that_cannot_be_read_is_named(gpucost: CommandLine, tmp_path: Path) -> None:
    for path in (tmp_path / "absent.yaml", tmp_path):
        assert_refused(gpucost("settings", "check", str(path)), ExitCode.USAGE, str(path), "cannot be read")
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"cluster_label: \xe9\n")
    assert_refused(gpucost("settings", "check", str(latin)), ExitCode.USAGE, str(latin), "cannot be read")


def test_clusters_told_apart_by_a_label_have_to_be_named(gpucost: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("cluster_label: cluster\n")
    run = gpucost("hour", *PROMETHEUS, "--hour", HOUR, "--settings", str(path))
    assert_refused(run, ExitCode.USAGE, "'cluster'", "--cluster NAME")


def test_an_engine_that_is_not_there(gpucost: CommandLine) -> None:
    run = gpucost("hour", "--prometheus-url", f"http://127.0.0.1:{free_port()}", "--hour", HOUR)
    assert_refused(run, ExitCode.TRY_AGAIN, "could not be reached", "check the endpoint")


@pytest.mark.real
def test_a_url_that_is_not_the_engines(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", f"{recipe_url}/elsewhere", "--hour", HOUR)
    assert_refused(run, ExitCode.METRICS_REFUSED, "404", "check the endpoint")


@pytest.mark.real
def test_an_hour_without_data(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", "2026-11-01T00:00:00Z")
    assert_refused(run, ExitCode.NO_DATA, "no kube-state-metrics series", "2026-11-01T00:00:00Z", "check the hour")


@pytest.mark.real
def test_a_cluster_without_data_is_named(gpucost: CommandLine, recipe_url: str, tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("cluster_label: cluster\n")
    arguments = ("--hour", HOUR, "--settings", str(path), "--cluster", "other")
    run = gpucost("hour", "--prometheus-url", recipe_url, *arguments)
    assert_refused(run, ExitCode.NO_DATA, 'cluster="other"')


@pytest.mark.real
@pytest.mark.parametrize(
    ("fault", "code", "parts"),
    [
        (Fault(403, '{"message":"no\nentry"}'), ExitCode.METRICS_REFUSED, ["403", "no entry", "aps:QueryMetrics"]),
        (
            Fault(413, "response larger than the max (181673024 vs 52428800)", "text/plain; charset=utf-8"),
            ExitCode.METRICS_REFUSED,
            ["413", "response larger than the max (181673024 vs 52428800)"],
        ),
        (
            Fault(422, '{"status":"error","errorType":"execution","error":"too many samples"}'),
            ExitCode.METRICS_REFUSED,
            ["422", "too many samples"],
        ),
        (Fault(429, '{"message":"Rate exceeded"}'), ExitCode.TRY_AGAIN, ["429", "try again later"]),
        (Fault(503, ""), ExitCode.TRY_AGAIN, ["503", "try again later"]),
        (Fault(delay=1), ExitCode.TRY_AGAIN, ["did not answer in time"]),
        (Fault(drop=True), ExitCode.TRY_AGAIN, ["could not be reached"]),
        (Fault(200, "<html>a proxy's page</html>", "text/html"), ExitCode.METRICS_REFUSED, ["not a Prometheus answer"]),
    ],
)
def test_an_engine_that_fails(
    gpucost: CommandLine, gateway: Gateway, fault: Fault, code: ExitCode, parts: list[str]
) -> None:
    gateway.always = fault
    timeout = "0.3" if fault.delay else "60"
    run = gpucost("hour", "--workspace", gateway.endpoint, "--hour", HOUR, "--timeout", timeout)
    assert_refused(run, code, *parts)


@pytest.mark.real
def test_credentials_that_the_workspace_does_not_know(
    gpucost: CommandLine, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    run = gpucost("hour", "--workspace", gateway.endpoint, "--hour", HOUR)
    assert_refused(run, ExitCode.METRICS_REFUSED, "403", "signature", "check the credentials")


@pytest.mark.real
def test_no_credentials(gpucost: CommandLine, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    run = gpucost("hour", "--workspace", gateway.endpoint, "--hour", HOUR)
    assert_refused(run, ExitCode.METRICS_REFUSED, "no AWS credentials", "aws configure")
    assert gateway.received == []


@pytest.mark.real
def test_a_profile_that_is_not_there(gpucost: CommandLine, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    run = gpucost("hour", "--workspace", gateway.endpoint, "--hour", HOUR)
    assert_refused(run, ExitCode.METRICS_REFUSED, "nobody", "check AWS_PROFILE")


def test_credentials_go_to_amazon_only(gpucost: CommandLine) -> None:
    run = gpucost("hour", "--workspace", "https://example.com/workspaces/ws-1/", "--hour", HOUR)
    assert_refused(run, ExitCode.METRICS_REFUSED, "not an Amazon Managed Prometheus endpoint")


def test_a_reader_that_leaves_early_sees_no_traceback(tmp_path: Path) -> None:
    command = f"{sys.executable} -m local.cli settings schema | head -c 1"
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root}:{root / 'layers/gpucost'}"}
    done = subprocess.run(command, shell=True, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{", "")
