"""Chat completions: a search for the last question, whole or as events."""

from typing import Literal

import msgspec

from webseam.ports.text import disarm_pictures
from webseam.ports.web import WebSearchResult

from ... import request_parsing as parsing, search_filters
from ...asks import Reading, SearchRequest, SearchSuccess
from ...replies import Call, Refusal, Reply, json_reply, refuse_invalid
from . import chat_messages as chats

_NO_RESULTS_TEXT = "Nothing was found."


class _SearchOptions(msgspec.Struct):
    user_location: chats.UserLocation | None = None


class _ResponseFormat(msgspec.Struct):
    type: str = "text"


class ChatBody(search_filters.PerplexityFilters, kw_only=True):
    """The fields of a call."""

    messages: list[chats.ChatMessage]
    model: str = chats.MODEL_NAME
    stream: bool | None = None
    n: parsing.Count | None = None
    response_format: _ResponseFormat | None = None
    web_search_options: _SearchOptions | None = None


def read_chat_call(call: Call) -> Reading:
    """Read a chat as a search for its last question."""
    if isinstance(body := parsing.read_json_body(call, ChatBody), Refusal):
        return body
    form = body.response_format or _ResponseFormat()
    refusal = parsing.refuse_unsupported_options(
        {"n": (body.n or 1) > 1, "response_format": form.type != "text"}
    )
    if refusal is not None:
        return refusal
    if (asked := chats.last_user_question(body.messages)) is None:
        return refuse_invalid("messages: there is no question of a user among them.", "messages")
    if isinstance(filters := search_filters.perplexity_filters(body, call.today), Refusal):
        return filters
    options = body.web_search_options or _SearchOptions()
    fields = parsing.present_fields(
        query=chats.message_text(body.messages[asked]),
        max_results=chats.MAX_ROWS,
        country=chats.user_country(options.user_location),
        **filters,
    )
    streamed = bool(body.stream)
    others = [index for index in range(len(body.messages)) if index != asked]
    return SearchRequest(
        fields=fields,
        hints=("country",),
        unread=tuple(f"messages[{index}]" for index in others),
        write=lambda results: _completion_reply(results, body.model, call, stream=streamed),
    )


def _reply_text(results: SearchSuccess) -> tuple[str, list[dict[str, object]]]:
    """Return a search model's answer and the rows as text, and the offsets of each row's URL."""
    answer, text, citations = results.outcome.answer, "", []
    if answer is not None:
        text = f"{answer.text}\n\n"
    for row in results.outcome.rows:
        # Clients show the text as markdown.
        text += f"{row.position}. {disarm_pictures(row.title)}\n   "
        start = len(text)
        text += f"{row.url}\n   {disarm_pictures(row.snippet)}\n\n"
        citations.append(_url_citation(row, start))
    return text.rstrip() or _NO_RESULTS_TEXT, citations


def _url_citation(row: WebSearchResult, start: int) -> dict[str, object]:
    return {
        "start_index": start,
        "end_index": start + len(row.url),
        "url": row.url,
        "title": row.title,
    }


def _completion_reply(results: SearchSuccess, model: str, call: Call, *, stream: bool) -> Reply:
    text, citations = _reply_text(results)
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
    annotations = [
        {"type": chats.CITATION_TYPE, chats.CITATION_TYPE: citation} for citation in citations
    ]
    if stream:
        return _stream_reply({**envelope, "object": "chat.completion.chunk"}, text, sources)
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": annotations}
    choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
    return json_reply({**envelope, "object": "chat.completion", "choices": [choice], **sources})


def _stream_reply(envelope: dict[str, object], text: str, sources: dict[str, object]) -> Reply:
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
