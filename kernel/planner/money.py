"""Compute what calls cost: budgets, list prices, and prices of a model's tokens."""

import functools
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from webseam.ports import backends, models, web
from webseam.ports.errors import PaymentRequired
from webseam.ports.planning import Purse, TokenPrice
from webseam.ports.receipts import Usage

MICROS_PER_DOLLAR = 1_000_000
Dollars: TypeAlias = Annotated[float, Meta(ge=0, le=1_000_000)]
# The scope prefix of a purse with an owner, and the setting that caps such a purse.
OWNER_PREFIX = "owner:"
# Follows a name and an option: --day or --month.
_KEY_BUDGET = "the budget of this key (webseam keys set {name} --{period} DOLLARS)"
# The rounding error of floats, in micro-dollars.
_ROUNDING_ERROR_MICROS = 1e-6
_MILLION = 1_000_000
# The most tokens that a picture is billed as: gpt-4o-mini charges $7.225 for a thousand pictures at
# $0.15 for a million tokens (https://openrouter.ai/openai/gpt-4o-mini-2024-07-18, read 2026-11-15).
_MAX_PICTURE_TOKENS = 50_000
# The tokens that a request adds to each message's text.
_MESSAGE_OVERHEAD_TOKENS = 20
# The output limit of a request that names none, where a budget applies.
DEFAULT_OUTPUT_TOKENS = 8_192
_PICTURE_TYPES = ("image_url", "input_image", "image")
# No budget is larger.
_MAX_PRICE_MICROS = 1_000_000 * MICROS_PER_DOLLAR
# Exact for the longest amounts that are read, times any value of a unit.
_EXACT_CONTEXT = Context(prec=200, rounding=ROUND_CEILING)


class Budgets(msgspec.Struct, frozen=True, kw_only=True):
    """Caps in dollars; None is no cap. Key and tool caps apply to each key and tool."""

    call: Dollars | None = None
    session: Dollars | None = None
    day: Dollars | None = None
    month: Dollars | None = None
    key_day: Dollars | None = None
    key_month: Dollars | None = None
    tool_day: Dollars | None = None
    tool_month: Dollars | None = None


class SpendingAllowance(msgspec.Struct, frozen=True, kw_only=True):
    """What one owner, who has a ``name``, may spend out of the shared budgets."""

    owner: str
    name: str = ""
    day: Dollars | None = None
    month: Dollars | None = None


class SpendingOccasion(msgspec.Struct, frozen=True, kw_only=True):
    """Who spends: the tool, the backend, its key, and the day (2026-01-31, in UTC)."""

    tool: str
    backend: str
    key: int
    day: str


@functools.lru_cache(256)
def dollars_to_micros(dollars: float) -> int:
    """Return dollars as whole micro-dollars, rounded up, so that no price is understated.

    >>> dollars_to_micros(0.005)
    5000
    >>> dollars_to_micros(0.0000001)
    1
    """
    micros = round(dollars * MICROS_PER_DOLLAR)
    is_exact = abs(micros - dollars * MICROS_PER_DOLLAR) < _ROUNDING_ERROR_MICROS
    return micros if is_exact else int(dollars * MICROS_PER_DOLLAR) + 1


def has_budget_cap(budgets: Budgets, allowance: SpendingAllowance | None = None) -> bool:
    """Tell whether any cap is set."""
    owner_caps = () if allowance is None else (allowance.day, allowance.month)
    return any(cap is not None for cap in (*msgspec.structs.astuple(budgets), *owner_caps))


