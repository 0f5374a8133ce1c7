"""One tool call for a client: report progress, and fit the result into the token limit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure

from webseam.kernel.envelopes import READING_FIELDS
from webseam.kernel.pages.page_record import PageRecord, PageSource
from webseam.kernel.text import trim
from webseam.kernel.text.fence import REWRITTEN_MARK
from webseam.kernel.text.redaction import redact_url

from .exchange import McpExchange
from .json_rpc import Json
from .offer import Toolset
from .result_fence import ResultFence, new_result_fence
from .tool_results import (
    METADATA_LEFT_OUT,
    entry_reading,
    is_own_mcp_result,
    mcp_failure_result,
    mcp_resource_link,
    mcp_success_result,
)

# Stores a page and returns its handle, or None.
StorePage: TypeAlias = Callable[[PageRecord], Awaitable[str | None]]
# A result holds each text twice, and JSON escapes add to the second copy.
_TEXT_COPIES = 2.1
_SHRINK_SHARE = 0.7
_FIT_SHARES = tuple(_SHRINK_SHARE**tries for tries in range(8))
# How much of a result metadata may take, in which every text has marks around it.
_METADATA_SHARE = 0.1
_FIELD_MARK_TOKENS = 60
_MAX_NAMES = 20
# A result holds a row twice with marks, and a link to it.
_ROW_COPIES = 3
_PIECE_CHARS = 200_000
_MARK_TOKENS = 150


def mcp_result_tokens(result: object) -> int:
    """Return an upper bound of the tokens of a result, or of a part: text, data and links."""
    return trim.max_text_tokens(msgspec.json.encode(result).decode())


def _is_within_limit(result: Json, limit: int) -> bool:
    # Most results are far from the limit: a token has one byte at least, and 3.5 at most beside
    # blanks, as ``max_text_tokens`` counts.
    encoded = msgspec.json.encode(result)
    if len(encoded) <= limit or len(encoded) - encoded.count(b" ") > 3.5 * limit:
        return len(encoded) <= limit
    return trim.max_text_tokens(encoded.decode()) <= limit


async def fit_mcp_result(
    tool: str, envelope: Json, limit: int, keep: StorePage, fence: ResultFence
) -> Json:
    """Return the result of a successful call within ``limit`` tokens."""
    is_own = is_own_mcp_result(tool, envelope)
    if tool == "web_search" and is_own:
        return _fit_search(envelope, limit, fence)
    result = mcp_success_result(tool, envelope, fence)
    if _is_within_limit(result, limit):
        return result
    by_tool = {"web_extract": _shorten_result_pages, "web_more": _shorten_result_piece}
    shorten = by_tool.get(tool) if is_own else None
    if shorten is None:
        return _truncate_result(result, limit, fence)
    for share in _FIT_SHARES:
        shorter = await shorten(envelope, int(limit * share), keep)
        result = mcp_success_result(tool, shorter, fence)
        if _is_within_limit(result, limit):
            return result
    return _truncate_result(result, limit, fence)


def _fit_search(envelope: Json, limit: int, fence: ResultFence) -> Json:
    """Return the result of a search with as many of its rows as fit for certain."""
    data, rows, result = dict(envelope["data"]), list(envelope["data"]["web"]), envelope
    row_bytes = len(msgspec.json.encode(rows))
    if _ROW_COPIES * row_bytes <= limit:
        result = mcp_success_result("web_search", envelope, fence)
        # A token has one byte at least.
        if len(msgspec.json.encode(result)) <= limit:
            return result
    costs = _RowCosts(rows, fence)
    shell_bytes = msgspec.json.encode(_rowless_result(envelope, fence))
    shell_tokens = len(shell_bytes)
    # A token of prose has more than two bytes, so rows of three times as many bytes may all fit.
    if row_bytes <= limit and costs.do_all_fit(limit - shell_tokens):
        result = mcp_success_result("web_search", envelope, fence)
        if REWRITTEN_MARK not in result["content"][0]["text"]:
            return result
    if costs.fitting_count(limit - shell_tokens) < len(rows):
        # A row may have to go, so the tokens of the rest are worth a count.
        shell_tokens = trim.max_text_tokens(shell_bytes.decode())
    for share in _FIT_SHARES:
        count = costs.fitting_count(int(limit * share) - shell_tokens)
        if count < len(rows):
            data |= {"web": rows[:count], "omitted": len(rows) - count}
        result = mcp_success_result("web_search", {**envelope, "data": data}, fence)
        # What was rewritten may be longer than what was counted.
        is_as_counted = count and REWRITTEN_MARK not in result["content"][0]["text"]
        if is_as_counted or _is_within_limit(result, limit):
            return result
    return _truncate_result(result, limit, fence)


def _rowless_result(envelope: Json, fence: ResultFence) -> Json:
    data = envelope["data"]
    shell = {**data, "web": [{}], "omitted": len(data["web"])}
    return mcp_success_result("web_search", {**envelope, "data": shell}, fence)


class _RowCosts:
    """The tokens of each row of a search, counted once, and only as far as they are asked for.

    The texts of a row stand in the text and in the data, there with marks and names, and the URL in
    a link. Rows of one shape, with the same names and marks, have the same tokens around the texts.
    """

    def __init__(self, rows: Sequence[Json], fence: ResultFence) -> None:
        self._rows, self._fence = rows, fence
        self._costs: list[int] = []
        self._shape_tokens: dict[tuple[object, ...], int] = {}
        # Without the letter and the quotes around.
        self._mark_tokens = mcp_result_tokens(fence.line("x")) - 3

    def fitting_count(self, room: int) -> int:
        """Return how many rows fit into as many tokens."""
        for index in range(len(self._rows)):
            if index == len(self._costs):
                self._costs.append(self._row_cost(self._rows[index]))
            room -= self._costs[index]
            if room < 0:
                return index
        return len(self._rows)

    def do_all_fit(self, room: int) -> bool:
        """Tell whether all rows fit, with at most one count of their texts."""
        texts: list[str] = []
        addresses: list[str] = []
        for row in self._rows:
            row_texts = _row_texts(row)
            texts += row_texts.values()
            # The link has the address, and the name of its site.
            addresses += [str(row.get("url"))] * 2
            room -= self._frame_cost(row, row_texts)
        encoded = [msgspec.json.encode("\n".join(part)).decode() for part in (texts, addresses)]
        # Most rows that fit do so by a rough count.
        for count in (trim.rough_max_tokens, trim.max_text_tokens):
            text_tokens, address_tokens = map(count, encoded)
            if 2 * text_tokens + address_tokens <= room:
                return True
        return False

    def _row_cost(self, row: Json) -> int:
        texts = _row_texts(row)
        link = mcp_resource_link(row.get("url"))
        addresses = f"{link['uri']}\n{link['name']}"
        cost = 2 * mcp_result_tokens("\n".join(texts.values())) + mcp_result_tokens(addresses)
        return cost + self._frame_cost(row, texts)

    def _frame_cost(self, row: Json, texts: Mapping[str, str]) -> int:
        """Return the tokens around the texts of a row; they are counted once for a shape."""
        others = row.keys() - texts.keys() - {"position"}
        if others:
            return self._tokens_around(row, texts)
        # Whether a text is fenced depends on its being there, and on the form of a URL.
        shape = (*row, *(self._fence.needs_marks(text, name) for name, text in texts.items()))
        if shape not in self._shape_tokens:
            self._shape_tokens[shape] = self._tokens_around(row, texts)
        return self._shape_tokens[shape]

    def _tokens_around(self, row: Json, texts: Mapping[str, str]) -> int:
        """Return the tokens of a row and its link without its texts."""
        numbered = {**row, **dict.fromkeys(texts, "")}
        if type(row.get("position")) is int:
            # The highest one stands for that of every row.
            numbered["position"] = len(self._rows)
        marks = msgspec.json.encode(self._fence.mapping(row)).count(self._fence.id.encode()) // 2
        link = {"type": "resource_link", "uri": "", "name": ""}
        return mcp_result_tokens([link, numbered]) + marks * self._mark_tokens


def _row_texts(row: Json) -> dict[str, str]:
    return {name: value for name, value in row.items() if type(value) is str}


async def _shorten_result_pages(envelope: Json, limit: int, keep: StorePage) -> Json:
    data, receipt = dict(envelope["data"]), dict(envelope.get("receipt") or {})
    metadata_room = int(limit * _METADATA_SHARE) // max(len(data["results"]), 1)
    entries = [_shorten_metadata(entry, metadata_room) for entry in data["results"]]
    receipts = list(receipt.get("pages") or [None] * len(entries))
    texts = [str(entry.get("content", "")) for entry in entries]
    bare = {**envelope, "data": {"results": [{**entry, "content": ""} for entry in entries]}}
    room = limit - _envelope_tokens(bare) - 120 * len(entries)
    needs = [trim.max_text_tokens(text) * _TEXT_COPIES for text in texts]
    shares = _divide_result_room(needs, max(room, 0))
    for index, share in enumerate(shares):
        text = texts[index]
        if share is None:
            continue
        max_chars = int(len(text) * share / needs[index])
        earlier = dict(receipts[index] or {})
        omitted, cursor = int(earlier.get("omitted") or 0), int(earlier.get("next_cursor") or 0)
        # The page may be trimmed already: one marker states both cuts.
        budget = trim.Budget(characters=max_chars)
        trimmed = trim.trim_further(text, omitted, cursor, budget)
        receipts[index] = await _shortened_receipt(receipts[index], entries[index], trimmed, keep)
        entries[index] = {**entries[index], "content": trimmed.text}
    changes = {"data": {**data, "results": entries}, "receipt": {**receipt, "pages": receipts}}
    return {**envelope, **changes}


def _shorten_metadata(entry: Json, room: int) -> Json:
    """Return an entry with the metadata that fit, and the names of the others."""
    shorter = {name: entry[name] for name in entry if name not in ("raw_content", "metadata")}
    metadata = entry.get("metadata")
    if not isinstance(metadata, dict) or not metadata:
        return shorter
    costs = {name: _marked_tokens({name: value}) for name, value in metadata.items()}
    kept: Json = {}
    for name in sorted(costs, key=lambda name: costs[name]):
        room -= costs[name]
        if room < 0:
            break
        kept[name] = metadata[name]
    dropped = [name for name in metadata if name not in kept]
    shorter["metadata"] = kept
    return {**shorter, METADATA_LEFT_OUT: dropped[:_MAX_NAMES]} if dropped else shorter


def _marked_tokens(value: object) -> int:
    """Return an upper bound of the tokens of a value with marks around each of its texts."""
    encoded = msgspec.json.encode(value)
    return trim.max_text_tokens(encoded.decode()) + encoded.count(b'"') // 2 * _FIELD_MARK_TOKENS


def _page_record(entry: Json, receipt: Json) -> PageRecord:
    """Return a page as it is shown, from where its receipt says, or the entry of a plugin."""
    url = redact_url(str(receipt.get("url") or entry.get("url") or ""))
    final_url = redact_url(str(receipt.get("final_url") or entry.get("final_url") or url))
    return PageRecord(
        source=PageSource(url=url, final_url=final_url),
        content=str(entry.get("content", "")),
        title=str(entry.get("title", "")),
        reading=entry_reading(entry),
    )


def _has_own_record(receipt: Json) -> bool:
    """Tell whether the record that a receipt names has the content that is shown.

    What a plugin changed has none, unless the page is shown in part already.
    """
    if receipt.get("handle") is None:
        return False
    return receipt.get("next_cursor") is not None or not receipt.get("middleware")


async def _shortened_receipt(
    receipt: Json | None, entry: Json, trimmed: trim.TrimmedText, keep: StorePage
) -> Json:
    """Return a page's receipt after another cut: the handle and cursor of the rest."""
    fields = dict(receipt or {})
    cursor = trimmed.next_cursor or 0
    if not _has_own_record(fields):
        fields["handle"] = await keep(_page_record(entry, fields))
    elif fields.get("compressed"):
        # Its handle is that of the full text.
        cursor = 0
    return {**fields, "next_cursor": cursor, "omitted": trimmed.omitted}


