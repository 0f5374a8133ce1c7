"""What is told aside, once: on standard error by a command, in the log by everything else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

_NOTICE_CALLBACK: ContextVar[Callable[[str], None] | None] = ContextVar("teller", default=None)


def notify(sentence: str) -> None:
    """Tell something that stops nothing, to whoever listens."""
    (_NOTICE_CALLBACK.get() or _log_notice)(sentence)


@contextmanager
def notify_through(teller: Callable[[str], None]) -> Iterator[None]:
    """Have everything told to ``teller`` meanwhile, each sentence once."""
    token = _NOTICE_CALLBACK.set(cache(teller))
    try:
        yield
    finally:
        _NOTICE_CALLBACK.reset(token)


@cache
def _log_notice(sentence: str) -> None:
    from logging import getLogger  # noqa: PLC0415  only where there is something to tell

    getLogger("webseam.settings").warning("%s", sentence)