def call_purses(
    budgets: Budgets, occasion: SpendingOccasion, allowance: SpendingAllowance | None = None
) -> tuple[Purse, ...]:
    """Return the purses that a call is paid from, with a cap or without.

    Purses without a cap are counted too, so that a budget set later includes earlier spending. The
    purses of the call and the session are not here: one process counts both.
    """
    month = occasion.day[:7]
    key = f"key:{occasion.backend}#{occasion.key}"
    periods = (
        ("day", "all", occasion.day),
        ("month", "all", month),
        ("key_day", key, occasion.day),
        ("key_month", key, month),
        ("tool_day", f"tool:{occasion.tool}", occasion.day),
        ("tool_month", f"tool:{occasion.tool}", month),
    )
    purses = [Purse(f"backend:{occasion.backend}", occasion.day)]
    for name, scope, period in periods:
        cap = getattr(budgets, name)
        max_micros = None if cap is None else budget_cap_micros(cap)
        purses.append(Purse(scope, period, max_micros, f"budgets.{name}"))
    if allowance is not None:
        owner = f"{OWNER_PREFIX}{allowance.owner}"
        caps = (("day", occasion.day, allowance.day), ("month", month, allowance.month))
        for name, period, cap in caps:
            max_micros = None if cap is None else budget_cap_micros(cap)
            setting = _KEY_BUDGET.format(name=allowance.name or allowance.owner, period=name)
            purses.append(Purse(owner, period, max_micros, setting))
    return tuple(purses)


def budget_cap_micros(dollars: float) -> int:
    """Return a cap as whole micro-dollars, rounded down, so that no cap is overstated."""
    return int(dollars * MICROS_PER_DOLLAR + _ROUNDING_ERROR_MICROS)


def purse_words(purse: Purse) -> str:
    """Describe a purse in words.

    >>> (purse_words(Purse("all", "2026-01")),
    ...  purse_words(Purse("tool:search", "2026-01-31")))
    ('2026-01', 'search on 2026-01-31')
    >>> purse_words(Purse("key:brave#2", "2026-01"))
    'key 2 of brave in 2026-01'
    """
    kind, _, name = purse.scope.partition(":")
    if not name:
        return purse.period
    if kind == "owner":
        name = "this key"
    if kind == "key":
        backend, _, key_number = name.rpartition("#")
        name = f"key {key_number} of {backend}"
    preposition = "in" if len(purse.period) == len("2026-01") else "on"
    return f"{name} {preposition} {purse.period}"


def capped_purses(budgets: Budgets, scopes: Iterable[str], day: str) -> tuple[Purse, ...]:
    """Return the capped purses of a day and its month: the shared ones, and those of ``scopes``."""
    ordered = sorted(set(scopes))
    keys = [scope for scope in ordered if scope.startswith("key:")]
    tools = [scope for scope in ordered if scope.startswith("tool:")]
    purses: list[Purse] = []
    for prefix, names in (("", ["all"]), ("key_", keys), ("tool_", tools)):
        for kind, period in (("day", day), ("month", day[:7])):
            cap, setting = getattr(budgets, prefix + kind), f"budgets.{prefix}{kind}"
            if cap is not None:
                purses += [Purse(scope, period, budget_cap_micros(cap), setting) for scope in names]
    return tuple(purses)


class RequestPrice(msgspec.Struct, frozen=True, kw_only=True):
    """The dollars for one request, and what a larger search adds.

    A request asks for at most ``page`` rows, and a search for at most ``most``. ``included`` rows
    come with a request; each started ``block`` of further rows costs ``more``. A filter in
    ``dearer`` multiplies the price.
    """

    call: float
    page: int | None = None
    most: int | None = None
    included: int | None = None
    more: float = 0.0
    block: int = 1
    dearer: Mapping[backends.FilterName, float] = {}


