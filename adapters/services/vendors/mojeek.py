"""Mojeek: an index of its own. Search only; Mojeek requires the key in the URL.

Sources: Mojeek's page on request parameters; the answer's fields from two public connectors.
"""

from datetime import date, timedelta

from webseam.ports.backends import REFUSED, Abilities
from webseam.ports.errors import BadPayload, WebError

from ...values.field_values import at, number
from ...values.html_text import html_to_text
from ...values.untrusted_rows import row
from ..calls import Reply, ServiceCall, get_call
from ..declaration import Offer, Service, ServiceAddress, api_key
from ..filters import NATIVE_DATES, NATIVE_DOMAINS, native_filters
from ..operations import Paging, SearchAsk, SearchOperation
from ..replies import rows_decoder

_SAFE_SEARCH_VALUES = {"off": "0", "strict": "1"}


def _encode_search(ask: SearchAsk) -> ServiceCall:
    """Return the call for one page of a search; the first page has no start."""
    query = ask.query
    parameters = {
        "q": query.query,
        "fmt": "json",
        "t": str(ask.count or ""),
        "s": str(ask.offset + 1) if ask.offset else "",
        "fi": ",".join(query.include_domains),
        "fe": ",".join(query.exclude_domains),
        "since": _date_text(query.published_after),
        "before": _date_text(_day_after(query.published_before)),
        "reg": (query.country or "").upper(),
        "lr": (query.language or "").partition("-")[0].lower(),
        "safe": _SAFE_SEARCH_VALUES.get(query.safe_search or "", ""),
        "date": "1",
        "api_key": ask.access.key,
    }
    return get_call("/search", parameters)


def _classify_reply(reply: Reply) -> WebError | None:
    """Find a ``status`` other than OK inside a success."""
    status = at(reply.payload, "response", "status")
    if reply.status // 100 != 2 or status in (None, "OK"):  # noqa: PLR2004  a success
        return None
    detail = status if isinstance(status, str) else ""
    path = "$.response.status"
    return BadPayload(problem="error_object", path=path, status=reply.status, detail=detail)


def _next_page_token(reply: Reply) -> str:
    """Return a text if there are results after this page, from the counts in the head."""
    head = at(reply.payload, "response", "head")
    start, total = (number(at(head, name)) for name in ("start", "results"))
    rows = at(reply.payload, "response", "results")
    if start is None or total is None or not isinstance(rows, list):
        return ""
    return "more" if start + len(rows) <= total else ""


def _search_row(result: dict[str, object]) -> dict[str, object]:
    timestamp = result.get("timestamp")
    return row(
        title=html_to_text(result.get("title")),
        url=result.get("url"),
        snippet=html_to_text(result.get("desc")),
        published=timestamp if number(timestamp) else result.get("date"),
        score=result.get("score"),
    )


def _date_text(day: date | None) -> str:
    return day.isoformat().replace("-", "") if day else ""


def _day_after(day: date | None) -> date | None:
    """Return the next day: Mojeek's ``before`` excludes its day."""
    return day + timedelta(days=1) if day and day < date.max else None


_decode_search = rows_decoder("response", "results", signs=("response",), make=_search_row)
SERVICE = Service(
    name="mojeek",
    title="Mojeek",
    site="https://www.mojeek.com/services/search/web-search-api/",
    note="Below the Business plan, keep results for up to one hour.",
    address=ServiceAddress(base_url="https://api.mojeek.com"),
    options=(api_key("MOJEEK_API_KEY", "MOJEEK_SEARCH_API_KEY"),),
    offer=Offer(rank=170),
    abilities=Abilities(
        max_results=100,
        filters={
            **NATIVE_DOMAINS,
            **NATIVE_DATES,
            **native_filters("country", "language", "safe_search"),
        },
        depending=lambda query: {"safe_search": REFUSED} if query.safe_search == "moderate" else {},
    ),
    classify=_classify_reply,
    # The page size depends on the plan, so the next page starts after the last row.
    search=SearchOperation(
        title="html",
        snippet="html",
        encode=_encode_search,
        decode=_decode_search,
        paging=Paging(size=40, most=10, full=False, counted=True, token=_next_page_token),
    ),
)
