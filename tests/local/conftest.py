"""The command line in this process, and the shipped histories in a real Prometheus."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from local.cli import main
from local.scenarios.a100_mixed import A100_MIXED
from local.scenarios.recipe import RECIPE

HOUR = "2026-11-30T10:00:00Z"


@dataclass(frozen=True)
class Run:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


type CommandLine = Callable[..., Run]


@pytest.fixture
def gpucost(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """Runs `gpucost` with the given arguments."""

    def run(*arguments: str) -> Run:
        with pytest.raises(SystemExit) as exit_:
            main(list(arguments))
        captured = capsys.readouterr()
        code = exit_.value.code
        assert isinstance(code, int)
        return Run(code, captured.out, captured.err)

    return run


@pytest.fixture
def recipe_url(prometheus_factory: Callable[[str], str]) -> str:
    return prometheus_factory(RECIPE.openmetrics())


@pytest.fixture
def a100_url(prometheus_factory: Callable[[str], str]) -> str:
    return prometheus_factory(A100_MIXED.openmetrics())