def requests_price_micros(
    tariff: RequestPrice, query: web.WebSearchQuery, requests: int = 1
) -> int:
    """Return the micro-dollars that so many requests of a search cost at most.

    How many requests a search takes is known only as it pages: a page may have a single row. So
    each request is reserved before it is asked, for all the rows that it asks for.

    >>> from webseam.ports.web import WebSearchQuery
    >>> query = WebSearchQuery(query="q", max_results=50)
    >>> requests_price_micros(RequestPrice(call=0.005, page=20), query, 3)
    15000
    """
    factor = 1.0
    for name, multiplier in tariff.dearer.items():
        factor *= multiplier if getattr(query, name) else 1.0
    extra_blocks = 0
    if tariff.included is not None:
        extra_rows = max(_request_row_count(tariff, query) - tariff.included, 0)
        extra_blocks = -(-extra_rows // tariff.block)
    return dollars_to_micros((tariff.call + tariff.more * extra_blocks) * factor * requests)


def _request_row_count(tariff: RequestPrice, query: web.WebSearchQuery) -> int:
    """Return how many rows one request asks for; 0 without a number."""
    # A page that is no page of the service is cut out of one longer search.
    limits = ((query.max_results or 0) * (query.page or 1), tariff.most, tariff.page)
    return min(rows for rows in limits if rows is not None)


def usage_cost(price: TokenPrice, usage: Usage) -> float:
    """Return the dollars that the used tokens cost."""
    cached, written = usage.cached_tokens, usage.cache_write_tokens
    fresh = max(usage.input_tokens - cached - written, 0)
    cached_price = price.input if price.cached is None else price.cached
    written_price = price.input if price.written is None else price.written
    input_cost = fresh * price.input + cached * cached_price + written * written_price
    return price.call + (input_cost + usage.output_tokens * price.output) / _MILLION


def bound_output(request: models.ChatRequest) -> models.ChatRequest:
    """Return the request with an output limit, so that its cost has a bound."""
    if request.max_tokens is not None:
        return request
    return msgspec.structs.replace(request, max_tokens=DEFAULT_OUTPUT_TOKENS)


def max_cost(price: TokenPrice, request: models.ChatRequest) -> float:
    """Return the most dollars that a request can cost, however its tokens are billed."""
    tokens = max_request_tokens(request)
    # Writing the provider's cache may cost more than reading fresh input.
    dearest = max(price.input, price.cached or 0.0, price.written or 0.0)
    token_cost = tokens.input_tokens * dearest + tokens.output_tokens * price.output
    return price.call + token_cost / _MILLION


def max_request_tokens(request: models.ChatRequest) -> Usage:
    """Return the most tokens that a request can use; assume a default answer without a limit.

    A byte counts as a token: tokenizers join bytes and never split one.

    >>> from webseam.ports.models import ChatRequest
    >>> max_request_tokens(ChatRequest(model="m", messages=({"role": "user"},))).output_tokens
    8192
    """
    parts = (*request.messages, *request.tools, request.instructions or "")
    tokens = sum(_max_value_tokens(part) + _MESSAGE_OVERHEAD_TOKENS for part in parts if part)
    return Usage(input_tokens=tokens, output_tokens=request.max_tokens or DEFAULT_OUTPUT_TOKENS)


def _max_value_tokens(value: object) -> int:
    """Return the most tokens that a value of a request can have."""
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, Mapping):
        if value.get("type") in _PICTURE_TYPES:
            return _MAX_PICTURE_TOKENS
        return sum(map(_max_value_tokens, (*value.keys(), *value.values())))
    return sum(map(_max_value_tokens, value)) if isinstance(value, list | tuple) else 1


def payment_price_micros(offer: PaymentRequired, unit_dollars: Mapping[str, Decimal]) -> int | None:
    """Return the price of an offer, rounded up; None without one in these currencies.

    >>> usd = PaymentRequired(amount=Decimal("0.0000001"), currency="USD")
    >>> coin = PaymentRequired(amount=Decimal(20000), currency="0xA", network="eip155:1")
    >>> units = {"usd": Decimal(1), "eip155:1/0xa": Decimal("0.000001")}
    >>> payment_price_micros(usd, units), payment_price_micros(coin, units)
    (1, 20000)
    """
    unit = f"{offer.network}/{offer.currency}" if offer.network else offer.currency
    dollars = unit_dollars.get(unit.lower())
    if dollars is None or not offer.amount:
        return None
    micros = _EXACT_CONTEXT.multiply(
        _EXACT_CONTEXT.multiply(offer.amount, dollars), MICROS_PER_DOLLAR
    )
    return None if micros > _MAX_PRICE_MICROS else int(micros.to_integral_value(ROUND_CEILING))
