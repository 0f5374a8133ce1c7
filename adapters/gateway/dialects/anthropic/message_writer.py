"""One turn of a model as a message, and as the events that the API sends while it is made.

https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11-18)
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from .....ports.errors.error_fields import RefusalKind
from .....ports.models import Delta, ToolCall
from .....ports.text import truncate
from .....ports.web import MAX_QUERY_CHARS
from ....values.json_values import as_mapping, json_or_none, text, write_json
from ...gateway_requests import (
    ConversationItem,
    Page,
    PageOptions,
    PagesRequest,
    SearchRequest,
    SearchSuccess,
    TurnEnd,
    WebToolFault,
    WebToolResult,
    WebToolUse,
)
from ...refusal import (
    DEFAULT_STATUSES,
    Call,
    Refusal,
    Reply,
    gateway_json_reply,
    gateway_refusal_reply,
)
from ...request_parsing import search_fields
from .messages_history import History, Source, pack_text, sources_text
from .web_tools import WEB_SEARCH, WebTool

_STOP_REASONS = {
    "stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens",
    "content_filter": "refusal", "pause": "pause_turn",
}  # fmt: skip
_MAX_CITED_CHARS = 150
_MAX_ROWS = 10
_CHARS_PER_TOKEN = 4
_MARK_PATTERN = re.compile(r"\[(\d{1,4})\]")
# The codes of both tools; other kinds mean that the tool could not be run.
_BUSY_CODE, _INPUT_CODE = "too_many_requests", "invalid_tool_input"
_FAULT_CODES: dict[RefusalKind, str] = {
    "rate": _BUSY_CODE, "busy": _BUSY_CODE, "budget": _BUSY_CODE, "shared_budget": _BUSY_CODE,
    "invalid": _INPUT_CODE, "unsupported": _INPUT_CODE,
}  # fmt: skip
_FETCH_CODES: dict[RefusalKind, str] = {
    "denied": "url_not_allowed", "forbidden": "url_not_allowed", "missing": "url_not_accessible",
    "unreadable": "url_not_accessible", "too_large": "content_too_large",
}  # fmt: skip
_ERROR_TYPES: dict[RefusalKind, str] = {
    "invalid": "invalid_request_error", "unsupported": "invalid_request_error",
    "conflict": "invalid_request_error", "unauthorized": "authentication_error",
    "budget": "billing_error", "shared_budget": "billing_error", "forbidden": "permission_error",
    "denied": "permission_error", "missing": "not_found_error", "too_large": "request_too_large",
    "rate": "rate_limit_error", "busy": "overloaded_error", "deadline": "timeout_error",
}  # fmt: skip
_STATUSES = {**DEFAULT_STATUSES, "busy": 529}


def anthropic_refusal_reply(refusal: Refusal, call: Call) -> Reply:
    """Return a refusal as the API's own error."""
    return gateway_refusal_reply(refusal, _STATUSES, _error_body(refusal, call))


def _error_body(refusal: Refusal, call: Call) -> dict[str, object]:
    kind = _ERROR_TYPES.get(refusal.kind, "api_error")
    error = {"type": kind, "message": refusal.message}
    return {"type": "error", "error": error, "request_id": call.id}


def _event(name: str, **fields: object) -> bytes:
    data = msgspec.json.encode({"type": name, **fields})
    return f"event: {name}\ndata: ".encode() + data + b"\n\n"


