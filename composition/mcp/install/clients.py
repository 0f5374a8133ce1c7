"""The clients: whose file it is, where, in which format, and what an entry looks like.

From the clients' own pages, read 2026-11-15: code.claude.com, cursor.com/docs/mcp,
code.visualstudio.com/docs/agents/reference/mcp-configuration, geminicli.com, opencode.ai/v2/docs,
zed.dev/docs/ai/mcp, goose's guide to its configuration, hermes-agent.nousresearch.com.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import NotConfigured, WebError
from ..json_rpc import Json

Way: TypeAlias = Literal["auto", "venv", "uvx", "pipx"]
Which: TypeAlias = Callable[[str], str | None]
WAYS: tuple[Way, ...] = ("auto", "venv", "uvx", "pipx")


class Launcher(msgspec.Struct, frozen=True, kw_only=True):
    """A command and its arguments."""

    command: str
    args: tuple[str, ...]


def make_launcher(
    method: Way,
    *,
    program: str = sys.argv[0],
    python: str = sys.executable,
    which: Which = shutil.which,
) -> Result[Launcher, WebError]:
    """Return how the server is started. Programs are named by their whole path.

    Clients that are started from a desktop know few folders. ``auto`` is uvx for who runs this with
    uvx, whose environment may be gone tomorrow, and otherwise this very environment.
    """
    if method == "auto":
        method = "uvx" if is_temporary_python(python) else "venv"
    if method == "venv":
        return Success(_own(program, python))
    path = which(method)
    if path is None:
        reason = f"{method} is not on the path"
        return Failure(NotConfigured(reason=reason, remedy="Install it, or use --with venv."))
    args = ("webseam", "mcp") if method == "uvx" else ("run", "webseam", "mcp")
    return Success(Launcher(command=path, args=args))


def is_temporary_python(python: str) -> bool:
    """Tell whether an interpreter is in one of uv's environments for a single run.

    >>> (is_temporary_python("/home/a/.cache/uv/archive-v0/xyz/bin/python"),
    ...  is_temporary_python("/usr/bin/python"))
    (True, False)
    """
    parts = Path(python).parts
    return "uv" in parts and any(
        part.startswith(("archive-v", "environments-v", "builds-v")) for part in parts
    )


def _own(program: str, python: str) -> Launcher:
    """Return the script ``webseam`` beside the interpreter, or the module where there is none."""
    folder = Path(python).parent
    for name in ("webseam", "webseam.exe"):
        if (folder / name).is_file():
            return Launcher(command=str(folder / name), args=("mcp",))
    started = Path(program).absolute()
    if started.stem == "webseam" and started.is_file():
        return Launcher(command=str(started), args=("mcp",))
    return Launcher(command=python, args=("-m", "webseam.composition.cli", "mcp"))


# The clients: whose file it is, where, in which format, and what an entry looks like.

NAME = "webseam"
Format: TypeAlias = Literal["json", "toml", "yaml"]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Whose machine it is: the system (``sys.platform``), the home, the variables."""

    platform: str
    home: Path
    variables: Mapping[str, str] = {}

    def data(self, mac: str, windows: str, other: str) -> Path:
        """Return the folder that programs keep their settings in, by the system."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support" / mac
        if self.platform == "win32":
            roaming = self.variables.get("APPDATA")
            return (Path(roaming) if roaming else self.home / "AppData" / "Roaming") / windows
        named = self.variables.get("XDG_CONFIG_HOME")
        return (Path(named) if named else self.home / ".config") / other


class McpClient(msgspec.Struct, frozen=True, kw_only=True):
    """A program that starts MCP servers. ``path`` is where our entry goes, by the file's text."""

    title: str
    file: Callable[[Machine], Path]
    format: Format = "json"
    path: Callable[[object], tuple[str, ...]]
    entry: Callable[[Launcher, object], Json]
    after: str = ""


def _at(*path: str) -> Callable[[object], tuple[str, ...]]:
    return lambda _known: path


def _plain(launcher: Launcher, _known: object) -> Json:
    return {"command": launcher.command, "args": list(launcher.args)}


def _typed(launcher: Launcher, known: object) -> Json:
    return {"type": "stdio", **_plain(launcher, known)}


def _goose(launcher: Launcher, _known: object) -> Json:
    return {
        "enabled": True,
        "type": "stdio",
        "name": NAME,
        "description": "Search the web and read pages",
        "cmd": launcher.command,
        "args": list(launcher.args),
        "timeout": 300,
    }


