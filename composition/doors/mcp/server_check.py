"""Start our own server as a client does, and check that it answers and works."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import msgspec

from .json_rpc import CAPABILITIES_KEY, VERSION_KEY, Json
from .mcp_clients import Launcher

_DEFAULT_SECONDS = 60.0
_REQUEST_META = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
_INITIALIZE_PARAMS: Json = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "webseam mcp check", "version": "1"},
}
_SEARCH_ARGUMENTS: Json = {"query": "tide tables", "max_results": 1}
_SEARCH_PARAMS: Json = {"name": "web_search", "arguments": _SEARCH_ARGUMENTS}


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One check and its result."""

    name: str
    fine: bool
    words: str


class _ServerConversation:
    """Sends requests to a server's standard input and reads the answers."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source, self._sink, self._number = source, sink, 0

    def ask(self, method: str, params: Json) -> Json:
        """Return the result or the error; empty when the server is gone or sends nonsense."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        try:
            self._sink.write(msgspec.json.encode(message) + b"\n")
            self._sink.flush()
            return self._read_answer()
        except (OSError, ValueError):
            return {}

    def _read_answer(self) -> Json:
        while line := self._source.readline():
            message: Json = msgspec.json.decode(line, type=dict)
            if message.get("id") == self._number:
                return message.get("result") or message.get("error") or {}
        return {}


def check_mcp_server(launcher: Launcher, seconds: float = _DEFAULT_SECONDS) -> list[Finding]:
    """Start the server, use both revisions, have it search once, and stop it."""
    start = time.perf_counter()
    try:
        with _start_server(launcher, seconds) as conversation:
            handshake = conversation.ask("initialize", _INITIALIZE_PARAMS)
            milliseconds = (time.perf_counter() - start) * 1000
            if not handshake:
                words = f"{' '.join((launcher.command, *launcher.args))} gave no answer"
                return [Finding(name="start", fine=False, words=words)]
            version = handshake.get("protocolVersion")
            server = handshake.get("serverInfo", {}).get("version", "?")
            text = f"{server} answered in {milliseconds:.0f} ms"
            first = Finding(name="start", fine=version is not None, words=f"webseam {text}")
            return [first, *_check_requests(conversation)]
    except OSError as error:
        reason = (error.strerror or "it cannot be started").lower()
        return [Finding(name="start", fine=False, words=f"{launcher.command}: {reason}")]


@contextmanager
def _start_server(launcher: Launcher, seconds: float) -> Iterator[_ServerConversation]:
    command = [launcher.command, *launcher.args]
    pipe = subprocess.PIPE
    # A cached answer would hide that no service can be reached.
    environment = {**os.environ, "WEBSEAM_CACHE_ENABLED": "false"}
    with subprocess.Popen(  # noqa: S603  our own
        command, stdin=pipe, stdout=pipe, env=environment
    ) as server:
        # Kill a server that hangs; its answer then counts as empty.
        timer = threading.Timer(seconds, server.kill)
        # A daemon thread does not delay the exit after Ctrl-C.
        timer.daemon = True
        timer.start()
        try:
            if server.stdout is not None and server.stdin is not None:
                yield _ServerConversation(server.stdout, server.stdin)
        finally:
            if server.stdin is not None:
                server.stdin.close()
            try:
                server.wait(seconds)
            except subprocess.TimeoutExpired:
                server.kill()
            timer.cancel()


def _check_requests(conversation: _ServerConversation) -> list[Finding]:
    discovery = conversation.ask("server/discover", {"_meta": _REQUEST_META})
    tools = [str(tool.get("name")) for tool in conversation.ask("tools/list", {}).get("tools", ())]
    result = conversation.ask("tools/call", _SEARCH_PARAMS)
    is_answered = "content" in result and not result.get("isError")
    text = result.get("content", [{}])[0].get("text", "no answer")
    has_versions = bool(discovery.get("supportedVersions"))
    return [
        Finding(name="revisions", fine=has_versions, words="2025-11-25 and 2026-07-28"),
        Finding(name="tools", fine="web_search" in tools, words=", ".join(tools) or "none"),
        Finding(name="a search", fine=is_answered, words="answered" if is_answered else text),
    ]
