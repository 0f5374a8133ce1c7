"""Plan the filters of a query, and verify on the rows what can be seen there.

A backend gets the filters that it declares. Whoever filtered, the domains and the dates are checked
on the rows: a row that breaks them goes, and a row without a date stays and is counted. A page that
the backend does not declare is cut out of a search for all rows up to its end. Country,
language, topic and safe search cannot be seen on a row, so only a backend that declares them is
asked. A backend without abilities, or with ones that are not valid, is asked for no filter at all:
domains and dates are left to the rows, and the others are refused.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Generic, Literal, TypeAlias, TypeVar, cast, get_args

import msgspec
from msgspec.structs import replace

from webseam.ports.backends import REFUSED, Abilities, FilterName, Support
from webseam.ports.dates import leading_day
from webseam.ports.errors import InvalidQuery, UnsupportedFilter
from webseam.ports.targets import comparable_host
from webseam.ports.web import DEFAULT_PAGE_ROWS, MAX_RESULTS, WebSearchQuery, WebSearchResult

from ..urls.spelling import url_host
from .field_checks import query_filters
from .row_law import LawfulRow

FilterPolicy: TypeAlias = Literal["strict", "best-effort"]

_NO_FILTERS = WebSearchQuery(query="")
_SUPPORTS = get_args(Support)
# The filters that a row shows to be kept or broken.
VERIFIABLE: tuple[FilterName, ...] = (
    "include_domains", "exclude_domains", "published_after", "published_before",
)  # fmt: skip
_UNDECLARED = Abilities(filters=dict.fromkeys(VERIFIABLE, "rows"), topics=())
_MONTH_CHARS = len("2026-01")
_DECEMBER = 12


# A row as a backend gave it, or as it is shown.
AnyRow = TypeVar("AnyRow", LawfulRow, WebSearchResult)


class FilterPlan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a query is sent: ``query`` goes to the backend, ``on_rows`` is checked on its rows.

    ``named`` are the filters that it sets; each one is sent to the backend, emulated here, or
    refused. Of those that are not refused, ``verified`` are the ones in ``on_rows``. ``skipped``
    rows that keep to the filters belong to earlier pages.
    """

    query: WebSearchQuery
    on_rows: WebSearchQuery | None = None
    named: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    emulated: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    skipped: int = 0

    @property
    def limit(self) -> int | None:
        """How many rows are shown at most."""
        asked = self.query.max_results
        return None if asked is None else asked - self.skipped


class VerifiedRows(msgspec.Struct, Generic[AnyRow], frozen=True, gc=False):
    """The rows that keep to the filters, and how many of them have no date to check."""

    rows: tuple[AnyRow, ...]
    undated: int = 0


def plan_query_filters(
    query: WebSearchQuery, abilities: Abilities | None, filters: FilterPolicy
) -> FilterPlan | UnsupportedFilter | InvalidQuery:
    """Split the filters of a query by the backend's abilities; None declares nothing."""
    names = query_filters(query)
    if not names:
        return _fit_query(FilterPlan(query=query), abilities)
    is_declared = abilities is not None and are_abilities_valid(abilities)
    declared = abilities if abilities is not None and is_declared else _UNDECLARED
    supports = {name: _filter_support(name, query, declared) for name in names}
    refused = tuple(name for name, support in supports.items() if support == "refused")
    # Without its page, a search would return the first rows again.
    if refused and (filters == "strict" or "page" in refused):
        if not is_declared and "page" not in refused:
            return UnsupportedFilter(filters=refused, undeclared=True)
        return _unsupported_filter(query, refused, declared)
    # The row of an image has neither the domain nor the day of its page.
    verified = tuple(
        name
        for name, support in supports.items()
        if name in VERIFIABLE and support != "refused" and query.topic != "images"
    )
    checked_filters = {name: getattr(query, name) for name in verified}
    is_page_cut = supports.get("page") == "rows"
    plan = FilterPlan(
        query=_write_query_filters(query, supports),
        skipped=_page_end(query) - page_rows(query) if is_page_cut else 0,
        on_rows=replace(_NO_FILTERS, **checked_filters) if verified else None,
        named=names,
        sent=tuple(name for name, support in supports.items() if support == "native"),
        emulated=tuple(
            name for name, support in supports.items() if support in ("operator", "rows")
        ),
        verified=verified,
        refused=refused,
    )
    return _fit_query(plan, abilities)


