"""DataForSEO: Google's organic results, live. Search only.

Sources: https://docs.dataforseo.com/v3/serp/google/organic/live/advanced/ and dataforseo-client
2.1.10; its errors come inside a 200: https://docs.dataforseo.com/v3/appendix-errors/ (2026-11-15).
"""

import base64

from returns.result import Failure, Success

from webseam.ports import errors
from webseam.ports.backends import NATIVE, REFUSED, Abilities

from ...values.field_values import at, first, number
from ...values.untrusted_rows import RowReader
from ..calls import Access, Reply, ServiceCall, filled_fields
from ..declaration import Offer, Option, Price, Service, ServiceAddress
from ..filters import filter_limits
from ..google import date_range
from ..operations import SearchAsk, SearchOperation
from ..replies import RowsResult, each

_OK, _NO_RESULTS, _FIRST_ERROR, _SERVER_ERRORS = 20000, 40102, 40000, 50000
_AUTH_CODES = frozenset({40100, 40104, 40201, 40207})
_QUOTA_CODES = frozenset({40200, 40203, 40210})
_RATE_LIMIT_CODES = frozenset({40202, 40209})
_UNITED_STATES_LOCATION = 2840
# Countries by their ISO 3166 numbers: a location's code is 2000 more.
_COUNTRY_NUMBERS = (
    "ad20 ae784 af4 ag28 al8 am51 ao24 aq10 ar32 as16 at40 au36 az31 ba70 bb52 bd50 be56 bf854 "
    "bg100 bh48 bi108 bj204 bn96 bo68 br76 bs44 bt64 bw72 by112 bz84 ca124 cd180 cf140 cg178 "
    "ch756 ci384 ck184 cl152 cm120 cn156 co170 cr188 cv132 cx162 cy196 cz203 de276 dj262 dk208 "
    "dm212 do214 dz12 ec218 ee233 eg818 er232 es724 et231 fi246 fj242 fm583 fr250 ga266 gb826 "
    "gd308 ge268 gg831 gh288 gm270 gn324 gq226 gr300 gt320 gu316 gw624 gy328 hk344 hn340 hr191 "
    "ht332 hu348 id360 ie372 il376 im833 in356 iq368 is352 it380 je832 jm388 jo400 jp392 ke404 "
    "kg417 kh116 ki296 km174 kn659 kr410 kw414 kz398 la418 lb422 lc662 li438 lk144 lr430 ls426 "
    "lt440 lu442 lv428 ly434 ma504 mc492 md498 me499 mg450 mh584 mk807 ml466 mm104 mn496 mr478 "
    "mt470 mu480 mv462 mw454 mx484 my458 mz508 na516 nc540 ne562 ng566 ni558 nl528 no578 np524 "
    "nr520 nu570 nz554 om512 pa591 pe604 pf258 pg598 ph608 pk586 pl616 pt620 pw585 py600 qa634 "
    "ro642 rs688 ru643 rw646 sa682 sb90 sc690 sd736 se752 sg702 si705 sk703 sl694 sm674 sn686 "
    "so706 sr740 st678 sv222 sz748 td148 tg768 th764 tj762 tl626 tm795 tn788 to776 tr792 tt780 "
    "tv798 tw158 tz834 ua804 ug800 us840 uy858 uz860 va336 vc670 ve862 vn704 vu548 wf876 ws882 "
    "ye887 za710 zm894 zw716"
)
_LOCATION_CODES = {entry[:2]: 2000 + int(entry[2:]) for entry in _COUNTRY_NUMBERS.split()}
_search_row = RowReader("title", "url", "description extended_snippet", "timestamp pre_snippet")


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call of a search: a list of one task, which must have a location."""
    query = ask.query
    days = date_range(query)
    task: dict[str, object] = {
        # The server decodes percent signs again (the page above, under ``keyword``).
        "keyword": query.query.replace("%", "%25").replace("+", "%2B"),
        "location_code": _LOCATION_CODES.get(
            (query.country or "").lower(), _UNITED_STATES_LOCATION
        ),
        "language_code": _language_code(query.language),
        "depth": ask.count,
        "search_param": f"&tbs={days}" if days else "",
    }
    return ServiceCall(
        path="/v3/serp/google/organic/live/advanced",
        headers=(("authorization", f"Basic {_credentials(ask.access)}"),),
        body=[filled_fields(task)],
    )


def _decode_search(reply: Reply) -> RowsResult:
    """Read the organic results of the task; other kinds of items are left out."""
    task = at(reply.payload, "tasks", 0)
    if not isinstance(task, dict):
        return Failure(errors.BadPayload(problem="shape", path="$.tasks", status=reply.status))
    items = at(task, "result", 0, "items")
    if items is None:
        return Success([])
    if not isinstance(items, list):
        return Failure(
            errors.BadPayload(problem="shape", path="$.tasks.result", status=reply.status)
        )
    organic = [row for row in items if at(row, "type") == "organic" or not isinstance(row, dict)]
    return Success(each(organic, _search_row))


def _classify_reply(reply: Reply) -> errors.WebError | None:
    """Find error codes of the envelope and of its task, which come with status 200."""
    for part in (reply.payload, at(reply.payload, "tasks", 0)):
        code = int(number(at(part, "status_code")) or _OK)
        if code >= _FIRST_ERROR and code != _NO_RESULTS:
            return _error_by_code(code, reply.status, first(at(part, "status_message")))
    return None


def _error_by_code(code: int, status: int, detail: str) -> errors.WebError:
    if code in _AUTH_CODES:
        return errors.AuthFailed(status=status, detail=detail)
    if code in _QUOTA_CODES:
        return errors.QuotaExhausted(status=status, detail=detail)
    if code in _RATE_LIMIT_CODES:
        return errors.RateLimited(status=status, detail=detail)
    if code >= _SERVER_ERRORS:
        return errors.UpstreamUnavailable(status=status, detail=detail)
    # This covers a failed upstream engine. It is not retryable: DataForSEO bills every attempt.
    return errors.BadPayload(problem="error_object", path="$.tasks", status=status, detail=detail)


def _credentials(access: Access) -> str:
    pair = f"{access.value('login')}:{access.value('password')}"
    return base64.b64encode(pair.encode("utf-8", "replace")).decode("ascii")


def _language_code(language: str | None) -> str:
    code = (language or "en").lower()
    if code.startswith("zh"):
        return "zh-TW" if code in ("zh-tw", "zh-hk") else "zh-CN"
    return code.partition("-")[0]


SERVICE = Service(
    name="dataforseo",
    title="DataForSEO",
    site="https://app.dataforseo.com/api-access",
    note=(
        "Use the password of the API, not of the account. Searches are made from the United "
        "States unless a country is given. Domains to include cost five times as much."
    ),
    address=ServiceAddress(base_url="https://api.dataforseo.com", env=("DATAFORSEO_API_BASE",)),
    options=(
        Option(name="login", title="API login", env=("DATAFORSEO_LOGIN",)),
        Option(name="password", title="API password", env=("DATAFORSEO_PASSWORD",), secret=True),
    ),
    offer=Offer(
        rank=160,
        # Live mode: ten rows are one page; each further page costs three quarters.
        price=Price(
            search=0.002,
            included=10,
            more=0.0015,
            block=10,
            dearer={"include_domains": 5.0},
            cost=lambda reply: number(at(reply.payload, "cost")),
            page="https://dataforseo.com/pricing/serp/google-organic-serp-api",
            read="2026-11-15",
        ),
    ),
    abilities=Abilities(
        max_results=100,
        max_query_characters=700,
        filters={
            "include_domains": "operator",
            # Filter on the rows: an operator such as ``-site:`` makes a query five times as
            # expensive (the page above, under ``keyword``).
            "exclude_domains": "rows",
            "published_after": NATIVE,
            "published_before": NATIVE,
            "country": NATIVE,
            "language": NATIVE,
            "topic": REFUSED,
            "safe_search": REFUSED,
        },
        depending=lambda query: filter_limits(
            ("country", REFUSED, (query.country or "").lower() not in _LOCATION_CODES),
        ),
    ),
    classify=_classify_reply,
    search=SearchOperation(encode=_encode_search, decode=_decode_search),
)