async def _shorten_result_piece(envelope: Json, limit: int, _keep: StorePage) -> Json:
    data = dict(envelope["data"])
    if "status" in data:
        return {**envelope, "data": _shorten_found(data, limit)}
    text = str(data.get("text", ""))
    room = max(limit - _envelope_tokens({**envelope, "data": {**data, "text": ""}}) - 120, 1)
    tokens = max(trim.max_text_tokens(text) * _TEXT_COPIES, 1)
    max_chars = int(len(text) * min(room / tokens, 1.0))
    # What stands before the text says in which block it begins.
    before = str(data.get("before", ""))
    budget = trim.Budget(characters=max_chars + len(before))
    piece = trim.read_text_piece(before + text, 0, budget)
    if piece.next_cursor is not None:
        size = max(piece.next_cursor - len(before), 1)
        text = text[:size]
        data["next_cursor"] = int(data.get("cursor", 0)) + size
        data["after"] = piece.after
    return {**envelope, "data": {**data, "text": text}}


def _shorten_found(data: Json, limit: int) -> Json:
    """Return where words stand with the passages that fit; ``total`` counts all of them."""
    room, kept = limit - _envelope_tokens({"data": {**data, "passages": []}}) - 120, []
    for passage in data["passages"]:
        room -= int(_marked_tokens(passage) * _TEXT_COPIES)
        if room < 0:
            break
        kept.append(passage)
    return {**data, "passages": kept}


