"""Responses: a model's answer from the rows of a search."""

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from webseam.ports.models import OutputSchema, WritingRules
from webseam.ports.web import WebSearchResult

from ... import replies, request_parsing as parsing, search_filters
from ...asks import (
    NOTHING_FOUND,
    Reading,
    SearchRequest,
    SearchSuccess,
    WritingTask,
    WrittenAnswer,
)
from . import chat_messages as chats
from .response_events import responses_stream_reply

_DOMAIN_FIELDS = {"include_domains": "allowed_domains", "exclude_domains": "blocked_domains"}
RESPONSES_IDLE_FIELDS = chats.CHAT_IDLE_FIELDS | {
    "action", "description", "external_web_access", "id", "max_tool_calls", "model", "status",
}  # fmt: skip
_INCLUDABLE_PARTS = ("web_search_call.action.sources", "reasoning.encrypted_content")
_ID_PREFIX = "resp_"
_MARK_PATTERN = re.compile(r"\[[1-9][0-9]{0,2}\]")


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


def read_responses_call(call: replies.Call) -> Reading:
    """Read a call for a response."""
    if isinstance(body := parsing.read_json_body(call, ResponsesBody), replies.Refusal):
        return body
    if (refusal := _refuse_parts(body)) is not None:
        return refusal
    messages = (
        [chats.ChatMessage(role="user", content=body.input)]
        if isinstance(body.input, str)
        else body.input
    )
    if (asked := chats.last_user_question(messages)) is None:
        return replies.refuse_invalid("input: there is no question in it.", "input")
    tool, question = (body.tools or [_Tool(type="")])[0], chats.message_text(messages[asked])
    filters = tool.filters or _Filters()
    domains = search_filters.read_domains(
        filters.allowed_domains, filters.blocked_domains, _DOMAIN_FIELDS
    )
    if isinstance(domains, replies.Refusal):
        return domains
    fields = parsing.present_fields(
        query=question,
        max_results=chats.MAX_ROWS,
        country=chats.user_country(tool.user_location),
        **domains,
    )
    rules = _writing_rules(body, messages, asked)
    answer = WritingTask(
        field="/responses",
        prompt=question,
        rules=rules,
        earlier=_sealed_turns(body.previous_response_id),
        earlier_field="previous_response_id",
        nothing=NOTHING_FOUND,
        schema_field="text.format.schema",
    )
    return SearchRequest(
        fields=fields,
        hints=("country",),
        answer=answer,
        write=lambda results: _answer_reply(results, body, question, call),
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
    body: ResponsesBody, messages: Sequence[chats.ChatMessage], asked: int
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
        turns=tuple(turns),
        max_tokens=body.max_output_tokens,
        output_schema=schema if form.type == "json_schema" else None,
    )


def _sealed_turns(response_id: str | None) -> str:
    """Return the sealed turns in the id of a response; a text that is no id is not sealed."""
    if not response_id:
        return ""
    return response_id.removeprefix(_ID_PREFIX).partition("_")[2] or response_id


def _answer_reply(
    results: SearchSuccess, body: ResponsesBody, query: str, call: replies.Call
) -> replies.Reply:
    answer, rows = results.answer or WrittenAnswer(text="", model=""), results.outcome.rows
    action: dict[str, object] = {"type": "search", "query": query}
    if _INCLUDABLE_PARTS[0] in (body.include or ()):
        action["sources"] = [{"type": "url", "url": row.url} for row in rows]
    search_call = {
        "type": "web_search_call",
        "id": f"ws_{call.id}",
        "status": "completed",
        "action": action,
    }
    content = {
        "type": "output_text",
        "text": answer.text,
        "annotations": _annotations(answer.text, rows),
        "logprobs": [],
    }
    message = {
        "type": "message",
        "id": f"msg_{call.id}",
        "role": "assistant",
        "status": "completed",
        "content": [content],
    }
    usage = answer.usage
    response = {
        "id": f"{_ID_PREFIX}{call.id.replace('_', '-')}_{answer.sealed}",
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
    """Return annotations for every mark such as [2] that refers to a row."""
    rows_by_mark = {f"[{row.position}]": row for row in rows}
    marks = [mark for mark in _MARK_PATTERN.finditer(text) if mark[0] in rows_by_mark]
    return [
        {
            "type": chats.CITATION_TYPE,
            "start_index": mark.start(),
            "end_index": mark.end(),
            "url": rows_by_mark[mark[0]].url,
            "title": rows_by_mark[mark[0]].title,
        }
        for mark in marks
    ]
