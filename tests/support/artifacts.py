"""What `sam build` makes, run as Lambda runs it: under AWS's runtime interface emulator, off the source tree.

Python starts without its site-packages, so a module that is neither in the function's artifact, nor in a layer, nor
part of Lambda's own runtime is missing here as it would be there.
"""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import requests

from local.stack.aws import aws_environment
from local.stack.deploy import Deployment
from local.stack.processes import LOOPBACK, free_port, server
from local.stack.runner import Invocation, Runner
from tests.support.stack import ROOT, SAM_PYTHON

SAM = SAM_PYTHON.with_name("sam")
LAYERS = ("DependenciesLayer", "GpucostLayer")
LAMBDA_RUNTIME = (
    "awslambdaric",
    "boto3",
    "botocore",
    "dateutil",
    "jmespath",
    "runtime_client",
    "s3transfer",
    "simplejson",
    "six",
    "snapshot_restore_py",
    "urllib3",
)
"""What AWS puts beside a Python function by itself."""
INVOKE = "2015-03-31/functions/function/invocations"


def build(folder: Path) -> Path:
    """Build the stack's artifacts for this machine, and give the folder that holds them."""
    python = Path(sys.base_prefix) / "bin"
    target = folder / "build"
    command = [str(SAM), "build", "--template", str(ROOT / "template.yaml"), "--build-dir", str(target)]
    command += ["--no-cached", "--parameter-overrides", "Architecture=x86_64"]
    variables = {"SAM_CLI_TELEMETRY": "0", "AWS_DEFAULT_REGION": "us-west-2", "PATH": f"{python}:{os.environ['PATH']}"}
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"sam build failed: {done.stderr}"
    return target


def lambda_runtime(folder: Path) -> Path:
    """A folder with the packages that Lambda's Python has, and no others."""
    runtime = folder / "runtime"
    runtime.mkdir()
    for name in LAMBDA_RUNTIME:
        spec = find_spec(name)
        assert spec is not None, f"{name} is not installed: run `make setup`"
        assert spec.origin is not None
        found = Path(spec.origin)
        source = found.parent if found.name == "__init__.py" else found
        (runtime / source.name).symlink_to(source)
    return runtime


def emulator() -> Path:
    """AWS's runtime interface emulator, which the SAM command line brings along."""
    (found,) = SAM_PYTHON.parents[1].glob("lib/python3*/site-packages/samcli/local/rapid/aws-lambda-rie-x86_64")
    return found


def python_path(name: str, artifacts: Path, runtime: Path) -> str:
    """Where a built function's Python looks for modules, in Lambda's order."""
    folders = [artifacts / f"{name.capitalize()}Function", *(artifacts / layer / "python" for layer in LAYERS), runtime]
    return ":".join(map(str, folders))


@contextmanager
def function(name: str, artifacts: Path, runtime: Path, variables: Mapping[str, str], log: Path) -> Iterator[str]:
    """Run one built function with these variables and no others; yields the URL to post events to."""
    path = python_path(name, artifacts, runtime)
    settings = [f"{key}={value}" for key, value in {**variables, "PYTHONPATH": path}.items()]
    python = [sys.executable, "-S", "-P", "-m", "awslambdaric", f"functions.{name}.app.lambda_handler"]

    def command(port: int) -> list[str]:
        addresses = ["--runtime-interface-emulator-address", f"{LOOPBACK}:{port}"]
        addresses += ["--runtime-api-address", f"{LOOPBACK}:{free_port()}"]
        return ["env", "-i", *settings, str(emulator()), *addresses, *python]

    with server("the Lambda emulator", command, _listens, log, artifacts / f"{name.capitalize()}Function") as port:
        yield f"http://{LOOPBACK}:{port}/{INVOKE}"


def _listens(port: int) -> bool:
    try:
        # Any path but the invocations' is answered with 404 as soon as the emulator listens.
        return bool(requests.get(f"http://{LOOPBACK}:{port}/", timeout=5).status_code == requests.codes.not_found)
    except requests.ConnectionError:
        return False


class ArtifactRunner(Runner):
    """Brings events to the built functions instead of the source tree's; the sources are the deployment's."""

    def __init__(self, deployment: Deployment, endpoint: str, artifacts: Path, runtime: Path, logs: Path) -> None:
        super().__init__(deployment, endpoint, io.StringIO())
        self._start = partial(function, artifacts=artifacts, runtime=runtime)
        self._aws = aws_environment(endpoint)
        self.logs = logs

    def invoke(self, name: str, event: dict[str, Any]) -> Any:
        """Start the built function, post the event, and give its answer. AssertionError when the function fails."""
        variables = {**self._aws, **self._deployment.functions[name].environment}
        log = self.logs / f"{len(self.invocations):03}-{name}.log"
        with self._start(name, variables=variables, log=log) as url:
            answer = requests.post(url, data=json.dumps(event), timeout=120).json()
        assert not (isinstance(answer, dict) and "errorType" in answer), f"{name} failed: {answer}"
        self.invocations.append(Invocation(name, event, answer))
        return answer
