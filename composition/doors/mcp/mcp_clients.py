"""The MCP clients: the location and format of their files, and the form of an entry.

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

from webseam.ports.errors import NotConfigured, WebError

from .json_rpc import Json

Way: TypeAlias = Literal["auto", "venv", "uvx", "pipx"]
Which: TypeAlias = Callable[[str], str | None]
WAYS: tuple[Way, ...] = ("auto", "venv", "uvx", "pipx")
ENTRY_NAME = "webseam"
_RESTART_HINT = "Restart it to see the tools."


class Launcher(msgspec.Struct, frozen=True, kw_only=True):
    """A command and its arguments."""

    command: str
    args: tuple[str, ...]


def make_server_launcher(
    method: Way,
    *,
    program: str = sys.argv[0],
    python: str = sys.executable,
    which: Which = shutil.which,
) -> Result[Launcher, WebError]:
    """Return the command that starts the server, with absolute paths.

    Desktop clients have a short PATH. ``auto`` means uvx when this runs under uvx, whose
    environment is temporary, and else this environment.
    """
    if method == "auto":
        method = "uvx" if is_temporary_python(python) else "venv"
    if method == "venv":
        return Success(_own_server_launcher(program, python))
    path = which(method)
    if path is None:
        reason = f"{method} is not on the path"
        return Failure(NotConfigured(reason=reason, remedy="Install it, or use --with venv."))
    args = ("webseam", "mcp") if method == "uvx" else ("run", "webseam", "mcp")
    return Success(Launcher(command=path, args=args))


def is_temporary_python(python: str) -> bool:
    """Return whether an interpreter is in one of uv's environments for a single run.

    >>> (is_temporary_python("/home/a/.cache/uv/archive-v0/xyz/bin/python"),
    ...  is_temporary_python("/usr/bin/python"))
    (True, False)
    """
    parts = Path(python).parts
    return "uv" in parts and any(
        part.startswith(("archive-v", "environments-v", "builds-v")) for part in parts
    )


def _own_server_launcher(program: str, python: str) -> Launcher:
    """Return the script ``webseam`` beside the interpreter, else the module."""
    folder = Path(python).parent
    for name in ("webseam", "webseam.exe"):
        if (folder / name).is_file():
            return Launcher(command=str(folder / name), args=("mcp",))
    script = Path(program).absolute()
    if script.stem == "webseam" and script.is_file():
        return Launcher(command=str(script), args=("mcp",))
    return Launcher(command=python, args=("-m", "webseam.composition.doors.cli", "mcp"))


Format: TypeAlias = Literal["json", "toml", "yaml"]


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine: its ``sys.platform``, home folder and environment variables."""

    platform: str
    home: Path
    variables: Mapping[str, str] = {}

    def settings_folder(self, program: str) -> Path:
        """Return the platform's settings folder of a program."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support" / program
        if self.platform == "win32":
            roaming = self.variables.get("APPDATA")
            return (Path(roaming) if roaming else self.home / "AppData" / "Roaming") / program
        config_home = self.variables.get("XDG_CONFIG_HOME")
        return (Path(config_home) if config_home else self.home / ".config") / program


def _entry_path(*path: str) -> Callable[[object], tuple[str, ...]]:
    return lambda _document: path


def _plain_entry(launcher: Launcher, _document: object) -> Json:
    return {"command": launcher.command, "args": list(launcher.args)}


class McpClient(msgspec.Struct, frozen=True, kw_only=True):
    """A program that starts MCP servers; ``path`` gives our entry's path in its file."""

    title: str
    file: Callable[[Machine], Path]
    format: Format = "json"
    path: Callable[[object], tuple[str, ...]] = _entry_path("mcpServers", ENTRY_NAME)
    entry: Callable[[Launcher, object], Json] = _plain_entry
    after: str = ""
    # The folder of the client's own skills.
    skills: Callable[[Machine], Path] | None = None


def _typed_entry(launcher: Launcher, document: object) -> Json:
    return {"type": "stdio", **_plain_entry(launcher, document)}


def _goose_entry(launcher: Launcher, _document: object) -> Json:
    return {
        "enabled": True,
        "type": "stdio",
        "name": ENTRY_NAME,
        "description": "Search the web and read pages",
        "cmd": launcher.command,
        "args": list(launcher.args),
        "timeout": 300,
    }


