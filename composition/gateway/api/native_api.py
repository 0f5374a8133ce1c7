"""Our own API: the tools with the envelopes that they have everywhere, and statuses beside them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Annotated

import msgspec
from msgspec import Meta

from ....adapters.gateway.refusal import (
    Call,
    Refusal,
    Reply,
    refusal_for_error,
    refusal_reply,
    refuse_invalid,
)
from ....kernel.envelopes import ToolReply, joined_pages
from ....ports.attempts import BackendAttempt
from ....ports.evidence import AskStep
from ....ports.keys import KeyTool
from ....ports.tools import MAX_PAGES
from ...client.web import Web
from ...tools.ask_context import steps_and_result
from ..http.request_talk import STATUSES, Stream, refusal_envelope, server_sent_event
from ..metrics import GatewayMetrics

MAX_URLS = 100
_MAX_CONCURRENT_PAGES = 8
_QUIET = 15.0
TOOLS: dict[KeyTool, str] = {
    "search": "web_search",
    "extract": "web_extract",
    "more": "web_more",
    "x": "x_search",
    "ask": "web_ask",
}


class ExtractMany(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages to read, more of them than an agent asks for at once."""

    urls: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MAX_URLS)]
    focus: str | None = None
    char_limit: Annotated[int, Meta(ge=1)] | None = None


async def run_tool(tool: KeyTool, call: Call, web: Web, figures: GatewayMetrics) -> Reply | Stream:
    """Run a tool with the arguments in the body."""
    fields = _arguments(call.body)
    if isinstance(fields, Refusal):
        return refusal_envelope(fields)
    events = _wants_events(call)
    many = _many(fields, events=events) if tool == "extract" else None
    if many is not None:
        return await _extract_many(many, call, web, figures)
    if tool == "ask" and events:
        return Stream(pieces=_ask_events(fields, web, figures))
    return reply_with_status(await _called(tool, fields, web, figures))


def _arguments(body: bytes) -> dict[str, object] | Refusal:
    """Return what a tool is called with; nothing and null are no arguments."""
    try:
        fields = msgspec.json.decode(body or b"{}")
    except (ValueError, RecursionError):
        return refuse_invalid("The body is not JSON in UTF-8.")
    if fields is None:
        return {}
    return fields if isinstance(fields, dict) else refuse_invalid("The body must be a JSON object.")


def _wants_events(call: Call) -> bool:
    return "text/event-stream" in call.header("accept")


async def _called(
    tool: KeyTool, fields: dict[str, object], web: Web, figures: GatewayMetrics
) -> ToolReply:
    reply = await web.ask(TOOLS[tool], fields)
    count_sources(reply, figures)
    return reply


async def _ask_events(
    fields: dict[str, object], web: Web, figures: GatewayMetrics
) -> AsyncIterator[bytes]:
    """Tell of each step of an answer, of each claim that stood its check, and of all in the end."""
    from ....kernel.evidence.rendering import step_event  # noqa: PLC0415  on first use

    steps = steps_and_result(lambda: _called("ask", fields, web, figures), quiet=_QUIET)
    async with aclosing(steps) as items:
        async for item in items:
            if item is None:
                # A comment: proxies close what is silent for long.
                yield b": still at work\n\n"
            elif isinstance(item, AskStep):
                name, document = step_event(item)
                yield server_sent_event(name, msgspec.json.encode(document))
            else:
                yield server_sent_event("done", item.text.encode())


def reply_with_status(reply: ToolReply) -> Reply:
    """Return what a tool said, with the status that its failure has."""
    if reply.error is None:
        return Reply(body=reply.text.encode())
    refusal = refusal_for_error(reply.error)
    return msgspec.structs.replace(refusal_reply(refusal, STATUSES, None), body=reply.text.encode())


def count_sources(reply: ToolReply, figures: GatewayMetrics) -> None:
    """Count where an answer came from, as far as its receipt says."""
    if reply.error is not None:
        figures.failed(reply.error.kind)
        return
    receipt = reply.envelope.get("receipt")
    for one in _receipts(receipt if isinstance(receipt, dict) else {}):
        attempts = one.get("attempts") or ()
        try:
            known = msgspec.convert(attempts, tuple[BackendAttempt, ...])
        except msgspec.ValidationError:
            # A plugin put its own words there.
            known = ()
        figures.served(cached=one.get("cached") is True, attempts=known)


def _receipts(receipt: Mapping[str, object]) -> list[Mapping[str, object]]:
    pages = receipt.get("pages")
    if not isinstance(pages, list):
        return [receipt]
    return [page for page in pages if isinstance(page, dict)]


def _many(fields: dict[str, object], *, events: bool) -> ExtractMany | Refusal | None:
    """Return a call for more pages than the tool reads at once, or for each as an event of its own.

    None when it is neither: the tool knows best what is wrong with its arguments.
    """
    urls = fields.get("urls")
    if not isinstance(urls, list) or not (events or len(urls) > MAX_PAGES):
        return None
    try:
        return msgspec.convert(fields, ExtractMany)
    except msgspec.ValidationError as error:
        return refuse_invalid(f"{error}".replace("`", "") + ".", "urls")


async def _extract_many(
    many: ExtractMany | Refusal, call: Call, web: Web, figures: GatewayMetrics
) -> Reply | Stream:
    if isinstance(many, Refusal):
        return refusal_envelope(many)
    if _wants_events(call):
        return Stream(pieces=_events(many, web, figures))
    replies = await asyncio.gather(*_started(many, web, figures))
    return _joined(replies)


def _started(
    many: ExtractMany, web: Web, figures: GatewayMetrics
) -> list["asyncio.Task[ToolReply]"]:
    gate = asyncio.Semaphore(_MAX_CONCURRENT_PAGES)

    async def one(url: str) -> ToolReply:
        fields = {"urls": [url], "focus": many.focus, "char_limit": many.char_limit}
        async with gate:
            reply = await web.ask("web_extract", fields)
        count_sources(reply, figures)
        return reply

    return [asyncio.create_task(one(url)) for url in many.urls]


def _joined(replies: list[ToolReply]) -> Reply:
    envelope = joined_pages([reply.envelope for reply in replies])
    body = msgspec.json.encode(envelope)
    errors = [reply.error for reply in replies if reply.error is not None]
    if envelope["success"] or not errors:
        return Reply(body=body)
    return msgspec.structs.replace(
        refusal_reply(refusal_for_error(errors[0]), STATUSES, None), body=body
    )


async def _events(many: ExtractMany, web: Web, figures: GatewayMetrics) -> AsyncIterator[bytes]:
    """Tell of each page when it is there, and of all in the end."""
    tasks = _started(many, web, figures)
    waiting: set[asyncio.Task[ToolReply]] = set(tasks)
    try:
        yield server_sent_event("start", msgspec.json.encode({"total": len(tasks)}))
        while waiting:
            done, waiting = await asyncio.wait(
                waiting, timeout=_QUIET, return_when=asyncio.FIRST_COMPLETED
            )
            if not done:
                # A comment: proxies close what is silent for long.
                yield b": still reading\n\n"
            for task in done:
                yield server_sent_event("page", task.result().text.encode())
        yield server_sent_event("done", _joined([task.result() for task in tasks]).body)
    finally:
        for task in waiting:
            task.cancel()
