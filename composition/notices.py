"""Notices, each shown once: a command prints them to standard error, other callers log them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

_NOTICE_CALLBACK: ContextVar[Callable[[str], None] | None] = ContextVar("teller", default=None)


def show_notice(sentence: str) -> None:
    """Pass a notice to the current callback, else to the log."""
    (_NOTICE_CALLBACK.get() or _log_notice)(sentence)


@contextmanager
def show_notices_through(teller: Callable[[str], None]) -> Iterator[None]:
    """Pass notices inside the block to ``teller``, each sentence once."""
    token = _NOTICE_CALLBACK.set(cache(teller))
    try:
        yield
    finally:
        _NOTICE_CALLBACK.reset(token)


@cache
def _log_notice(sentence: str) -> None:
    from logging import getLogger  # noqa: PLC0415  imported on use

    getLogger("webseam.settings").warning("%s", sentence)
