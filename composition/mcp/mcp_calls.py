"""One call of a tool for a client: progress while it runs, and a result that keeps to the limit."""

from __future__ import annotations

from returns.result import Failure

from ...kernel.text.fence import fence_text
from ...kernel.text.tokens import max_tokens
from ...kernel.text.trim import Budget, Piece, read_piece as page_of
from .exchange import McpExchange
from .json_rpc import Json
from .limits import fit_result, result_tokens
from .tool_results import failure_result
from .toolset import Toolset

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
