"""Crossref: metadata of scholarly works, and abstracts as pages. Needs no key.

Sources: habanero 2.9.2, crossrefapi 1.7.0, and Crossref's page on access.
"""

from urllib.parse import quote, unquote

from webseam.ports.backends import Abilities, UntrustedRow
from webseam.ports.web import WebSearchQuery

from ...values.dates import date_from_parts
from ...values.field_values import at, first, texts
from ...values.html_text import html_to_text
from ...values.json_values import as_list, text
from ...values.untrusted_rows import row
from ...values.urls import split_host
from ..calls import Access, Reply, ServiceCall, get_call
from ..declaration import Offer, Option, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, ROW_DOMAINS
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, page_decoder, text_page
from ..replies import RowsResult, each, list_at

# Without ``select``, each work comes with its list of citations.
_SELECTED_FIELDS = (
    "DOI,URL,title,abstract,container-title,publisher,type,published,issued,score,resource"
)
_DOI_HOSTS = ("doi.org", "dx.doi.org", "www.doi.org")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; Crossref allows a thousand works on one page."""
    parameters = {
        "query": ask.query.query,
        "rows": str(ask.count or ""),
        "filter": _date_filter(ask.query),
        "select": _SELECTED_FIELDS,
        "mailto": ask.access.value("mailto"),
    }
    return _works_call("/works", parameters, ask.access)


def _decode_search(reply: Reply) -> RowsResult:
    """Read the works without components, such as a figure of an article."""
    results = list_at(reply, "message", "items")
    works = results.map(lambda rows: [row for row in rows if at(row, "type") != "component"])
    return works.map(lambda rows: each(rows, _search_row))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    path = f"/works/{quote(_url_doi(ask.urls[0]))}"
    return _works_call(path, {"mailto": ask.access.value("mailto")}, ask.access)


def _document(work: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    """Read the abstract of the requested work; many have none."""
    return text_page(
        url=url,
        title=_title(work),
        content=_plain(work.get("abstract")),
        final_url=_page_url(work) or None,
        metadata={
            "authors": _authors(work),
            "doi": text(work.get("DOI")),
            "journal": _journal(work),
            "publisher": text(work.get("publisher")),
            "published_at": _date(work),
        },
    )


def _search_row(result: dict[str, object]) -> dict[str, object]:
    published = _date(result)
    journal_and_year = (
        _journal(result) or text(result.get("publisher")),
        (published or "")[:4],
    )
    return row(
        title=_title(result),
        url=_page_url(result) or None,
        snippet=_plain(result.get("abstract"))
        or ", ".join(part for part in journal_and_year if part),
        published=published,
        score=result.get("score"),
    )


def _title(work: dict[str, object]) -> str:
    return _plain(first(*texts(work.get("title"))))


def _plain(value: object) -> str:
    """Return the text of JATS; empty for anything but a text."""
    return text(html_to_text(value))


def _journal(work: dict[str, object]) -> str:
    return _plain(first(*texts(work.get("container-title"))))


def _page_url(work: dict[str, object]) -> str:
    return first(at(work, "resource", "primary", "URL"), work.get("URL"))


def _date(work: dict[str, object]) -> str | None:
    dates = (date_from_parts(at(work, name, "date-parts", 0)) for name in ("published", "issued"))
    return next((date for date in dates if date), None)


def _authors(work: dict[str, object]) -> list[str]:
    names = [
        " ".join(texts([at(person, "given"), at(person, "family")])) or text(at(person, "name"))
        for person in as_list(work.get("author"))
    ]
    return [name for name in names if name]


def _date_filter(query: WebSearchQuery) -> str:
    after, before = query.published_after, query.published_before
    bounds = [f"from-pub-date:{after}"] if after else []
    return ",".join([*bounds, f"until-pub-date:{before}"] if before else bounds)


def _url_doi(url: str) -> str:
    host, parts = split_host(url)
    doi = unquote(parts.path).removeprefix("/")
    return doi if host in _DOI_HOSTS and doi.startswith("10.") and "/" in doi else ""


def _works_call(path: str, parameters: dict[str, str], access: Access) -> ServiceCall:
    token = f"Bearer {access.key}" if access.key else ""
    return get_call(path, parameters, (("crossref-plus-api-token", token),) if token else ())


SERVICE = Service(
    name="crossref",
    title="Crossref",
    site="https://www.crossref.org/documentation/retrieve-metadata/rest-api/",
    note=(
        "Scholarly works; a page is an abstract. With mailto set, requests are served from a "
        "better pool."
    ),
    address=ServiceAddress(base_url="https://api.crossref.org", endpoints=("/works",)),
    options=(
        Option(
            name="mailto",
            title="mail address",
            env=("CROSSREF_MAILTO",),
            required=False,
            pattern=r"\S+@\S+",
            help="sent with every request, for Crossref to write to",
        ),
        api_key(required=False, help="the token of Metadata Plus"),
    ),
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900),
    abilities=Abilities(max_results=100, filters={**ROW_DOMAINS, **NATIVE_DATES}),
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        title="html",
        snippet="html",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=page_decoder("message", make=_document),
        reads=lambda url: bool(_url_doi(url)),
    ),
)
