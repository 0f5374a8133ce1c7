"""The gateway under load: ``python -m benchmarks.gateway [--litellm BIN] [--idle 10000]``.

A cached search, asked over and over on 50 and 500 connections that stay open; CPU is what the
server's own process used, from /proc. LiteLLM's proxy, where its program is named, does the same
search over a SearXNG that answers at once, in the same run and with the same callers.
"""

import argparse
import asyncio
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

ROWS = [
    {
        "url": f"https://example.com/{n}",
        "title": f"Page {n}",
        "description": "Words about it. " * 15,
        "content": "Words about it. " * 15,
        "engine": "e",
        "engines": ["e"],
        "category": "general",
        "score": 1.0,
    }
    for n in range(10)
]
# LiteLLM's proxy does not start with a key that everybody knows.
_KEY = f"sk-{secrets.token_hex(16)}"
_TICKS = os.sysconf("SC_CLK_TCK")


class _Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.dumps({"query": "tides", "results": ROWS, "answers": []}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: object) -> None:
        pass


class Figure(NamedTuple):
    connections: int
    calls: int
    seconds: float
    cpu: float
    p50: float
    p99: float
    failed: int


class Target(NamedTuple):
    name: str
    port: int
    pid: int
    path: str
    ready: float
    idle: int


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory_of(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


async def _caller(target: Target, ending: float, taken: list[float], failed: list[int]) -> None:
    body = b'{"query": "tides", "max_results": 10}'
    head = f"POST {target.path} HTTP/1.1\r\nhost: 127.0.0.1:{target.port}\r\nauthorization: Bearer {_KEY}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", target.port)
    try:
        while time.monotonic() < ending:
            began = time.monotonic()
            writer.write(head + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(answer.partition(b"content-length: ")[2].split(b"\r\n")[0])
            await reader.readexactly(length)
            taken.append(time.monotonic() - began)
            if not answer.startswith(b"http/1.1 200"):
                failed.append(1)
    finally:
        writer.close()


async def load(target: Target, connections: int, seconds: float) -> Figure:
    taken: list[float] = []
    failed: list[int] = []
    before, began = cpu_of(target.pid), time.monotonic()
    callers = [_caller(target, began + seconds, taken, failed) for _ in range(connections)]
    ended = await asyncio.gather(*callers, return_exceptions=True)
    spent, cpu = time.monotonic() - began, cpu_of(target.pid) - before
    failed += [1 for one in ended if isinstance(one, BaseException)]
    ranked = sorted(taken) or [0.0]
    return Figure(
        connections,
        len(taken),
        spent,
        cpu,
        ranked[len(ranked) // 2],
        ranked[int(len(ranked) * 0.99)],
        len(failed),
    )


async def idle(target: Target, connections: int) -> tuple[float, int, int]:
    """Return how long a call takes beside idle connections, the memory, and how many there were."""
    socks: list[socket.socket] = []
    for _ in range(connections):
        with suppress(OSError):
            socks.append(socket.create_connection(("127.0.0.1", target.port), timeout=5))
    figure = await load(target, 1, 1.0)
    memory = memory_of(target.pid)
    for sock in socks:
        sock.close()
    return figure.p50, memory, len(socks)


@contextmanager
def _process(
    command: list[str], port: int, name: str, path: str, **environment: str
) -> Iterator[Target]:
    began = time.monotonic()
    process = subprocess.Popen(
        command,
        env={"PATH": os.environ["PATH"], **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None or time.monotonic() - began > 120:
                message = f"{name} does not start"
                raise RuntimeError(message)
            time.sleep(0.01)
        ready = time.monotonic() - began
        yield Target(name, port, process.pid, path, ready, memory_of(process.pid))
    finally:
        process.terminate()
        process.wait(30)


def _port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def gateway(home: str, backend: str) -> Iterator[Target]:
    port = _port()
    command = [sys.executable, "-m", "webseam.composition.doors.cli", "serve", "--port", str(port)]
    settings = {
        "HOME": home,
        "WEBSEAM_JSON_SEARCH_URL": f"{backend}/search",
        "WEBSEAM_KEYLESS": "false",
        "WEBSEAM_SERVE_WAITING": "2000",
    }
    with _process(command, port, "webseam", "/tavily/search", **settings) as target:
        yield target


@contextmanager
def litellm(home: str, backend: str, program: str) -> Iterator[Target]:
    port, config = _port(), Path(home) / "litellm.yaml"
    config.write_text(
        f"general_settings: {{master_key: {_KEY}}}\nsearch_tools:\n  - search_tool_name: stub\n    litellm_params: {{search_provider: searxng, api_base: '{backend}'}}\n"
    )
    command = [program, "--config", str(config), "--port", str(port), "--host", "127.0.0.1"]
    with _process(
        command,
        port,
        "LiteLLM's proxy",
        "/v1/search/stub",
        HOME=home,
        LITELLM_LOCAL_MODEL_COST_MAP="True",
    ) as target:
        yield target


async def measure(target: Target, seconds: float) -> dict[int, Figure]:
    print(f"{target.name}: ready in {target.ready:.2f} s, {target.idle} MB idle")
    await load(target, 1, 0.5)
    figures = {}
    for connections in (50, 500):
        figure = await load(target, connections, seconds)
        figures[connections] = figure
        cost = figure.cpu / max(figure.calls, 1) * 1e6
        print(
            f"  {connections:>3} connections: {figure.calls / figure.seconds:8.0f} calls/s, {cost:8.0f} us of CPU a call, p50 {figure.p50 * 1e3:.1f} ms, p99 {figure.p99 * 1e3:.1f} ms, {figure.failed} failed"
        )
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--litellm", help="the program litellm of an environment with litellm[proxy]"
    )
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument(
        "--idle", type=int, default=0, help="connections to hold open without a word"
    )
    options = parser.parse_args()
    if options.idle:
        import resource  # noqa: PLC0415

        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Backend)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    backend = f"http://127.0.0.1:{server.server_address[1]}"
    with tempfile.TemporaryDirectory() as home:
        with gateway(home, backend) as target:
            ours = asyncio.run(measure(target, options.seconds))
            if options.idle:
                taken, memory, held = asyncio.run(idle(target, options.idle))
                print(
                    f"  beside {held} idle connections: a call takes {taken * 1e3:.1f} ms, {memory} MB"
                )
        if options.litellm:
            with litellm(home, backend, options.litellm) as target:
                theirs = asyncio.run(measure(target, options.seconds))
            for connections, figure in ours.items():
                other = theirs[connections]
                ratio = (figure.calls / figure.seconds) / max(other.calls / other.seconds, 1e-9)
                print(f"at {connections}: {ratio:.0f} times the calls/s of LiteLLM's proxy")
    return 0


if __name__ == "__main__":
    sys.exit(main())
