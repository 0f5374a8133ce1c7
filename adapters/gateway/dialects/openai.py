"""OpenAI's chat completions with ``search_results``, as Perplexity has them, and Responses.

A chat is a search for its last question: the rows come back as text with citations. Responses
returns a model's answer from the rows, if a model is configured.
https://platform.openai.com/docs/api-reference/chat (read 2026-11-15)
"""

from typing import Literal

import msgspec

from ....ports.web import WebSearchResult
from ..gateway_requests import (
    AnswerRequest,
    Dialect,
    Endpoint,
    Reading,
    SearchRequest,
    SearchSuccess,
    WrittenAnswer,
    accept_call,
    header_keys,
)
from ..refusal import (
    Call,
    Refusal,
    Reply,
    gateway_json_reply,
    openai_refusal_reply,
    refuse_invalid,
    refuse_unsupported,
)
from ..request_parsing import (
    first_unsupported,
    host_names,
    perplexity_filters,
    read_gateway_json,
    search_fields,
)

_MODEL_NAME = "webseam"
_NO_RESULTS_TEXT = "Nothing was found."
_MAX_ROWS = 10
_CITATION_TYPE = "url_citation"


class _Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, object]] | None = None


class _ApproximatePlace(msgspec.Struct):
    country: str | None = None


class _Location(msgspec.Struct):
    approximate: _ApproximatePlace | None = None
    country: str | None = None


class _SearchOptions(msgspec.Struct):
    user_location: _Location | None = None


class _Chat(msgspec.Struct):
    messages: list[_Message]
    model: str = _MODEL_NAME
    stream: bool | None = None
    n: int | None = None
    tools: list[object] | None = None
    response_format: dict[str, object] | None = None
    web_search_options: _SearchOptions | None = None
    search_domain_filter: list[str] | None = None
    search_recency_filter: str | None = None


class _Filters(msgspec.Struct):
    allowed_domains: list[str] | None = None


class _Tool(msgspec.Struct):
    type: str
    user_location: _Location | None = None
    filters: _Filters | None = None


class _Responses(msgspec.Struct):
    input: str | list[_Message]
    model: str = _MODEL_NAME
    tools: list[_Tool] | None = None
    stream: bool | None = None
    background: bool | None = None
    previous_response_id: str | None = None
    include: list[str] | None = None


def _openai_chat_question(messages: list[_Message]) -> str:
    """Return the text of the last user message."""
    questions = [message.content for message in messages if message.role == "user"]
    content = questions[-1] if questions else ""
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content).strip()
    return (content or "").strip()


def _read_openai_chat_call(call: Call) -> Reading:
    body = read_gateway_json(call, _Chat)
    if isinstance(body, Refusal):
        return body
    formatted = (body.response_format or {}).get("type", "text")
    refusal = first_unsupported(
        {"tools": body.tools, "n": (body.n or 1) > 1, "response_format": formatted != "text"}
    )
    if refusal is not None:
        return refusal
    question = _openai_chat_question(body.messages)
    if not question:
        return refuse_invalid("messages: there is no question of a user among them.", "messages")
    fields = _openai_dialect_fields(question, body, call)
    if isinstance(fields, Refusal):
        return fields
    streamed = bool(body.stream)
    return SearchRequest(
        fields=fields,
        write=lambda results: _openai_completion_reply(results, body.model, call, stream=streamed),
    )


def _openai_dialect_fields(question: str, body: _Chat, call: Call) -> dict[str, object] | Refusal:
    recency, domains = body.search_recency_filter or "", body.search_domain_filter or ()
    filters = perplexity_filters(domains, recency, call.today)
    if isinstance(filters, Refusal):
        return filters
    options = body.web_search_options or _SearchOptions()
    return search_fields(
        query=question,
        max_results=_MAX_ROWS,
        country=_openai_dialect_country(options.user_location),
        **filters,
    )


def _openai_dialect_country(location: _Location | None) -> str | None:
    if location is None:
        return None
    return location.approximate.country if location.approximate is not None else location.country


def _openai_reply_text(results: SearchSuccess) -> tuple[str, list[dict[str, object]]]:
    """Return the rows as text, and the offsets of each row's URL in it."""
    text, citations = "", []
    for row in results.outcome.rows:
        start = len(text) + len(f"{row.position}. {row.title}\n   ")
        text += f"{row.position}. {row.title}\n   {row.url}\n   {row.snippet}\n\n"
        citations.append(_openai_dialect_citation(row, start))
    return text.rstrip() or _NO_RESULTS_TEXT, citations


def _openai_dialect_citation(row: WebSearchResult, start: int) -> dict[str, object]:
    return {
        "start_index": start,
        "end_index": start + len(row.url),
        "url": row.url,
        "title": row.title,
    }


