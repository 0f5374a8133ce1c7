"""What the page asks beyond the tools: who is set up, and what a backend sent before any check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from returns.result import Failure

from ....adapters.gateway.refusal import (
    Call,
    Refusal,
    Reply,
    json_reply,
    refusal_for_error,
    refuse_invalid,
)
from ....kernel.text.redaction import redact
from ....ports.backends import BackendAbout, PageAnswer, RowsAnswer, Served
from ....ports.web import WebSearchQuery
from ...calls.open_backends import OpenBackend
from ...wiring.backends.backend_table import all_rows, find_row
from ..api.native_api import count_sources
from ..callers import GatewayCaller
from ..metrics import GatewayMetrics
from ..work.shared_clients import SharedClients

# Nothing from elsewhere, nothing inline, no text that becomes HTML, no frame around it.
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_HEADERS = (
    ("content-security-policy", _POLICY),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
)
_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/playground/style.css": ("style.css", "text/css; charset=utf-8"),
    "/playground/script.js": ("script.js", "text/javascript; charset=utf-8"),
}


def playground_asset(path: str, search: str) -> Reply | None:
    """Return a file of the page; None when it is none.

    ``/`` with a query is a search: clients of SearXNG ask there.
    """
    if path not in _FILES or (path == "/" and search):
        return None
    name, media_type = _FILES[path]
    body = files(__package__).joinpath(name).read_bytes()
    return Reply(body=body, media_type=media_type, headers=_HEADERS)


# What the page asks beyond the tools: who is set up, and what a backend sent before any check.

PATHS = ("/api/status", "/api/look")
_MAX_SHOWN_CHARS = 200_000
_OWNER = "What backends send is shown to the owner of this gateway alone."


class LookCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search of one backend by name, with the arguments of the tool."""

    backend: str
    arguments: dict[str, Any]


def playground_status(caller: GatewayCaller, webs: SharedClients) -> Reply:
    """Say who calls, and whom a search could ask. Only the owner may look at single backends."""
    rows = all_rows(webs.root)
    ready = [row.candidate for row in rows if "search" in row.candidate.ready]
    data = {
        "caller": caller.name,
        "looks": caller.record is None,
        "backends": [{"name": one.name, "paid": one.paid} for one in ready],
    }
    return json_reply({"success": True, "data": data})


async def look_at_backend(
    call: Call, caller: GatewayCaller, webs: SharedClients, figures: GatewayMetrics
) -> Reply | Refusal:
    """Ask one backend, and return what it sent beside what the checks make of it.

    Bad rows are set aside, so that all of them are named. The call goes through plugins, planner
    and budgets as every other does; only the cache is left out.
    """
    if caller.record is not None:
        return Refusal(kind="forbidden", message=_OWNER)
    try:
        wanted = msgspec.json.decode(call.body, type=LookCall)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return refuse_invalid(f"{error}".replace("`", "") + ".")
    if find_row(wanted.backend, webs.root) is None:
        return refuse_invalid(f"There is no backend named {wanted.backend[:100]}.", "backend")
    tap = RowTap()
    async with webs.watching(wanted.backend, tap.watch) as web:
        reply = await web.ask("web_search", wanted.arguments)
    count_sources(reply, figures)
    if reply.error is not None and not tap.rows:
        refusal = refusal_for_error(reply.error)
        if refusal.kind == "invalid":
            return refusal
    shown, size = _shown(tap.rows)
    data = {
        "reply": reply.envelope,
        "raw": shown,
        "bytes": size,
        "cut": sum(map(len, shown)) < size,
    }
    return json_reply({"success": True, "look": True, "data": data})


def _shown(rows: Sequence[object]) -> tuple[list[str], int]:
    """Return each row as JSON on several lines, as far as they fit, and the size of all."""
    texts = [_json(row) for row in rows]
    size = sum(len(text) for text in texts)
    shown: list[str] = []
    room = _MAX_SHOWN_CHARS
    for text in texts:
        if room <= 0:
            break
        shown.append(text[:room])
        room -= len(text)
    return shown, size


def _json(row: object) -> str:
    encoded = msgspec.json.encode(row, enc_hook=repr, order="deterministic")
    return redact(msgspec.json.format(encoded, indent=1).decode("utf-8", "replace"))


class RowTap:
    """Keeps what backends sent, as they sent it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rows: list[object] = []

    def watch(self, backend: OpenBackend) -> OpenBackend:
        """Return a backend that answers as the other does, and is overheard."""
        return _Overheard(backend, self._keep)

    def _keep(self, answer: object) -> None:
        sent = answer.answer if isinstance(answer, Served) else answer
        self.rows += list(sent) if isinstance(sent, list | tuple) else [sent]


class _Overheard:
    def __init__(self, backend: OpenBackend, keep: Callable[[object], None]) -> None:
        self._backend = backend
        self._keep = keep

    @property
    def about(self) -> BackendAbout:
        return self._backend.about

    async def search(self, query: WebSearchQuery, /) -> RowsAnswer:
        answer = await self._backend.search(query)
        if not isinstance(answer, Failure):
            self._keep(answer.unwrap())
        return answer

    async def extract(self, url: str, /) -> PageAnswer:
        return await self._backend.extract(url)

    async def aclose(self) -> None:
        await self._backend.aclose()
