"""The processes of a run: one server and one worker per client, all ended when the run ends."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, cast

import msgspec

from .clients import Client
from .fence import child_environment
from .scenes import Ready, Sample, Scene

_SECONDS_TO_END = 10


@contextmanager
def running_server(module: str = "benchmarks.server") -> Iterator[str]:
    """Yield the base URL of a server that lives as long as the block."""
    with _child(module) as child:
        yield f"http://127.0.0.1:{int(_next_line(child))}"


class Worker:
    """A client's process: give it a scene, get a sample. One that was cut short starts anew."""

    def __init__(self, client: Client, base: str, stack: ExitStack) -> None:
        self.client = client
        self._base = base
        self._stack = stack
        self._child = self._started()

    def wait_until_ready(self) -> None:
        """Wait for its imports; a client that cannot start is an error, with its reason."""
        ready = msgspec.json.decode(_next_line(self._child), type=Ready)
        if ready.error:
            message = f"{self.client.title} does not start: {ready.error}"
            raise RuntimeError(message)

    def play(self, scene: Scene) -> Sample:
        stdin = cast("IO[bytes]", self._child.stdin)
        stdin.write(msgspec.json.encode(scene) + b"\n")
        stdin.flush()
        sample = msgspec.json.decode(_next_line(self._child), type=Sample)
        if sample.cut:
            self._child = self._started()
            self.wait_until_ready()
        return sample

    def _started(self) -> "subprocess.Popen[bytes]":
        return self._stack.enter_context(_child("benchmarks.worker", self.client.name, self._base))


@contextmanager
def running_workers(clients: Iterable[Client], base: str) -> Iterator[list[Worker]]:
    """Yield one worker per client; they start side by side."""
    with ExitStack() as stack:
        workers = [Worker(client, base, stack) for client in clients]
        for worker in workers:
            worker.wait_until_ready()
        yield workers


def output_of(module: str, *arguments: str) -> bytes:
    """Run one of our modules to its end, in a process of its own, and return what it printed."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, env=child_environment(), stdout=subprocess.PIPE, check=True)
    return done.stdout


@contextmanager
def _child(module: str, *arguments: str) -> "Iterator[subprocess.Popen[bytes]]":
    """Start one of our modules; closing its input at the end of the block is what ends it."""
    with subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Peers warn and log there; what goes wrong in a call comes back with the sample.
        stderr=subprocess.DEVNULL,
        env=child_environment(),
    ) as child:
        try:
            yield child
        finally:
            _end(child)


def _end(child: "subprocess.Popen[bytes]") -> None:
    cast("IO[bytes]", child.stdin).close()
    try:
        child.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        child.kill()


def _next_line(child: "subprocess.Popen[bytes]") -> bytes:
    line = cast("IO[bytes]", child.stdout).readline()
    if not line:
        message = f"{child.args!r} ended early"
        raise RuntimeError(message)
    return line
