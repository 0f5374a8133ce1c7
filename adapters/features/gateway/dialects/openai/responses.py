"""Responses: a model's answer from the rows of a search."""

import base64
import zlib
from collections.abc import Sequence
from typing import Literal

import msgspec

from webseam.ports.models import Message, OutputSchema, WritingRules
from webseam.ports.web import WebSearchResult

from ... import replies, request_parsing as parsing
from ...asks import Reading, SearchRequest, SearchSuccess, WritingTask, WrittenAnswer
from . import chat_messages as chats
from .response_events import responses_stream_reply


class _Filters(msgspec.Struct):
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None


class _Tool(msgspec.Struct):
    type: str
    user_location: chats.UserLocation | None = None
    filters: _Filters | None = None


class _Format(msgspec.Struct):
    type: Literal["text", "json_schema"] = "text"
    name: str = "answer"
    schema: dict[str, object] = {}
    strict: bool | None = None


class _Text(msgspec.Struct):
    format: _Format | None = None


class ResponsesBody(msgspec.Struct):
    """The fields of a call."""

    input: str | list[chats.ChatMessage]
    tools: list[_Tool] | None = None
    stream: bool | None = None
    previous_response_id: str | None = None
    include: list[str] | None = None
    instructions: str | None = None
    max_output_tokens: int | None = None
    text: _Text | None = None


RESPONSES_IDLE_FIELDS = chats.CHAT_IDLE_FIELDS | {
    "action", "description", "external_web_access", "id", "max_tool_calls", "model", "status",
}  # fmt: skip


def read_responses_call(call: replies.Call) -> Reading:
    """Read a call for a response."""
    if isinstance(body := parsing.read_json_body(call, ResponsesBody), replies.Refusal):
        return body
    earlier = _read_earlier_turns(body.previous_response_id or "")
    if (refusal := _refuse_parts(body)) is not None or earlier is None:
        return refusal or replies.refuse_invalid(
            "previous_response_id: is no id of a response.", "previous_response_id"
        )
    messages = (
        [chats.ChatMessage(role="user", content=body.input)]
        if isinstance(body.input, str)
        else body.input
    )
    if (asked := chats.last_user_question(messages)) is None:
        return replies.refuse_invalid("input: there is no question in it.", "input")
    tool, question = (body.tools or [_Tool(type="")])[0], chats.message_text(messages[asked])
    filters = tool.filters or _Filters()
    fields = parsing.present_fields(
        query=question,
        max_results=chats.MAX_ROWS,
        country=chats.user_country(tool.user_location),
        include_domains=list(parsing.host_names(filters.allowed_domains or ())),
        exclude_domains=list(parsing.host_names(filters.blocked_domains or ())),
    )
    rules = _writing_rules(body, earlier, messages, asked)
    return SearchRequest(
        fields=fields,
        hints=("country",),
        answer=WritingTask(field="/responses", prompt=question, rules=rules),
        write=lambda results: _answer_reply(results, rules, body, question, call),
    )


def _refuse_parts(body: ResponsesBody) -> replies.Refusal | None:
    tools = body.tools or []
    others = [tool.type for tool in tools if not tool.type.startswith("web_search")]
    if not tools:
        reason = "a response here is a search: give the tool web_search"
        return replies.refuse_unsupported("no tools", reason)
    parts = [part for part in body.include or () if part not in _INCLUDABLE_PARTS]
    return parsing.refuse_unsupported_options(
        {f"tools: {', '.join(others)[:80]}": others, f"include: {', '.join(parts)[:80]}": parts}
    )


def _writing_rules(
    body: ResponsesBody,
    earlier: Sequence[Message],
    messages: Sequence[chats.ChatMessage],
    asked: int,
) -> WritingRules:
    orders = [message for message in messages if message.role in ("system", "developer")]
    turns = [
        {"role": message.role, "content": chats.message_text(message)}
        for message in messages[:asked]
        if message.role in ("user", "assistant") and message.content
    ]
    form = (body.text or _Text()).format or _Format()
    schema = OutputSchema(schema=form.schema, name=form.name, strict=bool(form.strict))
    return WritingRules(
        instructions=" ".join(filter(None, (body.instructions, *map(chats.message_text, orders)))),
        turns=(*earlier, *turns),
        max_tokens=body.max_output_tokens,
        output_schema=schema if form.type == "json_schema" else None,
    )