def page_rows(query: WebSearchQuery) -> int:
    """Return how many rows a page of a search has."""
    return query.max_results or DEFAULT_PAGE_ROWS


def _page_end(query: WebSearchQuery) -> int:
    """Return how many rows there are up to the end of the page of a search."""
    return page_rows(query) * (query.page or 1)


def plan_row_checks(query: WebSearchQuery) -> FilterPlan:
    """Plan the filters of rows that no backend was asked for: what a row shows is verified."""
    names = query_filters(query)
    verified = tuple(name for name in names if name in VERIFIABLE and query.topic != "images")
    checked_filters = {name: getattr(query, name) for name in verified}
    return FilterPlan(
        query=query,
        on_rows=replace(_NO_FILTERS, **checked_filters) if verified else None,
        named=names,
        emulated=verified,
        verified=verified,
        refused=tuple(name for name in names if name not in verified),
    )


def are_abilities_valid(abilities: Abilities) -> bool:
    """Tell whether the declared filters can be read: a Struct built by hand holds anything."""
    filters: object = abilities.filters
    topics: object = abilities.topics
    if not isinstance(filters, Mapping) or not isinstance(abilities.needs, Mapping):
        return False
    if isinstance(topics, str) or not isinstance(topics, Collection):
        return False
    return all(support in _SUPPORTS for support in filters.values())


def _fit_query(plan: FilterPlan, abilities: Abilities | None) -> FilterPlan | InvalidQuery:
    max_chars = None if abilities is None else abilities.max_query_characters
    if max_chars is None or len(plan.query.query) <= max_chars:
        return plan
    reason = f"is longer than the {max_chars} characters that the backend takes, with its filters"
    return InvalidQuery(field="query", reason=reason)


def verify_rows(rows: Sequence[AnyRow], filters: WebSearchQuery) -> VerifiedRows[AnyRow]:
    """Return the rows that do not break the filters; without a date, a row breaks no filter of it.

    A month or a year is a date as far as it decides: 2026 is not before 2025.
    """
    passed = _rows_on_domains(rows, filters.include_domains, filters.exclude_domains)
    after, before = filters.published_after, filters.published_before
    if after is None and before is None:
        return VerifiedRows(rows=passed)
    first, last = after or date.min, before or date.max
    verdicts = [_is_within(row.published_at, first, last) for row in passed]
    kept = tuple(row for row, verdict in zip(passed, verdicts, strict=True) if verdict is not False)
    return VerifiedRows(rows=kept, undated=verdicts.count(None))


def _rows_on_domains(
    rows: Sequence[AnyRow], include: Sequence[str], exclude: Sequence[str]
) -> tuple[AnyRow, ...]:
    wanted, unwanted = _domain_suffixes(include), _domain_suffixes(exclude)
    passed: list[AnyRow] = []
    for row in rows:
        host = f".{url_host(row.url)}"
        if (not wanted or host.endswith(wanted)) and not host.endswith(unwanted):
            passed.append(row)
    return tuple(passed)


def _domain_suffixes(domains: Sequence[str]) -> tuple[str, ...]:
    return tuple([f".{bare_domain(name)}" for name in domains])


def _is_within(published_at: str | None, after: date, before: date) -> bool | None:
    """Tell whether a date lies within two days; None if it does not tell."""
    if published_at is None:
        return None
    first, last = _days_of(published_at)
    if last < after or before < first:
        return False
    return True if after <= first and last <= before else None


def _days_of(published_at: str) -> tuple[date, date]:
    """Return the first and the last day of an ISO date, which may be a month or a year."""
    if len(published_at) > _MONTH_CHARS:
        day = leading_day(published_at) or date.min
        return day, day
    year = int(published_at[:4])
    first_month = last_month = int(published_at[5:] or 0)
    if not first_month:
        first_month, last_month = 1, _DECEMBER
    if last_month == _DECEMBER:
        return date(year, first_month, 1), date(year, _DECEMBER, 31)
    return date(year, first_month, 1), date(year, last_month + 1, 1) - timedelta(days=1)