class MessageWriter:
    """Writes one turn: its blocks, and for each item its events."""

    def __init__(
        self, model: str, history: History, tools: Mapping[str, WebTool], call: Call
    ) -> None:
        """Begin the answer to a call."""
        self._model, self._call, self._tools = model, call, tools
        self._sources, self._seen = list(history.sources), list(history.seen)
        self._uses: Counter[str] = Counter()
        self._served: Counter[str] = Counter()
        self._content: list[dict[str, object]] = []
        self._end = TurnEnd(reason="stop")
        self._has_begun = self._is_open = False

    def web_request(self, use: WebToolUse, /) -> SearchRequest | PagesRequest | WebToolFault:
        """Return what the use of a tool asks for, or why it is refused."""
        tool, value = self._tools[use.name], text(use.input.get(self._tools[use.name].argument))
        if tool.max_uses is not None and self._uses[use.name] >= tool.max_uses:
            return WebToolFault(code="max_uses_exceeded", final=True)
        if not value.strip():
            return WebToolFault(code=_INPUT_CODE, message=f"{tool.argument} is missing.")
        self._uses[use.name] += 1
        if use.name == WEB_SEARCH:
            return self._search_request(value, tool)
        if not any(value in seen for seen in self._seen):
            return WebToolFault(code="url_not_in_prior_context")
        if not tool.allows_url(value):
            return WebToolFault(code="url_not_allowed")
        limit = (
            None if tool.max_content_tokens is None else tool.max_content_tokens * _CHARS_PER_TOKEN
        )
        return PagesRequest(urls=(value,), wish=PageOptions(char_limit=limit), write=_unwritten)

    def _search_request(self, query: str, tool: WebTool) -> SearchRequest | WebToolFault:
        if len(query) > MAX_QUERY_CHARS:
            return WebToolFault(code="query_too_long")
        country = None if tool.user_location is None else tool.user_location.country
        fields = search_fields(
            query=query, max_results=_MAX_ROWS, country=country, **tool.search_domains
        )
        return SearchRequest(fields=fields, hints=("country",), write=_unwritten)

    def result_text(self, result: WebToolResult, /) -> str:
        """Return a result as text for the model; the rows of a search have numbers to cite."""
        match result.value:
            case SearchSuccess() as found:
                rows = self._allowed_rows(found, result.use.name)
                written = sources_text(rows, len(self._sources) + 1)
                self._sources += rows
            case Page(result=page) if page is not None:
                written = f"{page.title}\n{page.final_url}\n\n{page.content}"
            case _:
                code, message = _fault(result)
                written = f"{code}. {message}"
        self._seen.append(written)
        return written

    def _allowed_rows(self, found: SearchSuccess, name: str) -> list[Source]:
        return [
            Source(url=row.url, title=row.title, text=row.snippet)
            for row in found.outcome.rows
            if self._tools[name].allows_url(row.url)
        ]

    def write_events(self, item: ConversationItem | None, /) -> Iterator[bytes]:
        """Add an item to the turn; yield its events."""
        if not self._has_begun:
            self._has_begun = True
            yield _event("message_start", message={**self._message(), "stop_reason": None})
            yield _event("ping")
        match item:
            case None:
                yield _event("ping")
            case Delta():
                yield from self._extend("thinking", "thinking", item.reasoning)
                yield from self._extend("thinking", "signature", item.signature)
                yield from self._extend("text", "text", item.text)
            case TurnEnd():
                yield from self._end_events(item)
            case _:
                yield from self._tool_events(item)

    def _tool_events(self, item: ToolCall | WebToolUse | WebToolResult) -> Iterator[bytes]:
        if isinstance(item, WebToolResult):
            yield from self._start_block(self._result_block(item))
        elif isinstance(item, WebToolUse):
            yield from self._call_events("server_tool_use", item.id, item.name, item.input)
        else:
            arguments = dict(as_mapping(json_or_none(item.arguments)))
            yield from self._call_events("tool_use", item.id, item.name, arguments)
        yield from self._stop_block()

    def _end_events(self, end: TurnEnd) -> Iterator[bytes]:
        yield from self._stop_block()
        self._end = end
        ended = self._message()
        delta = {name: ended[name] for name in ("stop_reason", "stop_sequence")}
        yield _event("message_delta", delta=delta, usage=ended["usage"])
        yield _event("message_stop")

    def write_failure(self, refusal: Refusal, /) -> bytes:
        """Return the event that ends a broken stream."""
        return _event("error", **{**_error_body(refusal, self._call), "type": "error"})

    def write_reply(self) -> Reply:
        """Return the whole turn."""
        return gateway_json_reply(self._message())

    def _message(self) -> dict[str, object]:
        usage, ends = self._end.usage, self._end.stop_sequence is not None
        return {
            "id": f"msg_{self._call.id}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": self._content,
            "stop_reason": "stop_sequence" if ends else _STOP_REASONS[self._end.reason],
            "stop_sequence": self._end.stop_sequence,
            "usage": {
                "input_tokens": usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens,
                "cache_read_input_tokens": usage.cached_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
                "output_tokens": usage.output_tokens,
                "server_tool_use": {
                    f"{name}_requests": self._served[name] for name in ("web_search", "web_fetch")
                },
            },
        }

    def _extend(self, kind: str, field: str, piece: str) -> Iterator[bytes]:
        """Add a piece to the open block of a kind, or to a new one."""
        if not piece:
            return
        if not self._is_open or self._content[-1]["type"] != kind:
            first = {"thinking": "", "signature": ""} if kind == "thinking" else {"text": ""}
            yield from self._start_block({"type": kind, **first})
        block = self._content[-1]
        block[field] = f"{block[field]}{piece}"
        yield self._delta_event(type=f"{field}_delta", **{field: piece})

    def _call_events(
        self, kind: str, identity: str, name: str, arguments: Mapping[str, object]
    ) -> Iterator[bytes]:
        yield from self._start_block({"type": kind, "id": identity, "name": name, "input": {}})
        self._content[-1]["input"] = arguments
        yield self._delta_event(type="input_json_delta", partial_json=write_json(arguments))

    def _start_block(self, block: dict[str, object]) -> Iterator[bytes]:
        yield from self._stop_block()
        self._content.append(block)
        self._is_open = True
        yield _event("content_block_start", index=len(self._content) - 1, content_block=block)

    def _stop_block(self) -> Iterator[bytes]:
        """End the open block; a text is followed by what it cites."""
        if not self._is_open:
            return
        self._is_open = False
        citations = list(self._citations(text(self._content[-1].get("text"))))
        for citation in citations:
            yield self._delta_event(type="citations_delta", citation=citation)
        if citations:
            self._content[-1]["citations"] = citations
        yield _event("content_block_stop", index=len(self._content) - 1)

    def _delta_event(self, **delta: object) -> bytes:
        return _event("content_block_delta", index=len(self._content) - 1, delta=delta)

    def _citations(self, content: str) -> Iterator[dict[str, object]]:
        """Yield the sources whose numbers a text has in brackets."""
        for number in dict.fromkeys(map(int, _MARK_PATTERN.findall(content))):
            if 0 < number <= len(self._sources):
                source = self._sources[number - 1]
                yield {
                    "type": "web_search_result_location",
                    "url": source.url,
                    "title": source.title,
                    "encrypted_index": pack_text(str(number)),
                    "cited_text": truncate(source.text, _MAX_CITED_CHARS),
                }

    def _result_block(self, result: WebToolResult) -> dict[str, object]:
        name = result.use.name
        content: object
        match result.value:
            case SearchSuccess() as found:
                ages = {row.url: row.published_at for row in found.outcome.rows}
                content = [
                    {
                        "type": "web_search_result",
                        "url": row.url,
                        "title": row.title,
                        "encrypted_content": pack_text(row.text),
                        "page_age": ages[row.url],
                    }
                    for row in self._allowed_rows(found, name)
                ]
            case Page(result=page) if page is not None:
                source = {"type": "text", "media_type": "text/plain", "data": page.content}
                document = {"type": "document", "source": source, "title": page.title}
                content = {"type": "web_fetch_result", "url": page.final_url, "content": document}
            case _:
                content = {"type": f"{name}_tool_result_error", "error_code": _fault(result)[0]}
        self._served[name] += "error_code" not in as_mapping(content)
        return {"type": f"{name}_tool_result", "tool_use_id": result.use.id, "content": content}


def _fault(result: WebToolResult) -> tuple[str, str]:
    """Return the code and the message of a failed use."""
    value = result.value
    if isinstance(value, WebToolFault):
        return value.code, value.message
    refusal = value.refusal if isinstance(value, Page) else value
    if not isinstance(refusal, Refusal):
        return "unavailable", ""
    codes = _FAULT_CODES if result.use.name == WEB_SEARCH else {**_FAULT_CODES, **_FETCH_CODES}
    return codes.get(refusal.kind, "unavailable"), refusal.message


def _unwritten(_value: object) -> Reply:
    """Stand in for a reply: the result goes to the model."""
    return Reply()
