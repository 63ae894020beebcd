"""Amazon's DynamoDB Local, in memory, on loopback. It is stricter and closer to the service than any mock."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import requests

from local.errors import StackError
from local.stack.processes import LOOPBACK, server

HOME = Path(__file__).resolve().parents[2] / ".cache" / "dynamodb-local"
NPM_PACKAGE = "amplify-dynamodb-simulator"
EMULATOR = "package/emulator"


def install(home: Path = HOME) -> None:
    """Fetch the jar and its native libraries from the npm package that carries them, unless they are here already."""
    if (home / "DynamoDBLocal.jar").is_file():
        return
    if not shutil.which("npm"):
        raise StackError("DynamoDB Local comes as an npm package: install Node.js with npm, then run `make setup`")
    with TemporaryDirectory(prefix="gpucost-npm-") as scratch:
        try:
            subprocess.run(["npm", "pack", "--silent", NPM_PACKAGE], cwd=scratch, check=True, capture_output=True)
        except subprocess.CalledProcessError as error:
            raise StackError(f"npm could not fetch {NPM_PACKAGE}: {error.stderr.decode().strip()}") from None
        (archive,) = Path(scratch).glob("*.tgz")
        unpack = ["tar", "-xzf", str(archive), "-C", scratch, EMULATOR]
        subprocess.run(unpack, check=True, capture_output=True)
        home.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(Path(scratch) / EMULATOR, home, dirs_exist_ok=True)


@contextmanager
def dynamodb_local(home: Path = HOME) -> Iterator[str]:
    """A fresh, empty DynamoDB Local; yields its endpoint URL. StackError says what is missing and how to get it."""
    if not (home / "DynamoDBLocal.jar").is_file():
        raise StackError(f"DynamoDB Local is not in {home}: run `make setup`, which fetches it with npm")
    java = shutil.which("java")
    if not java:
        raise StackError("DynamoDB Local needs Java 17 or newer: `sudo apt-get install openjdk-17-jre-headless`")
    # One thread for the collector: the tests share two cores with the JVM.
    options = [java, "-XX:+UseSerialGC", "-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"]
    with TemporaryDirectory(prefix="gpucost-dynamodb-") as scratch:
        log = Path(scratch) / "dynamodb-local.log"

        def command(port: int) -> list[str]:
            return [*options, "-inMemory", "-sharedDb", "-port", str(port)]

        with server("DynamoDB Local", command, _ready, log, cwd=home) as port:
            yield f"http://{LOOPBACK}:{port}"


def _ready(port: int) -> bool:
    """The port opens before the service answers, so ask: an unsigned request is refused with 400 once it is up."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1):
            return requests.get(f"http://{LOOPBACK}:{port}/", timeout=5).status_code < 500
    except (OSError, requests.RequestException):
        return False
