"""Linkup: search with rows, an answer or data, and fetch; only under its prefix.

https://docs.linkup.so/pages/documentation/endpoints/search, and linkup-sdk 0.24.0 (read 2026-11-18)
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from webseam.adapters.values.json_values import as_mapping, json_or_none
from webseam.ports.errors.error_fields import RefusalKind
from webseam.ports.models import OutputSchema, WritingRules

from .. import asks, replies, request_parsing as parsing, search_filters as filters

_STATUSES: dict[RefusalKind, int] = {
    **replies.DEFAULT_STATUSES, "budget": 429, "shared_budget": 429, "unreadable": 400,
}  # fmt: skip
_ERROR_CODES = {
    "unauthorized": "UNAUTHORIZED", "budget": "INSUFFICIENT_FUNDS_CREDITS",
    "shared_budget": "EXCEED_BUDGET_LIMIT", "rate": "TOO_MANY_REQUESTS",
    "unreadable": "FETCH_ERROR", "deadline": "REQUEST_DEADLINE_EXCEEDED",
    "invalid": "VALIDATION_ERROR", "unsupported": "VALIDATION_ERROR",
}  # fmt: skip
_FIELD_NAMES = {
    "include_domains": "includeDomains", "exclude_domains": "excludeDomains",
    "published_after": "fromDate", "published_before": "toDate",
}  # fmt: skip


class _Search(msgspec.Struct, rename="camel"):
    q: str
    output_type: Literal["searchResults", "sourcedAnswer", "structured"]
    structured_output_schema: str | dict[str, object] | None = None
    include_domains: list[str] | None = None
    exclude_domains: list[str] | None = None
    from_date: str | None = None
    to_date: str | None = None
    max_results: parsing.RowCount | None = None
    include_sources: bool | None = None


class _Fetch(msgspec.Struct):
    url: str
    schema: str | dict[str, object] | None = None
    instructions: str = ""


def _decode_schema(schema: str | dict[str, object] | None) -> dict[str, object]:
    """Return a schema, which the SDK sends as text."""
    return dict(as_mapping(json_or_none(schema.encode()) if isinstance(schema, str) else schema))


def _read_search(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Search), replies.Refusal):
        return body
    schema = _decode_schema(body.structured_output_schema)
    domains = filters.read_domains(body.include_domains, body.exclude_domains, _FIELD_NAMES)
    if isinstance(domains, replies.Refusal):
        return domains
    rule = "must be an ISO 8601 date"
    window = filters.read_window(body.from_date, body.to_date, _FIELD_NAMES, rule)
    if isinstance(window, replies.Refusal):
        return window
    # An answer and rows have no place for them.
    extras = {
        "structuredOutputSchema": body.structured_output_schema,
        "includeSources": body.include_sources,
    }
    is_structured = body.output_type == "structured"
    unread: list[str] = []
    if not is_structured:
        unread = [name for name, value in extras.items() if value not in (None, False)]
    if is_structured and not schema:
        name = "structuredOutputSchema"
        return replies.refuse_invalid(f"{name} must be a JSON Schema.", name)
    form = OutputSchema(schema=schema, strict=False) if schema else None
    rules = WritingRules(output_schema=form)
    is_sourced = body.output_type == "sourcedAnswer"
    task = asks.WritingTask(
        field=f"outputType: {body.output_type}",
        prompt=body.q,
        rules=rules,
        sourced=is_sourced,
        nothing=asks.NOTHING_FOUND,
        schema_field="structuredOutputSchema",
    )
    return asks.SearchRequest(
        fields=parsing.present_fields(
            query=body.q,
            max_results=10 if body.max_results is None else body.max_results,
            **domains,
            **window.fields,
        ),
        answer=None if body.output_type == "searchResults" else task,
        unread=(*unread, *window.inexact),
        write=lambda results: _search_reply(body, results),
    )


def _search_reply(body: _Search, results: asks.SearchSuccess) -> replies.Reply:
    key = "snippet" if body.output_type == "sourcedAnswer" else "content"
    rows = [
        {"type": "text", "name": row.title, "url": row.url, key: row.snippet, "favicon": ""}
        for row in results.outcome.rows
    ]
    if results.answer is None or body.output_type == "searchResults":
        return replies.json_reply({"results": rows})
    text = results.answer.text
    if body.output_type == "sourcedAnswer":
        return replies.json_reply({"answer": text, "sources": rows})
    data = as_mapping(json_or_none(text.encode()))
    data = {"data": data, "sources": rows} if body.include_sources else data
    return replies.json_reply(data)


def _read_fetch(call: replies.Call) -> asks.Reading:
    if isinstance(body := parsing.read_json_body(call, _Fetch), replies.Refusal):
        return body
    wants_data, schema = bool(body.schema or body.instructions), _decode_schema(body.schema)
    if body.schema and not schema:
        return replies.refuse_invalid("schema must be a JSON Schema.", "schema")
    task = asks.data_task("schema", body.instructions, schema, schema_field="schema")

    def write(pages: Sequence[asks.Page]) -> asks.Written:
        page = pages[0].result
        if page is None:
            return pages[0].refusal or replies.refuse_invalid("The page was not read.")
        data = {"data": json_or_none(pages[0].written.encode())} if wants_data else {}
        return replies.json_reply({"markdown": page.content, "favicon": "", **data})

    options = asks.PageOptions(task=task if wants_data else None)
    return asks.PagesRequest(urls=(body.url,), wish=options, write=write)


def _refusal_reply(refusal: replies.Refusal, _call: replies.Call) -> replies.Reply:
    code = _ERROR_CODES.get(refusal.kind, "INTERNAL_SERVER_ERROR")
    details = [{"field": name, "message": refusal.message} for name in refusal.params]
    error = {"code": code, "message": refusal.message, "details": details}
    body = {"statusCode": _STATUSES.get(refusal.kind, 500), "error": error}
    return replies.refusal_reply(refusal, _STATUSES, body)


DIALECT = asks.Dialect(
    name="linkup",
    title="Linkup",
    keys=asks.header_keys,
    refuse=_refusal_reply,
    names=_FIELD_NAMES,
    endpoints=(
        asks.Endpoint(
            path="/v1/search",
            read=_read_search,
            shape=_Search,
            idle=frozenset({"depth", "includeInlineCitations"}),
            defaults={"includeInlineCitations": False, "includeImages": False},
        ),
        asks.Endpoint(
            path="/v1/fetch",
            read=_read_fetch,
            shape=_Fetch,
            tool="extract",
            idle=frozenset({"renderJs", "mode"}),
            defaults={"renderJs": False, "includeRawHtml": False, "extractImages": False},
        ),
    ),
)
