"""A gateway in a process of its own, and a search API for it."""

import json
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from tests.answering import Asked, Reply, answering
from tests.surroundings import STARTING

TOKEN = "a-token-of-twenty-letters"


class Backend:
    """A JSON search API on loopback; a search for ``slow`` waits until it is let go."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked.body)
        if asked.body.get("query") == "slow":
            self.begun.set()
            self.go_on.wait(120)
        row = {"url": "https://example.com/tides", "title": "Tides", "description": "High."}
        return Reply({"results": [row]})


@contextmanager
def running_backend() -> Iterator[Backend]:
    one = Backend()
    with answering(one.answer) as address:
        one.url = f"{address}/search"
        yield one
        one.go_on.set()


class Server:
    def __init__(self, home: Path, backend: Backend, *, port: int = 0, **more: str) -> None:
        """Start a gateway and wait until it listens; with a ``port`` do not wait."""
        self.config = home / "config.yaml"
        self.config.write_text(
            f"services: {{json: {{search_url: '{backend.url}'}}}}\nkeyless: false\n"
        )
        self.log = home / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "webseam.composition.doors.cli",
                    "serve",
                    "--port",
                    str(port),
                    "--config",
                    str(self.config),
                ],
                env={
                    **STARTING,
                    "PATH": "",
                    "HOME": str(home),
                    "WEBSEAM_SERVE_TOKEN": TOKEN,
                    **more,
                },
                stdout=subprocess.PIPE,
                stderr=log,
            )
        self.url = f"http://127.0.0.1:{port}" if port else self.announced()

    def announced(self) -> str:
        """Return the URL that the gateway prints when it listens."""
        out: IO[bytes] = self.process.stdout  # type: ignore[assignment]
        return out.readline().decode().strip()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def post(self, path: str, body: object, token: str = TOKEN) -> tuple[int, Any]:
        asked = urllib.request.Request(  # noqa: S310  loopback
            f"{self.url}{path}", json.dumps(body).encode(), {"authorization": f"Bearer {token}"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=120) as answer:  # noqa: S310  loopback
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def raw(self, data: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as sock:
            sock.sendall(data)
            return b"".join(iter(lambda: sock.recv(65_536), b""))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def children(server: Server) -> list[int]:
    """Return the workers; where no file tells, there are none to look at."""
    file = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    if not file.exists():
        pytest.skip("this system does not tell of children")
    return [int(each) for each in file.read_text().split()]
