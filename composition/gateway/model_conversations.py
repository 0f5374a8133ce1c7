"""Have a model answer a conversation, and run the web tools that it uses."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.gateway.gateway_requests import (
    ConversationItem,
    ConversationRequest,
    ConversationWriter,
    Page,
    PagesRequest,
    SearchRequest,
    SearchSuccess,
    TurnEnd,
    WebToolFault,
    WebToolResult,
    WebToolUse,
)
from ...adapters.gateway.refusal import Refusal, Reply, gateway_error_refusal
from ...adapters.models.messages.tool_calls import tool_name
from ...adapters.values.json_values import as_mapping, json_or_none, text
from ...adapters.values.usages import add_usage
from ...kernel.models.chat import assistant_message
from ...kernel.planner.routes import ModelStep
from ...kernel.text.fence import fence_text
from ...ports.errors import WebError
from ...ports.models import ChatRequest, Delta, Message, NormalizedResponse, ToolCall
from ...ports.receipts import Usage
from ..models.clients import find_provider
from ..models.model_routes import ModelRoute, open_model_route, read_route_models
from ..models.provider_choice import answering_provider
from ..open_backends import OpenModel, close_after
from ..settings.schema import Settings
from ..settings_root import SettingsRoot
from ..tools.ask_context import stream_steps
from .request_talk import Stream

RunWebTool: TypeAlias = Callable[
    [SearchRequest | PagesRequest], Awaitable[SearchSuccess | Page | Refusal]
]
Tell: TypeAlias = Callable[[ConversationItem], None]
# As many as Anthropic's own loop has before it pauses.
_MAX_ROUNDS = 10
_ID_PREFIX = "srvtoolu_"


def open_conversation_model(name: str, root: SettingsRoot) -> Result[OpenModel, WebError]:
    """Return the model of a conversation: PROVIDER/MODEL, else that of the settings."""
    steps = _conversation_steps(name, root.settings)
    if isinstance(steps, Failure):
        return steps
    route = ModelRoute(task="model", steps=steps.unwrap(), callers=True)
    return open_model_route(route, root).map(lambda model: model)


def _conversation_steps(name: str, settings: Settings) -> Result[tuple[ModelStep, ...], WebError]:
    provider, _, model = name.partition("/")
    if model and isinstance(find_provider(provider, settings), Success):
        return Success((ModelStep(provider, model),))
    if settings.model_route:
        origin = str(settings.entries.origin(("model_route",)))
        return read_route_models(settings.model_route, "model_route", origin)
    return answering_provider(settings).map(lambda provider: (ModelStep(provider.name),))


class ConversationDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn needs: its request, the writer of its form, and what runs its tools."""

    ask: ConversationRequest
    writer: ConversationWriter
    run: RunWebTool


async def answer_conversation(
    ask: ConversationRequest, run: RunWebTool, root: SettingsRoot
) -> Reply | Stream | Refusal:
    """Return the model's turn, whole or as a stream; a refusal if it fails before it begins."""
    deps = ConversationDeps(ask=ask, writer=ask.write(), run=run)
    model: OpenModel | None = None
    if not ask.query:
        opened = open_conversation_model(ask.chat.model, root)
        if isinstance(opened, Failure):
            return gateway_error_refusal(opened.failure())
        model = opened.unwrap()
    pieces = turn_events(deps, model)
    first = await anext(pieces)
    if ask.stream and not isinstance(first, Refusal):
        return Stream(pieces=_event_bytes(deps.writer, first, pieces))
    async with aclosing(pieces):
        rest = [piece async for piece in pieces]
    refusals = (piece for piece in (first, *rest) if isinstance(piece, Refusal))
    return next(refusals, None) or deps.writer.write_reply()


async def _event_bytes(
    writer: ConversationWriter, first: bytes, pieces: AsyncGenerator[bytes | Refusal]
) -> AsyncIterator[bytes]:
    async with aclosing(pieces):
        yield first
        async for piece in pieces:
            yield writer.write_failure(piece) if isinstance(piece, Refusal) else piece


async def turn_events(
    deps: ConversationDeps, model: OpenModel | None
) -> AsyncGenerator[bytes | Refusal]:
    """Yield the events of a turn, and some that keep the connection open while it is quiet."""

    async def work(tell: Tell) -> TurnEnd | Refusal:
        if model is None:
            return await _search_alone(deps, tell)
        return await close_after(model, _converse(deps, model, tell))

    async with aclosing(stream_steps(work)) as items:
        async for item in items:
            if isinstance(item, Refusal):
                yield item
                return
            for event in deps.writer.write_events(item):
                yield event


async def _search_alone(deps: ConversationDeps, tell: Tell) -> TurnEnd:
    """Search without a model; the rows are the answer."""
    use = WebToolUse(id=_new_id(), name=deps.ask.tools[0], input={"query": deps.ask.query})
    (result,) = await _use_web_tools(deps, [use], tell)
    tell(Delta(text=deps.writer.result_text(result)))
    return TurnEnd(reason="stop")