def _openai_completion_reply(
    results: SearchSuccess, model: str, call: Call, *, stream: bool
) -> Reply:
    text, citations = _openai_reply_text(results)
    rows = results.outcome.rows
    envelope: dict[str, object] = {"id": f"chatcmpl-{call.id}", "created": call.now, "model": model}
    sources: dict[str, object] = {
        "search_results": [
            {"title": row.title, "url": row.url, "snippet": row.snippet, "date": row.published_at}
            for row in rows
        ],
        "citations": [row.url for row in rows],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }
    annotations = [{"type": _CITATION_TYPE, _CITATION_TYPE: citation} for citation in citations]
    if stream:
        return _openai_stream_reply({**envelope, "object": "chat.completion.chunk"}, text, sources)
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": annotations}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return gateway_json_reply(
        {**envelope, "object": "chat.completion", "choices": [choice], **sources}
    )


def _openai_stream_reply(
    envelope: dict[str, object], text: str, sources: dict[str, object]
) -> Reply:
    """Return the completion as events: the role first, the rows with the last one."""

    def chunk(delta: dict[str, object], finish: Literal["stop"] | None) -> dict[str, object]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {**envelope, "choices": [choice]}

    parts = [
        chunk({"role": "assistant", "content": ""}, None),
        chunk({"content": text}, None),
        {**chunk({}, "stop"), **sources},
    ]
    events = b"".join(b"data: " + msgspec.json.encode(part) + b"\n\n" for part in parts)
    return Reply(body=events + b"data: [DONE]\n\n", media_type="text/event-stream")


def _read_openai_responses_call(call: Call) -> Reading:
    body = read_gateway_json(call, _Responses)
    if isinstance(body, Refusal):
        return body
    tools = body.tools or []
    others = [tool.type for tool in tools if not tool.type.startswith("web_search")]
    refusal = first_unsupported(
        {
            "stream": body.stream,
            "background": body.background,
            "previous_response_id": body.previous_response_id,
            f"tools: {', '.join(others)[:80]}": others,
        }
    )
    if refusal is not None:
        return refusal
    if not tools:
        return refuse_unsupported(
            "no tools", "a response here is a search: give the tool web_search"
        )
    text = body.input if isinstance(body.input, str) else _openai_chat_question(body.input)
    if not text.strip():
        return refuse_invalid("input: there is no question in it.", "input")
    tool = tools[0]
    domains = () if tool.filters is None else tool.filters.allowed_domains or ()
    fields = search_fields(
        query=text,
        max_results=_MAX_ROWS,
        country=_openai_dialect_country(tool.user_location),
        include_domains=list(host_names(domains)),
    )
    with_sources = "web_search_call.action.sources" in (body.include or [])
    return AnswerRequest(
        fields=fields,
        question=text,
        write=lambda answer: _openai_responses_reply(answer, text, call, sources=with_sources),
    )


def _openai_responses_reply(
    answer: WrittenAnswer, query: str, call: Call, *, sources: bool
) -> Reply:
    rows = answer.results.outcome.rows
    source_list = [{"type": "url", "url": row.url} for row in rows]
    action: dict[str, object] = {"type": "search", "query": query}
    search_call = {
        "type": "web_search_call",
        "id": f"ws_{call.id}",
        "status": "completed",
        "action": {**action, "sources": source_list} if sources else action,
    }
    content = {
        "type": "output_text",
        "text": answer.text,
        "annotations": _openai_reply_annotations(answer.text, rows),
        "logprobs": [],
    }
    message = {
        "type": "message",
        "id": f"msg_{call.id}",
        "role": "assistant",
        "status": "completed",
        "content": [content],
    }
    return gateway_json_reply(
        {
            "id": f"resp_{call.id}",
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
            "instructions": None,
            "metadata": {},
            "usage": {
                "input_tokens": 0,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 0,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 0,
            },
        }
    )


def _openai_reply_annotations(
    text: str, rows: tuple[WebSearchResult, ...]
) -> list[dict[str, object]]:
    """Return annotations for marks such as [2] that refer to a row."""
    marks = [(f"[{row.position}]", row) for row in rows]
    return [
        {
            "type": _CITATION_TYPE,
            "start_index": text.index(mark),
            "end_index": text.index(mark) + len(mark),
            "url": row.url,
            "title": row.title,
        }
        for mark, row in marks
        if mark in text
    ]


def _openai_dialect_models(_call: Call) -> Reply:
    model = {"id": _MODEL_NAME, "object": "model", "created": 0, "owned_by": _MODEL_NAME}
    return gateway_json_reply({"object": "list", "data": [model]})


DIALECT = Dialect(
    name="openai",
    title="OpenAI chat completions and Responses",
    keys=header_keys,
    refuse=openai_refusal_reply,
    endpoints=tuple(
        endpoint
        for version in ("/v1", "")
        for endpoint in (
            Endpoint(
                path=f"{version}/chat/completions",
                read=_read_openai_chat_call,
                shape=_Chat,
                root=accept_call,
            ),
            Endpoint(
                path=f"{version}/responses",
                read=_read_openai_responses_call,
                shape=_Responses,
                root=accept_call,
            ),
            Endpoint(
                method="GET",
                path=f"{version}/models",
                read=_openai_dialect_models,
                root=accept_call,
                tool=None,
            ),
        )
    ),
)
