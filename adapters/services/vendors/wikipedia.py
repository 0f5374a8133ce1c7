"""Wikipedia, or another MediaWiki at the user's address: search, and articles as pages.

Sources: mediawiki.org, its REST reference and the help of api.php.
"""

import re
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from webseam.ports import errors
from webseam.ports.backends import NATIVE, Abilities, UntrustedRow

from ...user_agent import USER_AGENT
from ...values.field_values import at
from ...values.html_text import html_to_text
from ...values.json_values import text
from ...values.untrusted_rows import row
from ...values.urls import split_host
from ..calls import Access, Reply, ServiceCall
from ..declaration import Offer, Option, Service, ServiceAddress
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, PagesResult, text_page
from ..replies import RowsResult, each, list_at

_API_PARAMETERS = (("format", "json"), ("formatversion", "2"), ("utf8", "1"))
_HEADING_PATTERN = re.compile(r"^(={2,6}) ?(.+?) ?\1$", re.MULTILINE)
_SERVER_PATTERN = re.compile(r"(?:https?:)?//[A-Za-z0-9.-]+(?::\d+)?")
_HOST_PATTERN = re.compile(r"(?P<language>[a-z][a-z-]*)(?:\.m)?\.wikipedia\.org")
_ARTICLE_PATH = "/wiki/"
# Parameters that change the look of a page alone. With any other, such as ``oldid`` or ``action``,
# an address means another text than the current article, which is all that the API has.
_LOOK_PARAMETERS = ("fbclid", "gclid", "useformat", "uselang", "useskin", "wprov")
_BUSY_CODES = ("maxlag", "readonly", "cirrussearch-too-busy-error", "cirrussearch-backend-error")
_NOT_FOUND, _UNAVAILABLE = 404, 503


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; it also asks for the wiki's article URLs."""
    language = (ask.query.language or "").lower()
    text = ask.query.query
    if language and ask.access.overridden:
        # The user's wiki has one address for all languages; a keyword selects the language.
        text = f"{text} inlanguage:{language}"
    parameters = (
        ("action", "query"),
        ("list", "search"),
        ("srsearch", text),
        *((("srlimit", str(ask.count)),) if ask.count else ()),
        ("srprop", "snippet"),
        ("meta", "siteinfo"),
        *_API_PARAMETERS,
    )
    return _api_call(parameters, ask.access, language.partition("-")[0])


def _decode_search(reply: Reply) -> RowsResult:
    """Read the articles without redirect pages."""
    url_template = _article_url_template(reply)
    rows = list_at(reply, "query", "search").map(
        lambda results: [result for result in results if not _is_redirect(result)]
    )
    return rows.map(lambda results: each(results, lambda row: _search_row(row, url_template)))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    parts = urlsplit(ask.urls[0])
    parameters = (
        ("action", "query"),
        ("prop", "extracts|info"),
        ("inprop", "url"),
        ("explaintext", "1"),
        ("redirects", "1"),
        ("titles", _article_title(parts.path)),
        *_API_PARAMETERS,
    )
    host = _HOST_PATTERN.fullmatch((parts.hostname or "").lower())
    return _api_call(parameters, ask.access, host["language"] if host else "")


def _decode_extract(reply: Reply, urls: tuple[str, ...]) -> PagesResult:
    return list_at(reply, "query", "pages").map(
        lambda pages: [_document(page, urls[0]) for page in pages[:1] if isinstance(page, dict)]
    )


def _is_article_url(url: str) -> bool:
    host, parts = split_host(url)
    has_title = parts.path.startswith(_ARTICLE_PATH) and _article_title(parts.path).strip()
    names = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True)]
    is_current = all(name in _LOOK_PARAMETERS or name.startswith("utm_") for name in names)
    return bool(_HOST_PATTERN.fullmatch(host) and has_title and is_current)


def _classify_reply(reply: Reply) -> errors.WebError | None:
    code = at(reply.payload, "error", "code")
    if not isinstance(code, str):
        return None
    detail = text(at(reply.payload, "error", "info"))
    if code == "ratelimited":
        return errors.RateLimited(detail=detail)
    if code in _BUSY_CODES:
        return errors.UpstreamUnavailable(status=_UNAVAILABLE, detail=detail)
    if code == "readapidenied":
        return errors.AuthFailed(status=reply.status, detail=detail)
    return errors.BadPayload(
        problem="error_object", path="$.error", status=reply.status, detail=detail
    )


def _search_row(result: dict[str, object], template: str) -> dict[str, object]:
    title = text(result.get("title"))
    name = quote(title.replace(" ", "_"), safe="/:@!$&'()*,;~", errors="replace")
    url = template.replace("$1", name, 1)
    return row(
        title=title,
        url=url if title and template else None,
        snippet=html_to_text(result.get("snippet")),
    )


def _article_url_template(reply: Reply) -> str:
    """Return the URL template of articles: the wiki's own, else Wikipedia's."""
    server = text(at(reply.payload, "query", "general", "server"))
    path = text(at(reply.payload, "query", "general", "articlepath"))
    if _SERVER_PATTERN.fullmatch(server) and path.startswith("/") and "$1" in path:
        return f"https:{server}{path}" if server.startswith("//") else server + path
    return f"{reply.origin}{_ARTICLE_PATH}$1" if reply.origin else ""


def _is_redirect(result: object) -> bool:
    return text(at(result, "snippet")).lstrip().upper().startswith("#REDIRECT")


def _document(page: dict[str, object], url: str) -> UntrustedRow | PageFailed:
    if "missing" in page or "invalid" in page:
        detail = text(page.get("invalidreason"))
        return PageFailed(url=url, error=errors.HttpStatus(status=_NOT_FOUND, detail=detail))
    extract = text(page.get("extract"))
    return text_page(
        url=url,
        title=page.get("title"),
        content=_HEADING_PATTERN.sub(lambda match: f"{'#' * len(match[1])} {match[2]}", extract),
        final_url=text(page.get("fullurl")) or None,
        metadata={
            "page_id": page.get("pageid"),
            "language": text(page.get("pagelanguage")),
            "edited_at": text(page.get("touched")),
        },
    )


def _article_title(path: str) -> str:
    return unquote(path.removeprefix(_ARTICLE_PATH)).replace("_", " ").partition("|")[0]


def _api_call(
    parameters: tuple[tuple[str, str], ...], access: Access, language: str
) -> ServiceCall:
    contact = access.value("contact")
    user_agent = f"{USER_AGENT} ({contact or 'search library for agents'})"
    return ServiceCall(
        method="GET",
        path="/w/api.php",
        base=f"https://{language}.wikipedia.org" if language else "",
        parameters=parameters,
        headers=(("user-agent", user_agent),),
    )


SERVICE = Service(
    name="wikipedia",
    title="Wikipedia",
    site="https://www.mediawiki.org/wiki/API:Main_page",
    note="Set contact: Wikimedia asks for an address to write to.",
    address=ServiceAddress(base_url="https://en.wikipedia.org"),
    options=(
        Option(
            name="contact",
            title="mail address or web page to be reached at",
            required=False,
            pattern=r"\S+@\S+|https?://\S+",
            help="sent with every request, in its User-Agent",
        ),
    ),
    offer=Offer(keyless=("search", "extract"), scope="special", rank=900),
    abilities=Abilities(
        max_results=100,
        max_query_characters=300,
        filters={"include_domains": "rows", "exclude_domains": "rows", "language": NATIVE},
    ),
    classify=_classify_reply,
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        snippet="html",
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=_decode_extract,
        reads=_is_article_url,
    ),
)
