"""GitHub: repositories or issues, and READMEs as pages. Needs no token for a few calls a minute.

Sources: docs.github.com on searching, and SearXNG's github.py.
"""

import re

from returns.result import Success

from webseam.ports.backends import Abilities
from webseam.ports.errors import RateLimited, WebError
from webseam.ports.web import WebSearchQuery

from ...values.dates import http_date_seconds
from ...values.field_values import said
from ...values.untrusted_rows import RowReader, first_heading
from ...values.urls import split_host
from ..calls import Access, Reply, ServiceCall, bearer_headers, get_call
from ..declaration import Offer, Option, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, ROW_DOMAINS
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PagesResult, text_page
from ..replies import rows_decoder

_HOSTS = ("github.com", "www.github.com")
_REPOSITORY_PATH_PATTERN = re.compile(r"/([A-Za-z0-9-]+/[A-Za-z0-9._-]+?)(?:\.git)?/?")
_RESERVED_NAMES = (
    "about", "apps", "features", "login", "marketplace", "orgs", "search", "settings",
)  # fmt: skip
_LIMIT_STATUSES = (403, 429)
_ISSUES_KIND = "issues"
_TYPE_QUALIFIER_PATTERN = re.compile(r"(?:^|\s)(?:is|type):")
_decode_search = rows_decoder(
    "items",
    make=RowReader(
        "full_name title name",
        "html_url",
        "description body",
        "created_at",
        "score",
        truncates=True,
    ),
)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; dates are qualifiers of the query."""
    kind = _ISSUES_KIND if ask.access.value("kind") == _ISSUES_KIND else "repositories"
    parts = [ask.query.query, _created_filter(ask.query)]
    if kind == _ISSUES_KIND and not _TYPE_QUALIFIER_PATTERN.search(ask.query.query):
        parts.append("is:issue")
    text = " ".join(part for part in parts if part)
    headers = _headers(ask.access, "application/vnd.github+json")
    return get_call(f"/search/{kind}", {"q": text, "per_page": str(ask.count or "")}, headers)


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    headers = _headers(ask.access, "application/vnd.github.raw+json")
    return get_call(f"/repos/{_url_repository(ask.urls[0])}/readme", {}, headers)


def _decode_extract(reply: Reply, urls: tuple[str, ...]) -> PagesResult:
    title = first_heading(reply.text) or _url_repository(urls[0])
    return Success([text_page(url=urls[0], title=title, content=reply.text)])


def _classify_reply(reply: Reply) -> WebError | None:
    """Find a rate limit, for which GitHub may also send 403."""
    remaining = reply.headers.get("x-ratelimit-remaining", "").strip()
    retry_after = reply.headers.get("retry-after", "").strip()
    is_limited = "rate limit" in said(reply.payload).lower()
    if reply.status not in _LIMIT_STATUSES or not (remaining == "0" or retry_after or is_limited):
        return None
    has_seconds = retry_after.isascii() and retry_after.isdecimal()
    wait = float(retry_after[:12]) if has_seconds else _reset_seconds(reply)
    return RateLimited(status=reply.status, retry_after=wait, detail=said(reply.payload))


def _reset_seconds(reply: Reply) -> float | None:
    reset = reply.headers.get("x-ratelimit-reset", "").strip()
    now = http_date_seconds(reply.headers.get("date", ""))
    if now is None or not (reset.isascii() and reset.isdecimal()):
        return None
    return max(0.0, float(reset[:12]) - now)


def _created_filter(query: WebSearchQuery) -> str:
    after, before = query.published_after, query.published_before
    return f"created:{after or '*'}..{before or '*'}" if after or before else ""


def _url_repository(url: str) -> str:
    host, parts = split_host(url)
    match = _REPOSITORY_PATH_PATTERN.fullmatch(parts.path)
    if match is None or host not in _HOSTS or match[1].partition("/")[0] in _RESERVED_NAMES:
        return ""
    return match[1]


def _headers(access: Access, accept: str) -> tuple[tuple[str, str], ...]:
    version = ("x-github-api-version", "2022-11-28")
    return (("accept", accept), version, *bearer_headers(access))


SERVICE = Service(
    name="github",
    title="GitHub",
    site="https://github.com/settings/tokens",
    note=(
        "Finds repositories or issues; the page of a repository is its README. 10 searches a "
        "minute, 30 with a token."
    ),
    address=ServiceAddress(
        base_url="https://api.github.com",
        endpoints=("/search/repositories", "/search/issues"),
    ),
    options=(
        api_key(
            "GITHUB_TOKEN",
            "GH_TOKEN",
            required=False,
            help="a token without any right will do",
        ),
        Option(
            name="kind",
            title="what to search: repositories or issues",
            required=False,
            default="repositories",
            pattern="repositories|issues",
        ),
    ),
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900),
    abilities=Abilities(
        max_results=100,
        max_query_characters=256,
        filters={**ROW_DOMAINS, **NATIVE_DATES},
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        snippet="markdown",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=_decode_extract,
        format="text",
        reads=lambda url: bool(_url_repository(url)),
    ),
)
