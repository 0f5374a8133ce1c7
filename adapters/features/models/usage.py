"""Usage of a call: cached prompt tokens, and the cost where a provider reports it."""

from collections.abc import Mapping

from webseam.ports.receipts import CacheStats, Usage

from ...values.json_values import as_amount, as_mapping

# xAI reports costs in ticks.
_TICKS_PER_DOLLAR = 10_000_000_000


def token_cache_stats(usage: Usage | None) -> CacheStats | None:
    """Return the tokens read from and written to the cache; None if there are none."""
    if usage is None or not (usage.cached_tokens or usage.cache_write_tokens):
        return None
    return CacheStats(read_tokens=usage.cached_tokens, written_tokens=usage.cache_write_tokens)


def reported_cost(usage: Mapping[str, object]) -> float | None:
    """Return the cost in dollars that a usage reports; None if it reports none.

    >>> reported_cost({"cost": {"total_cost": 0.25}})
    0.25
    >>> reported_cost({"cost_in_usd_ticks": 5_000_000_000})
    0.5
    """
    cost = usage.get("cost")
    dollars = as_amount(as_mapping(cost).get("total_cost") if isinstance(cost, Mapping) else cost)
    ticks = as_amount(usage.get("cost_in_usd_ticks"))
    return dollars if dollars is not None or ticks is None else ticks / _TICKS_PER_DOLLAR