def _unsupported_filter(
    query: WebSearchQuery, refused: tuple[str, ...], abilities: Abilities
) -> UnsupportedFilter:
    """Tell filters that the backend does not have from values and combinations."""
    declared = abilities.filters
    having = [
        cast("FilterName", name)
        for name in refused
        if declared.get(cast("FilterName", name), REFUSED) != REFUSED
    ]
    if "page" in refused:
        return UnsupportedFilter(filters=("page",), values={"page": str(query.page)})
    names = query_filters(query)
    needs = [abilities.needs[name] for name in having if name in abilities.needs]
    beside = [
        other
        for other in names
        for name in having
        if other in needs
        or (
            other != name
            and _filter_support(name, _drop_filter(query, other), abilities) != REFUSED
        )
    ]
    return UnsupportedFilter(
        filters=refused,
        values={name: _quote_filter_value(getattr(query, name)) for name in having},
        beside=tuple(dict.fromkeys(beside)),
        needs=tuple(dict.fromkeys(name for name in needs if name not in names)),
    )


def _drop_filter(query: WebSearchQuery, name: str) -> WebSearchQuery:
    return replace(query, **{name: getattr(_NO_FILTERS, name)})


def _quote_filter_value(value: object) -> str:
    return f"({len(value)} values)" if isinstance(value, tuple) else repr(str(value))


def _filter_support(name: str, query: WebSearchQuery, abilities: Abilities) -> Support:
    if name == "topic" and query.topic == "general":
        return "native"  # a search without a topic is general
    if name == "topic" and query.topic not in abilities.topics:
        return "refused"
    now = abilities.depending(query) if abilities.depending is not None else {}
    supports: Mapping[str, Support] = cast("Mapping[str, Support]", {**abilities.filters, **now})
    if name == "page":
        return _page_support(query, abilities, supports.get("page", "rows"))
    support = supports.get(name, "refused")
    if support in ("operator", "rows"):
        # The row of an image has neither the domain nor the day of its page.
        return support if name in VERIFIABLE and query.topic != "images" else "refused"
    return support if support in _SUPPORTS else "refused"


def _page_support(query: WebSearchQuery, abilities: Abilities, declared: Support) -> Support:
    if declared == "native":
        return "native"
    most = MAX_RESULTS if abilities.max_results is None else abilities.max_results
    is_within = _page_end(query) <= min(most, MAX_RESULTS)
    return "rows" if declared == "rows" and is_within else "refused"


def _write_query_filters(query: WebSearchQuery, supports: dict[str, Support]) -> WebSearchQuery:
    """Keep the native filters, and write operator filters into the query text."""
    other = [name for name, support in supports.items() if support != "native"]
    cleared = {name: getattr(_NO_FILTERS, name) for name in other}
    if supports.get("page") == "rows":
        cleared["max_results"] = _page_end(query)
    native = {
        name: tuple(dict.fromkeys(map(_native_domain, getattr(query, name))))
        for name in ("include_domains", "exclude_domains")
        if supports.get(name) == "native"
    }
    terms = [query.query]
    if supports.get("include_domains") == "operator":
        sites = " OR ".join(f"site:{bare_domain(name)}" for name in query.include_domains)
        terms.append(f"({sites})" if len(query.include_domains) > 1 else sites)
    if supports.get("exclude_domains") == "operator":
        terms += [f"-site:{bare_domain(name)}" for name in query.exclude_domains]
    if supports.get("published_after") == "operator":
        terms.append(f"after:{query.published_after}")
    if supports.get("published_before") == "operator":
        terms.append(f"before:{query.published_before}")
    return replace(query, query=" ".join(terms), **cleared, **native)


def bare_domain(name: str) -> str:
    """Return a domain as DNS has it, so that two spellings of one name are equal.

    >>> bare_domain("*.Bücher.example.")
    'xn--bcher-kva.example'
    """
    return comparable_host(name.removeprefix("*.").strip("."))


def _native_domain(name: str) -> str:
    """Return a domain as services expect it, without ``*.``: subdomains count anyway.

    >>> [_native_domain(name) for name in ("*.A.example.", "b.example", "*.com")]
    ['a.example', 'b.example', '*.com']
    """
    domain = bare_domain(name)
    # Some services have patterns of their own for a top-level domain.
    return domain if "." in domain else name.lower()
