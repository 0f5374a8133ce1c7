"""Check requests for an X search, and the answers of backends."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, InvalidQuery, WebError
from webseam.ports.x_search import (
    MAX_HANDLES,
    MAX_X_QUERY_CHARS,
    InlineCitation,
    XSearchOutcome,
    XSearchRequest,
)

from ...boundary import attempt_call
from ...envelopes import failure_envelope
from ...laws.field_checks import convert_fields, plain_fields, query_text_fault, refuse_field
from ...text import display
from ...urls.spelling import is_web_url

TOOL = "x_search"
# Blank values of these are refused; blank values of other fields count as absent.
_REQUIRED_FIELDS = ("query", "output_schema")
# xAI writes a citation into the text as [[1]](https://x.com/i/status/2).
_TEXT_LINK_PATTERN = re.compile(r"\]\((https?://[^\s()<>]+)\)")
_HANDLE_PREFIX_PATTERN = re.compile(r"^[@\s]+")
# Wider than X's rule, which changed before; it excludes lists, addresses and sentences.
_HANDLE_PATTERN = re.compile(r"[\w.-]+")
_HANDLE_FIELDS = ("allowed_x_handles", "excluded_x_handles")
_REQUEST_RULES = {
    "query": f"must be text of 1 to {MAX_X_QUERY_CHARS} characters, not blank",
    "allowed_x_handles": "must be a list of handles such as alice",
    "excluded_x_handles": "must be a list of handles such as alice",
    "from_date": "must be a date such as 2026-01-31",
    "to_date": "must be a date such as 2026-01-31",
    "enable_image_understanding": "must be true or false",
    "enable_video_understanding": "must be true or false",
    "output_schema": "must be a JSON object that is a schema",
    "instructions": "must be text",
    "previous_response_id": "must be text of at most 500 characters",
    "store": "must be true or false",
}
_MAX_ANSWER_CHARS = 2_000_000


def x_search_envelope(result: Result[XSearchOutcome, WebError], provider: str) -> dict[str, object]:
    """Return ``{"success": true, "tool": "x_search", "answer": ..., ...}`` or the failure."""
    if isinstance(result, Failure):
        return x_failure_envelope(result.failure(), provider)
    outcome = result.unwrap()
    fields = msgspec.to_builtins(outcome)
    fields["answer"] = display.strip_hidden(outcome.answer)
    fields["citations"] = list(outcome.citations)
    hidden = display.hidden_offsets(outcome.answer)
    fields["inline_citations"] = [
        _citation_entry(link, hidden) for link in outcome.inline_citations
    ]
    fields["structured_output"] = display.strip_hidden_values(fields["structured_output"])
    return {"success": True, "provider": provider, "tool": TOOL, **fields}


def x_failure_envelope(error: WebError, provider: str) -> dict[str, object]:
    """Return the common failure envelope with the fields of this tool."""
    tool_fields = {"provider": provider, "tool": TOOL, "error_type": error.kind}
    return {**failure_envelope(error), **tool_fields}


def _citation_entry(citation: InlineCitation, hidden: Sequence[int]) -> dict[str, object]:
    start, end = (
        _visible_offset(citation.start, hidden),
        _visible_offset(citation.end, hidden),
    )
    return {
        "url": citation.url,
        "title": display.one_line(citation.title),
        "start": start,
        "end": end,
        # The names in xAI's API, besides ours.
        "start_index": start,
        "end_index": end,
    }


def _visible_offset(offset: int | None, hidden: Sequence[int]) -> int | None:
    """Return an offset in the answer after hidden characters before it are removed."""
    return None if offset is None else offset - bisect_left(hidden, offset)


class TidiedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A valid request, and the fields that were dropped from it."""

    request: XSearchRequest
    dropped: tuple[str, ...] = ()


def check_x_request(request: object, today: date) -> Result[TidiedRequest, InvalidQuery]:
    """Return the tidied request, or the first field that breaks a rule. Never raises.

    >>> check_x_request({"query": "tides", "from_date": "soon"}, date(2026, 1, 1)).failure().field
    'from_date'
    """
    fields = attempt_call(lambda: _tidy_request(request)).value_or(None)
    if fields is None:
        return refuse_field(
            "query", f"expected a request with fields, got {display.quote_value(request)}"
        )
    checked = convert_fields(fields, XSearchRequest, _REQUEST_RULES)
    return checked.bind(lambda valid: _check_rules(valid, today))


def x_request_filters(request: XSearchRequest) -> tuple[str, ...]:
    """Return the names of the filters that the request sets: handles and dates."""
    names = (*_HANDLE_FIELDS, "from_date", "to_date")
    return tuple(name for name in names if getattr(request, name))


def _tidy_request(request: object) -> dict[str, object] | None:
    """Return the fields of a request without blank values; None if it has no fields."""
    raw = display.plain_texts(plain_fields(request))
    if not isinstance(raw, Mapping):
        return None
    tidy = {name: _tidy_field(name, value) for name, value in raw.items()}
    return {name: value for name, value in tidy.items() if value is not None}


def _tidy_field(name: object, value: object) -> object:
    if isinstance(value, str):
        text = value.strip()
        return text if text or name in _REQUIRED_FIELDS else None
    if name in _HANDLE_FIELDS and isinstance(value, list | tuple | set | frozenset):
        return _tidy_handles(value)
    return value


def _tidy_handles(values: Collection[object]) -> list[object]:
    """Return handles without blanks and a leading @, each once."""
    handles = [_strip_handle(handle) for handle in values]
    return [name for i, name in enumerate(handles) if name != "" and name not in handles[:i]]


