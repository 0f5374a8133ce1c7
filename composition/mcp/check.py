"""Our own server, started as a client starts it: does it answer, does it work."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import msgspec

from .install.clients import Launcher
from .json_rpc import CAPABILITIES_KEY, VERSION_KEY, Json

_CHECK_SECONDS = 60.0
_ENVELOPE = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
_OPENER: Json = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "webseam mcp check", "version": "1"},
}
# Nobody is asked for this: the handle is of no page, and that is what must come back.
_CALL: Json = {"name": "web_more", "arguments": {"handle": "0" * 24}}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at, and what came of it."""

    name: str
    fine: bool
    words: str


class _Conversation:
    """Requests to a server on its standard input, each with the answer to it."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source = source
        self._sink = sink
        self._number = 0

    def ask(self, method: str, params: Json) -> Json:
        """Return the result, or the error; nothing when the server has gone or says nonsense."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        try:
            self._sink.write(msgspec.json.encode(message) + b"\n")
            self._sink.flush()
            return self._answer()
        except (OSError, ValueError):
            return {}

    def _answer(self) -> Json:
        while line := self._source.readline():
            message: Json = msgspec.json.decode(line, type=dict)
            if message.get("id") == self._number:
                return message.get("result") or message.get("error") or {}
        return {}


def check_server(launcher: Launcher, seconds: float = _CHECK_SECONDS) -> list[Finding]:
    """Start the server, speak both revisions to it, call a tool, and end it."""
    began = time.perf_counter()
    try:
        with _started(launcher, seconds) as conversation:
            opened = conversation.ask("initialize", _OPENER)
            first = (time.perf_counter() - began) * 1000
            return (
                [_opening(opened, first), *_rest(conversation)] if opened else [_silent(launcher)]
            )
    except OSError as error:
        reason = (error.strerror or "it cannot be started").lower()
        return [Finding(name="start", fine=False, words=f"{launcher.command}: {reason}")]


@contextmanager
def _started(launcher: Launcher, seconds: float) -> Iterator[_Conversation]:
    command = [launcher.command, *launcher.args]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as server:  # noqa: S603  our own
        # A server that hangs is ended, and the answer that is waited for is none.
        clock = threading.Timer(seconds, server.kill)
        # After a Ctrl-C nobody waits for it.
        clock.daemon = True
        clock.start()
        try:
            if server.stdout is not None and server.stdin is not None:
                yield _Conversation(server.stdout, server.stdin)
        finally:
            if server.stdin is not None:
                server.stdin.close()
            try:
                server.wait(seconds)
            except subprocess.TimeoutExpired:
                server.kill()
            clock.cancel()


def _opening(opened: Json, milliseconds: float) -> Finding:
    version = opened.get("protocolVersion")
    words = f"{opened.get('serverInfo', {}).get('version', '?')} answered in {milliseconds:.0f} ms"
    return Finding(name="start", fine=version is not None, words=f"webseam {words}")


def _silent(launcher: Launcher) -> Finding:
    words = f"{' '.join((launcher.command, *launcher.args))} gave no answer"
    return Finding(name="start", fine=False, words=words)


def _rest(conversation: _Conversation) -> list[Finding]:
    discovery = conversation.ask("server/discover", {"_meta": _ENVELOPE})
    tools = [str(tool.get("name")) for tool in conversation.ask("tools/list", {}).get("tools", ())]
    called = conversation.ask("tools/call", _CALL)
    kind = called.get("structuredContent", {}).get("failure", {}).get("kind")
    # A tool that is not set up says so before it looks at its arguments.
    words = called.get("content", [{}])[0].get("text", "no answer")
    fine = kind == "invalid_query"
    return [
        Finding(
            name="revisions",
            fine=bool(discovery.get("supportedVersions")),
            words="2025-11-25 and 2026-07-28",
        ),
        Finding(name="tools", fine="web_search" in tools, words=", ".join(tools) or "none"),
        Finding(name="a call", fine=fine, words="came back" if fine else str(words)),
    ]
