"""A gateway without sockets: requests go in as ASGI messages, replies come out."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from webseam.composition.features.gateway.gateway import Gateway
from webseam.composition.features.gateway.gateway_setup import open_gateway
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.ports.backends import EVERY_FILTER

T = TypeVar("T")
ROWS = [
    {
        "url": "https://example.com/tides",
        "title": "Tides",
        "snippet": "High at noon.",
        "published_at": "2026-11-01",
    },
    {"url": "https://example.org/moon", "title": "The moon", "snippet": "It pulls."},
]
LOCAL = {"host": "127.0.0.1:8787"}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401  JSON is anything
        return json.loads(self.body)


class Site:
    """A gateway over a fake backend, with files of its own."""

    def __init__(self, home: Path, backend: object = None, **settings: object) -> None:
        self.home = home
        self.lines: list[dict[str, object]] = []
        self.environment = {
            "HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
            "WEBSEAM_CACHE": str(home / "cache"),
            "WEBSEAM_CONFIG": str(home / "config.yaml"),
            "WEBSEAM_KEYLESS": "false",
        }
        self.backend = (
            FakeBackend(ROWS, "# Tides\n\nHigh at noon.", abilities=EVERY_FILTER)
            if backend is None
            else backend
        )
        self.arguments = {f"serve.{name}": value for name, value in settings.items()}
        self.gateway = self.opened()

    def opened(self) -> Gateway:
        backend: Any = None if self.backend == "settings" else self.backend
        parts = ToolboxOverrides(
            environment=self.environment, settings=self.arguments, backend=backend
        )
        return open_gateway(parts, self.lines.append).unwrap()

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        return asyncio.run(self.asked(method, path, body, **headers))

    async def asked(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        return await request(self.gateway, method, path, body, **headers)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        return self.ask("POST", path, body, **headers)

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, None, **headers)


async def request(
    gateway: Gateway,
    method: str,
    path: str,
    body: object = None,
    *,
    peer: str = "127.0.0.1",
    **headers: str,
) -> Answer:
    raw = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
    return await exchange(gateway, scope_of(method, path, headers, peer), whole(raw))


def scope_of(
    method: str, path: str, headers: Mapping[str, str], peer: str = "127.0.0.1"
) -> dict[str, Any]:
    plain, _, search = path.partition("?")
    named = {**LOCAL, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {
        "type": "http",
        "method": method,
        "path": plain,
        "raw_path": plain.encode(),
        "query_string": search.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
        "client": (peer, 50_000),
        "scheme": "http",
    }


def whole(body: bytes) -> Callable[[], Coroutine[Any, Any, dict[str, Any]]]:
    """Return what sends a body at once, and then waits as a caller does who stays."""
    sent: list[int] = []

    async def receive() -> dict[str, Any]:
        if sent:
            await asyncio.Event().wait()
        sent.append(1)
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def exchange(
    gateway: Gateway,
    scope: dict[str, Any],
    receive: Callable[[], Coroutine[Any, Any, dict[str, Any]]],
) -> Answer:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:  # noqa: ANN401  as ASGI has it
        messages.append(message)

    await gateway(scope, receive, send)
    if not messages:
        return Answer(0, {}, b"")
    start = messages[0]
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], headers, b"".join(one.get("body", b"") for one in messages[1:]))
