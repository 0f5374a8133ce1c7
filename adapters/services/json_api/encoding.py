"""A service made of a checked description: encoding, decoding, errors inside a success."""

from collections.abc import Mapping, Sequence
from typing import get_args

from returns.result import Failure, Result, Success

from webseam.ports.backends import NATIVE, Abilities, FilterName, Support, UntrustedRow
from webseam.ports.errors import BadPayload, WebError
from webseam.ports.web import Topic

from ...values.field_values import at, first, said
from ...values.html_text import html_to_text
from ...values.untrusted_rows import row
from ..calls import Reply, ServiceCall
from ..declaration import Service, ServiceAddress, api_key
from ..operations import RowSurvey, SearchAsk, SearchOperation
from ..replies import each
from .readers import (
    ROW_FIELDS,
    JsonPath,
    JsonSearch,
    PlaceholderValues,
    fill_template,
    fill_url,
    json_path_text,
    template_placeholders,
)
from .usual_names import survey_rows

_DEFAULT_LIMIT = 10
_PLACEHOLDER_FILTERS: Mapping[str, FilterName] = {
    "country": "country",
    "language": "language",
    "after": "published_after",
    "before": "published_before",
}


def json_search_service(name: str, search: JsonSearch) -> Service:
    """Return the service that a description stands for."""
    needs_key = search.auth != "none"
    return Service(
        name=name,
        title=search.title or name,
        note="described in your settings",
        address=ServiceAddress(base_url=search.origin),
        options=(api_key(*search.api_key_env, required=needs_key),) if needs_key else (),
        abilities=Abilities(
            max_results=search.max_results,
            filters=_search_filters(search),
            topics=get_args(Topic),
        ),
        classify=lambda reply: _classify_reply(reply, search),
        search=SearchOperation(
            encode=lambda ask: _encode_search(ask, search),
            decode=lambda reply: _decode_search(reply, search),
            survey=lambda reply: _survey_search(reply, search),
            title="html" if "title" in search.html_fields else "plain",
            snippet="html" if "snippet" in search.html_fields else "plain",
        ),
    )


def _search_filters(search: JsonSearch) -> dict[FilterName, Support]:
    """Return the support of each filter: native where the description has its placeholder."""
    domains: Support = "operator" if search.site_operator else "rows"
    support: dict[FilterName, Support] = {"include_domains": domains, "exclude_domains": domains}
    if search.fields.get("published_at"):
        support |= {"published_after": "rows", "published_before": "rows"}
    placeholders = template_placeholders([search.path, search.parameters, search.body])
    return support | {
        _PLACEHOLDER_FILTERS[name]: NATIVE for name in placeholders if name in _PLACEHOLDER_FILTERS
    }


def _encode_search(ask: SearchAsk, search: JsonSearch) -> ServiceCall:
    query = ask.query
    after, before = query.published_after, query.published_before
    values: PlaceholderValues = {
        "query": query.query,
        "limit": ask.count or search.max_results or _DEFAULT_LIMIT,
        "country": query.country,
        "language": query.language,
        "after": None if after is None else after.isoformat(),
        "before": None if before is None else before.isoformat(),
    }
    parameters = {**search.parameters, **_limit_field(ask, search, in_body=False)}
    body = fill_template(search.body, values)
    limit = _limit_field(ask, search, in_body=True)
    body = {**body, **limit} if isinstance(body, dict) else body
    is_form = search.body_format == "form" and isinstance(body, dict)
    headers, key_parameters = _auth_fields(ask, search)
    return ServiceCall(
        method=search.method,
        path=fill_url(search.path, values),
        parameters=(*_text_pairs(fill_template(parameters, values)), *key_parameters),
        headers=(*search.headers, *headers),
        body=None if is_form or not isinstance(body, dict | list) else body,
        form=_text_pairs(body) if is_form else None,
    )


def _limit_field(ask: SearchAsk, search: JsonSearch, *, in_body: bool) -> dict[str, int]:
    is_here = isinstance(search.body, Mapping) == in_body
    if not search.limit_parameter or ask.count is None or not is_here:
        return {}
    return {search.limit_parameter: ask.count}


def _auth_fields(
    ask: SearchAsk, search: JsonSearch
) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
    key = ask.access.key
    if not key or search.auth == "none":
        return (), ()
    if search.auth == "bearer":
        return (("authorization", f"Bearer {key}"),), ()
    pair = ((search.auth_name, key),)
    return (pair, ()) if search.auth == "header" else ((), pair)


def _text_pairs(filled: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(filled, dict):
        return ()
    return tuple(
        (name, _parameter_text(value)) for name, value in filled.items() if value is not None
    )


def _parameter_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _decode_search(reply: Reply, search: JsonSearch) -> Result[Sequence[UntrustedRow], WebError]:
    rows = at(reply.payload, *search.results_path)
    if not isinstance(rows, list):
        path = json_path_text(search.results_path)
        return Failure(BadPayload(problem="shape", path=path, status=reply.status))
    return Success(each(rows, lambda result: _search_row(result, search)))


def _survey_search(reply: Reply, search: JsonSearch) -> RowSurvey | None:
    """Return what of the rows is read, by the settings or under a usual name."""
    unsettled = [field for field in ROW_FIELDS if field not in search.settled]
    paths = [path for field in search.settled for path in search.fields.get(field, ())]
    own_names = [path[0] for path in paths if path and isinstance(path[0], str)]
    return survey_rows(at(reply.payload, *search.results_path), unsettled, own_names)


def _search_row(result: dict[str, object], search: JsonSearch) -> dict[str, object]:
    def value(field: str) -> object:
        values = (at(result, *path) for path in search.fields.get(field, ()))
        return next((candidate for candidate in values if candidate not in (None, "")), None)

    values = {name: value(name) for name in ("title", "url", "snippet", "score")}
    values |= {name: html_to_text(values[name]) for name in search.html_fields}
    return row(**values, published=value("published_at"))


def _classify_reply(reply: Reply, search: JsonSearch) -> WebError | None:
    """Return the error inside a success: where the description says, or beside no rows at all."""
    if reply.status // 100 != 2:  # noqa: PLR2004  2xx
        return None
    if search.error_path is not None and at(reply.payload, *search.error_path):
        return _error_at_path(reply, search.error_path)
    if search.success_path is None:
        has_rows = bool(at(reply.payload, *search.results_path))
        is_error = search.error_path is None and not has_rows and at(reply.payload, "error")
        return _error_at_path(reply, ("error",)) if is_error else None
    value = at(reply.payload, *search.success_path)
    is_success = _parameter_text(value) == search.success_value
    return None if is_success else _error_at_path(reply, search.success_path)


def _error_at_path(reply: Reply, path: JsonPath) -> BadPayload:
    detail = first(at(reply.payload, *path), said(reply.payload))[:200]
    path_text = json_path_text(path)
    return BadPayload(problem="error_object", path=path_text, status=reply.status, detail=detail)
