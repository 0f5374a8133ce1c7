"""One call of a tool for a client: progress while it runs, and a result that keeps to the limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure

from ...kernel.text.fence import fence_text
from ...kernel.text.tokens import max_tokens
from ...kernel.text.trim import (
    Budget,
    Piece,
    TrimmedText,
    read_piece as page_of,
    read_piece as piece_of,
    trim_text,
)
from .exchange import McpExchange
from .json_rpc import Json
from .offer import Toolset
from .tool_results import failure_result, is_own, success_result

# Keeps a text and returns its handle; None when it cannot be kept.
Keep: TypeAlias = Callable[[str], Awaitable[str | None]]
# Each text stands in a result twice, and once more in the escapes of JSON.
_COPIES = 2.1
_MAX_FIT_TRIES = 8
_SMALLER = 0.7


def result_tokens(result: Json) -> int:
    """Return how many tokens a result takes at most: its text, its data and its links."""
    return max_tokens(msgspec.json.encode(result).decode())


async def fit_result(tool: str, envelope: Json, limit: int, keep: Keep) -> Json:
    """Return the result of a call that worked, within ``limit`` tokens."""
    result = success_result(tool, envelope)
    # Most results are far below; a token has at least one byte.
    if result_tokens(result) <= limit:
        return result
    cutters = {"web_search": _fewer_rows, "web_extract": _shorter_pages, "web_more": _shorter_piece}
    cut = cutters.get(tool) if is_own(tool, envelope) else None
    share = 1.0
    for _ in range(_MAX_FIT_TRIES if cut is not None else 0):
        smaller = await cut(envelope, int(limit * share), keep) if cut is not None else envelope
        result = success_result(tool, smaller)
        if result_tokens(result) <= limit:
            return result
        share *= _SMALLER
    return _cut_down(result, limit)


async def _fewer_rows(envelope: Json, limit: int, _keep: Keep) -> Json:
    data = dict(envelope["data"])
    rows, room = list(data.get("web", ())), limit - _bare({**envelope, "data": {}})
    fitting = 0
    for row in rows:
        # A link of each row is the third copy of its address and title.
        room -= int(result_tokens(row) * (_COPIES + 0.5))
        if room < 0:
            break
        fitting += 1
    data |= {"web": rows[:fitting], "omitted": len(rows) - fitting}
    return {**envelope, "data": data}


async def _shorter_pages(envelope: Json, limit: int, keep: Keep) -> Json:
    data, receipt = dict(envelope["data"]), dict(envelope.get("receipt") or {})
    entries = [_lean(entry) for entry in data["results"]]
    receipts = list(receipt.get("pages") or [None] * len(entries))
    texts = [str(entry.get("content", "")) for entry in entries]
    empty = [{**entry, "content": ""} for entry in entries]
    room = limit - _bare({**envelope, "data": {"results": empty}}) - 120 * len(entries)
    shares = _shares([max_tokens(text) * _COPIES for text in texts], max(room, 0))
    for place, share in enumerate(shares):
        text = texts[place]
        if share is None:
            continue
        most = int(len(text) * share / (max_tokens(text) * _COPIES))
        trimmed = trim_text(text, Budget(characters=most))
        entries[place] = {**entries[place], "content": trimmed.text}
        receipts[place] = await _cut_receipt(receipts[place], text, trimmed, keep)
    return {
        **envelope,
        "data": {**data, "results": entries},
        "receipt": {**receipt, "pages": receipts},
    }


def _lean(entry: Json) -> Json:
    """Return an entry without what is said elsewhere or by nobody asked for."""
    return {name: value for name, value in entry.items() if name not in ("raw_content", "metadata")}


async def _cut_receipt(receipt: Json | None, text: str, trimmed: TrimmedText, keep: Keep) -> Json:
    """Return a page's receipt after it was cut once more: where the rest is, and from where on."""
    fields = dict(receipt or {})
    cursor = trimmed.next_cursor or 0
    if fields.get("handle") is None:
        fields |= {"handle": await keep(text), "next_cursor": cursor}
    else:
        # What comes before the first cut is the beginning of what is kept.
        known = fields.get("next_cursor")
        fields["next_cursor"] = 0 if known is None else min(known, cursor)
    return {**fields, "omitted": int(fields.get("omitted") or 0) + trimmed.omitted}


