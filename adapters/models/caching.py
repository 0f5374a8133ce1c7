"""What a provider's cache did for an answer, by the tokens that were counted."""

from ...ports.models import CacheStats, Usage


def cache_work(usage: Usage | None) -> CacheStats | None:
    """Return what the cache gave and took; None when it did nothing."""
    if usage is None or not (usage.cached_tokens or usage.cache_write_tokens):
        return None
    return CacheStats(read_tokens=usage.cached_tokens, written_tokens=usage.cache_write_tokens)
