"""Google's search parameters and result fields, for the services that resell its results."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from webseam.ports.backends import NATIVE, REFUSED, FilterName, Support
from webseam.ports.errors import BadPayload, QuotaExhausted, WebError
from webseam.ports.web import WebSearchQuery

from ..values.field_values import at, first_value, said, texts
from ..values.json_values import text
from ..values.untrusted_rows import row
from .calls import Reply, ServiceCall, get_call
from .filters import NATIVE_DATES, OPERATOR_DOMAINS, filter_limits
from .operations import Paging, SearchAsk, SearchOperation
from .replies import rows_at

ROWS_PER_PAGE = 10  # Google ignores any other number.
# A real answer has one of these fields: empty lists are left out.
ANSWER_SIGNS = ("search_metadata", "search_parameters", "search_information", "pagination")
# Filters with a parameter or an operator; ``filter_support`` refuses single values.
FILTERS: Mapping[FilterName, Support] = {
    **OPERATOR_DOMAINS,
    **NATIVE_DATES,
    "country": NATIVE,
    "language": NATIVE,
    "topic": NATIVE,
    "safe_search": NATIVE,
}
_OK, _TOO_MANY = 200, 429
_ORGANIC_FIELD = "organic_results"

# Languages that a search can be restricted to, by their ISO codes.
_RESTRICTABLE_LANGUAGES = (
    "af ar be bg ca cs da de el en eo es et fa fi fr hi hr hu hy id is it ja ko lt lv nl no pl pt "
    "ro ru sk sl sr sv sw th tl tr uk vi iw"
)
_LANGUAGE_CODES = {"he": "iw", "nb": "no", "fil": "tl"}
_SAFE_SEARCH_VALUES = {"strict": "active", "off": "off"}


def interface_language(language: str | None) -> str:
    """Return a language as a value of the ``hl`` parameter: de, pt-br, zh-cn.

    >>> [interface_language(tag) for tag in ("pt-BR", "zh", None)]
    ['pt-br', 'zh-cn', '']
    """
    code = (language or "").lower()
    if code.startswith("zh"):
        return "zh-tw" if code in ("zh-tw", "zh-hk") else "zh-cn"
    return code if code in ("pt-br", "pt-pt", "es-419") else code.partition("-")[0]


def language_restriction(language: str | None) -> str:
    """Return the ``lr`` parameter, which excludes other languages; empty for an unknown one.

    >>> [language_restriction(tag) for tag in ("de", "zh-TW", "xx")]
    ['lang_de', 'lang_zh-TW', '']
    """
    code = (language or "").lower()
    if code.startswith("zh"):
        return "lang_zh-TW" if code in ("zh-tw", "zh-hk") else "lang_zh-CN"
    base = code.partition("-")[0]
    google_code = _LANGUAGE_CODES.get(base, base)
    return f"lang_{google_code}" if google_code in _RESTRICTABLE_LANGUAGES.split() else ""


def safe_search_value(query: WebSearchQuery) -> str:
    """Return the ``safe`` parameter; empty for moderate, which Google does not have."""
    return _SAFE_SEARCH_VALUES.get(query.safe_search or "", "")


def date_range(query: WebSearchQuery) -> str:
    """Return the ``tbs`` parameter for a query's days, both included; empty without days.

    >>> date_range(WebSearchQuery(query="q", published_after=date(2025, 3, 1)))
    'cdr:1,cd_min:03/01/2025'
    """
    bounds = (("cd_min", query.published_after), ("cd_max", query.published_before))
    days = [f"{name}:{american_date(day)}" for name, day in bounds if day is not None]
    return ",".join(["cdr:1", *days]) if days else ""


def american_date(day: date | None) -> str:
    """Return a day as MM/DD/YYYY.

    >>> american_date(date(2025, 3, 1)), american_date(None)
    ('03/01/2025', '')
    """
    return f"{day:%m/%d}/{day.year:04d}" if day is not None else ""


def filter_support(query: WebSearchQuery) -> Mapping[FilterName, Support]:
    """Refuse moderate safe search, for which Google has no parameter."""
    return filter_limits(
        ("safe_search", REFUSED, query.safe_search == "moderate"),
    )


def search_call(
    ask: SearchAsk,
    path: str,
    own_parameters: Mapping[str, str],
    headers: tuple[tuple[str, str], ...] = (),
) -> ServiceCall:
    """Return the call for one search page, with Google's parameters and the service's own."""
    query = ask.query
    parameters = {
        "engine": "google",
        "q": query.query,
        "gl": (query.country or "").lower(),
        "hl": interface_language(query.language),
        "lr": language_restriction(query.language),
        **own_parameters,
    }
    return get_call(path, parameters, headers)


def is_empty_search(reply: Reply) -> bool:
    """Tell whether an ``error`` field only means that Google has no results."""
    is_done = at(reply.payload, "search_metadata", "status") in ("Success", "Cached")
    return reply.status == _OK and is_done and _has_error_only(reply)


def reply_error(reply: Reply, used_up: Sequence[str]) -> WebError | None:
    """Return the error for used-up searches, or for an error object inside a 200; else None."""
    detail = said(reply.payload)
    if reply.status == _TOO_MANY and any(phrase in detail.lower() for phrase in used_up):
        return QuotaExhausted(status=reply.status, detail=detail)
    if reply.status == _OK and _has_error_only(reply):
        return BadPayload(problem="error_object", path="$.error", status=_OK, detail=detail)
    return None


def result_row(result: dict[str, object]) -> dict[str, object]:
    """Make a row of an organic result or a news result."""
    highlights = " … ".join(texts(result.get("snippet_highlighted_words")))
    return row(
        title=result.get("title"),
        url=result.get("link"),
        snippet=first_value(result.get("snippet"), highlights),
        # News have an ISO date and a relative one ("2 hours ago"); prefer the ISO date.
        published=first_value(
            result.get("published_at"), result.get("iso_date"), result.get("date")
        ),
    )


def _has_error_only(reply: Reply) -> bool:
    rows = at(reply.payload, _ORGANIC_FIELD) or at(reply.payload, "news_results")
    return bool(at(reply.payload, "error")) and not rows


def search_operation(
    encode: Callable[[SearchAsk], ServiceCall], *, pagination: str, fallback: str = _ORGANIC_FIELD
) -> SearchOperation:
    """Return the search of a service with Google's fields; ``pagination`` names its paging field.

    Without organic results the rows are read from the list ``fallback``.
    """

    def list_name(reply: Reply) -> str:
        return fallback if at(reply.payload, _ORGANIC_FIELD) is None else _ORGANIC_FIELD

    return SearchOperation(
        encode=encode,
        decode=lambda reply: rows_at(reply, list_name(reply), make=result_row, signs=ANSWER_SIGNS),
        empty=is_empty_search,
        paging=Paging(
            size=ROWS_PER_PAGE,
            most=10,
            full=False,
            # The next page's address is not used: an empty text ends the search.
            token=lambda reply: text(at(reply.payload, pagination, "next")),
        ),
    )
