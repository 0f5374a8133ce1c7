"""The native API: the tools with their usual envelopes and an HTTP status."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated

import msgspec
from msgspec import Meta

from webseam.adapters.features.gateway.replies import (
    Call,
    Refusal,
    Reply,
    refusal_for_error,
    refusal_reply,
    refuse_invalid,
    refuse_unsupported,
)
from webseam.kernel.envelopes import ToolReply, joined_pages
from webseam.ports.attempts import BackendAttempt
from webseam.ports.evidence import AskStep
from webseam.ports.keys import KeyTool
from webseam.ports.tools import MAX_PAGES, ExtractArguments

from ...doors.client.web import Web
from ...tools.ask_context import stream_tool_steps
from .asgi_replies import STATUSES, Stream, refusal_envelope, server_sent_event
from .metrics import KeyMetrics

MAX_URLS = 100
_MAX_CONCURRENT_PAGES = 8
_KEEP_ALIVE_SECONDS = 15.0
_TOOLS_WITH_EVENTS = ("extract", "ask")
TOOL_NAMES: dict[KeyTool, str] = {
    "search": "web_search", "extract": "web_extract", "more": "web_more", "data": "web_data",
    "x": "x_search", "ask": "web_ask",
}  # fmt: skip


class ExtractMany(ExtractArguments, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Arguments to read more pages than the tool allows."""

    urls: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_URLS)]


async def run_native_tool(
    tool: KeyTool, call: Call, web: Web, figures: KeyMetrics
) -> Reply | Stream:
    """Run a tool with the arguments in the body."""
    if isinstance(fields := _read_tool_arguments(call), Refusal):
        return refusal_envelope(fields)
    events = wants_native_events(tool, call)
    many = _read_extract_many(fields, events=events) if tool == "extract" else None
    if many is not None:
        return await _extract_pages(many, call, web, figures)
    if tool == "ask" and events:
        return Stream(pieces=_ask_events(fields, web, figures))
    return native_reply_with_status(await _call_tool(tool, fields, web, figures))


def _read_tool_arguments(call: Call) -> dict[str, object] | Refusal:
    """Return the arguments of a tool; an empty body or null means none."""
    if call.query:
        return refuse_unsupported(call.query[0][0], "arguments stand in the body")
    try:
        fields = msgspec.json.decode(call.body or b"{}")
    except (ValueError, RecursionError):
        return refuse_invalid("The body is not JSON in UTF-8.")
    if fields is None:
        return {}
    return fields if isinstance(fields, dict) else refuse_invalid("The body must be a JSON object.")


def wants_native_events(tool: KeyTool, call: Call) -> bool:
    """Return whether a call asks for events of a tool that sends them, which may take longer."""
    return tool in _TOOLS_WITH_EVENTS and "text/event-stream" in call.header("accept")


async def _call_tool(
    tool: KeyTool, fields: Mapping[str, object], web: Web, figures: KeyMetrics
) -> ToolReply:
    reply = await web.call_tool(TOOL_NAMES[tool], fields)
    count_reply_metrics(reply, figures)
    return reply


async def _ask_events(
    fields: dict[str, object], web: Web, figures: KeyMetrics
) -> AsyncIterator[bytes]:
    """Yield an event for each step and each verified claim, and the answer at the end."""
    from webseam.kernel.features.evidence.rendering import step_event  # noqa: PLC0415  on first use

    steps = stream_tool_steps(
        lambda: _call_tool("ask", fields, web, figures), quiet=_KEEP_ALIVE_SECONDS
    )
    async with aclosing(steps) as items:
        async for item in items:
            if item is None:
                # A comment keeps the connection open: proxies close idle ones.
                yield b": still at work\n\n"
            elif isinstance(item, AskStep):
                name, document = step_event(item)
                yield server_sent_event(name, msgspec.json.encode(document))
            else:
                yield server_sent_event("done", item.text.encode())


