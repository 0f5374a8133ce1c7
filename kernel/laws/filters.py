"""Filters: what a backend can do, what is done for it, and what is refused. None is dropped."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Literal, TypeAlias, cast
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import Abilities, Support
from ...ports.errors import InvalidQuery, UnsupportedFilter
from ...ports.web import WebSearchQuery
from .field_checks import query_filters
from .row_law import LawfulRow

FilterPolicy: TypeAlias = Literal["strict", "best-effort"]

_UNSET = WebSearchQuery(query="")
_DATE_CHARS = 10


class FilterPlan(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a query is asked: ``query`` is what the backend sees, ``on_rows`` what is done after.

    ``named`` are the filters that it sets; each is one of those that are applied by the backend,
    emulated by us, or refused.
    """

    query: WebSearchQuery
    on_rows: WebSearchQuery | None = None
    named: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()
    emulated: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def plan_query(
    query: WebSearchQuery, abilities: Abilities | None, filters: FilterPolicy
) -> Result[FilterPlan, UnsupportedFilter | InvalidQuery]:
    """Part the filters of a query by what the backend can do; without abilities it does all."""
    named = query_filters(query)
    if abilities is None or not named:
        return _within(FilterPlan(query=query, named=named, applied=named), abilities)
    supports = {name: _support(name, query, abilities) for name in named}
    refused = tuple(name for name, support in supports.items() if support == "refused")
    if refused and filters == "strict":
        return Failure(UnsupportedFilter(filters=refused))
    emulated = tuple(name for name, support in supports.items() if support in ("operator", "rows"))
    plan = FilterPlan(
        query=_written(query, supports),
        on_rows=_only(query, emulated) if emulated else None,
        named=named,
        applied=tuple(name for name, support in supports.items() if support == "native"),
        emulated=emulated,
        refused=refused,
    )
    return _within(plan, abilities)


def _within(plan: FilterPlan, abilities: Abilities | None) -> Result[FilterPlan, InvalidQuery]:
    most = None if abilities is None else abilities.max_query_characters
    if most is None or len(plan.query.query) <= most:
        return Success(plan)
    reason = f"is longer than the {most} characters that the backend takes, with its filters"
    return Failure(InvalidQuery(field="query", reason=reason))


def filter_rows(rows: Sequence[LawfulRow], filters: WebSearchQuery) -> tuple[LawfulRow, ...]:
    """Return the rows that the filters let through; one without a date is not known to pass."""
    return tuple(row for row in rows if _passes(row, filters))


def is_on_domains(url: str, domains: Sequence[str]) -> bool:
    """Tell whether a page is on one of the domains, or below one.

    >>> [is_on_domains(url, ["a.example"]) for url in ("https://www.a.example/b", "https://b.example/")]
    [True, False]
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    return any(host == name or host.endswith(f".{name}") for name in map(_domain, domains))


def _support(name: str, query: WebSearchQuery, abilities: Abilities) -> Support:
    if name == "topic" and query.topic == "general":
        return "native"  # which is what a search without a topic is
    now = abilities.depending(query) if abilities.depending is not None else {}
    known: Mapping[str, Support] = cast("Mapping[str, Support]", {**abilities.filters, **now})
    return known.get(name, "refused")


def _written(query: WebSearchQuery, supports: dict[str, Support]) -> WebSearchQuery:
    """Leave the native filters, and write those that are operators into the query."""
    elsewhere = {name: getattr(_UNSET, name) for name, how in supports.items() if how != "native"}
    native = {
        name: tuple(dict.fromkeys(map(_bare, getattr(query, name))))
        for name in ("include_domains", "exclude_domains")
        if supports.get(name) == "native"
    }
    words = [query.query]
    if supports.get("include_domains") == "operator":
        sites = " OR ".join(f"site:{_domain(name)}" for name in query.include_domains)
        words.append(f"({sites})" if len(query.include_domains) > 1 else sites)
    if supports.get("exclude_domains") == "operator":
        words += [f"-site:{_domain(name)}" for name in query.exclude_domains]
    if supports.get("published_after") == "operator":
        words.append(f"after:{query.published_after}")
    if supports.get("published_before") == "operator":
        words.append(f"before:{query.published_before}")
    return msgspec.structs.replace(query, query=" ".join(words), **elsewhere, **native)


def _only(query: WebSearchQuery, names: Sequence[str]) -> WebSearchQuery:
    return msgspec.structs.replace(_UNSET, **{name: getattr(query, name) for name in names})


def _passes(row: LawfulRow, filters: WebSearchQuery) -> bool:
    if filters.include_domains and not is_on_domains(row.url, filters.include_domains):
        return False
    if is_on_domains(row.url, filters.exclude_domains):
        return False
    after, before = filters.published_after, filters.published_before
    if after is None and before is None:
        return True
    published = _day(row.published_at)
    return published is not None and (after or published) <= published <= (before or published)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat((text or "")[:_DATE_CHARS])
    except ValueError:
        return None


def _domain(name: str) -> str:
    return name.lower().removeprefix("*.").strip(".")


def _bare(name: str) -> str:
    """Return a domain as services want it: what is below it counts anyway, as in ``_passes``.

    >>> [_bare(name) for name in ("*.A.example.", "b.example", "*.com")]
    ['a.example', 'b.example', '*.com']
    """
    bare = _domain(name)
    # Of a whole top-level domain, some services know a pattern of their own.
    return bare if "." in bare else name.lower()
