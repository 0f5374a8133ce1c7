"""Unwrap the answers of ports, and check and attribute their failures."""

import functools
import math
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Protocol, TypeVar, cast

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import Abilities, BackendAbout, ReadsMany, Served, WebBackend
from webseam.ports.errors import BackendCrashed, WebError
from webseam.ports.pages import PageReading
from webseam.ports.receipts import ExtractReceipt, SearchReceipt, Usage
from webseam.ports.web import SearchOutcome, WebSearchQuery

from .boundary import Crash, attempt_call, attempt_or, attempt_port, rebuild_error, rebuild_value
from .text.display import is_text, one_line, plain_text, type_name
from .text.redaction import unread_names

AnyReceipt = TypeVar("AnyReceipt", SearchReceipt, ExtractReceipt)

_MAX_WARNINGS = 10
_MAX_AGE_SECONDS = 1e9
# The types of a valid name, ``embedded`` and ``batch``.
_ABOUT_TYPES = (str, bool, int)


def open_port_answer(answer: object, backend: str, url: str | None) -> Result[object, WebError]:
    """Return the value of a port's ``Result``; a return that is no Result is a crash."""
    if isinstance(answer, Success):
        return Success(answer.unwrap())
    return Failure(port_answer_failure(answer, backend, url))


async def ask_port(call: Callable[[], Awaitable[object]], name: str) -> Result[object, WebError]:
    """Await a port and return the value of its ``Result``; an exception becomes a crash error."""
    answered = await attempt_port(call)
    if isinstance(answered, Failure):
        return Failure(port_crash(answered.failure(), name, None))
    # An answer may raise when it is opened, too.
    opened = attempt_call(lambda: open_port_answer(answered.unwrap(), name, None))
    if isinstance(opened, Failure):
        return Failure(port_crash(opened.failure(), name, None))
    return opened.unwrap()


def port_answer_failure(answer: object, backend: str, url: str | None) -> WebError:
    """Return the error of a port's answer that is no success."""
    if isinstance(answer, Failure):
        return port_error(answer.failure(), backend, url)
    return _contract_error(f"returned {_type_name(answer)}, not a Result", backend, url)


def as_served(answer: object) -> Served:
    """Return an answer with what its backend reported, nothing if it is bare."""
    return cast("Served", answer) if issubclass(type(answer), Served) else Served(answer=answer)


def served_answer(answer: object) -> Served:
    """Return the bare answer and the valid part of what its backend reported with it."""
    if not isinstance(answer, Served):
        return Served(answer=answer)
    has_details = (
        answer.warnings != ()
        or answer.usage is not None
        or answer.cached is not False
        or answer.unread != ()
        or answer.reading is not None
    )
    if type(answer.outcome) is VouchedOutcome and not has_details:
        return answer
    raw_warnings = answer.warnings if type(answer.warnings) is tuple else ()
    texts = map(plain_text, filter(is_text, raw_warnings[:_MAX_WARNINGS]))
    warnings = tuple(map(one_line, texts))
    usage = None if answer.usage is None else rebuild_value(answer.usage, Usage).value_or(None)
    raw_unread = answer.unread if type(answer.unread) is tuple else ()
    unread = unread_names(map(plain_text, filter(is_text, raw_unread)))
    # A clock that went back gives a negative age.
    is_age = isinstance(answer.age, float) and 0 <= answer.age <= _MAX_AGE_SECONDS
    age, is_cached = answer.age if is_age else None, answer.cached is True
    reading = answer.reading
    if reading is not None:
        reading = rebuild_value(reading, PageReading).value_or(None)
    plain = Served(
        answer=answer.answer,
        cached=is_cached,
        age=age,
        warnings=warnings,
        usage=usage,
        unread=unread,
        reading=reading,
    )
    if answer.outcome is None and not answer.by and not answer.attempts:
        return plain
    if type(answer.outcome) is VouchedOutcome:
        return replace(plain, outcome=answer.outcome)
    fields = {"outcome": answer.outcome, "by": answer.by, "attempts": answer.attempts}
    route = rebuild_value(fields, _RouteAnswer).value_or(plain)
    return replace(
        plain, outcome=route.outcome, by=one_line(route.by, 100), attempts=route.attempts
    )


class CheckedRoute:
    """A backend that asks others through the kernel, so that its outcomes are checked already."""

    # Not an ABC: to ask whether a backend is one would cost time in every search.
    search_checked: Callable[[WebSearchQuery], Awaitable[SearchOutcome | WebError]]


class VouchedOutcome(SearchOutcome, frozen=True, kw_only=True, gc=False):
    """An outcome that the kernel made inside a route, so it is checked already.

    In a ``partial`` one, the rows of a backend are missing that were to be fused with the others.
    """

    partial: bool = False


