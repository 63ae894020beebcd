"""The dashboards: as generated, readable for a newcomer, and every question in them answered by a real Prometheus."""

import json
import subprocess
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, ClassVar

import pytest
import requests

from local.cluster_render import RULES
from local.dashboards import FOLDER, api_document, files
from local.grafana import DATASOURCE, main
from local.panels import PROMETHEUS_DASHBOARDS
from local.scenarios.recipe import RECIPE
from local.stack.http import QuietHandler, http_server
from local.stack.prometheus import create_blocks, find_binaries, serve

AT = 1796034600
"""2026-11-30T10:30:00Z, in the guide's reference hour."""
PANELS = [
    pytest.param(board.uid, panel, id=f"{board.uid}-{panel.title}")
    for board in PROMETHEUS_DASHBOARDS
    for panel in board.panels
]


def test_the_files_are_as_generated() -> None:
    assert {file.name: file.read_text() for file in FOLDER.glob("*.json")} == dict(files()), "run `make dashboards`"


@pytest.mark.parametrize("name", files())
def test_a_dashboard_makes_sense_to_a_newcomer(name: str) -> None:
    board = json.loads(files()[name])
    assert board["title"].startswith("GPU cost: ")
    assert board["description"]
    assert name == f"{board['uid']}.json"
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    for panel in board["panels"]:
        assert panel["title"]
        assert panel["description"].endswith(".")
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The guide's cluster with everything that the recording rules make of it; the URL of a real Prometheus."""
    folder = tmp_path_factory.mktemp("recorded")
    create_blocks(RECIPE.openmetrics("cluster"), folder)
    promtool = str(find_binaries().promtool)
    # Rules that read others need another round, over what the one before made.
    for number in range(3):
        made = folder / f"made-{number}"
        with serve(folder) as url:
            command = [promtool, "tsdb", "create-blocks-from", "rules", "--eval-interval", "60s", "--url", url]
            command += ["--start", str(AT - 1800), "--end", str(AT + 600), "--output-dir", str(made)]
            # A group's second in the minute hangs on the file's name as given: bare, it is the same anywhere.
            command.append(RULES.name)
            done = subprocess.run(command, cwd=RULES.parent, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            assert list(made.iterdir()), f"the rules made nothing: {done.stderr}"
        for block in made.iterdir():
            block.rename(folder / block.name)
    with serve(folder) as url:
        yield url


def ask(url: str, expr: str) -> list[dict[str, Any]]:
    for name, value in {
        "$cluster": RECIPE.cluster,
        "$namespace": ".+",
        "$usd_per_gpu_hour": "12",
        "$slices_per_gpu": "7",
    }.items():
        expr = expr.replace(name, value)
    answer = requests.get(f"{url}/api/v1/query", params={"query": expr, "time": str(AT)}, timeout=10).json()
    assert answer["status"] == "success", answer
    found: list[dict[str, Any]] = answer["data"]["result"]
    return found


@pytest.mark.real
@pytest.mark.parametrize(("uid", "panel"), PANELS)
def test_every_panel_shows_something_of_the_guides_cluster(uid: str, panel: Any, recorded: str) -> None:
    assert ask(recorded, panel.expr), f"{uid}: {panel.expr}"


@pytest.mark.real
def test_the_clusters_panels_show_the_guides_figures(recorded: str) -> None:
    panels = {panel.title: panel.expr for panel in PROMETHEUS_DASHBOARDS[0].panels}
    held = {one["metric"]["namespace"]: float(one["value"][1]) for one in ask(recorded, panels["Held units"])}
    assert held == {"bu-a": 3, "bu-b": 2, "bu-c": 2}
    found = ask(recorded, panels["Allocated per hour"])
    allocated = {one["metric"]["namespace"]: round(float(one["value"][1]), 6) for one in found}
    assert allocated == {"bu-a": 5.142857, "bu-b": 3.428571, "bu-c": 3.428571}
    (free,) = ask(recorded, panels["Held by nobody"])
    assert float(free["value"][1]) == pytest.approx(49 / 56)


def test_the_apis_dashboard_asks_routes_that_there_are() -> None:
    routes = json.loads((FOLDER.parent / "openapi.json").read_text())["paths"]
    for panel in api_document()["panels"]:
        (target,) = panel["targets"]
        assert target["url"].split("?")[0] in routes


class Grafana(QuietHandler):
    """Takes what a Grafana would take."""

    seen: ClassVar[list[tuple[str, str, Any]]] = []
    there = False

    def do_PUT(self) -> None:  # noqa: N802 -- the name that http.server asks for
        self.respond()

    def respond(self) -> None:
        body = self.body()
        Grafana.seen.append((self.command, self.path, json.loads(body) if body else None))
        if self.headers["Authorization"] != "Bearer t0ken":
            self.answer(HTTPStatus.UNAUTHORIZED, b'{"message":"t0ken is bad"}', "application/json")
        elif self.command == "GET" and not Grafana.there:
            self.answer(HTTPStatus.NOT_FOUND, b"{}", "application/json")
        else:
            Grafana.there = Grafana.there or self.path == "/api/datasources"
            self.answer(HTTPStatus.OK, b"{}", "application/json")


ENVIRON = {"GRAFANA_TOKEN": "t0ken", "AMP_ENDPOINT": "https://aps.example/workspaces/ws-1/", "AWS_REGION": "us-west-2"}


def test_everything_is_put_into_a_grafana_and_putting_it_again_changes_nothing_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Grafana.seen, Grafana.there = [], False
    with http_server(Grafana) as url:
        assert [main([url], ENVIRON), main([url], ENVIRON)] == [0, 0]
    sources = [(method, path) for method, path, _ in Grafana.seen if "datasources" in path]
    where = f"/api/datasources/uid/{DATASOURCE}"
    assert sources == [("GET", where), ("POST", "/api/datasources"), ("GET", where), ("PUT", where)]
    source = next(body for method, path, body in Grafana.seen if path == "/api/datasources")
    assert source["jsonData"]["sigV4Auth"] is True
    boards = [body["dashboard"]["uid"] for _, path, body in Grafana.seen if path == "/api/dashboards/db"]
    assert boards == [Path(name).stem for name in files()] * 2
    assert "5 dashboards are in Grafana" in capsys.readouterr().out


def test_what_grafana_refuses_is_said_without_the_token(capsys: pytest.CaptureFixture[str]) -> None:
    Grafana.there = True
    with http_server(Grafana) as url:
        assert main([url], {**ENVIRON, "GRAFANA_TOKEN": "wrong"}) == 1
        assert main([url], {"AWS_REGION": "x"}) == 2
    said = capsys.readouterr().err
    assert "Grafana refused the data source: 401" in said
    assert "with GRAFANA_TOKEN, AMP_ENDPOINT set" in said