_INCLUDABLE_PARTS = ("web_search_call.action.sources", "reasoning.encrypted_content")
_ID_PREFIX = "resp_"
_MAX_ID_CHARS = 20_000
_MAX_EARLIER_TURNS = 20


def _read_earlier_turns(response_id: str) -> tuple[Message, ...] | None:
    """Return the turns that the id of a response carries; None if it carries none.

    The id is the conversation itself, so that every worker can go on with it.
    """
    if not response_id:
        return ()
    packed = response_id.removeprefix(_ID_PREFIX).partition("_")[2]
    try:
        data = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed), _MAX_ID_CHARS)
        turns = msgspec.json.decode(data, type=list[tuple[Literal["user", "assistant"], str]])
    except (ValueError, zlib.error):
        return None
    return tuple({"role": role, "content": text} for role, text in turns)


def _make_response_id(turns: Sequence[Message], call: replies.Call) -> str:
    """Return the id of a response with its last turns."""
    pairs = [(turn["role"], turn["content"]) for turn in turns[-_MAX_EARLIER_TURNS:]]
    while len(data := msgspec.json.encode(pairs)) > _MAX_ID_CHARS:
        pairs = pairs[2:]
    packed = base64.urlsafe_b64encode(zlib.compress(data)).decode()
    return f"{_ID_PREFIX}{call.id.replace('_', '-')}_{packed}"


def _answer_reply(
    results: SearchSuccess, rules: WritingRules, body: ResponsesBody, query: str, call: replies.Call
) -> replies.Reply:
    answer, rows = results.answer or WrittenAnswer(text="", model=""), results.outcome.rows
    action: dict[str, object] = {"type": "search", "query": query}
    if _INCLUDABLE_PARTS[0] in (body.include or ()):
        action["sources"] = [{"type": "url", "url": row.url} for row in rows]
    search_call = {
        "type": "web_search_call", "id": f"ws_{call.id}", "status": "completed", "action": action,
    }  # fmt: skip
    content = {
        "type": "output_text",
        "text": answer.text,
        "annotations": _annotations(answer.text, rows),
        "logprobs": [],
    }
    message = {
        "type": "message", "id": f"msg_{call.id}", "role": "assistant", "status": "completed",
        "content": [content],
    }  # fmt: skip
    turn: tuple[Message, ...] = (
        {"role": "user", "content": query},
        {"role": "assistant", "content": answer.text},
    )
    usage = answer.usage
    response = {
        "id": _make_response_id((*rules.turns, *turn), call),
        "object": "response",
        "created_at": call.now,
        "status": "completed",
        "model": answer.model,
        "output": [search_call, message],
        "tools": [{"type": "web_search"}],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "error": None,
        "incomplete_details": None,
        "instructions": body.instructions,
        "max_output_tokens": body.max_output_tokens,
        "previous_response_id": body.previous_response_id,
        "metadata": {},
        "usage": {
            "input_tokens": usage.input_tokens,
            "input_tokens_details": {"cached_tokens": usage.cached_tokens},
            "output_tokens": usage.output_tokens,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
            "total_tokens": usage.total_tokens,
        },
    }
    return responses_stream_reply(response) if body.stream else replies.json_reply(response)


def _annotations(text: str, rows: tuple[WebSearchResult, ...]) -> list[dict[str, object]]:
    """Return annotations for marks such as [2] that refer to a row."""
    marks = [(f"[{row.position}]", row) for row in rows]
    return [
        {
            "type": chats.CITATION_TYPE, "start_index": text.index(mark),
            "end_index": text.index(mark) + len(mark), "url": row.url, "title": row.title,
        }
        for mark, row in marks
        if mark in text
    ]  # fmt: skip
