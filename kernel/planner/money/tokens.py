"""What a model's answer costs: by its tokens, after it, and at most, before."""

from collections.abc import Mapping

import msgspec

from ....ports.models.chat import ChatRequest
from ....ports.planning.prices import TokenPrice
from ....ports.receipts import Usage

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