def _opencode_path(known: object) -> tuple[str, ...]:
    return ("mcp", "servers", NAME) if _is_second(known) else ("mcp", NAME)


def _opencode(launcher: Launcher, known: object) -> Json:
    whole = [launcher.command, *launcher.args]
    entry: Json = {"type": "local", "command": whole}
    return entry if _is_second(known) else {**entry, "enabled": True}


def _is_second(known: object) -> bool:
    """Tell whether a file of opencode is of its second version."""
    block = known.get("mcp") if isinstance(known, dict) else None
    return isinstance(block, dict) and isinstance(block.get("servers"), dict)


def _opencode_file(machine: Machine) -> Path:
    named = machine.variables.get("XDG_CONFIG_HOME")
    folder = (Path(named) if named else machine.home / ".config") / "opencode"
    commented = folder / "opencode.jsonc"
    return commented if commented.is_file() else folder / "opencode.json"


def _hermes_file(machine: Machine) -> Path:
    named = machine.variables.get("HERMES_HOME")
    if named:
        return Path(named) / "config.yaml"
    local = machine.variables.get("LOCALAPPDATA")
    if machine.platform == "win32" and local:
        return Path(local) / "hermes" / "config.yaml"
    return machine.home / ".hermes" / "config.yaml"


def _codex_file(machine: Machine) -> Path:
    named = machine.variables.get("CODEX_HOME")
    return (Path(named) if named else machine.home / ".codex") / "config.toml"


def _goose_file(machine: Machine) -> Path:
    if machine.platform == "win32":
        return machine.data("", "Block/goose/config", "") / "config.yaml"
    return machine.home / ".config" / "goose" / "config.yaml"


_RESTART = "Restart it to see the tools."
CLIENTS: Mapping[str, McpClient] = {
    "claude": McpClient(
        title="Claude Desktop",
        file=lambda it: it.data("Claude", "Claude", "Claude") / "claude_desktop_config.json",
        path=_at("mcpServers", NAME),
        entry=_plain,
        after=_RESTART,
    ),
    "claude-code": McpClient(
        title="Claude Code",
        file=lambda it: it.home / ".claude.json",
        path=_at("mcpServers", NAME),
        entry=_typed,
        after="`claude mcp list` shows it.",
    ),
    "cursor": McpClient(
        title="Cursor",
        file=lambda it: it.home / ".cursor" / "mcp.json",
        path=_at("mcpServers", NAME),
        entry=_plain,
    ),
    "vscode": McpClient(
        title="VS Code",
        file=lambda it: it.data("Code/User", "Code/User", "Code/User") / "mcp.json",
        path=_at("servers", NAME),
        entry=_typed,
        after="`MCP: List Servers` in the command palette starts it.",
    ),
    "codex": McpClient(
        title="Codex",
        file=_codex_file,
        format="toml",
        path=_at("mcp_servers", NAME),
        entry=_plain,
        after="`codex mcp list` shows it.",
    ),
    "gemini": McpClient(
        title="Gemini CLI",
        file=lambda it: it.home / ".gemini" / "settings.json",
        path=_at("mcpServers", NAME),
        entry=_plain,
        after="`gemini mcp list` shows it.",
    ),
    "goose": McpClient(
        title="goose",
        file=_goose_file,
        format="yaml",
        path=_at("extensions", NAME),
        entry=_goose,
    ),
    "opencode": McpClient(
        title="opencode", file=_opencode_file, path=_opencode_path, entry=_opencode
    ),
    "zed": McpClient(
        title="Zed",
        file=lambda it: (
            (it.data("", "Zed", "zed") if it.platform == "win32" else it.home / ".config" / "zed")
            / "settings.json"
        ),
        path=_at("context_servers", NAME),
        entry=_plain,
    ),
    "windsurf": McpClient(
        title="Windsurf",
        file=lambda it: it.home / ".codeium" / "windsurf" / "mcp_config.json",
        path=_at("mcpServers", NAME),
        entry=_plain,
        after=_RESTART,
    ),
    "hermes": McpClient(
        title="Hermes",
        file=_hermes_file,
        format="yaml",
        path=_at("mcp_servers", NAME),
        entry=lambda launcher, known: {**_plain(launcher, known), "enabled": True},
        after="`hermes mcp test webseam` tries it.",
    ),
}
