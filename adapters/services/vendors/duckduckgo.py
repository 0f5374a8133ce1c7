"""DuckDuckGo: rows read from the HTML page, because there is no official API. Search only.

Sources: ddgs 9.16.1 and SearXNG's duckduckgo.py read the same page; look there when it changes.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from returns.result import Failure, Success

from webseam.ports.backends import REFUSED, Abilities, FilterName, Support
from webseam.ports.errors import BadPayload, BlockedByRemote, WebError
from webseam.ports.web import WebSearchQuery

from ...values.html_text import html_to_text
from ...values.json_values import text
from ...values.untrusted_rows import row
from ..calls import Reply, ServiceCall
from ..declaration import Offer, Service, ServiceAddress
from ..filters import OPERATOR_DOMAINS, filter_limits, native_filters
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import RowsResult

if TYPE_CHECKING:
    from turbohtml import Document, Element

_REGION_CODES = (
    "ar-es au-en at-de be-nl be-fr br-pt bg-bg ca-en ca-fr cl-es cn-zh co-es hr-hr cz-cs dk-da"
    " ee-et fi-fi fr-fr de-de gr-el hk-tzh hu-hu in-en id-id id-en ie-en il-he it-it jp-jp kr-kr"
    " lv-lv lt-lt my-ms my-en mx-es nl-nl nz-en no-no pe-es ph-en ph-tl pl-pl pt-pt ro-ro ru-ru"
    " sg-en sk-sk sl-sl za-en es-es se-sv ch-de ch-fr ch-it tw-tzh th-th tr-tr ua-uk uk-en us-en"
    " us-es ve-es vn-vi"
)
_NO_REGION = "wt-wt"
_COUNTRY_SPELLINGS = {"gb": "uk", "si": "sl"}
_LANGUAGE_SPELLINGS = {"ja": "jp", "ko": "kr", "nb": "no"}
_SAFE_SEARCH_VALUES = {"strict": "1", "moderate": "-1", "off": "-2"}
_TIMESTAMP_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}T")
_FIRST_PAGE_ROWS, _LATER_PAGE_ROWS = 10, 15  # rows on the first page, and on each after it
_ACCEPTED, _FORBIDDEN = 202, 403

# The token of the next page is only valid with the same User-Agent.
_USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the form of one page; later pages need their token."""
    query = ask.query
    names = _country_regions(query.country)
    exact = [name for name in names if name.partition("-")[2] == _language_code(query)]
    region = next(iter(exact or names), _NO_REGION)
    form = (
        ("q", _quote_bangs(query.query)),
        *(_page_fields(ask) if ask.page else (("b", ""),)),
        ("kl", region),
        *((("kp", _SAFE_SEARCH_VALUES[query.safe_search]),) if query.safe_search else ()),
    )
    return ServiceCall(
        path="/html/",
        headers=(
            ("user-agent", _USER_AGENT),
            ("accept", "text/html"),
            ("accept-language", f"{query.language or 'en'},en;q=0.5"),
            ("referer", "https://html.duckduckgo.com/"),
            ("cookie", f"kl={region}"),
            ("sec-fetch-dest", "document"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-user", "?1"),
        ),
        form=form,
    )


def _decode_search(reply: Reply) -> RowsResult:
    """Read the results without advertisements; a page without a result list is an error."""
    document = _parse_page(reply)
    if document.select_one("#links, .no-results") is None:
        detail, status = "the page has no list of results", reply.status
        return Failure(BadPayload(problem="shape", path="#links", status=status, detail=detail))
    results = map(_search_row, document.select("#links .web-result:not(.result--ad)"))
    return Success([row for row in results if "duckduckgo.com/y.js" not in str(row.get("url"))])


def _classify_reply(reply: Reply) -> WebError | None:
    """Find a bot check, which may have any status."""
    if reply.status in (_ACCEPTED, _FORBIDDEN) or 'id="challenge-form"' in reply.text:
        return BlockedByRemote(wall="challenge", status=reply.status)
    return None


def _next_page_token(reply: Reply) -> str:
    """Return the token of the next page; without it DuckDuckGo blocks the address."""
    field = _parse_page(reply).select_one('input[name="vqd"]')
    return "" if field is None else str(field.attrs.get("value") or "")


def _filter_support(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse unknown regions: a language only counts together with its country."""
    names = _country_regions(query.country)
    languages = [name.partition("-")[2] for name in names]
    return filter_limits(
        ("country", REFUSED, not names),
        ("language", REFUSED, _language_code(query) not in languages),
    )


def _search_row(result: "Element") -> dict[str, object]:
    link, snippet = result.select_one("h2 a"), result.select_one(".result__snippet")
    extras = [
        text(html_to_text(span.inner_html)) for span in result.select(".result__extras__url span")
    ]
    return row(
        title="" if link is None else html_to_text(link.inner_html),
        url=None if link is None else _link_target(str(link.attrs.get("href") or "")),
        snippet="" if snippet is None else html_to_text(snippet.inner_html),
        published=next((extra for extra in extras if _TIMESTAMP_PATTERN.match(extra)), None),
    )


def _link_target(href: str) -> str:
    """Return the target of a link; some go through a DuckDuckGo redirect."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return href
    if not parts.netloc.endswith("duckduckgo.com") or parts.path != "/l/":
        return href
    return next(iter(parse_qs(parts.query).get("uddg", ())), href)


def _parse_page(reply: Reply) -> "Document":
    from turbohtml import parse  # noqa: PLC0415  not needed to know what the service is

    return parse(reply.text)


def _page_fields(ask: SearchAsk) -> tuple[tuple[str, str], ...]:
    start = _FIRST_PAGE_ROWS + (ask.page - 1) * _LATER_PAGE_ROWS
    return (
        ("s", str(start)),
        ("nextParams", ""),
        ("v", "l"),
        ("o", "json"),
        ("dc", str(start + 1)),
        ("api", "d.js"),
        ("vqd", ask.token),
    )


def _quote_bangs(query: str) -> str:
    """Quote bangs such as !w, which would redirect to another site."""
    words = (
        f'"{word}"' if word.startswith("!") and word != "!" else word for word in query.split()
    )
    return " ".join(words)


def _country_regions(country: str | None) -> list[str]:
    code = (country or "").lower()
    return [
        name
        for name in _REGION_CODES.split()
        if name.startswith(f"{_COUNTRY_SPELLINGS.get(code, code)}-")
    ]


def _language_code(query: WebSearchQuery) -> str:
    code = (query.language or "").partition("-")[0].lower()
    if code == "zh" and (query.country or "").lower() in ("hk", "tw"):
        return "tzh"
    return _LANGUAGE_SPELLINGS.get(code, code)


SERVICE = Service(
    name="duckduckgo",
    aliases=("ddgs",),
    title="DuckDuckGo",
    site="https://duckduckgo.com",
    note="Reads the public page, which may show a bot check at any time.",
    address=ServiceAddress(base_url="https://html.duckduckgo.com"),
    offer=Offer(keyless=("search",), rank=310),
    abilities=Abilities(
        max_results=70,
        max_query_characters=499,
        filters={**OPERATOR_DOMAINS, **native_filters("country", "language", "safe_search")},
        depending=_filter_support,
        needs={"language": "country"},
    ),
    classify=_classify_reply,
    search=SearchOperation(
        title="html",
        snippet="html",
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=_FIRST_PAGE_ROWS, most=5, full=False, token=_next_page_token),
        format="text",
    ),
)
