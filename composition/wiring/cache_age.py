"""How old a cached answer of the current call may be."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_MAX_CACHE_AGE: ContextVar[float | None] = ContextVar("webseam_max_age", default=None)
current_max_cache_age = _MAX_CACHE_AGE.get


@contextmanager
def wire_cache_age_limit(seconds: float | None) -> Iterator[None]:
    """Answer the calls of this block from the cache only with what is at most ``seconds`` old.

    None changes nothing: an outer block may have a limit.
    """
    token = _MAX_CACHE_AGE.set(_MAX_CACHE_AGE.get() if seconds is None else seconds)
    try:
        yield
    finally:
        _MAX_CACHE_AGE.reset(token)
