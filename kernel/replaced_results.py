"""Check the envelope that a plugin returns in place of a tool's own, by the laws for backends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadPayload, InvalidDocument, WebError
from webseam.ports.web import SearchAnswer, SearchOutcome

from . import envelopes
from .boundary import attempt_call
from .deps import WebDeps
from .extract import receive_page
from .laws.field_checks import check_query
from .middleware.arguments import check_extract_arguments
from .policy.policy_rules import Policy
from .search import receive_replaced_rows
from .text.display import quote_value, strip_hidden_values
from .text.trim import Piece

Fields: TypeAlias = dict[str, object]
# Returns the policy for the page of a URL, or the refusal of the URL.
Admit: TypeAlias = Callable[[str], Result[Policy, WebError]]
_ROW_NAMES = {name: name for name in ("title", "url", "published_at")} | {"description": "snippet"}
_LEFT_OUT_COUNTS = ("rejected", "blocked", "trimmed")


def check_replaced_search(
    envelope: Fields, query: object, deps: WebDeps
) -> Result[Fields, WebError]:
    """Return a search's envelope with the rows that the row law and the policy let through."""
    checked = check_query(query)
    if isinstance(checked, Failure):
        return checked
    data = envelopes.envelope_mapping(envelope.get("data"))
    rows, answer = data.get("web"), data.get("answer")
    prose = () if answer is None else (SearchAnswer(text=cast("str", answer)),)
    items = [*map(_replaced_row, rows), *prose] if isinstance(rows, list) else rows
    outcome = receive_replaced_rows(items, checked.unwrap(), deps)
    if not isinstance(outcome, SearchOutcome):
        return Failure(outcome)
    return Success(_merge_search_envelope(envelope, data, outcome))


def _replaced_row(row: object) -> object:
    """Return an envelope's row under the names of a backend's row, or its prose."""
    if not isinstance(row, dict):
        return row
    if row.get("title") == envelopes.ANSWER_TITLE and row.get("url") == "":
        return SearchAnswer(text=row.get("description", ""))
    return {_ROW_NAMES[name]: row[name] for name in row if name in _ROW_NAMES}


def _merge_search_envelope(envelope: Fields, data: Fields, outcome: SearchOutcome) -> Fields:
    """Return the plugin's envelope with the checked rows; its other fields stay."""
    checked = envelopes.envelope_mapping(envelopes.search_envelope(Success(outcome))["data"])
    # The checked rows are some of the plugin's, in their order.
    raw_rows = (row for row in envelopes.envelope_list(data["web"]) if isinstance(row, dict))
    web = [
        {**next((raw for raw in raw_rows if raw.get("url") == row["url"]), {}), **row}
        for row in cast("list[Any]", checked["web"])
    ]
    others = {name: data[name] for name in data if name != "answer"}
    counts = {name: getattr(outcome.receipt, name) for name in _LEFT_OUT_COUNTS}
    receipt = envelopes.envelope_mapping(envelope.get("receipt"))
    for name, count in counts.items():
        earlier = receipt.get(name)
        if count:
            receipt = {**receipt, name: count + (earlier if type(earlier) is int else 0)}
    merged = {**envelope, "data": {**others, **checked, "web": web}}
    return _strip_hidden_fields({**merged, "receipt": receipt} if receipt else merged)


def check_replaced_pages(
    envelope: Fields, arguments: Mapping[str, object], admit: Admit
) -> Result[Fields, WebError]:
    """Return the envelope of pages: one entry for each of the URLs, a page or its error."""
    asked = check_extract_arguments(arguments)
    if isinstance(asked, Failure):
        return asked
    urls = asked.unwrap().urls
    data = envelopes.envelope_mapping(envelope.get("data"))
    entries = data.get("results")
    if not isinstance(entries, list) or len(entries) != len(urls):
        return _refuse_shape("$.data.results", f"a list of {len(urls)} pages", entries)
    checked: list[Fields] = []
    for entry, url in zip(entries, urls, strict=True):
        page = _check_replaced_page(entry, url, admit)
        if isinstance(page, Failure):
            return page
        checked.append(page.unwrap())
    failed = sum(entry["error"] is not None for entry in checked)
    if checked and failed == len(checked):
        reason = "is set for every page of a success"
        return Failure(InvalidDocument(field="error", reason=reason))
    merged = {**envelope, "data": {**data, "results": checked}, "failed": failed}
    return Success(_strip_hidden_fields(merged))


def _check_replaced_page(entry: object, url: str, admit: Admit) -> Result[Fields, WebError]:
    fields = envelopes.envelope_mapping(entry)
    if fields.get("error") is not None:
        if fields.get("url") == url and envelopes.envelope_mapping(fields["error"]).get("message"):
            # A page that failed has no text.
            return Success({**fields, "content": ""})
        return Failure(InvalidDocument(field="error", reason="is not the error of this page"))
    received = admit(url).bind(lambda policy: receive_page(entry, url, "", policy))
    others = {name: fields[name] for name in fields if name != "raw_content"}
    return received.map(
        lambda page: {**others, **envelopes.page_envelope_entry(url, Success(page))}
    )


def check_replaced_piece(envelope: Fields) -> Result[Fields, WebError]:
    """Return the envelope of a piece of a text, if it has every field of one."""
    data = envelope.get("data")
    piece = attempt_call(lambda: msgspec.convert(data, Piece)).value_or(None)
    if piece is None:
        return _refuse_shape("$.data", "a piece of a text", data)
    return Success(_strip_hidden_fields(envelope))


def _refuse_shape(path: str, expected: str, got: object) -> Failure[WebError]:
    detail = f"expected {expected}, got {quote_value(got)}"
    return Failure(BadPayload(problem="shape", path=path, detail=detail))


def _strip_hidden_fields(fields: Fields) -> Fields:
    return cast("Fields", strip_hidden_values(fields))
