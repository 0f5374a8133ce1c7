"""Notices, each shown once: a command prints them to standard error, other callers log them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache

from webseam.adapters.call_context import set_in_block

_NOTICE_CALLBACK: ContextVar[Callable[[str], None] | None] = ContextVar("teller", default=None)


def show_notice(sentence: str) -> None:
    """Pass a notice to the current callback, else to the log."""
    (_NOTICE_CALLBACK.get() or _log_notice)(sentence)


def show_notices_through(teller: Callable[[str], None]) -> AbstractContextManager[None]:
    """Pass notices inside the block to ``teller``, each sentence once."""
    return set_in_block(_NOTICE_CALLBACK, cache(teller))


@cache
def _log_notice(sentence: str) -> None:
    from logging import getLogger  # noqa: PLC0415  imported on use

    getLogger("webseam.settings").warning("%s", sentence)
