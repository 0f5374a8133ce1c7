"""The token counts of a chat completions API: each server counts thoughts and caches in its way."""

from webseam.adapters.values.json_values import as_count, as_mapping
from webseam.ports.receipts import CacheStats, Usage

from ...usage import reported_cost, token_cache_stats

# Fields of a usage in which servers report cached tokens.
_CACHED_FIELDS = (
    "prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens", "cache_read_input_tokens",
)  # fmt: skip


def read_chat_usage(counts: object) -> Usage | None:
    """Return the token counts; None if there are none."""
    usage = as_mapping(counts)
    if not usage:
        return None
    prompt_details = as_mapping(usage.get("prompt_tokens_details"))
    completion_details = as_mapping(usage.get("completion_tokens_details"))
    prompt = as_count(usage.get("prompt_tokens", usage.get("input_tokens")))
    completion = as_count(usage.get("completion_tokens", usage.get("output_tokens")))
    total = as_count(usage.get("total_tokens"))
    inner_reasoning = as_count(completion_details.get("reasoning_tokens"))
    outer_reasoning = as_count(usage.get("reasoning_tokens"))
    # Most servers count thoughts in the completion. xAI and Gemini count them only in the total,
    # and Gemini may not say how many; Perplexity counts them separately from both.
    uncounted = max(total - prompt - completion, 0) if prompt else 0
    audio = usage.get("prompt_audio_seconds"), prompt_details.get("audio_tokens")
    if uncounted and any(map(as_count, audio)):
        # Voxtral counts audio input only in the total.
        prompt, uncounted = prompt + uncounted, 0
    reasoning = inner_reasoning or outer_reasoning or uncounted
    if reasoning == uncounted or (not inner_reasoning and outer_reasoning > completion):
        completion += reasoning
    cached = (prompt_details.get("cached_tokens"), *(usage.get(name) for name in _CACHED_FIELDS))
    written = (
        prompt_details.get("cache_write_tokens"),
        prompt_details.get("cache_creation_input_tokens"),
        usage.get("cache_creation_input_tokens"),
    )
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        total_tokens=max(total, prompt + completion),
        cached_tokens=next(filter(None, map(as_count, cached)), 0),
        cache_write_tokens=next(filter(None, map(as_count, written)), 0),
        reasoning_tokens=reasoning,
        cost=reported_cost(usage),
    )


def cache_stats(payload: object) -> CacheStats | None:
    """Return the tokens read from and written to the cache, or None."""
    return token_cache_stats(read_chat_usage(as_mapping(payload).get("usage")))
