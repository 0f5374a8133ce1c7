"""One turn of a model as a message, and as the events that the API sends while it is made.

https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11-18)
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from webseam.adapters.values.json_values import as_mapping, json_or_none, text, write_json
from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.models import Delta, ToolCall
from webseam.ports.text import truncate
from webseam.ports.web import MAX_QUERY_CHARS, WebExtractResult

from ... import asks
from ...replies import DEFAULT_STATUSES, Call, Refusal, Reply, json_reply, refusal_reply
from ...request_parsing import present_fields
from .messages_history import History, Source, pack_encrypted_content, sources_text
from .web_tools import WEB_FETCH, WEB_SEARCH, WebTool

_STOP_REASONS = {
    "stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens",
    "content_filter": "refusal", "pause": "pause_turn",
}  # fmt: skip
_MAX_CITED_CHARS, _MAX_ROWS, _CHARS_PER_TOKEN = 150, 10, 4
_MARK_PATTERN = re.compile(r"\[(\d{1,4})\]")
_BUSY_CODE, _INPUT_CODE, _URL_CODE = "too_many_requests", "invalid_tool_input", "url_not_allowed"
_SEARCH_CODES: dict[RefusalKind, str] = {
    "rate": _BUSY_CODE, "busy": _BUSY_CODE, "budget": _BUSY_CODE, "shared_budget": _BUSY_CODE,
    "invalid": _INPUT_CODE, "unsupported": _INPUT_CODE,
}  # fmt: skip
_FETCH_CODES: dict[RefusalKind, str] = {
    **_SEARCH_CODES, "denied": _URL_CODE, "forbidden": _URL_CODE, "too_large": "content_too_large",
    "missing": "url_not_accessible", "unreadable": "url_not_accessible",
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
    body = {"type": "error", **_error_fields(refusal, call)}
    return refusal_reply(refusal, _STATUSES, body)


def _error_fields(refusal: Refusal, call: Call) -> dict[str, object]:
    kind = _ERROR_TYPES.get(refusal.kind, "api_error")
    return {"error": {"type": kind, "message": refusal.message}, "request_id": call.id}


def _sse_event(name: str, **fields: object) -> bytes:
    data = msgspec.json.encode({"type": name, **fields})
    return f"event: {name}\ndata: ".encode() + data + b"\n\n"


class MessageWriter:
    """Writes one turn: its blocks, and for each item its events."""

    def __init__(
        self, model: str, history: History, tools: Mapping[str, WebTool], call: Call
    ) -> None:
        self._model, self._call, self._tools = model, call, tools
        self._sources, self._seen = list(history.sources), list(history.seen)
        self._uses: Counter[str] = Counter()
        self._served = {WEB_SEARCH: 0, WEB_FETCH: 0}
        self._content: list[dict[str, object]] = []
        self._end = asks.TurnEnd(reason="stop")
        self._has_begun = self._is_open = False

    def is_used_up(self, name: str, /) -> bool:
        """Tell whether a tool may not be used any more."""
        max_uses = None if name not in self._tools else self._tools[name].max_uses
        return max_uses is not None and self._uses[name] >= max_uses

    def web_request(self, use: asks.WebToolUse, /) -> asks.SearchRequest | asks.PagesRequest | str:
        """Return what the use of a tool asks for, or the code of an error."""
        tool = self._tools[use.name]
        value = text(use.input.get(tool.argument)).strip()
        if self.is_used_up(use.name):
            return "max_uses_exceeded"
        if not value:
            return _INPUT_CODE
        self._uses[use.name] += 1
        return self._search(value, tool) if use.name == WEB_SEARCH else self._fetch(value, tool)

    def _search(self, query: str, tool: WebTool) -> asks.SearchRequest | str:
        if len(query) > MAX_QUERY_CHARS:
            return "query_too_long"
        fields = present_fields(query=query, max_results=_MAX_ROWS, **tool.search_fields)
        return asks.SearchRequest(fields=fields, hints=("country",), write=_empty_reply)

    def _fetch(self, url: str, tool: WebTool) -> asks.PagesRequest | str:
        if not any(url in seen for seen in self._seen):
            return "url_not_in_prior_context"
        if not tool.allows_url(url):
            return _URL_CODE
        tokens = tool.max_content_tokens
        options = asks.PageOptions(char_limit=tokens and tokens * _CHARS_PER_TOKEN)
        return asks.PagesRequest(urls=(url,), wish=options, write=_empty_reply)

    def read_result(self, use: asks.WebToolUse, value: asks.WebToolValue, /) -> asks.WebToolResult:
        """Return a result as a block and as text; the rows of a search have numbers to cite."""
        if isinstance(value, asks.SearchSuccess):
            content, written = self._rows_content(value, self._tools[use.name])
        elif isinstance(value, asks.Page) and value.result is not None:
            content, written = _page_content(value.result)
        else:
            content, written = _error_content(use.name, value)
        self._served[use.name] += "error_code" not in as_mapping(content)
        self._seen.append(written)
        block = {"type": f"{use.name}_tool_result", "tool_use_id": use.id, "content": content}
        return asks.WebToolResult(use=use, block=block, text=written)

    def _rows_content(self, found: asks.SearchSuccess, tool: WebTool) -> tuple[object, str]:
        rows = [row for row in found.outcome.rows if tool.allows_url(row.url)]
        sources = [Source(url=row.url, title=row.title, text=row.snippet) for row in rows]
        written = sources_text(sources, len(self._sources) + 1)
        if found.outcome.answer is not None:
            # A search model wrote it; the block of results has no field for it.
            written = f"{found.outcome.answer.text}\n\n{written}".rstrip()
        self._sources += sources
        return [
            {
                "type": "web_search_result",
                "url": row.url,
                "title": row.title,
                "encrypted_content": pack_encrypted_content(row.snippet),
                # It says when a site was updated, which no backend states.
                "page_age": None,
            }
            for row in rows
        ], written

    def write_events(self, item: asks.ConversationItem | Refusal | None, /) -> Iterator[bytes]:
        """Add an item to the turn; yield its events."""
        if not self._has_begun:
            self._has_begun = True
            yield _sse_event("message_start", message={**self._message(), "stop_reason": None})
            yield _sse_event("ping")
        match item:
            case None:
                yield _sse_event("ping")
            case Refusal():
                yield _sse_event("error", **_error_fields(item, self._call))
            case Delta():
                yield from self._extend("thinking", "thinking", item.reasoning)
                yield from self._extend("thinking", "signature", item.signature)
                yield from self._redacted_events(item.redacted)
                yield from self._extend("text", "text", item.text)
            case asks.TurnEnd():
                yield from self._stop_block()
                self._end, names = item, ("stop_reason", "stop_sequence")
                delta = {name: self._message()[name] for name in names}
                yield _sse_event("message_delta", delta=delta, usage=self._message()["usage"])
                yield _sse_event("message_stop")
            case _:
                yield from self._tool_events(item)

    def _tool_events(self, use: ToolCall | asks.WebToolUse | asks.WebToolResult) -> Iterator[bytes]:
        if isinstance(use, asks.WebToolResult):
            yield from self._start_block(use.block)
        else:
            is_callers = isinstance(use, ToolCall)
            arguments = (
                use.input
                if isinstance(use, asks.WebToolUse)
                else as_mapping(json_or_none(use.arguments))
            )
            kind = "tool_use" if is_callers else "server_tool_use"
            yield from self._start_block(
                {"type": kind, "id": use.id, "name": use.name, "input": {}}
            )
            self._content[-1]["input"] = arguments
            yield self._delta_event(type="input_json_delta", partial_json=write_json(arguments))
        yield from self._stop_block()

    def write_reply(self) -> Reply:
        """Return the whole turn."""
        return json_reply(self._message())

    def _message(self) -> dict[str, object]:
        usage, stop = self._end.usage, self._end.stop_sequence
        return {
            "id": f"msg_{self._call.id}",
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": self._content,
            "stop_reason": "stop_sequence" if stop else _STOP_REASONS[self._end.reason],
            "stop_sequence": stop,
            "usage": {
                "input_tokens": usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens,
                "cache_read_input_tokens": usage.cached_tokens,
                "cache_creation_input_tokens": usage.cache_write_tokens,
                "output_tokens": usage.output_tokens,
                "server_tool_use": {f"{name}_requests": n for name, n in self._served.items()},
            },
        }

    def _extend(self, kind: str, field: str, piece: str) -> Iterator[bytes]:
        """Add a piece to the open block of a kind, or to a new one."""
        if not piece:
            return
        if not self._is_open or self._content[-1]["type"] != kind:
            first = {"text": ""} if kind == "text" else {"thinking": "", "signature": ""}
            yield from self._start_block({"type": kind, **first})
        self._content[-1][field] = f"{self._content[-1][field]}{piece}"
        yield self._delta_event(type=f"{field}_delta", **{field: piece})

    def _redacted_events(self, data: str) -> Iterator[bytes]:
        if data:
            yield from self._start_block({"type": "redacted_thinking", "data": data})
            yield from self._stop_block()

    def _start_block(self, block: dict[str, object]) -> Iterator[bytes]:
        yield from self._stop_block()
        self._content.append(block)
        self._is_open = True
        yield _sse_event("content_block_start", index=len(self._content) - 1, content_block=block)

    def _stop_block(self) -> Iterator[bytes]:
        """End the open block; a text is followed by what it cites."""
        if not self._is_open:
            return
        self._is_open, block = False, self._content[-1]
        citations = list(self._citations(text(block.get("text"))))
        block |= {"citations": citations} if citations else {}
        yield from (self._delta_event(type="citations_delta", citation=note) for note in citations)
        yield _sse_event("content_block_stop", index=len(self._content) - 1)

    def _delta_event(self, **delta: object) -> bytes:
        return _sse_event("content_block_delta", index=len(self._content) - 1, delta=delta)

    def _citations(self, content: str) -> Iterator[dict[str, object]]:
        """Yield the sources whose numbers a text has in brackets."""
        for number in dict.fromkeys(map(int, _MARK_PATTERN.findall(content))):
            if 0 < number <= len(self._sources):
                source = self._sources[number - 1]
                yield {
                    "type": "web_search_result_location",
                    "url": source.url,
                    "title": source.title,
                    "encrypted_index": pack_encrypted_content(str(number)),
                    "cited_text": truncate(source.text, _MAX_CITED_CHARS),
                }


def _page_content(page: WebExtractResult) -> tuple[object, str]:
    source = {"type": "text", "media_type": "text/plain", "data": page.content}
    document = {"type": "document", "source": source, "title": page.title}
    content = {"type": "web_fetch_result", "url": page.final_url, "content": document}
    return content, f"{page.title}\n{page.final_url}\n\n{page.content}"


def _error_content(name: str, value: asks.Page | Refusal | str) -> tuple[object, str]:
    refusal = value.refusal if isinstance(value, asks.Page) else value
    code = written = refusal if isinstance(refusal, str) else "unavailable"
    if isinstance(refusal, Refusal):
        codes = _SEARCH_CODES if name == WEB_SEARCH else _FETCH_CODES
        code = codes.get(refusal.kind, code)
        written = f"{code}: {refusal.message}"
    return {"type": f"{name}_tool_result_error", "error_code": code}, written


def _empty_reply(_value: object) -> Reply:
    """Stand in for a reply: the result goes to the model."""
    return Reply()