def vouch_search_outcome(
    outcome: SearchOutcome, receipt: SearchReceipt, *, partial: bool = False
) -> VouchedOutcome:
    """Return an outcome of ``web_search`` with another receipt, marked as checked."""
    return VouchedOutcome(
        rows=outcome.rows,
        answer=outcome.answer,
        rejected=outcome.rejected,
        receipt=receipt,
        partial=partial,
    )


def note_served(receipt: AnyReceipt, served: Served) -> AnyReceipt:
    """Return the receipt with what the backend reported about its answer."""
    if served.by:
        receipt = replace(receipt, backend=served.by, attempts=served.attempts)
    if not served.cached and not served.warnings and served.usage is None:
        return receipt
    # The receipt has the kernel's own warnings; a route hands over those of its backend again.
    own_warnings: list[str] = [text for text in receipt.warnings if text not in served.warnings]
    return replace(
        receipt,
        cached=served.cached,
        age=served.age,
        warnings=(*served.warnings, *own_warnings),
        usage=served.usage,
    )


def left_out_rows(receipt: SearchReceipt) -> int:
    """Return how many of the rows that came are not shown."""
    return receipt.rejected + receipt.filtered + receipt.blocked + receipt.merged + receipt.trimmed


def answer_time(receipt: AnyReceipt, now: Callable[[], float] | None) -> dict[str, object]:
    """Return the fields of a receipt that tell the time of its answer; none without a clock."""
    if now is None:
        return {}
    age = receipt.age or 0.0
    # The clock comes from outside: it may raise, or give no time that a receipt can name.
    fetched_at = attempt_or(lambda: _utc_time_text(math.floor(now() - age)), None)
    return {} if fetched_at is None else {"age": round(age, 3), "fetched_at": fetched_at}


@functools.lru_cache(2)
def _utc_time_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def port_error(error: object, backend: str, url: str | None) -> WebError:
    """Return ``error`` with its backend and URL filled in; anything but a WebError is a crash.

    The error is rebuilt from its fields: nothing validated them before.
    """
    rebuilt = rebuild_error(error)
    if rebuilt is None:
        return _contract_error(f"failed with {_type_name(error)}, not a WebError", backend, url)
    return replace(rebuilt, backend=rebuilt.backend or backend, url=rebuilt.url or url)


class _RouteAnswer(msgspec.Struct, frozen=True):
    outcome: SearchOutcome | None
    by: str
    attempts: tuple[BackendAttempt, ...]


def port_crash(crash: Crash, backend: str, url: str | None) -> BackendCrashed:
    """Return the error for a port that raised."""
    return BackendCrashed(error=crash.error, where=crash.where, backend=backend, url=url)


class _NamedPort(Protocol):
    @property
    def name(self) -> object: ...


def backend_about(backend: object) -> BackendAbout:
    """Return a backend's description of itself, with only valid fields. Never raises.

    An invalid field gets its default, which is stricter: a third party.
    """
    about = attempt_or(lambda: cast("WebBackend", backend).about, None)
    if type(about) is not BackendAbout:
        return BackendAbout(name=_type_name(backend))
    if _is_valid_about(about):
        return about
    return BackendAbout(
        name=_shown_name(about.name, backend),
        embedded=about.embedded is True,
        abilities=about.abilities if issubclass(type(about.abilities), Abilities) else None,
        batch=about.batch if type(about.batch) is int and about.batch > 1 else 1,
    )


def _is_valid_about(about: BackendAbout) -> bool:
    """Tell whether each field is valid, as in nearly all backends."""
    name, types = about.name, (type(about.name), type(about.embedded), type(about.batch))
    if types != _ABOUT_TYPES or about.batch < 1 or not name or _one_line_name(name) != name:
        return False
    return about.abilities is None or issubclass(type(about.abilities), Abilities)


def multi_page_backend(backend: object, about: BackendAbout) -> ReadsMany | None:
    """Return the backend if it reads several pages in one call, else None."""
    if about.batch == 1:
        return None
    return attempt_call(lambda: backend if isinstance(backend, ReadsMany) else None).value_or(None)


def port_name(port: object) -> str:
    """Return the name of a port other than a ``WebBackend``, for errors."""
    name = attempt_call(lambda: cast("_NamedPort", port).name).value_or("")
    return _shown_name(name, port)


def _shown_name(name: object, port: object) -> str:
    label = _one_line_name(plain_text(name)) if is_text(name) else ""
    return label or _type_name(port)


@functools.lru_cache(maxsize=64)
def _one_line_name(name: str) -> str:
    """Return a name on one line; cached, because a program asks few backends often."""
    return one_line(name, 100)


def _contract_error(problem: str, backend: str, url: str | None) -> BackendCrashed:
    return BackendCrashed(error=problem, backend=backend, url=url)


def _type_name(value: object) -> str:
    return type_name(value)[:100]
