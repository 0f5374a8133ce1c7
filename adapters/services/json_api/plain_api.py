"""A plain JSON search and extract API at the user's endpoint, with the user's key.

Search: ``POST {search_url}`` with the query's fields as JSON; the answer is
``{"results": [{"title", "url", "description", "published_at", "score"}]}``. The usual other names
of title, URL and description are read as well (``usual_names``).
Extract: ``POST {extract_url}`` with ``{"url": ...}``; the answer is
``{"url", "title", "content", "raw_content", "final_url", "metadata"}``.
A key travels as ``Authorization: Bearer``.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

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
from .usual_names import name_with_value, names_in_use, objects_of, survey_rows

_DOCUMENTED_KEYS = frozenset({"title", "url", "description", "published_at", "score", "origin"})
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
    results = reply.payload["results"]
    objects = objects_of(results)
    if len(objects) == len(results) and _has_documented_names(objects):
        return Success([_documented_row(row) for row in results])
    names = names_in_use(objects, _ROW_FIELDS)
    # The kernel refuses what is no object.
    return Success([_search_row(row, names) if type(row) is dict else row for row in results])


def survey_search(reply: Reply) -> RowSurvey | None:
    """Return what of the rows is read under a foreign name, or not at all."""
    results = at(reply.payload, "results")
    if _has_documented_names(objects_of(results)):
        return None
    return survey_rows(results, _ROW_FIELDS, documented=("description",))


def _has_documented_names(objects: Sequence[dict[str, Any]]) -> bool:
    """Tell whether rows have no key but the documented ones, as those of most APIs."""
    return _DOCUMENTED_KEYS.issuperset(chain.from_iterable(objects))


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
    if reply.status // 100 != 2 or not isinstance(reply.payload, dict):  # noqa: PLR2004  2xx
        return None
    if not reply.payload.get("error"):
        return None
    detail = said(reply.payload)
    return BadPayload(problem="error_object", path="$.error", status=reply.status, detail=detail)


def _call(url: str, body: Mapping[str, object], access: Access) -> ServiceCall:
    return ServiceCall(base=url, headers=bearer_headers(access), body=body)


def _documented_row(row: dict[str, Any]) -> UntrustedRow:
    """Return a row with no key but the documented ones under the seam's names."""
    get = row.get
    title, snippet, published = get("title"), get("description"), get("published_at")
    fields: dict[str, object] = {
        "title": "" if title is None else title,
        "snippet": "" if snippet is None else snippet,
    }
    for name in ("url", "score", "origin"):
        if (value := get(name)) is not None:
            fields[name] = value
    if published is not None:
        fields["published_at"] = iso_date_or_text(published)
    return fields


def _search_row(row: dict[str, Any], names: Mapping[str, tuple[str, ...]]) -> UntrustedRow:
    """Return a row under the seam's names; ``names`` are those in use for each field."""
    # A missing text becomes an empty one. The kernel refuses any other type.
    fields: dict[str, object] = {"title": "", "snippet": ""}
    for field, spellings in names.items():
        name = spellings[0] if len(spellings) == 1 else name_with_value(row, spellings)
        if (value := row.get(name)) is not None:
            fields[field] = value
    if "published_at" in fields:
        fields["published_at"] = iso_date_or_text(fields["published_at"])
    return fields
