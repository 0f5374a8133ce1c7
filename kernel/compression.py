"""Compression of a page: only when it pays, and never a failure in disguise."""

import msgspec
from returns.result import Failure, Result, Success

from ..ports.attempts import BackendAttempt
from ..ports.errors import CompressorFailed, WebError
from ..ports.models.compressors import Compressed
from ..ports.receipts import Usage
from .boundary import attempt_call, attempt_port
from .deps import WebDeps
from .port_answers import attribute_error, port_name
from .text.display import is_plain


def is_worth_compressing(content: str, deps: WebDeps) -> bool:
    """Tell whether a compressor is there and the page is at or above the floor."""
    return deps.compressor is not None and len(content) >= deps.compress_min_length


async def compress_page(content: str, deps: WebDeps) -> Result[Compressed, WebError]:
    """Return a shorter text, or a failure; an empty or longer one is a failure too."""
    answered = await attempt_port(lambda: _ask(content, deps))
    if isinstance(answered, Failure):
        crash = answered.failure()
        detail = f"{crash.error} at {crash.where}" if crash.where else crash.error
        return _refuse("the compressor crashed", detail)
    answer = answered.unwrap()
    if isinstance(answer, Failure):
        return Failure(attribute_error(answer.failure(), port_name(deps.compressor), None))
    if not isinstance(answer, Success):
        return _refuse("the compressor did not return a Result")
    return _check(answer.unwrap(), content)


async def _ask(content: str, deps: WebDeps) -> object:
    return await deps.compressor(content, deps.instruction) if deps.compressor else None


def _check(answer: object, content: str) -> Result[Compressed, WebError]:
    whole = answer if isinstance(answer, Compressed) else None
    text = answer if whole is None else whole.text
    if not isinstance(text, str) or not is_plain(text):
        return _refuse("the compressor did not return text")
    if not text.strip():
        return _refuse("the compressor returned nothing")
    if len(text) > len(content):
        return _refuse("the compressor returned more than it was given")
    if whole is None:
        return Success(Compressed(text=text))
    usage, attempts = _usage(whole.usage), _attempts(whole.attempts)
    return Success(Compressed(text=text, usage=usage, attempts=attempts))


def _usage(usage: object) -> Usage | None:
    """Return what was used, if it is that: a compressor may say anything."""
    return attempt_call(lambda: msgspec.convert(msgspec.to_builtins(usage), Usage)).value_or(None)


def _attempts(attempts: object) -> tuple[BackendAttempt, ...]:
    """Return who was asked, if it is that, made anew from its fields."""
    return attempt_call(
        lambda: msgspec.convert(msgspec.to_builtins(attempts), tuple[BackendAttempt, ...])
    ).value_or(())


def _refuse(reason: str, detail: str = "") -> Failure[WebError]:
    return Failure(CompressorFailed(reason=reason, detail=detail))
