"""Gateways as processes, commands beside them, and what the system says of their files."""

import json
import os
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.answering import Asked, Reply, answering
from tests.surroundings import STARTING

HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
STORES = ("keys.sqlite", "ledger.sqlite", "answers.sqlite")


class Machine:
    """One user's files, a backend that counts what it is asked, and the processes on them."""

    def __init__(self, home: Path, backend: str, settings: str = "") -> None:
        self.home = home
        self.opened = home / "opened"
        self.opened.touch()
        self.config = home / "config.yaml"
        service = f"{{search_url: '{backend}/search', price: 0.004}}"
        self.config.write_text(f"services: {{json: {service}}}\nkeyless: false\n{settings}")
        self.gateways: list[Gateway] = []
        self.environment = {
            **STARTING,
            "PATH": "",
            "HOME": str(home),
            "WEBSEAM_CONFIG": str(self.config),
            "WEBSEAM_KEYS": str(home / "keys.sqlite"),
            "WEBSEAM_LEDGER": str(home / "ledger.sqlite"),
            "WEBSEAM_CACHE": str(home),
            "WEBSEAM_INDEX": str(home / "index.sqlite"),
        }

    def command(self, *arguments: str, code: int = 0, **more: str) -> Any:  # noqa: ANN401  JSON is anything
        """Run a command to its end, and return its data."""
        ran = self.begin(*arguments, "--json", **more)
        out, err = ran.communicate(timeout=120)
        assert ran.returncode == code, (arguments, out, err)
        return json.loads(out)["data"] if out and not code else None

    def begin(self, *arguments: str, **more: str) -> "subprocess.Popen[bytes]":
        """Start a process that reports the stores that it opens."""
        command = [sys.executable, "-m", "tests.stores.watched", str(self.opened), *arguments]
        return subprocess.Popen(
            command,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def add_key(self, name: str, *limits: str) -> str:
        return str(self.command("keys", "add", name, *limits)["key"])

    def spend(self) -> tuple[int, float]:
        """Return the calls and the dollars that were booked."""
        spent = self.command("spend")["spent"]
        return sum(row["calls"] for row in spent), round(sum(row["spent"] for row in spent), 6)

    def gateway(self, *arguments: str, **more: str) -> "Gateway":
        """Start a gateway that needs a key."""
        gateway = Gateway(self, arguments, more)
        self.gateways.append(gateway)
        return gateway

    def opened_stores(self) -> list[str]:
        """Return the stores that our own code opened."""
        return self.opened.read_text().splitlines()

    def check_files(self) -> None:
        """Assert that no live gateway lost a file, and that every store is whole."""
        for gateway in self.gateways:
            for process in gateway.processes():
                assert lost_files(process) == [], gateway.url
        for name in STORES:
            if (self.home / name).exists():
                with closing(sqlite3.connect(self.home / name)) as connection:
                    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert self.opened_stores() == []


class Gateway:
    """``webseam serve`` as a process."""

    def __init__(self, machine: Machine, arguments: tuple[str, ...], more: dict[str, str]) -> None:
        self.machine = machine
        self._log = machine.home / f"log-{len(machine.gateways)}"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "tests.stores.watched",
                    str(machine.opened),
                    "serve",
                    "--port",
                    "0",
                    *arguments,
                ],
                env={**machine.environment, "WEBSEAM_SERVE_REQUIRE_KEY": "true", **more},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().decode().strip()
        assert self.url, self._log.read_text()

    def search(self, key: str, query: str = "tides") -> int:
        return self.post("/api/search", {"query": query}, key)[0]

    def post(
        self, path: str, body: object, key: str, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str]]:
        asked = urllib.request.Request(  # noqa: S310  loopback
            f"{self.url}{path}",
            json.dumps(body).encode(),
            {
                "authorization": f"Bearer {key}",
                "content-type": "application/json",
                "accept": "application/json, text/event-stream",
                **(headers or {}),
            },
        )
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310  loopback
                answer.read()
                return answer.status, {name.lower(): it for name, it in answer.headers.items()}
        except urllib.error.HTTPError as error:
            with error:
                return error.code, {}

    def begin_conversation(self, key: str) -> "Conversation":
        """Open a session of MCP."""
        status, headers = self.post("/mcp", HELLO, key)
        assert status == 200
        return Conversation(self, key, headers["mcp-session-id"])

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def count_events(self, name: str) -> int:
        return sum(line.get("event") == name for line in self.log())

    def processes(self) -> list[int]:
        """Return the process and its workers; none once it was ended."""
        if self.process.poll() is not None:
            return []
        return [self.process.pid, *self.workers()]

    def workers(self) -> list[int]:
        file = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(number) for number in file.read_text().split()] if file.exists() else []

    def kill(self) -> None:
        """End it as a power cut does; workers end with their supervisor."""
        for process in reversed(self.processes()):
            os.kill(process, 9)
        self.close()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()


class Conversation:
    """An open session of MCP."""

    def __init__(self, gateway: Gateway, key: str, session: str) -> None:
        self._gateway, self._key, self._session = gateway, key, session

    def ping(self) -> int:
        message = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
        headers = {"mcp-session-id": self._session}
        return self._gateway.post("/mcp", message, self._key, headers)[0]


def store_files(process: int) -> list[str]:
    """Return the files of stores that a process has open, as the system tells it."""
    folder = Path(f"/proc/{process}/fd")
    targets = []
    for descriptor in os.listdir(folder) if folder.is_dir() else ():  # noqa: PTH208  numbers
        try:
            targets.append(os.readlink(folder / descriptor))  # noqa: PTH115  "pipe:[7]" is no path
        except OSError:
            continue
    return [target for target in targets if ".sqlite" in target]


def lost_files(process: int) -> list[str]:
    """Return the files of stores that were deleted while a process has them open."""
    return [target for target in store_files(process) if target.endswith("(deleted)")]


@contextmanager
def one_machine(home: Path, settings: str = "") -> Iterator[tuple[Machine, list[Asked]]]:
    """Yield a machine, and the calls that its backend got; end its gateways."""
    calls: list[Asked] = []

    def answer(asked: Asked) -> Reply:
        calls.append(asked)
        return Reply(
            {"results": [{"url": "https://example.com/", "title": "T", "description": "d"}]}
        )

    with answering(answer) as address:
        machine = Machine(home, address, settings)
        try:
            yield machine, calls
        finally:
            for gateway in machine.gateways:
                gateway.close()
