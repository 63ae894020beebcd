"""What `sam build` makes, run as Lambda runs it: under AWS's runtime interface emulator, off the source tree.

Python starts without its site-packages, so a module that is neither in the function's artifact, nor in a layer, nor
part of Lambda's own runtime is missing here as it would be there.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import requests

from local.stack.aws import aws_environment
from local.stack.deploy import Deployment
from local.stack.processes import free_port
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
READY_SECONDS = 20
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
def function(name: str, artifacts: Path, runtime: Path, variables: Mapping[str, str], log: TextIO) -> Iterator[str]:
    """Run one built function; yields the URL to post events to."""
    task = artifacts / f"{name.capitalize()}Function"
    port = free_port()
    address = f"127.0.0.1:{port}"
    command = [str(emulator()), "--runtime-interface-emulator-address", address]
    command += ["--runtime-api-address", f"127.0.0.1:{free_port()}"]
    command += [sys.executable, "-S", "-P", "-m", "awslambdaric", f"functions.{name}.app.lambda_handler"]
    environment = {**variables, "PYTHONPATH": python_path(name, artifacts, runtime), "PATH": os.environ["PATH"]}
    process = subprocess.Popen(
        command, cwd=task, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        _wait_for(process, port)
        yield f"http://{address}/{INVOKE}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(process: subprocess.Popen[bytes], port: int) -> None:
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=_retries()))
    # Any path but the invocations' is answered with 404 as soon as the emulator listens.
    session.get(f"http://127.0.0.1:{port}/", timeout=READY_SECONDS)
    assert process.poll() is None, "the emulator ended"


def _retries() -> Any:
    from urllib3.util.retry import Retry

    return Retry(total=12, connect=12, backoff_factor=0.02, backoff_max=2)


class ArtifactRunner(Runner):
    """Brings events to the built functions instead of the source tree's; the sources are the deployment's."""

    def __init__(self, deployment: Deployment, endpoint: str, log: TextIO, artifacts: Path, runtime: Path) -> None:
        super().__init__(deployment, endpoint, log)
        self._start = partial(function, artifacts=artifacts, runtime=runtime, log=log)
        self._aws = aws_environment(endpoint)

    def invoke(self, name: str, event: dict[str, Any]) -> Any:
        """Start the built function, post the event, and give its answer. AssertionError when the function fails."""
        variables = {**self._aws, **self._deployment.functions[name].environment}
        with self._start(name, variables=variables) as url:
            answer = requests.post(url, data=json.dumps(event), timeout=120).json()
        assert not (isinstance(answer, dict) and "errorType" in answer), f"{name} failed: {answer}"
        self.invocations.append(Invocation(name, event, answer))
        return answer
