"""Tokens as chat completions APIs count them, and as we do."""

from ....ports.models import Usage
from ...values.json import count, mapping
from ..costs import cost_of


def read_usage(given: object) -> Usage | None:
    """Return the counts; None where there are none."""
    usage = mapping(given)
    if not usage:
        return None
    into = mapping(usage.get("prompt_tokens_details"))
    out = mapping(usage.get("completion_tokens_details"))
    prompt = count(usage.get("prompt_tokens", usage.get("input_tokens")))
    completion = count(usage.get("completion_tokens", usage.get("output_tokens")))
    total = count(usage.get("total_tokens"))
    within, apart = count(out.get("reasoning_tokens")), count(usage.get("reasoning_tokens"))
    # Thoughts are counted in the completion, but for these: xAI and Gemini count them in the total
    # alone, and Gemini may not tell how many; Perplexity counts them nowhere else.
    beside = max(total - prompt - completion, 0) if prompt else 0
    reasoning = within or apart or beside
    if reasoning == beside or (not within and apart > completion):
        completion += reasoning
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        total_tokens=max(total, prompt + completion),
        cached_tokens=count(into.get("cached_tokens"))
        or count(usage.get("prompt_cache_hit_tokens"))
        or count(usage.get("cached_tokens"))
        or count(usage.get("num_cached_tokens"))
        or count(usage.get("cache_read_input_tokens")),
        cache_write_tokens=count(into.get("cache_write_tokens"))
        or count(into.get("cache_creation_input_tokens"))
        or count(usage.get("cache_creation_input_tokens")),
        reasoning_tokens=reasoning,
        cost=cost_of(usage),
    )
