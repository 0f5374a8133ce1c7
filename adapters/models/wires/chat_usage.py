"""Tokens as chat completions APIs count them, and as we do."""

from ....ports.models import Usage
from ..costs import cost_of
from ..values import count, mapping


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
    reasoning = count(out.get("reasoning_tokens", usage.get("reasoning_tokens")))
    if reasoning and total == prompt + completion + reasoning:
        # xAI counts its thoughts beside the completion; the others count them in it.
        completion += reasoning
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        total_tokens=total or prompt + completion,
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
