"""Calls of the Messages API: a conversation with a model, or only the search in it."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from webseam.adapters.features.models.claude.facts import budget_effort
from webseam.ports.keys import KeyTool
from webseam.ports.models import ChatRequest, Effort, OutputSchema

from ...asks import ConversationRequest
from ...replies import Call, Refusal, refuse_invalid
from ...request_parsing import read_json_body
from . import messages_history as histories
from .message_writer import MessageWriter
from .web_tools import WEB_FETCH, WEB_SEARCH, ToolSet, read_tools

# Claude Code's own search asks for nothing else (version 2.1, read 2026-11-18). Some versions
# force the tool, some do not.
_SEARCH_PROMPT = "Perform a web search for the query: "
_TOOL_CHOICES = {"auto": "auto", "any": "required", "none": "none"}
IDLE_FIELDS = frozenset({
    "anthropic_beta", "anthropic_version", "beta", "context_management", "diagnostics", "display",
    "metadata", "speed", "user_profile_id", "workspace_id",
})  # fmt: skip
# A provider thinks as much as it does by itself where the call leaves it to it.
_THINKING_EFFORTS: Mapping[str, Effort | None] = {
    "enabled": "medium", "disabled": "none", "adaptive": "high", "between_tools": "low",
}  # fmt: skip


class _ToolChoice(msgspec.Struct, frozen=True):
    type: Literal["auto", "any", "none", "tool"]
    name: str = ""
    disable_parallel_tool_use: bool = False


class _Thinking(msgspec.Struct, frozen=True):
    type: Literal["enabled", "disabled", "adaptive", "between_tools"]
    budget_tokens: int | None = None


class _Format(msgspec.Struct, frozen=True):
    schema: dict[str, object]
    type: Literal["json_schema"] = "json_schema"


class _OutputConfig(histories.TurnConfig, frozen=True):
    format: _Format | None = None


class MessagesBody(msgspec.Struct):
    """The fields of a call."""

    model: str
    messages: list[histories.Turn]
    max_tokens: int
    system: str | list[dict[str, object]] | None = None
    tools: list[dict[str, object]] | None = None
    tool_choice: _ToolChoice | None = None
    stream: bool | None = None
    stop_sequences: list[str] | None = None
    temperature: float | None = None
    top_p: float | None = None
    thinking: _Thinking | None = None
    output_config: _OutputConfig | None = None
    service_tier: str | None = None
    cache_control: dict[str, object] | None = None


def read_messages_call(call: Call) -> ConversationRequest | Refusal:
    """Read a call for a message."""
    if isinstance(body := read_json_body(call, MessagesBody), Refusal):
        return body
    offered = histories.list_offered_tools(body.tools or [], body.messages)
    tools = read_tools(offered, call)
    history = histories.read_history(body.system, body.messages)
    if isinstance(tools, Refusal):
        return tools
    if isinstance(history, Refusal):
        return history
    if not any(message.get("role") != "system" for message in history.messages):
        return refuse_invalid("messages: there is nothing in them.", "messages")
    query = _search_only_query(body, tools)
    extract: tuple[KeyTool, ...] = ("extract",) if WEB_FETCH in tools.web else ()
    return ConversationRequest(
        chat=_chat_request(body, history, tools, call),
        found=history.found,
        tools=tuple(tools.web),
        query=query,
        stream=bool(body.stream),
        rights=() if query else ("ask", *extract),
        unread=(*tools.unread, *history.unread),
        write=lambda: MessageWriter(body.model, history, tools.web, call),
    )


def _search_only_query(body: MessagesBody, tools: ToolSet) -> str:
    """Return the query of a call that only wants a search; else blank."""
    if list(tools.web) != [WEB_SEARCH] or len(tools.functions) > 1 or len(body.messages) != 1:
        return ""
    content = body.messages[0].content
    blocks = [{"text": content}] if isinstance(content, str) else content
    spoken = str(blocks[0].get("text", "")).strip() if len(blocks) == 1 else ""
    return spoken.removeprefix(_SEARCH_PROMPT) if spoken.startswith(_SEARCH_PROMPT) else ""


def _chat_request(
    body: MessagesBody, history: histories.History, tools: ToolSet, call: Call
) -> ChatRequest:
    choice, config = body.tool_choice, body.output_config or _OutputConfig()
    effort, form = histories.read_turn_effort(body.messages) or config.effort, config.format
    if body.thinking is not None and (effort is None or body.thinking.type == "disabled"):
        budget = body.thinking.budget_tokens
        effort = _THINKING_EFFORTS[body.thinking.type] if budget is None else budget_effort(budget)
    sent_choice: str | dict[str, object] | None = None
    if choice is not None and tools.functions:
        named: dict[str, object] = {"type": "function", "function": {"name": choice.name}}
        sent_choice = _TOOL_CHOICES.get(choice.type) or named
    is_serial = sent_choice and choice and choice.disable_parallel_tool_use
    return ChatRequest(
        model=body.model,
        messages=history.messages,
        tools=tools.functions,
        tool_choice=sent_choice,
        parallel_tool_calls=False if is_serial else None,
        max_tokens=body.max_tokens,
        temperature=body.temperature,
        top_p=body.top_p,
        stop=tuple(body.stop_sequences or ()),
        reasoning_effort=effort,
        output_schema=None if form is None else OutputSchema(schema=form.schema),
        service_tier=body.service_tier,
        # Marks are for one API; the wires set their own where a caller has any.
        cache=body.cache_control is not None or b'"cache_control"' in call.body,
    )
