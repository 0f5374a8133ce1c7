"""arXiv: preprints, found and read as abstracts. An Atom feed; needs no key.

The wire: https://info.arxiv.org/help/api/user-manual.html (2026-11-15), and the package arxiv
4.0.2.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from returns.result import Failure, Result, Success

from ...ports.backends import NATIVE, Abilities, UntrustedRow
from ...ports.errors import (
    BadPayload,
    EmptyContent,
    HttpStatus,
    Missing,
    UpstreamUnavailable,
    WebError,
)
from ...ports.web import WebSearchQuery
from ..service.declaration import Offer, Service, ServiceAddress
from ..service.operations import (
    ExtractAsk,
    ExtractOperation,
    PageFailed,
    Reply,
    SearchAsk,
    SearchOperation,
    ServiceCall,
)
from ..values.json_fields import one_line
from ..values.untrusted_rows import document, row

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_ERROR = "/api/errors"
_FIELD = re.compile(r"\b(?:all|ti|au|abs|co|jr|cat|id|rn|submittedDate):")
_SYNTAX = re.compile(r"[()\[\]{}:^~\\]")
_HOSTS = ("arxiv.org", "www.arxiv.org", "export.arxiv.org")
_ID = re.compile(r"/abs/((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)/?")
_OPEN_START, _OPEN_END = date(1990, 1, 1), date(2099, 12, 31)


def encode_search(ask: SearchAsk) -> ServiceCall:
    """Write a search: a thousand preprints are one page."""
    parameters = (
        ("search_query", _asked(ask.query)),
        *((("max_results", str(ask.count)),) if ask.count else ()),
        ("sortBy", "relevance"),
        ("sortOrder", "descending"),
    )
    return _call(parameters)


def decode_search(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    """Read the entries of the feed."""
    return _feed(reply).map(lambda feed: [_row(entry) for entry in feed.iter(f"{_ATOM}entry")])


def encode_extract(ask: ExtractAsk) -> ServiceCall:
    """Ask for one preprint by its number."""
    return _call((("id_list", _number(ask.urls[0])), ("max_results", "1")))


def decode_extract(
    reply: Reply, urls: tuple[str, ...]
) -> Result[Sequence[UntrustedRow | PageFailed], WebError]:
    """Read the abstract of the one preprint that was asked for."""
    return _feed(reply).map(lambda feed: [_page(feed.find(f"{_ATOM}entry"), urls[0])])


def reads(url: str) -> bool:
    """Know the pages of abstracts by their URLs."""
    return bool(_number(url))


def classify(reply: Reply) -> WebError | None:
    """Find the entry that is an error, and the empty page that arXiv sends now and then."""
    feed = _feed(reply).value_or(None)
    if feed is None:
        return None
    entry = feed.find(f"{_ATOM}entry")
    if entry is None:
        return _hiccup(reply, one_line(feed.findtext(_TOTAL)))
    if _ERROR not in _text(entry, "id"):
        return None
    detail = _text(entry, "summary")
    if reply.status // 100 != 2:  # noqa: PLR2004  not a success
        return HttpStatus(status=reply.status, detail=detail)
    return BadPayload(problem="error_object", path="entry", status=reply.status, detail=detail)


def _hiccup(reply: Reply, total: str) -> WebError | None:
    if reply.status // 100 != 2 or not total.isdecimal() or not int(total[:9]):  # noqa: PLR2004
        return None
    detail = f"an empty page, although there are {total[:9]} results"
    return UpstreamUnavailable(status=reply.status, detail=detail)


def _row(entry: ET.Element) -> dict[str, object]:
    return row(
        title=_text(entry, "title"),
        url=_address(entry),
        snippet=_text(entry, "summary"),
        published=_text(entry, "published"),
    )


def _page(entry: ET.Element | None, url: str) -> UntrustedRow | PageFailed:
    if entry is None:
        return PageFailed(url=url, error=Missing(url=url))
    summary = _text(entry, "summary")
    if not summary:
        return PageFailed(url=url, error=EmptyContent())
    names = (one_line(name.text) for name in entry.iterfind(f"{_ATOM}author/{_ATOM}name"))
    terms = (each.get("term") for each in entry.iterfind(f"{_ATOM}category"))
    return document(
        url=url,
        title=_text(entry, "title"),
        content=summary,
        final_url=_address(entry),
        metadata={
            "authors": [name for name in names if name],
            "published_at": _text(entry, "published"),
            "updated_at": _text(entry, "updated"),
            "categories": [term for term in terms if term],
            "doi": one_line(entry.findtext(f"{_ARXIV}doi")),
            "journal": one_line(entry.findtext(f"{_ARXIV}journal_ref")),
            "comment": one_line(entry.findtext(f"{_ARXIV}comment")),
            "pdf_url": next(_links(entry, "title", "pdf"), ""),
        },
    )


def _address(entry: ET.Element) -> str | None:
    return next(_links(entry, "rel", "alternate"), None) or _secure(_text(entry, "id")) or None


def _links(entry: ET.Element, attribute: str, value: str) -> Iterator[str]:
    for link in entry.iterfind(f"{_ATOM}link"):
        if link.get(attribute) == value and link.get("href"):
            yield _secure(str(link.get("href")))


def _secure(url: str) -> str:
    return url.replace("http://arxiv.org/", "https://arxiv.org/", 1)


def _text(entry: ET.Element, name: str) -> str:
    return one_line(entry.findtext(f"{_ATOM}{name}"))


def _feed(reply: Reply) -> Result[ET.Element, BadPayload]:
    """Parse the feed. It has no document type, so there are no entities to expand or to load."""
    if "<!DOCTYPE" not in reply.text:
        try:
            feed = ET.fromstring(reply.text)  # noqa: S314  see above
        except (ET.ParseError, ValueError):
            feed = None
        if feed is not None and feed.tag == f"{_ATOM}feed":
            return Success(feed)
    detail = "it is no Atom feed"
    return Failure(BadPayload(problem="shape", path="feed", status=reply.status, detail=detail))


def _asked(query: WebSearchQuery) -> str:
    """Write the words for arXiv's parser; whoever knows its fields may use them."""
    words = query.query
    if not _FIELD.search(words):
        phrase = words if words.count('"') % 2 == 0 else words.replace('"', " ")
        words = f"all:{one_line(_SYNTAX.sub(' ', phrase)) or '*'}"
    after, before = query.published_after, query.published_before
    if after is None and before is None:
        return words
    start, end = after or _OPEN_START, before or _OPEN_END
    return f"({words}) AND submittedDate:[{_day(start)}0000 TO {_day(end)}2359]"


def _day(day: date) -> str:
    return day.isoformat().replace("-", "")


def _number(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return ""
    match = _ID.fullmatch(parts.path)
    return match[1] if match and host in _HOSTS else ""


def _call(parameters: tuple[tuple[str, str], ...]) -> ServiceCall:
    return ServiceCall(
        method="GET",
        path="/api/query",
        parameters=parameters,
        headers=(("accept", "application/atom+xml"),),
    )


SERVICE = Service(
    name="arxiv",
    title="arXiv",
    site="https://info.arxiv.org/help/api/",
    note="Preprints; the page of one is its abstract. Please ask no more than every 3 seconds.",
    address=ServiceAddress(base_url="https://export.arxiv.org"),
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900),
    abilities=Abilities(
        max_results=100,
        filters={
            "include_domains": "rows",
            "exclude_domains": "rows",
            "published_after": NATIVE,
            "published_before": NATIVE,
        },
    ),
    classify=classify,
    search=SearchOperation(encode=encode_search, decode=decode_search, format="text"),
    extract=ExtractOperation(
        encode=encode_extract, decode=decode_extract, format="text", reads=reads
    ),
)
