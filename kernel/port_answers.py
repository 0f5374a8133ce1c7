"""What a port returned: its Result opened, its failure checked and attributed."""

import functools
from typing import Protocol, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from ..ports.attempts import BackendAttempt
from ..ports.backends import Abilities, BackendAbout, ReadsMany, Served, WebBackend
from ..ports.errors import BackendCrashed, WebError
from ..ports.receipts import ExtractReceipt, SearchReceipt, Usage
from ..ports.web import SearchOutcome
from .boundary import Crash, attempt_call, attempt_or
from .text.display import one_line

AnyReceipt = TypeVar("AnyReceipt", SearchReceipt, ExtractReceipt)

_MAX_WARNINGS = 10
# What a name, ``embedded`` and ``batch`` are, if they are what they should be.
_SOUND = (str, bool, int)


def open_answer(answer: object, backend: str, url: str | None) -> Result[object, WebError]:
    """Return what is inside a port's ``Result``; a return that is no Result is a crash."""
    if isinstance(answer, Success):
        return Success(answer.unwrap())
    return Failure(checked_failure(answer, backend, url))


def checked_failure(answer: object, backend: str, url: str | None) -> WebError:
    """Return the error in what a port returned, which is no success."""
    if isinstance(answer, Failure):
        return attribute_error(answer.failure(), backend, url)
    return _broke_promise(f"returned {_type_name(answer)}, not a Result", backend, url)


def served_answer(answer: object) -> Served:
    """Return the bare answer and what its backend said about it, as far as that is usable."""
    if not isinstance(answer, Served):
        return Served(answer=answer)
    said_more = answer.warnings != () or answer.usage is not None or answer.cached is not False
    if type(answer.outcome) is VouchedOutcome and not said_more:
        return answer
    warnings_given = answer.warnings if type(answer.warnings) is tuple else ()
    warnings = tuple(one_line(text) for text in warnings_given[:_MAX_WARNINGS] if type(text) is str)
    usage = (
        None if answer.usage is None else attempt_call(lambda: _counts(answer.usage)).value_or(None)
    )
    plain = Served(
        answer=answer.answer, cached=answer.cached is True, warnings=warnings, usage=usage
    )
    if answer.outcome is None and not answer.by and not answer.attempts:
        return plain
    if type(answer.outcome) is VouchedOutcome:
        return msgspec.structs.replace(plain, outcome=answer.outcome)
    # What was made by hand was never checked, so it is made anew from its fields.
    route = attempt_call(lambda: _rebuilt_route(answer)).value_or(plain)
    return msgspec.structs.replace(
        plain, outcome=route.outcome, by=one_line(route.by, 100), attempts=route.attempts
    )


class VouchedOutcome(SearchOutcome, frozen=True, kw_only=True, gc=False):
    """An outcome that the kernel itself made, on its way through a route: checked already."""


def vouch_outcome(outcome: SearchOutcome, receipt: SearchReceipt) -> VouchedOutcome:
    """Return what ``web_search`` gave, with another receipt, so that it is not checked twice."""
    return VouchedOutcome(
        rows=outcome.rows, answer=outcome.answer, rejected=outcome.rejected, receipt=receipt
    )


def _counts(usage: object) -> Usage:
    """Return the counts, read again from their fields: nothing checked them when they were made."""
    return msgspec.convert(msgspec.structs.asdict(cast("Usage", usage)), Usage)


def note_served(receipt: AnyReceipt, served: Served) -> AnyReceipt:
    """Return the receipt with what the backend said about its answer."""
    if served.by:
        receipt = msgspec.structs.replace(receipt, backend=served.by, attempts=served.attempts)
    if not served.cached and not served.warnings and served.usage is None:
        return receipt
    return msgspec.structs.replace(
        receipt, cached=served.cached, warnings=served.warnings, usage=served.usage
    )


def attribute_error(error: object, backend: str, url: str | None) -> WebError:
    """Return ``error`` with its backend and URL filled in; what is no WebError is a crash.

    The error is rebuilt from its fields, because nothing checked them when it was made.
    """
    checked = attempt_call(lambda: _rebuilt(error))
    if not isinstance(error, msgspec.Struct) or isinstance(checked, Failure):
        return _broke_promise(f"failed with {_type_name(error)}, not a WebError", backend, url)
    known: WebError = checked.unwrap()
    return msgspec.structs.replace(known, backend=known.backend or backend, url=known.url or url)


class _Route(msgspec.Struct, frozen=True):
    outcome: SearchOutcome | None
    by: str
    attempts: tuple[BackendAttempt, ...]


def _rebuilt_route(served: Served) -> _Route:
    fields = {"outcome": served.outcome, "by": served.by, "attempts": served.attempts}
    return msgspec.convert(msgspec.to_builtins(fields), _Route)


def _rebuilt(error: object) -> WebError:
    rebuilt: WebError = msgspec.convert(msgspec.to_builtins(error), WebError)
    return rebuilt


def crash_error(crash: Crash, backend: str, url: str | None) -> BackendCrashed:
    """Turn what a port raised into the error that says so."""
    return BackendCrashed(error=crash.error, where=crash.where, backend=backend, url=url)


class _Named(Protocol):
    @property
    def name(self) -> object: ...


def backend_about(backend: object) -> BackendAbout:
    """Return what a backend says of itself, each field as it may be used. Never raises.

    What cannot be read is the default, which has the stricter judge: a third party.
    """
    about = attempt_or(lambda: cast("WebBackend", backend).about, None)
    if type(about) is not BackendAbout:
        return BackendAbout(name=_type_name(backend))
    if _is_sound(about):
        return about
    return BackendAbout(
        name=_labelled(about.name, backend),
        embedded=about.embedded is True,
        abilities=about.abilities if isinstance(about.abilities, Abilities) else None,
        batch=about.batch if type(about.batch) is int and about.batch > 1 else 1,
    )


def _is_sound(about: BackendAbout) -> bool:
    """Tell whether each field is as it may be used, as those of nearly all are."""
    kinds = (type(about.name), type(about.embedded), type(about.batch))
    if kinds != _SOUND or about.batch < 1 or not about.name or _label(about.name) != about.name:
        return False
    return about.abilities is None or isinstance(about.abilities, Abilities)


def reads_many(backend: object, about: BackendAbout) -> ReadsMany | None:
    """Return the backend if it reads several pages in one call, else None."""
    if about.batch == 1:
        return None
    return attempt_call(lambda: backend if isinstance(backend, ReadsMany) else None).value_or(None)


def port_name(port: object) -> str:
    """Return the name under which a port other than a ``WebBackend`` appears in errors."""
    name = attempt_call(lambda: cast("_Named", port).name).value_or("")
    return _labelled(name, port)


def _labelled(name: object, port: object) -> str:
    label = _label(name) if type(name) is str else ""
    return label or _type_name(port)


@functools.lru_cache(maxsize=64)
def _label(name: str) -> str:
    """Return a name on one line; a program asks few backends, and each of them often."""
    return one_line(name, 100)


def _broke_promise(what: str, backend: str, url: str | None) -> BackendCrashed:
    return BackendCrashed(error=what, backend=backend, url=url)


def _type_name(value: object) -> str:
    return type(value).__name__[:100]