async def _shorter_piece(envelope: Json, limit: int, _keep: Keep) -> Json:
    data = dict(envelope["data"])
    text = str(data.get("text", ""))
    room = max(limit - _bare({**envelope, "data": {**data, "text": ""}}) - 120, 1)
    tokens = max(max_tokens(text) * _COPIES, 1)
    piece = piece_of(text, 0, Budget(characters=int(len(text) * min(room / tokens, 1.0))))
    if piece.next_cursor is not None:
        data["next_cursor"] = int(data.get("cursor", 0)) + piece.next_cursor
    return {**envelope, "data": {**data, "text": piece.text}}


def _shares(needs: Sequence[float], room: float) -> list[float | None]:
    """Divide ``room`` so that small needs are met whole (None) and large ones share the rest."""
    shares: list[float | None] = [None] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda place: needs[place])
    while waiting:
        part = room / len(waiting)
        place = waiting.pop(0)
        if needs[place] > part:
            for each in (place, *waiting):
                shares[each] = part
            break
        room -= needs[place]
    return shares


def _bare(envelope: Json) -> int:
    return result_tokens(envelope) + result_tokens({"notice": ""}) + 60


def _cut_down(result: Json, limit: int) -> Json:
    """Return what can always be told: the beginning of the text, and that the rest is gone."""
    words = str(result["content"][0]["text"])
    note = "The result was longer than the limit, and only its beginning is here."
    while max_tokens(words) * _COPIES + 250 > limit and words:
        words = words[: int(len(words) * _SMALLER)]
    # Cut, the text has lost its closing mark.
    text = f"{fence_text(words)}\n{note}"
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {"success": True, "data": {"text": text}},
        "isError": bool(result.get("isError")),
    }


# One call of a tool for a client: progress while it runs, and a result that keeps to the limit.

_PIECE_CHARS = 200_000
_MARK_TOKENS = 150


async def call_tool(toolset: Toolset, exchange: McpExchange, name: str, arguments: Json) -> Json:
    """Call a tool and return its result; what went wrong is a result, too."""
    reply = await toolset.ask(name, arguments, _teller(exchange, name, arguments))
    limit = await toolset.limit()
    if reply.error is not None:
        exchange.log("warning", {"tool": name, "failure": reply.error.kind})
        return _failed(failure_result(reply, reply.error), limit)
    exchange.log("info", {"tool": name, "success": True})

    async def keep(text: str) -> str | None:
        return (await toolset.keep(text)).value_or(None)

    return await fit_result(name, reply.envelope, limit, keep)


class _Teller:
    """Tells what was done, and how much of it there is where that is known."""

    def __init__(self, exchange: McpExchange, total: int | None) -> None:
        self._exchange = exchange
        self._total = total
        self._done = 0

    def __call__(self, words: str) -> None:
        self._done += 1
        total = None if self._total is None else max(self._total, self._done)
        self._exchange.progress(self._done, total, words)


def _teller(exchange: McpExchange, name: str, arguments: Json) -> _Teller:
    urls = arguments.get("urls")
    if name == "web_ask":
        return _Teller(exchange, None)
    return _Teller(exchange, len(urls) if isinstance(urls, list) else 1)


def _failed(result: Json, limit: int) -> Json:
    if result_tokens(result) <= limit:
        return result
    # Only a plugin can have made it this long; what every failure says is enough.
    data = result["structuredContent"]
    envelope = {name: data[name] for name in ("success", "error", "failure")}
    return {**result, "structuredContent": envelope}


async def page_text(toolset: Toolset, handle: str, cursor: int) -> str | None:
    """Return a kept page from ``cursor`` on, between marks and within the limit; None for none."""
    loaded = await toolset.text(handle)
    if isinstance(loaded, Failure) or cursor > len(loaded.unwrap()):
        return None
    piece = await _piece(toolset, loaded.unwrap(), cursor)
    end = f"\nIt goes on at webseam://page/{handle}/{piece.next_cursor}"
    return fence_text(piece.text) + (end if piece.next_cursor is not None else "")


async def _piece(toolset: Toolset, text: str, cursor: int) -> Piece:
    room = max(await toolset.limit() - _MARK_TOKENS, 1)
    characters = _PIECE_CHARS
    while True:
        piece = page_of(text, cursor, Budget(characters=characters))
        if max_tokens(piece.text) <= room or characters <= 1:
            return piece
        characters = min(len(piece.text), characters) * 2 // 3
