"""4get: a proxy to other search engines, on an instance of your choice. Search only.

Sources: api.txt, api/v1/web.php and lib/bot_protection.php of 4get's source.
"""

from webseam.ports.backends import REFUSED, Abilities
from webseam.ports.errors import BadPayload, WebError

from ...values.field_values import at
from ...values.json_values import text
from ...values.untrusted_rows import RowReader
from ..calls import Access, Reply, ServiceCall, get_call
from ..declaration import Offer, Option, Service, ServiceAddress
from ..filters import NATIVE_DATES, OPERATOR_DOMAINS, filter_limits, native_filters
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import RowsResult, rows_at

_OK = 200
_NSFW_VALUES = {"off": "yes", "moderate": "maybe", "strict": "no"}
# The regions of the scraper ``ddg``, one for each country.
_REGION_NAMES = (
    "ar-es au-en at-de be-nl br-pt bg-bg ca-en cl-es cn-zh co-es hr-hr cz-cs dk-da ee-et fi-fi "
    "fr-fr de-de gr-el hk-tzh hu-hu in-en id-en ie-en il-en it-it jp-jp kr-kr lv-lv lt-lt my-en "
    "mx-es nl-nl nz-en no-no pk-en pe-es ph-en pl-pl pt-pt ro-ro ru-ru sg-en sk-sk za-en es-es "
    "se-sv ch-de tw-tzh th-en tr-tr us-en ua-uk vn-en"
)
_COUNTRY_REGIONS = {name[:2]: name for name in _REGION_NAMES.split()} | {
    "gb": "uk-en",
    "sa": "xa-ar",
    "si": "sl-sl",
}
_search_row = RowReader("title", "url", "description", "date")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search; a further page only needs its token."""
    query = ask.query
    first_page = {
        "s": query.query,
        # Fix the scraper, because the meaning of the filters depends on it.
        "scraper": "ddg",
        "country": _COUNTRY_REGIONS.get((query.country or "").lower(), ""),
        "nsfw": _NSFW_VALUES.get(query.safe_search or "", ""),
        "newer": str(query.published_after or ""),
        "older": str(query.published_before or ""),
    }
    path = "/api/v1/news" if query.topic == "news" else "/api/v1/web"
    parameters = {"npt": ask.token} if ask.token else first_page
    return get_call(path, parameters, _headers(ask.access))


def _decode_search(reply: Reply) -> RowsResult:
    """Read the web results, or the news if there is no web list."""
    kind = "web" if isinstance(at(reply.payload, "web"), list) else "news"
    return rows_at(reply, kind, signs=("status", "npt"), make=_search_row)


def _classify_reply(reply: Reply) -> WebError | None:
    """Find the error in a success: a ``status`` other than ok is its message."""
    status = at(reply.payload, "status")
    if isinstance(status, str) and status != "ok" and reply.status == _OK:
        return BadPayload(problem="error_object", path="$.status", status=_OK, detail=status)
    return None


def _headers(access: Access) -> tuple[tuple[str, str], ...]:
    pass_token, agent = access.value("pass"), access.value("user_agent")
    headers = {"cookie": f"pass={pass_token}" if pass_token else "", "user-agent": agent}
    return tuple((name, value) for name, value in headers.items() if value)


SERVICE = Service(
    name="fourget",
    aliases=("4get",),
    title="4get",
    site="https://4get.ca",
    note=(
        "Set the address of an instance. Public ones, such as https://4get.ca, are for people; "
        "some want a pass."
    ),
    address=ServiceAddress(env=("FOURGET_BASE_URL",), endpoints=("/api/v1/web", "/api/v1/news")),
    options=(
        Option(
            name="pass",
            title="pass",
            env=("FOURGET_PASS",),
            secret=True,
            required=False,
            pattern=r"k\d+\..+",
            help="the value of the cookie that an instance gives after its captcha",
        ),
        Option(
            name="user_agent",
            title="user agent",
            env=("FOURGET_USER_AGENT",),
            required=False,
            help="only for an instance that lets known programs through alone",
        ),
    ),
    offer=Offer(keyless=("search",), rank=200),
    abilities=Abilities(
        max_results=100,
        filters={
            **OPERATOR_DOMAINS,
            **NATIVE_DATES,
            **native_filters("country", "topic", "safe_search"),
        },
        # Refuse unknown regions; filter the dates of news on the rows.
        depending=lambda query: filter_limits(
            ("country", REFUSED, (query.country or "").lower() not in _COUNTRY_REGIONS),
            ("published_after", "rows", query.topic == "news"),
            ("published_before", "rows", query.topic == "news"),
        ),
    ),
    classify=_classify_reply,
    preset={
        "path": "/api/v1/web",
        "parameters": {"s": "{query}"},
        "results_path": "web",
        "fields": {"snippet": "description", "published_at": "date"},
        "success_path": "status",
        "success_value": "ok",
    },
    search=SearchOperation(
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(
            size=10, most=10, full=False, token=lambda reply: text(at(reply.payload, "npt"))
        ),
    ),
)
