"""Have a model answer a conversation, and run the web tools that it uses."""

import asyncio
import os
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.gateway import asks
from webseam.adapters.features.gateway.replies import Refusal, Reply, refusal_for_error
from webseam.adapters.features.models.messages.tool_calls import tool_name
from webseam.adapters.values.field_values import texts
from webseam.adapters.values.json_values import as_list, as_mapping, json_or_none, text
from webseam.kernel.envelopes import NO_PROGRESS_NOTE
from webseam.kernel.features.models.chat import assistant_message
from webseam.kernel.features.models.checked_objects import (
    MAX_ASKS,
    CheckObject,
    JsonObject,
    check_response,
    request_again,
)
from webseam.kernel.planner.routes import ModelStep
from webseam.kernel.policy.session_memory import SessionMemory, find_text_urls
from webseam.kernel.text.fence import fence_text
from webseam.ports.errors import StructuredOutputInvalid, WebError
from webseam.ports.models import (
    ChatRequest,
    Delta,
    FinishReason,
    Message,
    NormalizedResponse,
    ToolCall,
)
from webseam.ports.receipts import Usage, add_usage

from ...planning.open_backends import OpenModel, close_after
from ...settings.schema import Settings
from ...settings.settings_root import SettingsRoot
from ...tools.ask_context import stream_steps
from ..models.clients import find_provider
from ..models.model_routes import ModelRoute, open_model_route, read_route_steps
from ..models.provider_choice import answering_provider
from ..models.schema_checks import schema_check
from .asgi_replies import Stream

WebToolReply: TypeAlias = asks.SearchSuccess | asks.Page | Refusal
RunWebTool: TypeAlias = Callable[[asks.SearchRequest | asks.PagesRequest], Awaitable[WebToolReply]]
TurnItem: TypeAlias = asks.ConversationItem | Refusal | None
Tell: TypeAlias = Callable[[asks.ConversationItem], None]
# As many as Anthropic's own loop has before it pauses.
_MAX_ROUNDS = 10
_TOOL_USE_ID_PREFIX = "srvtoolu_"


class ConversationDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn needs: its request, the writer of its form, and what runs its tools."""

    ask: asks.ConversationRequest
    writer: asks.ConversationWriter
    run: RunWebTool


async def answer_conversation(
    ask: asks.ConversationRequest, run: RunWebTool, root: SettingsRoot, unused: list[str]
) -> Reply | Stream | Refusal:
    """Return the model's turn, whole or as a stream; a refusal if it fails before it begins.

    A whole turn adds the fields that its model does not take to ``unused``.
    """
    deps = ConversationDeps(ask=ask, writer=ask.write(), run=run)
    model: OpenModel | None = None
    if not ask.query:
        opened = _conversation_route(ask.chat.model, root.settings).bind(
            lambda route: open_model_route(route, root)
        )
        if isinstance(opened, Failure):
            return refusal_for_error(opened.failure())
        model = opened.unwrap()
    items = turn_items(deps, model)
    first = await anext(items)
    if ask.stream and not isinstance(first, Refusal):
        return Stream(pieces=_turn_events(deps.writer, first, items))
    async with aclosing(items):
        for item in [first, *[item async for item in items]]:
            if isinstance(item, Refusal):
                return item
            unused += item.unread if isinstance(item, asks.TurnEnd) else ()
            # The whole turn is what its events make of it.
            deque(deps.writer.write_events(item), maxlen=0)
    return deps.writer.write_reply()


def conversation_memory(
    messages: Sequence[Message], found: Mapping[str, tuple[str, ...]] | None = None
) -> SessionMemory:
    """Return a memory of the URLs in a conversation, without those that the model named first.

    ``found`` has the URLs of rows, by the id of their search: what else a row says shows nothing.
    """
    memory, found = SessionMemory(), found or {}
    for message in messages:
        content = list(_leaf_texts(message.get("content")))
        identity = text(message.get("tool_call_id"))
        if message.get("role") == "assistant":
            memory.note_named(_leaf_texts(message))
        elif message.get("role") != "tool":
            memory.urls.add(url for part in content for url in find_text_urls(part))
        elif identity in found:
            memory.note_urls(found[identity])
        else:
            memory.note_urls(url for part in content for url in find_text_urls(part))
    return memory


def _leaf_texts(value: object) -> Iterator[str]:
    """Yield the texts in a JSON value, and those in the arguments of calls, which are JSON text."""
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            yield part
            if part.startswith("{"):
                left += as_mapping(json_or_none(part)).values()
        elif isinstance(part, Mapping):
            left += part.values()
        else:
            left += as_list(part)


def _conversation_route(name: str, settings: Settings) -> Result[ModelRoute, WebError]:
    """Return the model of a conversation: PROVIDER/MODEL, else those of the settings."""
    provider, _, model = name.partition("/")
    steps: Result[tuple[ModelStep, ...], WebError]
    if model and isinstance(find_provider(provider, settings), Success):
        steps = Success((ModelStep(provider, model),))
    elif settings.model_route:
        origin = str(settings.entries.origin(("model_route",)))
        steps = read_route_steps(settings.model_route, "model_route", origin)
    else:
        steps = answering_provider(settings).map(lambda found: (ModelStep(found.name),))
    return steps.map(lambda steps: ModelRoute(task="model", steps=steps, callers=True))


async def _turn_events(
    writer: asks.ConversationWriter, first: TurnItem, items: AsyncGenerator[TurnItem]
) -> AsyncIterator[bytes]:
    async with aclosing(items):
        for event in writer.write_events(first):
            yield event
        async for item in items:
            for event in writer.write_events(item):
                yield event


def turn_items(deps: ConversationDeps, model: OpenModel | None) -> AsyncGenerator[TurnItem]:
    """Yield the items of a turn, and None while it is quiet."""

    async def work(tell: Tell) -> asks.TurnEnd | Refusal:
        if model is None:
            return await _search_alone(deps, tell)
        return await close_after(model, _converse(deps, model, tell))

    return stream_steps(work)


async def _search_alone(deps: ConversationDeps, tell: Tell) -> asks.TurnEnd:
    """Search without a model; the rows are the answer."""
    use = _make_tool_use(deps.ask.tools[0], {"query": deps.ask.query})
    (result,) = await _use_web_tools(deps, [use], tell)
    tell(Delta(text=result.text))
    return asks.TurnEnd(reason="stop")


async def _converse(deps: ConversationDeps, model: OpenModel, tell: Tell) -> asks.TurnEnd | Refusal:
    """Ask the model until it ends its turn or calls a tool of the caller."""
    request, usage, names = _add_fences(deps.ask.chat), Usage(), deps.ask.tools
    check: CheckObject[JsonObject] | None = None
    if request.output_schema is not None:
        usable = schema_check(request.output_schema.schema, "output_schema")
        if isinstance(usable, Failure):
            return refusal_for_error(usable.failure())
        check = usable.unwrap()
    for _ in range(_MAX_ROUNDS):
        if check is None:
            answer = await _ask_model(model, request, tell)
        else:
            answer = await _ask_for_object(model, request, check, tell)
        if isinstance(answer, Refusal):
            return answer
        usage = add_usage(usage, answer.usage) or usage
        is_whole = answer.finish_reason == "tool_calls"
        uses = [
            _call_to_tool_use(call) for call in answer.tool_calls if is_whole and call.name in names
        ]
        results = await _use_web_tools(deps, uses, tell)
        calls = [call for call in answer.tool_calls if call.name not in names]
        for call in calls:
            tell(call)
        offered = {tool_name(tool) for tool in request.tools}
        # A model may go on to call a tool that it no longer has.
        if calls or all(use.name not in offered for use in uses):
            return _turn_end(answer, usage, has_calls=bool(calls))
        request = _next_request(
            request, [assistant_message(answer), *map(_result_message, results)], deps
        )
    return asks.TurnEnd(reason="pause", usage=usage)


async def _ask_for_object(
    model: OpenModel, request: ChatRequest, check: CheckObject[JsonObject], tell: Tell
) -> NormalizedResponse | Refusal:
    """Return an answer that calls tools or has a checked object; its text is told after that."""

    def tell_thoughts(piece: asks.ConversationItem) -> None:
        if not isinstance(piece, Delta) or not piece.text:
            tell(piece)

    usage: Usage | None = None
    reason = ""
    for _ in range(MAX_ASKS):
        answer = await _ask_model(model, request, tell_thoughts)
        if isinstance(answer, Refusal):
            return answer
        usage = add_usage(usage, answer.usage)
        if answer.tool_calls or answer.finish_reason == "content_filter":
            return msgspec.structs.replace(answer, usage=usage)
        checked = await check_response(answer, check)
        if isinstance(checked, Success):
            content = msgspec.json.encode(checked.unwrap()).decode()
            tell(Delta(text=content))
            return msgspec.structs.replace(answer, content=content, usage=usage)
        reason = checked.failure()
        request = request_again(request, answer, reason)
    return refusal_for_error(StructuredOutputInvalid(reason=reason, backend=model.name))


async def _ask_model(
    model: OpenModel, request: ChatRequest, tell: Tell
) -> NormalizedResponse | Refusal:
    """Return the answer, or why there is none; tell its pieces."""
    is_silent = True
    async with aclosing(model.stream(request)) as items:
        async for item in items:
            if isinstance(item, Failure):
                return refusal_for_error(item.failure())
            answer = None if isinstance(item, Delta) else item.unwrap()
            piece = (
                item if isinstance(item, Delta) else Delta(text=(answer and answer.content) or "")
            )
            if answer is None or is_silent:
                tell(piece)
            is_silent = is_silent and not piece.text
            if answer is not None:
                return answer
    return Refusal(kind="backend", message="The model's answer has no end.")


async def _use_web_tools(
    deps: ConversationDeps, uses: Sequence[asks.WebToolUse], tell: Tell
) -> list[asks.WebToolResult]:
    """Run web tools at once; tell the uses, and then their results in the same order."""
    for use in uses:
        tell(use)
    requests = [deps.writer.web_request(use) for use in uses]
    values = await asyncio.gather(*(_run_request(request, deps.run) for request in requests))
    results = [
        msgspec.structs.replace(deps.writer.read_result(use, value), note=_no_progress_note(value))
        for use, value in zip(uses, values, strict=True)
    ]
    for result in results:
        tell(result)
    return results


def _no_progress_note(value: asks.WebToolValue) -> str:
    is_barren = isinstance(value, asks.SearchSuccess) and value.outcome.receipt.no_progress
    return f"{NO_PROGRESS_NOTE}\n" if is_barren else ""


async def _run_request(
    request: asks.SearchRequest | asks.PagesRequest | str, run: RunWebTool
) -> asks.WebToolValue:
    return request if isinstance(request, str) else await run(request)


def _make_tool_use(
    name: str, arguments: Mapping[str, object], call_id: str = ""
) -> asks.WebToolUse:
    identity = f"{_TOOL_USE_ID_PREFIX}{os.urandom(12).hex()}"
    return asks.WebToolUse(id=identity, name=name, input=arguments, call_id=call_id)


def _call_to_tool_use(call: ToolCall) -> asks.WebToolUse:
    return _make_tool_use(call.name, as_mapping(json_or_none(call.arguments)), call.id)


def _add_fences(request: ChatRequest) -> ChatRequest:
    """Return the request with marks around the web texts of earlier turns."""
    messages = tuple(
        {**message, "content": fence_text(text(message.get("content")), identity[-8:])}
        if (identity := text(message.get("tool_call_id"))).startswith(_TOOL_USE_ID_PREFIX)
        else message
        for message in request.messages
    )
    return msgspec.structs.replace(request, messages=messages)


def _result_message(result: asks.WebToolResult) -> Message:
    content = result.note + fence_text(result.text, result.use.id[-8:])
    return {"role": "tool", "tool_call_id": result.use.call_id, "content": content}


def _turn_end(answer: NormalizedResponse, usage: Usage, *, has_calls: bool) -> asks.TurnEnd:
    if answer.finish_reason in ("length", "content_filter"):
        return asks.TurnEnd(reason=answer.finish_reason, usage=usage)
    data = as_mapping(answer.provider_data)
    stop, unread = text(data.get("stop_sequence")) or None, texts(data.get("_left_out"))
    reason: FinishReason = "tool_calls" if has_calls else "stop"
    return asks.TurnEnd(reason=reason, usage=usage, stop_sequence=stop, unread=tuple(unread))


def _next_request(
    request: ChatRequest, messages: list[Message], deps: ConversationDeps
) -> ChatRequest:
    """Return the request with the results, without tools that are used up or forced."""
    tools = tuple(tool for tool in request.tools if not deps.writer.is_used_up(tool_name(tool)))
    return msgspec.structs.replace(
        request,
        messages=(*request.messages, *messages),
        tools=tools,
        tool_choice=None,
        parallel_tool_calls=request.parallel_tool_calls if tools else None,
    )
