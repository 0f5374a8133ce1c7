"""OpenAlex: works, and abstracts as pages. Sources: pyalex 0.21, developers.openalex.org."""

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.errors import QuotaExhausted, RateLimited, WebError
from webseam.ports.web import WebSearchQuery

from ...values.field_values import at, collapse_blanks, first, said
from ...values.html_text import html_to_text
from ...values.json_values import as_list, as_mapping, text
from ...values.untrusted_rows import row
from ...values.urls import split_host
from ..calls import Access, Reply, ServiceCall, get_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, ROW_DOMAINS, native_filters
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, page_decoder, text_page
from ..replies import rows_decoder

_SELECTED_FIELDS = (
    "id,doi,title,display_name,publication_date,relevance_score,primary_location,"
    "abstract_inverted_index"
)
_HOSTS = ("openalex.org", "www.openalex.org", "api.openalex.org")
_TOO_FAST, _TOO_MANY = 403, 429


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; OpenAlex allows a hundred works on one page."""
    parameters = {
        "search": ask.query.query,
        "filter": _filter_text(ask.query),
        "per-page": str(ask.count or ""),
        "select": _SELECTED_FIELDS,
    }
    return _works_call("/works", parameters, ask.access)


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    return _works_call(f"/works/{_url_id(ask.urls[0])}", {}, ask.access)


def _classify_reply(reply: Reply) -> WebError | None:
    """Tell the daily limit, for which waiting does not help, from a rate limit."""
    if reply.status == _TOO_MANY:
        return QuotaExhausted(status=reply.status, detail=_error_text(reply))
    if reply.status == _TOO_FAST:
        return RateLimited(status=reply.status, detail=_error_text(reply))
    return None


def _error_text(reply: Reply) -> str:
    return text(at(reply.payload, "message")) or said(reply.payload)


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=_title(result),
        url=_page_url(result) or None,
        snippet=_abstract(result),
        published=result.get("publication_date"),
        score=result.get("relevance_score"),
    )


def _document(work: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Read the abstract of the requested work; it may be withheld."""
    people = as_list(work.get("authorships"))
    authors = [text(at(person, "author", "display_name")) for person in people]
    return text_page(
        url=url,
        title=_title(work),
        content=_abstract(work),
        final_url=_page_url(work) or None,
        metadata={
            "authors": [name for name in authors if name],
            "doi": text(work.get("doi")),
            "journal": text(at(work, "primary_location", "source", "display_name")),
            "published_at": text(work.get("publication_date")),
            "open_access_url": text(at(work, "open_access", "oa_url")),
        },
    )


def _title(work: dict[str, object]) -> str:
    return text(html_to_text(first(work.get("title"), work.get("display_name"))))


def _page_url(work: dict[str, object]) -> str:
    landing = at(work, "primary_location", "landing_page_url")
    return first(landing, work.get("doi"), work.get("id"))


def _abstract(work: dict[str, object]) -> str:
    """Return the abstract from its inverted index, which lists the positions of each word."""
    index = as_mapping(work.get("abstract_inverted_index"))
    positioned = [
        (position, word)
        for word, positions in index.items()
        for position in as_list(positions)
        if isinstance(position, int)
    ]
    return collapse_blanks(" ".join(word for _, word in sorted(positioned)))


def _filter_text(query: WebSearchQuery) -> str:
    values = {
        "from_publication_date": str(query.published_after or ""),
        "to_publication_date": str(query.published_before or ""),
        "language": (query.language or "").partition("-")[0].lower(),
        "authorships.countries": (query.country or "").upper(),
    }
    return ",".join(f"{name}:{value}" for name, value in values.items() if value)


def _url_id(url: str) -> str:
    host, parts = split_host(url)
    work_id = parts.path.removeprefix("/").removeprefix("works/").upper()
    digits = work_id.removeprefix("W")
    is_id = work_id.startswith("W") and digits.isascii() and digits.isdecimal()
    return work_id if is_id and host in _HOSTS else ""


def _works_call(path: str, parameters: dict[str, str], access: Access) -> ServiceCall:
    return get_call(
        path, parameters, (("authorization", f"Bearer {access.key}"),) if access.key else ()
    )


_decode_search = rows_decoder("results", make=_search_row)
SERVICE = Service(
    name="openalex",
    title="OpenAlex",
    site="https://openalex.org/settings/api",
    note="Scholarly works; a page is an abstract. A few searches a day without the free key.",
    address=ServiceAddress(base_url="https://api.openalex.org", endpoints=("/works",)),
    options=(api_key("OPENALEX_API_KEY", required=False, help="free; raises the daily allowance"),),
    # 100 requests a second: developers.openalex.org, its page on authentication.
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900, rate=100.0),
    abilities=Abilities(
        max_results=100,
        filters={**ROW_DOMAINS, **NATIVE_DATES, **native_filters("country", "language")},
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        title="html",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder(make=_document),
        reads=lambda url: bool(_url_id(url)),
    ),
)