def native_reply_with_status(reply: ToolReply) -> Reply:
    """Return the reply of a tool with the status of its error."""
    if reply.error is None:
        return Reply(body=reply.text.encode())
    refusal = refusal_for_error(reply.error)
    return msgspec.structs.replace(refusal_reply(refusal, STATUSES, None), body=reply.text.encode())


class _ReceiptAttempts(msgspec.Struct, frozen=True):
    attempts: tuple[BackendAttempt, ...] = ()


def count_reply_metrics(reply: ToolReply, figures: KeyMetrics) -> None:
    """Count the backends or the cache in the receipt of an answer."""
    if reply.error is not None:
        figures.count_failure(reply.error.kind)
        return
    receipt = reply.envelope.get("receipt")
    for page_receipt in _page_receipts(receipt if isinstance(receipt, dict) else {}):
        try:
            attempts = msgspec.convert(page_receipt, _ReceiptAttempts).attempts
        except msgspec.ValidationError:
            # A plugin changed the receipt.
            attempts = ()
        figures.count_source(cached=page_receipt.get("cached") is True, attempts=attempts)


def _page_receipts(receipt: Mapping[str, object]) -> list[Mapping[str, object]]:
    pages = receipt.get("pages")
    if not isinstance(pages, list):
        return [receipt]
    # The receipt of a search has a call of its own; that of pages only lists theirs.
    own = [receipt] if "attempts" in receipt else []
    return [*own, *(page for page in pages if isinstance(page, dict))]


def _read_extract_many(fields: dict[str, object], *, events: bool) -> ExtractMany | Refusal | None:
    """Return the arguments for many pages or for events; None leaves the call to the tool."""
    if not isinstance(urls := fields.get("urls"), list) or not (events or len(urls) > MAX_PAGES):
        return None
    try:
        return msgspec.convert(fields, ExtractMany)
    except msgspec.ValidationError as error:
        return refuse_invalid(f"{error}".replace("`", "") + ".", "urls")


async def _extract_pages(
    many: ExtractMany | Refusal, call: Call, web: Web, figures: KeyMetrics
) -> Reply | Stream:
    if isinstance(many, Refusal):
        return refusal_envelope(many)
    if wants_native_events("extract", call):
        return Stream(pieces=_extract_events(many, web, figures))
    replies = await asyncio.gather(*_start_extracts(many, web, figures))
    return _join_replies(replies)


def _start_extracts(
    many: ExtractMany, web: Web, figures: KeyMetrics
) -> list["asyncio.Task[ToolReply]"]:
    gate = asyncio.Semaphore(_MAX_CONCURRENT_PAGES)

    async def extract_page(url: str) -> ToolReply:
        fields = {**msgspec.structs.asdict(many), "urls": [url]}
        async with gate:
            return await _call_tool("extract", fields, web, figures)

    return [asyncio.create_task(extract_page(url)) for url in many.urls]


def _join_replies(replies: list[ToolReply]) -> Reply:
    envelope = joined_pages([reply.envelope for reply in replies])
    body = msgspec.json.encode(envelope)
    errors = [reply.error for reply in replies if reply.error is not None]
    if envelope["success"] or not errors:
        return Reply(body=body)
    return msgspec.structs.replace(
        refusal_reply(refusal_for_error(errors[0]), STATUSES, None), body=body
    )


async def _extract_events(many: ExtractMany, web: Web, figures: KeyMetrics) -> AsyncIterator[bytes]:
    """Yield an event for each page when it arrives, and all pages at the end."""
    tasks = _start_extracts(many, web, figures)
    waiting: set[asyncio.Task[ToolReply]] = set(tasks)
    try:
        yield server_sent_event("start", msgspec.json.encode({"total": len(tasks)}))
        while waiting:
            done, waiting = await asyncio.wait(
                waiting, timeout=_KEEP_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                # A comment keeps the connection open: proxies close idle ones.
                yield b": still reading\n\n"
            for task in done:
                yield server_sent_event("page", task.result().text.encode())
        yield server_sent_event("done", _join_replies([task.result() for task in tasks]).body)
    finally:
        for task in waiting:
            task.cancel()