def _strip_handle(value: object) -> object:
    # JSON or YAML turns a handle of digits into a number.
    if type(value) is int:
        return str(value)
    return _HANDLE_PREFIX_PATTERN.sub("", value).rstrip() if isinstance(value, str) else value


def _check_rules(request: XSearchRequest, today: date) -> Result[TidiedRequest, InvalidQuery]:
    faults = (
        _handle_count_fault(request),
        _date_fault(request, today),
        _text_fault(request),
        _handle_name_fault(request),
    )
    fault = next(filter(None, faults), None)
    if fault is not None:
        return refuse_field(*fault)
    if request.previous_response_id is None:
        return Success(TidiedRequest(request=request))
    # A follow-up must be stored itself, so that it can be continued; xAI refuses requests that also
    # have instructions.
    dropped = ("instructions",) if request.instructions is not None else ()
    chained = replace(request, store=True, instructions=None)
    return Success(TidiedRequest(request=chained, dropped=dropped))


def _handle_count_fault(request: XSearchRequest) -> tuple[str, str] | None:
    for name in _HANDLE_FIELDS:
        if len(getattr(request, name)) > MAX_HANDLES:
            return name, f"has more than {MAX_HANDLES} handles"
    if request.allowed_x_handles and request.excluded_x_handles:
        return "excluded_x_handles", "cannot be used together with allowed_x_handles"
    return None


def _date_fault(request: XSearchRequest, today: date) -> tuple[str, str] | None:
    begin, end = request.from_date, request.to_date
    if begin is not None and end is not None and begin > end:
        return "from_date", "is later than to_date"
    if begin is not None and begin > today:
        return "from_date", f"is in the future: today is {today} (UTC)"
    return None


def _text_fault(request: XSearchRequest) -> tuple[str, str] | None:
    if isinstance(attempt_call(lambda: msgspec.json.encode(request.output_schema)), Failure):
        return "output_schema", "cannot be written as JSON"
    texts = {
        "query": request.query,
        "instructions": request.instructions or "",
        "previous_response_id": request.previous_response_id or "",
        **{name: "".join(getattr(request, name)) for name in _HANDLE_FIELDS},
    }
    bad_name = next((name for name, text in texts.items() if not display.is_plain_text(text)), None)
    if bad_name is not None:
        return bad_name, "contains invalid Unicode text"
    fault = query_text_fault(request.query)
    return None if fault is None else ("query", fault)


def _handle_name_fault(request: XSearchRequest) -> tuple[str, str] | None:
    """Find an invalid handle: xAI accepts it, and answers without a source."""
    for name in _HANDLE_FIELDS:
        for handle in getattr(request, name):
            if not _HANDLE_PATTERN.fullmatch(handle):
                return (
                    name,
                    f"holds {display.quote_value(handle)}, which is no handle such as alice",
                )
    return None


class XAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of an answer, as msgspec checks them."""

    answer: Annotated[str, Meta(max_length=_MAX_ANSWER_CHARS)]
    citations: tuple[str, ...] = ()
    inline_citations: tuple[InlineCitation, ...] = ()
    response_id: Annotated[str, Meta(max_length=500)] | None = None
    x_search_calls: Annotated[int, Meta(ge=0)] | None = None
    model: Annotated[str, Meta(max_length=500)] = ""
    credential_source: Annotated[str, Meta(max_length=100)] = ""


class CheckedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with its usable citations, and the number of dropped ones."""

    answer: XAnswer
    left_out: int


def check_x_answer(raw_answer: object) -> Result[CheckedAnswer, BadPayload]:
    """Return the answer if it has the right shape; drop citations that are no web URL.

    ``citations`` are all sources: those that stand only in the text, or at a place in it, join.
    """
    converted = attempt_call(lambda: msgspec.convert(plain_fields(raw_answer), XAnswer))
    if isinstance(converted, Failure):
        detail = f"expected an answer from X, got {display.quote_value(raw_answer)}"
        return Failure(BadPayload(problem="shape", detail=detail))
    answer = converted.unwrap()
    if not all(map(display.is_plain_text, (answer.answer, answer.model, answer.response_id or ""))):
        detail = "the answer is not valid Unicode text"
        return Failure(BadPayload(problem="shape", detail=detail))
    citations = tuple(url for url in answer.citations if _is_citable_url(url))
    inline = tuple(
        link
        for link in answer.inline_citations
        if _is_citable_url(link.url) and display.is_plain_text(link.title)
    )
    left_out = len(answer.citations) + len(answer.inline_citations) - len(citations) - len(inline)
    linked = [url for url in _TEXT_LINK_PATTERN.findall(answer.answer) if _is_citable_url(url)]
    listed = set(citations)
    named = dict.fromkeys([*(link.url for link in inline), *linked])
    citations += tuple(url for url in named if url not in listed)
    answer = replace(answer, citations=citations, inline_citations=inline)
    return Success(CheckedAnswer(answer=answer, left_out=left_out))


def explain_x_degradation(request: XSearchRequest, answer: XAnswer) -> str | None:
    """Return why the answer may not rest on X, or None if it does.

    A model can answer without searching, or search and cite no source.
    """
    active = x_request_filters(request)
    narrowed = f" (narrowed by {', '.join(active)})" if active else ""
    if answer.x_search_calls == 0:
        return f"the model answered without searching X{narrowed}"
    if answer.citations:
        return None
    if answer.x_search_calls is not None:
        return f"X was searched, but the answer names no source{narrowed}"
    return f"the answer names no source{narrowed}"


def _is_citable_url(url: str) -> bool:
    return display.is_plain_text(url) and is_web_url(url)
