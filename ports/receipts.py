"""What really happened on a call that worked, as data."""

import msgspec

from .attempts import BackendAttempt


class TraceEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a middleware said about a request that it rewrote."""

    source: str = ""
    reason: str = ""
    name: str = ""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as counted by the provider, in one way for all.

    ``input_tokens`` includes what was read from (``cached_tokens``) and written to a cache;
    ``output_tokens`` includes ``reasoning_tokens``. ``cost`` is in dollars when it was told.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


class CacheStats(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a prompt came from the cache, and how much was put into it."""

    read_tokens: int
    written_tokens: int


class SearchReceipt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Which backend served, what it was asked, and what was changed on the way.

    ``filters`` are those that were asked for: ``applied`` by the backend, ``emulated`` by us, which
    took ``filtered`` rows out, or ``refused``. ``blocked`` rows were on domains that the policy
    denies. ``usage`` is what a model used to answer, where one did. ``attempts`` are all that a
    route took to come to the answer.
    """

    backend: str
    query: str
    asked_max_results: int | None
    max_results: int | None
    clamped: bool
    filters: tuple[str, ...]
    applied: tuple[str, ...] = ()
    emulated: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    returned: int
    rejected: int
    trimmed: int
    filtered: int = 0
    blocked: int = 0
    cached: bool = False
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()


class ExtractReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Which backend served the page, where it ended up, and how it was made shorter.

    When ``omitted`` characters were left out, ``next_cursor`` is where to go on in the text that is
    kept under ``handle``; without a store, or when it failed, there is no handle. What a compressor
    made shorter is kept whole there, too. ``raw`` says that the backend gave a raw text of its own.
    ``usage`` is what a model used to read the page, ``compressor_usage`` what one used to make it
    shorter, ``compressor_attempts`` which ones were asked for that.
    """

    backend: str
    url: str
    final_url: str
    characters: int
    compressed: bool
    compressed_characters: int | None
    raw: bool = False
    omitted: int = 0
    next_cursor: int | None = None
    handle: str | None = None
    cached: bool = False
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    compressor_usage: Usage | None = None
    compressor_attempts: tuple[BackendAttempt, ...] = ()
    attempts: tuple[BackendAttempt, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()
