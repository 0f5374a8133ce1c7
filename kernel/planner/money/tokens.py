"""What a model's answer costs: by its tokens, after it, and at most, before."""

from collections.abc import Mapping

from ....ports.models import ChatRequest
from ....ports.prices import TokenPrice
from ....ports.receipts import Usage

_MILLION = 1_000_000
# A token is about four letters of English; no tokenizer in use makes more of a text than this.
_BYTES = 2
# What a picture may be read as, whatever its size.
_PICTURE = 5_000
# What a request has around its texts, for each message.
_AROUND = 20
# How long an answer is taken to be whose request names no limit.
USUAL_OUTPUT = 8_192
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


def most_tokens(request: ChatRequest) -> Usage:
    """Return the tokens that a request comes to at most; without a limit, a usual answer's.

    >>> most_tokens(ChatRequest(model="m", messages=({"role": "user"},))).output_tokens
    8192
    """
    parts = (*request.messages, *request.tools, request.instructions or "")
    read = sum(_size(part) + _AROUND for part in parts if part)
    return Usage(input_tokens=read, output_tokens=request.max_tokens or USUAL_OUTPUT)


def _size(value: object) -> int:
    """Return how many tokens a value has at most, as it is written in a request."""
    if isinstance(value, str):
        return -(-len(value.encode("utf-8", "surrogatepass")) // _BYTES)
    if isinstance(value, Mapping):
        if value.get("type") in _PICTURES:
            return _PICTURE
        return sum(_size(key) + _size(inner) for key, inner in value.items())
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return 1
