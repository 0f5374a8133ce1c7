"""The gateway under an hour's worth of mixed faults: ``python -m benchmarks.gateway.soak [--minutes 2]``.

A backend answers, is slow, says 429 and 500, sends rubbish, breaks off; callers of four APIs and of
MCP ask, wait, leave in the middle, send half a body. The process must not grow: memory, files and
tasks after a rest at the end are compared with those after a rest early on. ``--minutes 10`` is the
whole of it.
"""

import argparse
import asyncio
import json
import random
import socket
import sys
import tempfile
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from .__main__ import ROWS, Target, gateway, memory_of

_CALLERS = 24
_REST = 8.0
# After this share of the time caches and pools are as full as they get.
_WARM = 0.4
_MOST_GROWTH = 1.15
# Connections to the backend are kept for a while, some more at one time than at another.
_MOST_MORE_FILES = 20
_MOST_MORE_TASKS = 2
_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class _Faulty(BaseHTTPRequestHandler):
    """A backend that answers by the last word of the query."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        fault = next((name for name in _FAULTS if name in asked), "")
        if fault == "slow":
            time.sleep(2)
        if fault == "broken":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status = {"limited": 429, "failing": 500}.get(fault, 200)
        rubbish = b'{"results": [{"url": 7, "title": []}]}'
        body = rubbish if fault == "rubbish" else json.dumps({"results": ROWS}).encode()
        with suppress(OSError):
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    """One that says nothing of callers who leave, as they all do."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


_FAULTS = ("slow", "broken", "limited", "failing", "rubbish")


class Look(NamedTuple):
    seconds: float
    memory: int
    files: int
    tasks: int
    calls: int


def request(path: str, body: object, port: int, **headers: str) -> bytes:
    data = json.dumps(body).encode()
    more = "".join(f"{name.replace('_', '-')}: {it}\r\n" for name, it in headers.items())
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        f"{more}content-length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


def some_request(chance: random.Random, port: int) -> bytes:
    """Return a request of one of the APIs, for an answer or for trouble."""
    query = f"{chance.choice((*_FAULTS, 'tides', 'tides', 'tides'))} {chance.randrange(10_000)}"
    params = {"name": "web_search", "arguments": {"query": query}, "_meta": _META}
    modern = {
        "accept": "application/json, text/event-stream",
        "mcp_protocol_version": "2026-07-28",
        "mcp_method": "tools/call",
        "mcp_name": "web_search",
    }
    return chance.choice(
        (
            lambda: request("/api/search", {"query": query}, port),
            lambda: request("/tavily/search", {"query": query}, port),
            lambda: request("/v2/search", {"query": query}, port),
            lambda: request("/exa/search", {"query": query}, port, x_api_key="none"),
            lambda: request("/v2/batch/scrape", {"urls": ["http://10.0.0.1/"]}, port),
            lambda: request(
                "/mcp",
                {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
                port,
                **modern,
            ),
        )
    )()


async def caller(port: int, ending: float, seed: int, calls: list[int]) -> None:
    """Call until the end; now and then leave in the middle, or send half a request."""
    chance = random.Random(seed)
    while time.monotonic() < ending:
        with suppress(OSError, asyncio.IncompleteReadError, TimeoutError, ValueError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await _on_one_connection(reader, writer, chance, port, calls)
            finally:
                writer.close()


async def _on_one_connection(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    chance: random.Random,
    port: int,
    calls: list[int],
) -> None:
    for _ in range(chance.randrange(1, 20)):
        data = some_request(chance, port)
        manner = chance.random()
        writer.write(data[: len(data) // 2] if manner < 0.03 else data)
        calls[0] += 1
        if manner < 0.08:
            # Half a request, or a caller who does not wait for the answer.
            await asyncio.sleep(chance.random() / 10)
            return
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)).lower()
        length = head.partition(b"content-length: ")[2].split(b"\r\n")[0]
        await asyncio.wait_for(reader.readexactly(int(length)), 60)


async def tasks_of(port: int) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"GET /metrics HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n".encode()
    )
    text = (await reader.read(-1)).decode()
    writer.close()
    return int(text.partition("\nwebseam_tasks ")[2].split("\n")[0])


def files_of(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


async def look(target: Target, began: float, calls: list[int]) -> Look:
    tasks = await tasks_of(target.port)
    seconds = time.monotonic() - began
    return Look(seconds, memory_of(target.pid), files_of(target.pid), tasks, calls[0])


async def stretch(target: Target, minutes: float, began: float, calls: list[int]) -> list[Look]:
    """Let the callers at it, and look now and then; the last look is after a rest."""
    ending = time.monotonic() + minutes * 60
    callers = [
        asyncio.create_task(caller(target.port, ending, seed, calls)) for seed in range(_CALLERS)
    ]
    looks: list[Look] = []
    for _ in range(5):
        await asyncio.sleep(minutes * 12)
        looks.append(await look(target, began, calls))
    await asyncio.gather(*callers)
    await asyncio.sleep(_REST)
    return [*looks, await look(target, began, calls)]


async def soak(target: Target, minutes: float) -> tuple[list[Look], list[Look]]:
    """Return what was seen while it warmed up, and then."""
    began, calls = time.monotonic(), [0]
    first = await stretch(target, minutes * _WARM, began, calls)
    return first, await stretch(target, minutes * (1 - _WARM), began, calls)


def verdicts(warm: Look, rest: Look) -> dict[str, bool]:
    """Tell of each figure whether it stayed from one rest to the other."""
    return {
        "memory": rest.memory <= warm.memory * _MOST_GROWTH,
        "files": rest.files <= warm.files + _MOST_MORE_FILES,
        "tasks": rest.tasks <= warm.tasks + _MOST_MORE_TASKS,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0)
    options = parser.parse_args()
    server = _Server(("127.0.0.1", 0), _Faulty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    backend = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as home, gateway(home, backend) as target:
        warm, looks = asyncio.run(soak(target, options.minutes))
    print(f"{'s':>6} {'MB':>6} {'files':>6} {'tasks':>6} {'calls':>8}")
    for each in (*warm, *looks):
        print(f"{each.seconds:6.0f} {each.memory:6} {each.files:6} {each.tasks:6} {each.calls:8}")
    judged = verdicts(warm[-1], looks[-1])
    print(", ".join(f"{name} {'stayed' if fine else 'GREW'}" for name, fine in judged.items()))
    return 0 if all(judged.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
