"""Define receipts: how a successful call was served."""

import msgspec

from .attempts import BackendAttempt
from .errors.error_fields import Foreign


class TraceEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A middleware's note on a request that it rewrote."""

    source: str = ""
    reason: str = ""
    name: str = ""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the provider counts them, in one form for all providers.

    ``input_tokens`` includes tokens read from (``cached_tokens``) and written to a cache;
    ``output_tokens`` includes ``reasoning_tokens``. ``cost`` is in dollars, if reported.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None


def add_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Return the sum of two usages; a field that only one of them has is taken from it.

    >>> both = add_usage(Usage(input_tokens=1), Usage(input_tokens=2, cost=0.5))
    >>> both is not None
    True
    >>> both.input_tokens
    3
    >>> both.cost
    0.5
    """
    if first is None or second is None:
        return first or second
    counts = msgspec.structs.asdict(first)
    sums = {
        name: count if counts[name] is None else counts[name] + (count or 0)
        for name, count in msgspec.structs.asdict(second).items()
    }
    return Usage(**sums)


class CacheStats(msgspec.Struct, frozen=True, kw_only=True):
    """How many tokens of a prompt were read from the cache and written to it."""

    read_tokens: int
    written_tokens: int


class SearchReceipt(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Which backend served, what it was asked, and what was changed.

    ``filters`` are those that the caller set: ``sent`` to the backend, ``emulated`` here, or
    ``refused``. Those that are ``verified`` were checked on the rows, which removed ``filtered``
    rows; ``undated`` rows have no date to check and stayed. ``blocked`` rows were on domains that
    the policy denies, and ``merged`` ones were another backend's rows for the same page. Of the
    ``returned`` rows, those that are not shown were rejected, filtered, blocked, merged, or
    trimmed to the limit. ``usage`` is that of the models that answered. ``attempts`` are those of
    the route.
    ``new_share`` is the share of the rows that the session had not had; None outside of a session.
    ``no_progress`` means that several searches in a row brought nothing new. ``unread`` names the
    keys of the rows, and those that a plugin added, which webseam does not know and left out.
    The answer was fetched at ``fetched_at``, ``age`` seconds ago. ``pages`` are the receipts of the
    rows' pages, if they were asked for: None for a page that failed.
    """

    backend: str
    query: str
    asked_max_results: int | None = None
    max_results: int | None = None
    clamped: bool = False
    filters: tuple[str, ...] = ()
    sent: tuple[str, ...] = ()
    emulated: tuple[str, ...] = ()
    verified: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    returned: int
    rejected: int = 0
    trimmed: int = 0
    filtered: int = 0
    undated: int = 0
    blocked: int = 0
    merged: int = 0
    cached: bool = False
    fetched_at: str | None = None
    age: float | None = None
    warnings: tuple[Foreign, ...] = ()
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()
    new_share: float | None = None
    no_progress: bool = False
    unread: tuple[Foreign, ...] = ()
    pages: "tuple[ExtractReceipt | None, ...]" = ()


class ExtractReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Which backend served the page, its final URL, and how it was shortened.

    If ``omitted`` characters are left out, ``next_cursor`` is where to continue in the page kept
    under ``handle``. A page is kept there in full, with its other parts, if it was shortened or
    anything was left out of it; without a store, or if it failed, there is no handle. ``raw`` means
    that the backend returned raw text. ``usage`` is that of a model that read the page;
    ``compressor_usage`` and ``compressor_attempts`` are those of the compressor. The page was
    fetched at ``fetched_at``, ``age`` seconds ago. ``unread`` names the keys of the page that
    webseam does not know and left out.
    """

    backend: str
    url: str
    final_url: Foreign
    characters: int
    compressed: bool = False
    compressed_characters: int | None = None
    raw: bool = False
    omitted: int = 0
    next_cursor: int | None = None
    handle: str | None = None
    cached: bool = False
    fetched_at: str | None = None
    age: float | None = None
    warnings: tuple[Foreign, ...] = ()
    usage: Usage | None = None
    compressor_usage: Usage | None = None
    compressor_attempts: tuple[BackendAttempt, ...] = ()
    attempts: tuple[BackendAttempt, ...] = ()
    middleware: tuple[TraceEntry, ...] = ()
    unread: tuple[Foreign, ...] = ()
