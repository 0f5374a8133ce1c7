"""Start to first answer of MCP servers on stdio, and their memory, interleaved, in one run.

``python -m benchmarks.mcp [ROUNDS] [NAME=COMMAND ...]``: bare Python and our server, and beside them
whatever is named: ``sdk='.mcp/modern/bin/python -c "..."'``. Processor time is the figure to compare on
a busy machine. The first, uncounted round warms the disk.
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

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
}
BARE_SDK = (
    "import asyncio; from mcp.server.mcpserver import MCPServer; "
    "asyncio.run(MCPServer('bare').run_stdio_async())"
)


class Figures(NamedTuple):
    wall: float
    cpu: float
    memory: float


def first_answer(command: list[str], method: str) -> Figures | None:
    """Start a server, ask one thing, and end it; None when it does not know the method."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": OPENERS[method]}
    began = time.perf_counter()
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(message).encode() + b"\n")
    child.stdin.flush()
    line = child.stdout.readline()
    wall = time.perf_counter() - began
    memory = _resident(child.pid)
    child.kill()
    _, _, used = os.wait4(child.pid, 0)
    child.returncode = 0
    child.stdin.close()
    child.stdout.close()
    known = line.startswith(b"{") and "result" in json.loads(line)
    return Figures(wall * 1000, (used.ru_utime + used.ru_stime) * 1000, memory) if known else None


def idle_memory(command: list[str], seconds: float = 3.0) -> float:
    """Return the memory of a server that has listed its tools and waits."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        opener = {"id": 1, "method": "initialize", "params": OPENERS["initialize"]}
        for each in (opener, {"id": 2, "method": "tools/list", "params": {}}):
            child.stdin.write(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n")
            child.stdin.flush()
            child.stdout.readline()
        time.sleep(seconds)
        memory = _resident(child.pid)
        child.kill()
    return memory


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


def one_round(servers: dict[str, list[str]]) -> dict[tuple[str, str], Figures]:
    """Start everything once."""
    seen: dict[tuple[str, str], Figures | None] = {("python -c pass", ""): bare_python()}
    for name, command in servers.items():
        seen |= {(name, method): first_answer(command, method) for method in OPENERS}
    return {key: figures for key, figures in seen.items() if figures is not None}


def main(rounds: int, named: list[str]) -> None:
    servers = {"webseam": [str(Path(sys.executable).parent / "webseam"), "mcp"]}
    servers |= {
        name: shlex.split(command) for name, command in (each.split("=", 1) for each in named)
    }
    one_round(servers)
    counted = [one_round(servers) for _ in range(rounds)]
    for name, method in counted[0]:
        each = [seen[name, method] for seen in counted if (name, method) in seen]
        wall, cpu, memory = (statistics.median(column) for column in zip(*each, strict=True))
        print(f"{name:16} {method:16} {wall:6.0f} ms wall {cpu:6.0f} ms cpu {memory:6.1f} MB")
    for name, command in servers.items():
        print(f"{name:16} idle, tools listed {idle_memory(command):6.1f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7, sys.argv[2:])
