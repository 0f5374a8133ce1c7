"""Serve the playground page, its status call, and the raw rows of one backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from returns.result import Failure

from webseam.adapters.features.gateway import replies
from webseam.composition.planning.open_backends import OpenBackend
from webseam.composition.wiring.backend_table import all_backend_rows, find_backend_row
from webseam.kernel.text.redaction import redact
from webseam.ports.backends import BackendAbout, PageAnswer, RowsAnswer, Served
from webseam.ports.web import WebSearchQuery

from ..callers import GatewayCaller
from ..metrics import KeyMetrics
from ..native_api import count_reply_metrics
from ..shared_clients import SharedClients

# Forbid foreign and inline content, HTML made from text, and frames.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
_ASSET_HEADERS = (
    ("content-security-policy", _CONTENT_SECURITY_POLICY), ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
)  # fmt: skip
_ASSETS_BY_PATH = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/playground/style.css": ("style.css", "text/css; charset=utf-8"),
    "/playground/script.js": ("script.js", "text/javascript; charset=utf-8"),
}
CALL_PATHS = ("/api/status", "/api/look")
_MAX_SHOWN_CHARS = 200_000
_OWNER_ONLY_MESSAGE = "What backends send is shown to the owner of this gateway alone."


def playground_asset(path: str, search: str) -> replies.Reply | None:
    """Return a file of the playground; None for other paths.

    ``/`` with a query is a search: clients of SearXNG ask there.
    """
    if path not in _ASSETS_BY_PATH or (path == "/" and search):
        return None
    name, media_type = _ASSETS_BY_PATH[path]
    body = files(__package__).joinpath(name).read_bytes()
    return replies.Reply(body=body, media_type=media_type, headers=_ASSET_HEADERS)


class LookCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search of one backend by name, with the arguments of the tool."""

    backend: str
    arguments: dict[str, Any]


def playground_status(caller: GatewayCaller, webs: SharedClients) -> replies.Reply:
    """Return the caller and the ready backends; only the owner may look at raw rows."""
    rows = all_backend_rows(webs.root)
    ready = [row.candidate for row in rows if "search" in row.candidate.ready]
    data = {
        "caller": caller.name,
        "looks": caller.record is None,
        "backends": [{"name": backend.name, "paid": backend.paid} for backend in ready],
    }
    return replies.json_reply({"success": True, "data": data})


async def search_one_backend(
    call: replies.Call, caller: GatewayCaller, webs: SharedClients, figures: KeyMetrics
) -> replies.Reply | replies.Refusal:
    """Search with one backend; return its raw rows and the checked reply.

    Bad rows are quarantined, so that the reply names all of them. The call skips only the cache.
    """
    if caller.record is not None:
        return replies.Refusal(kind="forbidden", message=_OWNER_ONLY_MESSAGE)
    try:
        look = msgspec.json.decode(call.body, type=LookCall)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return replies.refuse_invalid(f"{error}".replace("`", "") + ".")
    if find_backend_row(look.backend, webs.root) is None:
        return replies.refuse_invalid(f"There is no backend named {look.backend[:100]}.", "backend")
    tap = RowRecorder()
    async with webs.lend_watched_client(look.backend, tap.watch) as web:
        reply = await web.call_tool("web_search", look.arguments)
    count_reply_metrics(reply, figures)
    if reply.error is not None and not tap.rows:
        refusal = replies.refusal_for_error(reply.error)
        if refusal.kind == "invalid":
            return refusal
    shown, size = _truncate_raw_rows(tap.rows)
    data = {
        "reply": reply.envelope,
        "raw": shown,
        "bytes": size,
        "cut": sum(map(len, shown)) < size,
    }
    return replies.json_reply({"success": True, "look": True, "data": data})


def _truncate_raw_rows(rows: Sequence[object]) -> tuple[list[str], int]:
    """Return the rows as indented JSON up to the limit, and the size of all."""
    texts = [_raw_row_json(row) for row in rows]
    size = sum(len(text) for text in texts)
    shown: list[str] = []
    room_chars = _MAX_SHOWN_CHARS
    for text in texts:
        if room_chars <= 0:
            break
        shown.append(text[:room_chars])
        room_chars -= len(text)
    return shown, size


def _raw_row_json(row: object) -> str:
    encoded = msgspec.json.encode(row, enc_hook=repr, order="deterministic")
    return redact(msgspec.json.format(encoded, indent=1).decode("utf-8", "replace"))


class RowRecorder:
    """Records the raw rows of a backend."""

    def __init__(self) -> None:
        self.rows: list[object] = []

    def watch(self, backend: OpenBackend) -> OpenBackend:
        """Return a wrapper that records the answers of a backend."""
        return _RecordingBackend(backend, self._record_rows)

    def _record_rows(self, answer: object) -> None:
        sent = answer.answer if isinstance(answer, Served) else answer
        self.rows += list(sent) if isinstance(sent, list | tuple) else [sent]


class _RecordingBackend:
    def __init__(self, backend: OpenBackend, keep: Callable[[object], None]) -> None:
        self._backend, self._record_rows = backend, keep

    @property
    def about(self) -> BackendAbout:
        return self._backend.about

    async def search(self, query: WebSearchQuery, /) -> RowsAnswer:
        if not isinstance(answer := await self._backend.search(query), Failure):
            self._record_rows(answer.unwrap())
        return answer

    async def extract(self, url: str, /) -> PageAnswer:
        return await self._backend.extract(url)

    async def aclose(self) -> None:
        await self._backend.aclose()
