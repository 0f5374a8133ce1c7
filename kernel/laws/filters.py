"""Plan the filters of a query: applied by the backend, emulated on rows, or refused."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

from webseam.ports.backends import REFUSED, Abilities, FilterName, Support
from webseam.ports.dates import leading_day
from webseam.ports.errors import InvalidQuery, UnsupportedFilter
from webseam.ports.web import WebSearchQuery

from .field_checks import query_filters
from .row_law import LawfulRow

FilterPolicy: TypeAlias = Literal["strict", "best-effort"]

_NO_FILTERS = WebSearchQuery(query="")


class FilterPlan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a query is sent: ``query`` goes to the backend, ``on_rows`` filters its rows.

    ``named`` are the filters that it sets; each one is applied by the backend, emulated here, or
    refused.
    """

    query: WebSearchQuery
    on_rows: WebSearchQuery | None = None
    named: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    emulated: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def plan_query_filters(
    query: WebSearchQuery, abilities: Abilities | None, filters: FilterPolicy
) -> FilterPlan | UnsupportedFilter | InvalidQuery:
    """Split the filters of a query by the backend's abilities; None means all abilities."""
    names = query_filters(query)
    if abilities is None or not names:
        return _fit_query(FilterPlan(query=query, named=names, applied=names), abilities)
    supports = {name: _filter_support(name, query, abilities) for name in names}
    refused = tuple(name for name, support in supports.items() if support == "refused")
    if refused and filters == "strict":
        return _unsupported_filter(query, refused, abilities)
    emulated = tuple(name for name, support in supports.items() if support in ("operator", "rows"))
    filters_on_rows = {name: getattr(query, name) for name in emulated}
    plan = FilterPlan(
        query=_write_query_filters(query, supports),
        on_rows=replace(_NO_FILTERS, **filters_on_rows) if emulated else None,
        named=names,
        applied=tuple(name for name, support in supports.items() if support == "native"),
        emulated=emulated,
        refused=refused,
    )
    return _fit_query(plan, abilities)


def _fit_query(plan: FilterPlan, abilities: Abilities | None) -> FilterPlan | InvalidQuery:
    max_chars = None if abilities is None else abilities.max_query_characters
    if max_chars is None or len(plan.query.query) <= max_chars:
        return plan
    reason = f"is longer than the {max_chars} characters that the backend takes, with its filters"
    return InvalidQuery(field="query", reason=reason)


def filter_lawful_rows(rows: Sequence[LawfulRow], filters: WebSearchQuery) -> tuple[LawfulRow, ...]:
    """Return the rows that pass the filters; a row without a date fails a date filter."""
    return tuple(row for row in rows if _is_match(row, filters))


def is_on_domains(url: str, domains: Sequence[str]) -> bool:
    """Tell whether a page is on one of the domains or a subdomain."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    return any(host == name or host.endswith(f".{name}") for name in map(_bare_domain, domains))


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
    support = supports.get(name, "refused")
    # The row of an image has neither the domain nor the day of its page.
    is_on_rows = query.topic == "images" and support in ("operator", "rows")
    return "refused" if is_on_rows else support


def _write_query_filters(query: WebSearchQuery, supports: dict[str, Support]) -> WebSearchQuery:
    """Keep the native filters, and write operator filters into the query text."""
    other = [name for name, support in supports.items() if support != "native"]
    cleared = {name: getattr(_NO_FILTERS, name) for name in other}
    native = {
        name: tuple(dict.fromkeys(map(_native_domain, getattr(query, name))))
        for name in ("include_domains", "exclude_domains")
        if supports.get(name) == "native"
    }
    terms = [query.query]
    if supports.get("include_domains") == "operator":
        sites = " OR ".join(f"site:{_bare_domain(name)}" for name in query.include_domains)
        terms.append(f"({sites})" if len(query.include_domains) > 1 else sites)
    if supports.get("exclude_domains") == "operator":
        terms += [f"-site:{_bare_domain(name)}" for name in query.exclude_domains]
    if supports.get("published_after") == "operator":
        terms.append(f"after:{query.published_after}")
    if supports.get("published_before") == "operator":
        terms.append(f"before:{query.published_before}")
    return replace(query, query=" ".join(terms), **cleared, **native)


def _is_match(row: LawfulRow, filters: WebSearchQuery) -> bool:
    if filters.include_domains and not is_on_domains(row.url, filters.include_domains):
        return False
    if is_on_domains(row.url, filters.exclude_domains):
        return False
    after, before = filters.published_after, filters.published_before
    if after is None and before is None:
        return True
    published = leading_day(row.published_at)
    return published is not None and (after or published) <= published <= (before or published)


def _bare_domain(name: str) -> str:
    return name.lower().removeprefix("*.").strip(".")


def _native_domain(name: str) -> str:
    """Return a domain as services expect it, without ``*.``: subdomains count anyway."""
    domain = _bare_domain(name)
    # Some services have patterns of their own for a top-level domain.
    return domain if "." in domain else name.lower()