def _opencode_path(document: object) -> tuple[str, ...]:
    return ("mcp", "servers", ENTRY_NAME) if _is_opencode_v2(document) else ("mcp", ENTRY_NAME)


def _opencode_entry(launcher: Launcher, document: object) -> Json:
    entry: Json = {"type": "local", "command": [launcher.command, *launcher.args]}
    return entry if _is_opencode_v2(document) else {**entry, "enabled": True}


def _is_opencode_v2(document: object) -> bool:
    """Return whether an opencode file has the format of version 2."""
    block = document.get("mcp") if isinstance(document, dict) else None
    return isinstance(block, dict) and isinstance(block.get("servers"), dict)


def _opencode_file(machine: Machine) -> Path:
    config_home = machine.variables.get("XDG_CONFIG_HOME")
    folder = (Path(config_home) if config_home else machine.home / ".config") / "opencode"
    commented = folder / "opencode.jsonc"
    return commented if commented.is_file() else folder / "opencode.json"


def _hermes_file(machine: Machine) -> Path:
    hermes_home = machine.variables.get("HERMES_HOME")
    if hermes_home:
        return Path(hermes_home) / "config.yaml"
    local = machine.variables.get("LOCALAPPDATA")
    if machine.platform == "win32" and local:
        return Path(local) / "hermes" / "config.yaml"
    return machine.home / ".hermes" / "config.yaml"


def _codex_file(machine: Machine) -> Path:
    codex_home = machine.variables.get("CODEX_HOME")
    return (Path(codex_home) if codex_home else machine.home / ".codex") / "config.toml"


def _goose_file(machine: Machine) -> Path:
    if machine.platform == "win32":
        return machine.settings_folder("Block/goose/config") / "config.yaml"
    return machine.home / ".config" / "goose" / "config.yaml"


def _zed_file(machine: Machine) -> Path:
    on_windows = machine.platform == "win32"
    folder = machine.settings_folder("Zed") if on_windows else machine.home / ".config" / "zed"
    return folder / "settings.json"


CLIENTS: Mapping[str, McpClient] = {
    "claude-desktop": McpClient(
        title="Claude Desktop",
        after=_RESTART_HINT,
        file=lambda it: it.settings_folder("Claude") / "claude_desktop_config.json",
    ),
    "claude-code": McpClient(
        title="Claude Code",
        file=lambda it: it.home / ".claude.json",
        entry=_typed_entry,
        after="`claude mcp list` shows it.",
        skills=lambda it: it.home / ".claude" / "skills",
    ),
    "cursor": McpClient(title="Cursor", file=lambda it: it.home / ".cursor" / "mcp.json"),
    "vscode": McpClient(
        title="VS Code",
        file=lambda it: it.settings_folder("Code/User") / "mcp.json",
        path=_entry_path("servers", ENTRY_NAME),
        entry=_typed_entry,
        after="`MCP: List Servers` in the command palette starts it.",
    ),
    "codex": McpClient(
        title="Codex",
        file=_codex_file,
        format="toml",
        path=_entry_path("mcp_servers", ENTRY_NAME),
        after="`codex mcp list` shows it.",
        skills=lambda it: _codex_file(it).parent / "skills",
    ),
    "gemini": McpClient(
        title="Gemini CLI",
        file=lambda it: it.home / ".gemini" / "settings.json",
        after="`gemini mcp list` shows it.",
    ),
    "goose": McpClient(
        title="goose",
        file=_goose_file,
        format="yaml",
        entry=_goose_entry,
        path=_entry_path("extensions", ENTRY_NAME),
    ),
    "opencode": McpClient(
        title="opencode", file=_opencode_file, path=_opencode_path, entry=_opencode_entry
    ),
    "zed": McpClient(title="Zed", file=_zed_file, path=_entry_path("context_servers", ENTRY_NAME)),
    "windsurf": McpClient(
        title="Windsurf",
        after=_RESTART_HINT,
        file=lambda it: it.home / ".codeium" / "windsurf" / "mcp_config.json",
    ),
    "hermes": McpClient(
        title="Hermes",
        file=_hermes_file,
        format="yaml",
        path=_entry_path("mcp_servers", ENTRY_NAME),
        entry=lambda launcher, document: {
            **_plain_entry(launcher, document),
            "enabled": True,
        },
        after="`hermes mcp test webseam` tries it.",
    ),
}
