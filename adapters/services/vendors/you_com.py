"""You.com: web, news and page contents. Sources: youdotcom 3.6.0, and docs.you.com."""

from webseam.ports.backends import NATIVE, REFUSED, Abilities, UntrustedRow

from ...values.field_values import at, first_value, texts
from ...values.json_values import text
from ...values.untrusted_rows import row
from ..calls import ServiceCall, api_key_headers, filled_fields, post_call
from ..declaration import Offer, Price, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, day_range, filter_limits
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PageFailed, pages_decoder, text_page
from ..replies import web_and_news_rows

_KEYLESS_URL = "https://api.you.com"
_COUNTRY_CODES = (
    "AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE"
    " CH TW TR GB US"
)
_LANGUAGE_CODES = (
    "AR EU BN BG CA ZH-HANS ZH-HANT HR CS DA NL EN EN-GB ET FI FR GL DE EL GU HE HI HU IS IT JA KN"
    " KO LV LT MS ML MR NB PL PT-BR PT-PT PA RO RU SR SK SL ES SV TA TE TH TR UK VI"
)
_LANGUAGE_SPELLINGS = {
    "ZH": "ZH-HANS", "ZH-CN": "ZH-HANS", "ZH-TW": "ZH-HANT", "PT": "PT-PT", "NO": "NB",
}  # fmt: skip
_MAX_DOMAINS = 500


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; without a key it goes to the keyless address."""
    query = ask.query
    body = {
        "query": query.query,
        "count": ask.count,
        "freshness": day_range(query, "to"),
        "country": (query.country or "").upper(),
        "language": _language_code(query.language),
        "safesearch": query.safe_search,
        "include_domains": list(query.include_domains),
        "exclude_domains": list(query.exclude_domains),
    }
    if ask.access.key:
        return post_call("/v1/search", body, api_key_headers(ask.access))
    # The gzip of this address cannot be decompressed.
    headers, path = (("accept-encoding", "identity"),), "/v1/agents/search"
    return ServiceCall(base=_KEYLESS_URL, path=path, headers=headers, body=filled_fields(body))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    body = {"urls": list(ask.urls), "formats": ["markdown"]}
    return post_call("/v1/contents", body, api_key_headers(ask.access))


def _search_row(result: dict[str, object]) -> dict[str, object]:
    return row(
        title=result.get("title"),
        url=result.get("url"),
        snippet=first_value(
            " ".join(texts(result.get("snippets"))),
            result.get("description"),
            " ".join(texts(at(result, "contents", "highlights"))),
        ),
        published=result.get("page_age"),
    )


def _document(page: dict[str, object]) -> UntrustedRow | PageFailed:
    return text_page(
        url=page.get("url"),
        title=page.get("title"),
        content=text(page.get("markdown")),
        metadata={"site_name": at(page, "metadata", "site_name")},
    )


def _language_code(language: str | None) -> str:
    code = (language or "").upper()
    candidates = (
        _LANGUAGE_SPELLINGS.get(code, code),
        _LANGUAGE_SPELLINGS.get(code[:2], code.partition("-")[0]),
    )
    return next((name for name in candidates if name in _LANGUAGE_CODES.split()), "")


SERVICE = Service(
    name="you_com",
    title="You.com",
    site="https://you.com/platform",
    note="About 100 searches a day without a key.",
    address=ServiceAddress(
        base_url="https://ydc-index.io",
        env=("YOUCOM_API_BASE",),
        endpoints=("/v1/search", "/v1/agents/search", "/v1/contents"),
    ),
    options=(api_key("YDC_API_KEY", "YOUCOM_API_KEY", "YOU_API_KEY_AUTH"),),
    offer=Offer(
        keyless=("search",),
        rank=90,
        price=Price(
            search=0.005,
            extract=0.001,
            page="https://docs.you.com/administration/billing",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=100,
        filters={
            **NATIVE_DOMAINS,
            **NATIVE_DATES,
            "country": NATIVE,
            "language": NATIVE,
            "safe_search": NATIVE,
        },
        # Refuse unknown countries and languages; send only one list of domains.
        depending=lambda query: filter_limits(
            ("country", REFUSED, (query.country or "US").upper() not in _COUNTRY_CODES.split()),
            ("language", REFUSED, query.language and not _language_code(query.language)),
            ("include_domains", "rows", len(query.include_domains) > _MAX_DOMAINS),
            ("exclude_domains", "rows", query.include_domains),
            ("exclude_domains", "rows", len(query.exclude_domains) > _MAX_DOMAINS),
        ),
    ),
    search=SearchOperation(
        encode=_encode_search,
        decode=lambda reply: web_and_news_rows(reply, "results", make=_search_row),
    ),
    extract=ExtractOperation(
        encode=_encode_extract,
        decode=pages_decoder(make=_document),
        batch=10,
    ),
)