def _divide_result_room(needs: Sequence[float], room: float) -> list[float | None]:
    """Divide ``room``: small needs are met in full (None), large ones share the rest."""
    shares: list[float | None] = [None] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda index: needs[index])
    while waiting:
        part = room / len(waiting)
        index = waiting.pop(0)
        if needs[index] > part:
            for needy in (index, *waiting):
                shares[needy] = part
            break
        room -= needs[index]
    return shares


def _envelope_tokens(envelope: Json) -> int:
    return mcp_result_tokens(envelope) + mcp_result_tokens({"notice": ""}) + 60


def _truncate_result(result: Json, limit: int, fence: ResultFence) -> Json:
    """Return the beginning of the text with a note; this always fits."""
    text_part = str(result["content"][0]["text"])
    note = "The result was longer than the limit, and only its beginning is here."
    pages = _truncated_pages(result)
    room = limit - 250
    if mcp_result_tokens(pages) > room // 2:
        pages = []
    room -= mcp_result_tokens(pages)
    while trim.max_text_tokens(text_part) * _TEXT_COPIES > room and text_part:
        text_part = text_part[: int(len(text_part) * _SHRINK_SHARE)]
    # The truncated text has lost its closing mark.
    text = f"{fence.block(text_part)}\n{note}"
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": {
            "success": True,
            "data": {"text": text, **({"results": pages} if pages else {})},
        },
        "isError": bool(result.get("isError")),
    }


