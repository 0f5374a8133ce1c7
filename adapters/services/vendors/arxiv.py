"""arXiv: preprints, found and read as abstracts. An Atom feed; needs no key.

Sources: https://info.arxiv.org/help/api/user-manual.html (2026-11-15), and the package arxiv
4.0.2.
"""

import re
from collections.abc import Iterator
from datetime import date
from xml.etree import ElementTree as ET

from returns.result import Failure, Result, Success

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.errors import BadPayload, HttpStatus, Missing, UpstreamUnavailable, WebError
from webseam.ports.web import WebSearchQuery

from ...values.field_values import collapse_blanks
from ...values.untrusted_rows import row
from ...values.urls import split_host
from ..calls import Reply, ServiceCall, get_call
from ..declaration import Offer, Service, ServiceAddress
from ..filters import NATIVE_DATES, ROW_DOMAINS
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, PagesResult, text_page
from ..replies import RowsResult

_ATOM_NAMESPACE = "{http://www.w3.org/2005/Atom}"
_ARXIV_NAMESPACE = "{http://arxiv.org/schemas/atom}"
_ATOM_HEADERS = (("accept", "application/atom+xml"),)
_TOTAL_RESULTS_TAG = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_QUERY_FIELD_PATTERN = re.compile(r"\b(?:all|ti|au|abs|co|jr|cat|id|rn|submittedDate):")
_QUERY_SYNTAX_PATTERN = re.compile(r"[()\[\]{}:^~\\]")
_HOSTS = ("arxiv.org", "www.arxiv.org", "export.arxiv.org")
_ABSTRACT_PATH_PATTERN = re.compile(
    r"/abs/((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)/?"
)
_FIRST_DAY, _LAST_DAY = date(1990, 1, 1), date(2099, 12, 31)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; arXiv allows a thousand preprints on one page."""
    parameters = {
        "search_query": _search_query(ask.query),
        "max_results": str(ask.count or ""),
        "sortBy": "relevance",
        "sortOrder": "descending",
    }
    return get_call("/api/query", parameters, _ATOM_HEADERS)


def _decode_search(reply: Reply) -> RowsResult:
    return _parse_feed(reply).map(
        lambda feed: [*map(_search_row, feed.iter(f"{_ATOM_NAMESPACE}entry"))]
    )


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    parameters = {"id_list": _url_id(ask.urls[0]), "max_results": "1"}
    return get_call("/api/query", parameters, _ATOM_HEADERS)


def _decode_extract(reply: Reply, urls: tuple[str, ...]) -> PagesResult:
    return _parse_feed(reply).map(
        lambda feed: [_document(feed.find(f"{_ATOM_NAMESPACE}entry"), urls[0])]
    )


def _classify_reply(reply: Reply) -> WebError | None:
    """Find an error entry, or the empty page that arXiv sends now and then."""
    feed = _parse_feed(reply).value_or(None)
    if feed is None:
        return None
    entry = feed.find(f"{_ATOM_NAMESPACE}entry")
    if entry is None:
        return _empty_page_error(reply, collapse_blanks(feed.findtext(_TOTAL_RESULTS_TAG)))
    if "/api/errors" not in _entry_text(entry, "id"):
        return None
    detail = _entry_text(entry, "summary")
    if reply.status // 100 != 2:  # noqa: PLR2004  not a success
        return HttpStatus(status=reply.status, detail=detail)
    return BadPayload(problem="error_object", path="entry", status=reply.status, detail=detail)


def _empty_page_error(reply: Reply, total: str) -> WebError | None:
    if reply.status // 100 != 2 or not total.isdecimal() or not int(total[:9]):  # noqa: PLR2004  2xx
        return None
    detail = f"an empty page, although there are {total[:9]} results"
    return UpstreamUnavailable(status=reply.status, detail=detail)


def _search_row(entry: ET.Element) -> dict[str, object]:
    return row(
        title=_entry_text(entry, "title"),
        url=_page_url(entry),
        snippet=_entry_text(entry, "summary"),
        published=_entry_text(entry, "published"),
    )


def _document(entry: ET.Element | None, url: str) -> UntrustedRow | PageFailed:
    if entry is None:
        return PageFailed(url=url, error=Missing(url=url))
    names = (
        collapse_blanks(name.text)
        for name in entry.iterfind(f"{_ATOM_NAMESPACE}author/{_ATOM_NAMESPACE}name")
    )
    terms = (category.get("term") for category in entry.iterfind(f"{_ATOM_NAMESPACE}category"))
    return text_page(
        url=url,
        title=_entry_text(entry, "title"),
        content=_entry_text(entry, "summary"),
        final_url=_page_url(entry),
        metadata={
            "authors": [name for name in names if name],
            "published_at": _entry_text(entry, "published"),
            "updated_at": _entry_text(entry, "updated"),
            "categories": [term for term in terms if term],
            "doi": _entry_text(entry, "doi", _ARXIV_NAMESPACE),
            "journal": _entry_text(entry, "journal_ref", _ARXIV_NAMESPACE),
            "comment": _entry_text(entry, "comment", _ARXIV_NAMESPACE),
            "pdf_url": next(_links(entry, "title", "pdf"), ""),
        },
    )


def _page_url(entry: ET.Element) -> str | None:
    return (
        next(_links(entry, "rel", "alternate"), None)
        or _https_url(_entry_text(entry, "id"))
        or None
    )


def _links(entry: ET.Element, attribute: str, value: str) -> Iterator[str]:
    for link in entry.iterfind(f"{_ATOM_NAMESPACE}link"):
        if link.get(attribute) == value and link.get("href"):
            yield _https_url(str(link.get("href")))


def _https_url(url: str) -> str:
    return url.replace("http://arxiv.org/", "https://arxiv.org/", 1)


def _entry_text(entry: ET.Element, name: str, namespace: str = _ATOM_NAMESPACE) -> str:
    return collapse_blanks(entry.findtext(f"{namespace}{name}"))


def _parse_feed(reply: Reply) -> Result[ET.Element, BadPayload]:
    """Parse the feed; refuse a document type, whose entities could be expanded or loaded."""
    if "<!DOCTYPE" not in reply.text:
        try:
            feed = ET.fromstring(reply.text)  # noqa: S314  see above
        except (ET.ParseError, ValueError):
            feed = None
        if feed is not None and feed.tag == f"{_ATOM_NAMESPACE}feed":
            return Success(feed)
    detail = "it is no Atom feed"
    return Failure(BadPayload(problem="shape", path="feed", status=reply.status, detail=detail))


def _search_query(query: WebSearchQuery) -> str:
    """Return the query in arXiv's syntax; a query that already uses its fields stays."""
    text = query.query
    if not _QUERY_FIELD_PATTERN.search(text):
        phrase = text if text.count('"') % 2 == 0 else text.replace('"', " ")
        text = f"all:{collapse_blanks(_QUERY_SYNTAX_PATTERN.sub(' ', phrase)) or '*'}"
    after, before = query.published_after, query.published_before
    if after is None and before is None:
        return text
    start, end = after or _FIRST_DAY, before or _LAST_DAY
    return f"({text}) AND submittedDate:[{_date_text(start)}0000 TO {_date_text(end)}2359]"


def _date_text(day: date) -> str:
    return day.isoformat().replace("-", "")


def _url_id(url: str) -> str:
    host, parts = split_host(url)
    match = _ABSTRACT_PATH_PATTERN.fullmatch(parts.path)
    return match[1] if match and host in _HOSTS else ""


SERVICE = Service(
    name="arxiv",
    title="arXiv",
    site="https://info.arxiv.org/help/api/",
    note="Preprints; a page is an abstract. Wait 3 seconds between searches.",
    address=ServiceAddress(base_url="https://export.arxiv.org"),
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900),
    abilities=Abilities(max_results=100, filters={**ROW_DOMAINS, **NATIVE_DATES}),
    classify=_classify_reply,
    search=SearchOperation(encode=_encode_search, decode=_decode_search, format="text"),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=_decode_extract,
        format="text",
        reads=lambda url: bool(_url_id(url)),
    ),
)
