"""A plain JSON search and extract API at the user's endpoint, with the user's key.

Search: ``POST {search_url}`` with the query's fields as JSON; the answer is
``{"results": [{"title", "url", "description", "published_at", "score"}]}``. The usual other names
of title, URL and description are read as well (``usual_names``).
Extract: ``POST {extract_url}`` with ``{"url": ...}``; the answer is
``{"url", "title", "content", "raw_content", "final_url", "metadata"}``.
A key travels as ``Authorization: Bearer``.
"""

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import EVERY_FILTER, UntrustedRow
from webseam.ports.errors import BadPayload, WebError

from ...values.field_values import at, said
from ...values.row_dates import iso_date_or_text
from ..calls import Access, Reply, ServiceCall, bearer_headers, filled_fields
from ..declaration import Service, api_key
from ..operations import ExtractOperation, RowSurvey, SearchOperation
from ..replies import object_at
from .usual_names import survey_rows, usual_name

_ROW_FIELDS = ("title", "url", "snippet", "published_at", "score", "origin")


def json_service(
    *, name: str = "json", search_url: str | None = None, extract_url: str | None = None
) -> Service:
    """Return the service; without a URL it lacks that operation."""
    search = extract = None
    if search_url is not None:
        search = SearchOperation(
            encode=lambda ask: _call(
                search_url, filled_fields(msgspec.to_builtins(ask.query)), ask.access
            ),
            decode=decode_search,
            survey=survey_search,
        )
    if extract_url is not None:
        extract = ExtractOperation(
            encode=lambda ask: _call(extract_url, {"url": ask.urls[0]}, ask.access),
            decode=decode_extract,
        )
    return Service(
        name=name,
        title="A JSON API of your own",
        options=(api_key("WEBSEAM_JSON_API_KEY", required=False),),
        # Every filter is sent to the API, which decides what to do with it.
        abilities=EVERY_FILTER,
        classify=find_error,
        search=search,
        extract=extract,
    )


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Map the rows. The kernel refuses a row that is no object or has no URL."""
    if not isinstance(reply.payload, dict) or not isinstance(reply.payload.get("results"), list):
        return Failure(BadPayload(problem="shape", path="$.results", status=reply.status))
    return Success([_search_row(row) for row in reply.payload["results"]])


def survey_search(reply: Reply) -> RowSurvey:
    """Return what of the rows is read under a foreign name, or not at all."""
    return survey_rows(at(reply.payload, "results"), _ROW_FIELDS, documented=("description",))


def decode_extract(
    reply: Reply, _asked: tuple[str, ...]
) -> Result[Sequence[UntrustedRow], WebError]:
    """Return the document as it is, so that the kernel names every key that it does not know.

    Its URL is the service's, so that the kernel can compare it.
    """
    return object_at(reply).map(
        lambda page: [{name: page[name] for name in page if page[name] is not None}]
    )


def find_error(reply: Reply) -> WebError | None:
    """Return the error object inside a success; else None."""
    if reply.status // 100 != 2 or not isinstance(reply.payload, dict):  # noqa: PLR2004
        return None
    if not reply.payload.get("error"):
        return None
    detail = said(reply.payload)
    return BadPayload(problem="error_object", path="$.error", status=reply.status, detail=detail)


def _call(url: str, body: Mapping[str, object], access: Access) -> ServiceCall:
    return ServiceCall(base=url, headers=bearer_headers(access), body=body)


def _search_row(row: object) -> UntrustedRow:
    """Return a row under the seam's names."""
    if not isinstance(row, dict):
        return cast("UntrustedRow", row)  # the kernel refuses it
    fields: dict[str, object] = {}
    for name in _ROW_FIELDS:
        if (value := row.get(usual_name(row, name))) is not None:
            fields[name] = value
    if "published_at" in fields:
        fields["published_at"] = iso_date_or_text(fields["published_at"])
    # A missing text becomes an empty one. The kernel refuses any other type.
    return {"title": "", "snippet": "", **fields}
