"""Keenable: search and page contents, also without an account. Source: keenable 0.1.1."""

from returns.result import Success

from webseam.ports.backends import NATIVE, Abilities

from ...values.field_values import at, first
from ...values.json_values import text
from ...values.untrusted_rows import RowReader, first_heading
from ..calls import Access, Reply, ServiceCall, get_call, post_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES
from ..operations import ExtractAsk, ExtractOperation, SearchAsk, SearchOperation
from ..page_results import PagesResult, text_page
from ..replies import rows_decoder

# A snippet can be as long as the whole page.
_decode_search = rows_decoder(
    "results",
    make=RowReader("title", "url", "snippet description", "published_at", truncates=True),
)


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; it has no parameter for the number of rows."""
    query = ask.query
    body = {
        "query": query.query,
        "site": "".join(query.include_domains),
        "published_after": str(query.published_after or ""),
        "published_before": str(query.published_before or ""),
    }
    path = _access_path("/v1/search", ask.access)
    return post_call(path, body, _headers(ask.access))


def _encode_extract(ask: ExtractAsk) -> ServiceCall:
    path = _access_path("/v1/fetch", ask.access)
    return get_call(path, {"url": ask.urls[0]}, _headers(ask.access))


def _decode_extract(reply: Reply, urls: tuple[str, ...]) -> PagesResult:
    """Read the page; it may state its final URL."""
    content = text(at(reply.payload, "content"))
    page = text_page(
        url=urls[0],
        title=first(at(reply.payload, "title"), first_heading(content)),
        content=content,
        final_url=text(at(reply.payload, "url")) or None,
        metadata={
            name: text(at(reply.payload, name))
            for name in ("author", "description", "published_at")
        },
    )
    return Success([page])


def _access_path(path: str, access: Access) -> str:
    return path if access.key else f"{path}/public"


def _headers(access: Access) -> tuple[tuple[str, str], ...]:
    # The public paths require a title that identifies the program.
    key = (("x-api-key", access.key),) if access.key else ()
    return (("x-keenable-title", "webseam"), *key)


SERVICE = Service(
    name="keenable",
    title="Keenable",
    site="https://keenable.ai/console",
    note="Has an hourly limit for each address without a key.",
    address=ServiceAddress(
        base_url="https://api.keenable.ai",
        env=("KEENABLE_API_URL",),
        endpoints=("/v1/search", "/v1/search/public", "/v1/fetch", "/v1/fetch/public"),
    ),
    options=(api_key("KEENABLE_API_KEY", required=False, help="lifts the hourly limit"),),
    offer=Offer(keyless=("search", "extract"), rank=190),
    abilities=Abilities(
        filters={"include_domains": NATIVE, "exclude_domains": "rows", **NATIVE_DATES},
        # Keenable's limit is one domain.
        depending=lambda it: {"include_domains": "rows"} if len(it.include_domains) > 1 else {},
    ),
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        snippet="markdown",
    ),
    extract=ExtractOperation(encode=_encode_extract, decode=_decode_extract),
)