def _truncated_pages(result: Json) -> list[Json]:
    """Return what is known of the text of each page, for a result that loses all else."""
    data = result["structuredContent"].get("data")
    entries = data.get("results") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        return []
    names = ("url", *READING_FIELDS)
    return [
        {name: entry[name] for name in names if name in entry}
        for entry in entries
        if isinstance(entry, dict) and "complete" in entry
    ]


async def call_mcp_tool(
    toolset: Toolset, exchange: McpExchange, name: str, arguments: Json
) -> Json:
    """Call a tool and return its result; a failure is a result too."""
    urls = arguments.get("urls")
    total = None
    if name != "web_ask":
        total = len(urls) if isinstance(urls, list) else 1
    reply = await toolset.ask(name, arguments, _ProgressReporter(exchange, total))
    limit, fence = await toolset.limit(), new_result_fence()
    form = await toolset.form()
    if reply.error is not None:
        exchange.log("warning", {"tool": name, "failure": reply.error.kind})
        failed = _fit_failure(mcp_failure_result(reply, reply.error, fence), limit)
        # Some clients show a model only the text of a failure, which is one sentence.
        return select_result_form(failed, "both" if form == "data" else form)
    exchange.log("info", {"tool": name, "success": True})

    async def store(record: PageRecord) -> str | None:
        return (await toolset.keep(record)).value_or(None)

    result = await fit_mcp_result(name, reply.envelope, limit, store, fence)
    return select_result_form(result, form)


def select_result_form(result: Json, form: str) -> Json:
    """Return a result with its text, with its data, or with both; links stay in each."""
    if form == "text":
        return {name: value for name, value in result.items() if name != "structuredContent"}
    if form == "data":
        content = [part for part in result["content"] if part.get("type") != "text"]
        return {**result, "content": content}
    return result


class _ProgressReporter:
    """Reports progress to the client, with a total where it is known."""

    def __init__(self, exchange: McpExchange, total: int | None) -> None:
        self._exchange, self._total, self._done = exchange, total, 0

    def __call__(self, message: str) -> None:
        self._done += 1
        total = None if self._total is None else max(self._total, self._done)
        self._exchange.progress(self._done, total, message)


def _fit_failure(result: Json, limit: int) -> Json:
    if _is_within_limit(result, limit):
        return result
    # Only a plugin can make it this long; keep the fields that every failure has.
    data = result["structuredContent"]
    envelope = {name: data[name] for name in ("success", "error", "failure")}
    return {**result, "structuredContent": envelope}


async def page_resource_text(toolset: Toolset, handle: str, cursor: int) -> str | None:
    """Return a stored page from ``cursor`` on, fenced and within the limit, or None."""
    loaded = await toolset.text(handle)
    if isinstance(loaded, Failure) or cursor > len(loaded.unwrap()):
        return None
    piece = await _fitting_resource_piece(toolset, loaded.unwrap(), cursor)
    end = f"\nIt goes on at webseam://page/{handle}/{piece.next_cursor}"
    return new_result_fence().block(piece.shown) + (end if piece.next_cursor is not None else "")


async def _fitting_resource_piece(toolset: Toolset, text: str, cursor: int) -> trim.Piece:
    room = max(await toolset.limit() - _MARK_TOKENS, 1)
    characters = _PIECE_CHARS
    while True:
        piece = trim.read_text_piece(text, cursor, trim.Budget(characters=characters))
        if trim.max_text_tokens(piece.shown) <= room or characters <= 1:
            return piece
        characters = min(len(piece.text), characters) * 2 // 3
