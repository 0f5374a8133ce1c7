"""Start to first answer of a server on stdio, its memory, and the tools that it lists."""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from .servers import Server

_PATIENCE = 20.0
_META = "io.modelcontextprotocol/"
OPENERS = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
    "server/discover": {
        "_meta": {f"{_META}protocolVersion": "2026-07-28", f"{_META}clientCapabilities": {}}
    },
    # After ``initialize``, as every client sends it next.
    "tools/list": {},
}


class Figures(NamedTuple):
    wall: float
    cpu: float
    memory: float


def first_answer(server: Server, method: str) -> Figures | None:
    """Start a server, ask one thing, and end it; None when it does not know the method."""
    began = time.perf_counter()
    child = _start_server(server)
    assert child.stdin is not None
    assert child.stdout is not None
    # Some say nothing to what they do not know.
    patience = threading.Timer(_PATIENCE, child.kill)
    patience.start()
    if method == "tools/list":
        _ask(child, {"id": 1, "method": "initialize", "params": OPENERS["initialize"]})
        _tell(child, {"method": "notifications/initialized"})
    answer = _ask(child, {"id": 2, "method": method, "params": OPENERS[method]})
    wall = time.perf_counter() - began
    patience.cancel()
    memory = _resident(child.pid) if answer else 0.0
    child.kill()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    child.stdin.close()
    child.stdout.close()
    cpu = (used.ru_utime + used.ru_stime) * 1000
    return Figures(wall * 1000, cpu, memory) if "result" in answer else None


class Idle(NamedTuple):
    memory: float
    tools: list[Any]


def idle(server: Server, seconds: float = 3.0) -> Idle:
    """Return the memory of a server that has listed its tools and waits, and the tools."""
    with _start_server(server) as child:
        patience = threading.Timer(_PATIENCE, child.kill)
        patience.start()
        opener = {"id": 1, "method": "initialize", "params": OPENERS["initialize"]}
        _ask(child, opener)
        _tell(child, {"method": "notifications/initialized"})
        listed = _ask(child, {"id": 2, "method": "tools/list", "params": {}})
        patience.cancel()
        time.sleep(seconds if listed else 0.0)
        memory = _resident(child.pid) if listed else 0.0
        child.kill()
    return Idle(memory, listed.get("result", {}).get("tools", []))


def _start_server(server: Server) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    variables = {**os.environ, **server.variables}
    return subprocess.Popen(
        server.command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=variables
    )


def _tell(child: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert child.stdin is not None
    with suppress(BrokenPipeError):
        child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        child.stdin.flush()


def _ask(child: subprocess.Popen[bytes], message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a message; what is told in between is passed over."""
    _tell(child, message)
    assert child.stdout is not None
    for line in child.stdout:
        if line.startswith(b"{"):
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == message["id"]:
                return answer
    return {}


def bare_python() -> Figures:
    """Return what a process costs that does nothing."""
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    wall = time.perf_counter() - began
    return Figures(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, 0.0)


def _resident(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
