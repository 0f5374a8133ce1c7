"""What calls cost: budgets, list prices, and the price of a model's tokens."""

from collections.abc import Iterable, Mapping
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from ...ports.backends import FilterName
from ...ports.models.chat import ChatRequest
from ...ports.planning import Purse, TokenPrice
from ...ports.receipts import Usage
from ...ports.web import WebSearchQuery

MICROS = 1_000_000
Dollars: TypeAlias = Annotated[float, Meta(ge=0, le=1_000_000)]
# Whose purse it is, where several share the budgets; and what sets the cap of one.
OWNER_PREFIX = "owner:"
KEY_BUDGET = "the budget of this key (webseam keys)"
# What floats lose on the way.
_LOST = 1e-6


class Budgets(msgspec.Struct, frozen=True, kw_only=True):
    """Caps in dollars; None is without one. Those of keys and tools hold for each of them."""

    call: Dollars | None = None
    session: Dollars | None = None
    day: Dollars | None = None
    month: Dollars | None = None
    key_day: Dollars | None = None
    key_month: Dollars | None = None
    tool_day: Dollars | None = None
    tool_month: Dollars | None = None


class SpendingAllowance(msgspec.Struct, frozen=True, kw_only=True):
    """What one of several who share the budgets may spend, beside what holds for all."""

    owner: str
    day: Dollars | None = None
    month: Dollars | None = None


class SpendingOccasion(msgspec.Struct, frozen=True, kw_only=True):
    """Who spends: which tool, with which backend and key, on which day (2026-01-31, in UTC)."""

    tool: str
    backend: str
    key: int
    day: str


def to_micros(dollars: float) -> int:
    """Return dollars as whole micro-dollars, rounded up: a price is never taken for less.

    >>> to_micros(0.005), to_micros(0.0000001)
    (5000, 1)
    """
    whole = round(dollars * MICROS)
    exact = abs(whole - dollars * MICROS) < _LOST
    return whole if exact else int(dollars * MICROS) + 1


def is_capped(budgets: Budgets, allowance: SpendingAllowance | None = None) -> bool:
    """Tell whether any cap is set."""
    own = () if allowance is None else (allowance.day, allowance.month)
    return any(cap is not None for cap in (*msgspec.structs.astuple(budgets), *own))


def call_purses(
    budgets: Budgets, occasion: SpendingOccasion, allowance: SpendingAllowance | None = None
) -> tuple[Purse, ...]:
    """Return the purses that a call is paid from, with a cap or without.

    One without is counted all the same: a budget that is set later knows what was spent before it.
    Those of the call and of the session are not among them: one process knows all about both.
    """
    month = occasion.day[:7]
    key = f"key:{occasion.backend}#{occasion.key}"
    every = (
        ("day", "all", occasion.day),
        ("month", "all", month),
        ("key_day", key, occasion.day),
        ("key_month", key, month),
        ("tool_day", f"tool:{occasion.tool}", occasion.day),
        ("tool_month", f"tool:{occasion.tool}", month),
    )
    counted = [Purse(f"backend:{occasion.backend}", occasion.day)]
    for name, scope, period in every:
        cap = getattr(budgets, name)
        most = None if cap is None else cap_micros(cap)
        counted.append(Purse(scope, period, most, f"budgets.{name}"))
    return (*counted, *_own_purses(allowance, occasion.day))


def _own_purses(allowance: SpendingAllowance | None, day: str) -> tuple[Purse, ...]:
    if allowance is None:
        return ()
    caps = ((day, allowance.day), (day[:7], allowance.month))
    scope = f"{OWNER_PREFIX}{allowance.owner}"
    return tuple(
        Purse(scope, period, cap_micros(cap), KEY_BUDGET) for period, cap in caps if cap is not None
    )


def cap_micros(dollars: float) -> int:
    """Return a cap as whole micro-dollars, rounded down: it is never taken for more."""
    return int(dollars * MICROS + _LOST)


def purse_words(purse: Purse) -> str:
    """Say what a purse is for.

    >>> purse_words(Purse("all", "2026-01")), purse_words(Purse("tool:search", "2026-01-31"))
    ('2026-01', 'search on 2026-01-31')
    >>> purse_words(Purse("key:brave#2", "2026-01"))
    'key 2 of brave in 2026-01'
    """
    kind, _, name = purse.scope.partition(":")
    if not name:
        return purse.period
    if kind == "key":
        backend, _, place = name.rpartition("#")
        name = f"key {place} of {backend}"
    when = "in" if len(purse.period) == len("2026-01") else "on"
    return f"{name} {when} {purse.period}"


