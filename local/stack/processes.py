"""Servers of other makers as child processes: started on a free loopback port, waited for, stopped."""

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from local.errors import StackError

LOOPBACK = "127.0.0.1"
ATTEMPTS = 3
POLL_SECONDS = 0.05


def free_port() -> int:
    """A loopback TCP port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def preferred_port(port: int) -> int:
    """The port if it is free, else 0, which stands for any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return 0
    return port


@contextmanager
def server(
    name: str, command: Callable[[int], Sequence[str]], ready: Callable[[int], bool], log: Path, cwd: Path | None = None
) -> Iterator[int]:
    """Run `command(port)` until the block ends; yields the port once `ready(port)`.

    Another process may take the port between choosing and binding it, so a server that ends early is tried again on
    another port. StackError carries the end of its log.
    """
    for attempt in range(1, ATTEMPTS + 1):
        port = free_port()
        with log.open("wb") as out:
            process = subprocess.Popen(command(port), stdout=out, stderr=subprocess.STDOUT, cwd=cwd)
        try:
            if _wait(process, lambda port=port: ready(port)):  # type: ignore[misc]
                yield port
                return
            if attempt == ATTEMPTS:
                raise StackError(f"{name} did not start: {_last_line(log)} (whole log: {log})")
        finally:
            _stop(process)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let SIGTERM end the block as Ctrl-C does, so that no server is left behind."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _wait(process: subprocess.Popen[bytes], ready: Callable[[], bool], seconds: float = 30) -> bool:
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        if ready():
            return True
        time.sleep(POLL_SECONDS)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
