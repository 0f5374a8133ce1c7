"""Search filters as services support them: tables of support, and the days of a query."""

from collections.abc import Mapping

from webseam.ports.backends import NATIVE, FilterName, Support
from webseam.ports.web import WebSearchQuery

NATIVE_DOMAINS: Mapping[FilterName, Support] = {
    "include_domains": NATIVE,
    "exclude_domains": NATIVE,
}
OPERATOR_DOMAINS: Mapping[FilterName, Support] = dict.fromkeys(NATIVE_DOMAINS, "operator")
ROW_DOMAINS: Mapping[FilterName, Support] = dict.fromkeys(NATIVE_DOMAINS, "rows")
NATIVE_DATES: Mapping[FilterName, Support] = {"published_after": NATIVE, "published_before": NATIVE}
ROW_DATES: Mapping[FilterName, Support] = dict.fromkeys(NATIVE_DATES, "rows")
_FIRST_DAY, _LAST_DAY = "1970-01-01", "2099-12-31"


def native_filters(*names: FilterName) -> dict[FilterName, Support]:
    """Return the support of filters that a service applies itself."""
    return dict.fromkeys(names, NATIVE)


def filter_limits(*rules: tuple[FilterName, Support, object]) -> dict[FilterName, Support]:
    """Return the support of each filter whose condition, the third part of its rule, is true."""
    return {name: support for name, support, is_limited in rules if is_limited}


def day_range(query: WebSearchQuery, separator: str) -> str:
    """Return a query's days as one range without open ends; empty without days.

    >>> day_range(WebSearchQuery(query="q"), "..")
    ''
    """
    after, before = query.published_after, query.published_before
    if after is None and before is None:
        return ""
    return f"{after or _FIRST_DAY}{separator}{before or _LAST_DAY}"