def capped_purses(budgets: Budgets, scopes: Iterable[str], day: str) -> tuple[Purse, ...]:
    """Return the purses of a day and its month that have a cap: of all, and of ``scopes``."""
    own = sorted(set(scopes))
    keys = [scope for scope in own if scope.startswith("key:")]
    tools = [scope for scope in own if scope.startswith("tool:")]
    caps = (
        (("all",), "day", budgets.day),
        (("all",), "month", budgets.month),
        (keys, "key_day", budgets.key_day),
        (keys, "key_month", budgets.key_month),
        (tools, "tool_day", budgets.tool_day),
        (tools, "tool_month", budgets.tool_month),
    )
    return tuple(
        Purse(scope, day if name.endswith("day") else day[:7], cap_micros(cap), f"budgets.{name}")
        for those, name, cap in caps
        if cap is not None
        for scope in those
    )


# What a call may cost at most, known before it is made, and what it came to by its replies.


class RequestPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The dollars for one request, and what makes a search dearer.

    A search for more rows than ``page`` takes several requests. ``included`` rows come with a
    request, each ``block`` of the others, begun or full, costs ``more``. A filter in ``dearer``
    multiplies the price.
    """

    call: float
    page: int | None = None
    most: int | None = None
    included: int | None = None
    more: float = 0.0
    block: int = 1
    dearer: Mapping[FilterName, float] = {}


def search_amount(tariff: RequestPrice, query: WebSearchQuery) -> int:
    """Return the micro-dollars that a search costs at most.

    >>> search_amount(RequestPrice(call=0.005, page=20), WebSearchQuery(query="q", max_results=50))
    15000
    """
    rows = _rows(tariff, query)
    requests = 1 if tariff.page is None else max(-(-rows // tariff.page), 1)
    return replies_amount(tariff, query, requests)


def replies_amount(tariff: RequestPrice, query: WebSearchQuery, replies: int) -> int:
    """Return the micro-dollars that a search came to which took so many requests."""
    factor = 1.0
    for name, times in tariff.dearer.items():
        factor *= times if getattr(query, name) else 1.0
    beyond = 0
    if tariff.included is not None:
        rows = max(_rows(tariff, query) - tariff.included * replies, 0)
        beyond = -(-rows // tariff.block)
    return to_micros((tariff.call * replies + tariff.more * beyond) * factor)


def _rows(tariff: RequestPrice, query: WebSearchQuery) -> int:
    """Return how many rows are asked for; without a number, what comes with one request."""
    rows = query.max_results or 0
    return rows if tariff.most is None else min(rows, tariff.most)


# What a model's answer costs: by its tokens, after it, and at most, before.

_MILLION = 1_000_000
# What a picture is billed as at most: gpt-4o-mini takes the most tokens for one, $7.225 for a
# thousand pictures at $0.15 for a million tokens (https://openrouter.ai/openai/gpt-4o-mini-2024-07-18,
# read 2026-11-15).
_PICTURE = 50_000
# What a request has around its texts, for each message.
_AROUND = 20
# How long an answer may be whose request names no limit, where money is limited.
DEFAULT_OUTPUT_TOKENS = 8_192
_PICTURES = ("image_url", "input_image", "image")


def usage_cost(price: TokenPrice, usage: Usage) -> float:
    """Return the dollars that tokens cost."""
    cached, written = usage.cached_tokens, usage.cache_write_tokens
    fresh = max(usage.input_tokens - cached - written, 0)
    rate_cached = price.input if price.cached is None else price.cached
    rate_written = price.input if price.written is None else price.written
    tokens = (
        fresh * price.input
        + cached * rate_cached
        + written * rate_written
        + usage.output_tokens * price.output
    )
    return price.call + tokens / _MILLION


def bound_output(request: ChatRequest) -> ChatRequest:
    """Return the request with a limit for its answer, so that what it costs has one, too."""
    if request.max_tokens is not None:
        return request
    return msgspec.structs.replace(request, max_tokens=DEFAULT_OUTPUT_TOKENS)


def max_cost(price: TokenPrice, request: ChatRequest) -> float:
    """Return the dollars that a request costs at most, however its tokens are billed."""
    tokens = max_request_tokens(request)
    # What a provider writes into its cache may cost more than what it reads anew.
    dearest = max(price.input, price.cached or 0.0, price.written or 0.0)
    return (
        price.call
        + (tokens.input_tokens * dearest + tokens.output_tokens * price.output) / _MILLION
    )


def max_request_tokens(request: ChatRequest) -> Usage:
    """Return the tokens that a request comes to at most; without a limit, a usual answer's.

    A byte is taken for a token: tokenizers join bytes, and never make two of one.

    >>> max_request_tokens(ChatRequest(model="m", messages=({"role": "user"},))).output_tokens
    8192
    """
    parts = (*request.messages, *request.tools, request.instructions or "")
    input_size = sum(_size(part) + _AROUND for part in parts if part)
    return Usage(input_tokens=input_size, output_tokens=request.max_tokens or DEFAULT_OUTPUT_TOKENS)


def _size(value: object) -> int:
    """Return how many tokens a value has at most, as it is written in a request."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, Mapping):
        if value.get("type") in _PICTURES:
            return _PICTURE
        return sum(_size(key) + _size(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return 1