async def _converse(deps: ConversationDeps, model: OpenModel, tell: Tell) -> TurnEnd | Refusal:
    """Ask the model until it ends its turn or calls a tool of the caller."""
    request, usage = _with_fences(deps.ask.chat), Usage()
    for _ in range(_MAX_ROUNDS):
        answer = await _ask_model(model, request, tell)
        if isinstance(answer, Refusal):
            return answer
        usage = add_usage(usage, answer.usage) or usage
        uses = _web_tool_uses(answer, deps.ask.tools)
        results = await _use_web_tools(deps, uses, tell)
        calls = [call for call in answer.tool_calls if call.name not in deps.ask.tools]
        for call in calls:
            tell(call)
        offered = {tool_name(tool) for tool in request.tools}
        # A model may go on to call a tool that it no longer has.
        if calls or all(use.name not in offered for use in uses):
            return _turn_end(answer, calls, usage)
        messages = [_result_message(result, deps.writer) for result in results]
        request = _next_request(request, [assistant_message(answer), *messages], results)
    return TurnEnd(reason="pause", usage=usage)


async def _ask_model(
    model: OpenModel, request: ChatRequest, tell: Tell
) -> NormalizedResponse | Refusal:
    """Return the answer, or why there is none; tell its pieces."""
    is_silent = True
    async with aclosing(model.stream(request)) as items:
        async for item in items:
            if isinstance(item, Delta):
                is_silent = is_silent and not item.text
                tell(item)
            elif isinstance(item, Failure):
                return gateway_error_refusal(item.failure())
            else:
                answer = item.unwrap()
                if is_silent and answer.content:
                    tell(Delta(text=answer.content))
                return answer
    return Refusal(kind="backend", message="The model's answer has no end.")


async def _use_web_tools(
    deps: ConversationDeps, uses: Sequence[WebToolUse], tell: Tell
) -> list[WebToolResult]:
    """Run web tools at once; tell the uses, and then their results in the same order."""

    async def run_use(use: WebToolUse) -> WebToolResult:
        request = deps.writer.web_request(use)
        value = request if isinstance(request, WebToolFault) else await deps.run(request)
        return WebToolResult(use=use, value=value)

    for use in uses:
        tell(use)
    results = await asyncio.gather(*map(run_use, uses))
    for result in results:
        tell(result)
    return results


def _new_id() -> str:
    return f"{_ID_PREFIX}{os.urandom(12).hex()}"


def _with_fences(request: ChatRequest) -> ChatRequest:
    """Return the request with marks around the web texts of earlier turns."""
    messages = tuple(
        {**message, "content": fence_text(text(message.get("content")), identity[-8:])}
        if (identity := text(message.get("tool_call_id"))).startswith(_ID_PREFIX)
        else message
        for message in request.messages
    )
    return msgspec.structs.replace(request, messages=messages)


def _web_tool_uses(response: NormalizedResponse, names: tuple[str, ...]) -> list[WebToolUse]:
    """Return the calls of web tools in an answer; an answer that was cut off has none."""
    if response.finish_reason != "tool_calls":
        return []
    return [
        WebToolUse(
            id=_new_id(),
            name=call.name,
            input=as_mapping(json_or_none(call.arguments)),
            call_id=call.id,
        )
        for call in response.tool_calls
        if call.name in names
    ]


def _result_message(result: WebToolResult, writer: ConversationWriter) -> Message:
    content = fence_text(writer.result_text(result), result.use.id[-8:])
    return {"role": "tool", "tool_call_id": result.use.call_id, "content": content}


def _turn_end(response: NormalizedResponse, calls: Sequence[ToolCall], usage: Usage) -> TurnEnd:
    stopped = text(as_mapping(response.provider_data).get("stop_sequence")) or None
    is_cut = response.finish_reason in ("length", "content_filter")
    reason = response.finish_reason if is_cut else "tool_calls" if calls else "stop"
    return TurnEnd(reason=reason, usage=usage, stop_sequence=None if is_cut else stopped)


def _next_request(
    request: ChatRequest, messages: list[Message], results: list[WebToolResult]
) -> ChatRequest:
    """Return the request with the results, without tools that may not be used any more."""
    spent = {
        result.use.name
        for result in results
        if isinstance(result.value, WebToolFault) and result.value.final
    }
    tools = tuple(tool for tool in request.tools if tool_name(tool) not in spent)
    # A tool that the call forces is forced once.
    choice = "none" if request.tool_choice == "none" else None
    return msgspec.structs.replace(
        request,
        messages=(*request.messages, *messages),
        tools=tools,
        tool_choice=choice if tools else None,
        parallel_tool_calls=request.parallel_tool_calls if tools else None,
    )
