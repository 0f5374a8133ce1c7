"""Compress a page if that pays; report every problem as a failure."""

import msgspec
from returns.result import Failure, Result, Success

from ..ports.attempts import BackendAttempt
from ..ports.errors import CompressorFailed, WebError
from ..ports.models.compressors import Compressed
from ..ports.receipts import Usage
from .boundary import attempt_call, attempt_port
from .deps import WebDeps
from .port_answers import attribute_error, port_name
from .text.display import is_plain_text


def is_worth_compressing(content: str, deps: WebDeps) -> bool:
    """Tell whether there is a compressor and the page has the minimum length."""
    return deps.compressor is not None and len(content) >= deps.compress_min_length


async def compress_page(content: str, deps: WebDeps) -> Result[Compressed, WebError]:
    """Return a shorter text, or a failure; an empty or longer text is a failure too."""
    answered = await attempt_port(lambda: _ask_compressor(content, deps))
    if isinstance(answered, Failure):
        crash = answered.failure()
        detail = f"{crash.error} at {crash.where}" if crash.where else crash.error
        return _compressor_failure("the compressor crashed", detail)
    answer = answered.unwrap()
    if isinstance(answer, Failure):
        return Failure(attribute_error(answer.failure(), port_name(deps.compressor), None))
    if not isinstance(answer, Success):
        return _compressor_failure("the compressor did not return a Result")
    return _check_compressed(answer.unwrap(), content)


async def _ask_compressor(content: str, deps: WebDeps) -> object:
    return await deps.compressor(content, deps.instruction) if deps.compressor else None


def _check_compressed(answer: object, content: str) -> Result[Compressed, WebError]:
    compressed = answer if isinstance(answer, Compressed) else None
    text = answer if compressed is None else compressed.text
    if not isinstance(text, str) or not is_plain_text(text):
        return _compressor_failure("the compressor did not return text")
    if not text.strip():
        return _compressor_failure("the compressor returned nothing")
    if len(text) > len(content):
        return _compressor_failure("the compressor returned more than it was given")
    if compressed is None:
        return Success(Compressed(text=text))
    usage, attempts = _compressor_usage(compressed.usage), _compressor_attempts(compressed.attempts)
    return Success(Compressed(text=text, usage=usage, attempts=attempts))


def _compressor_usage(usage: object) -> Usage | None:
    """Return the usage if it is valid; a compressor may return anything."""
    return attempt_call(lambda: msgspec.convert(msgspec.to_builtins(usage), Usage)).value_or(None)


def _compressor_attempts(attempts: object) -> tuple[BackendAttempt, ...]:
    """Return the attempts rebuilt from their fields, or none if they are invalid."""
    return attempt_call(
        lambda: msgspec.convert(msgspec.to_builtins(attempts), tuple[BackendAttempt, ...])
    ).value_or(())


def _compressor_failure(reason: str, detail: str = "") -> Failure[WebError]:
    return Failure(CompressorFailed(reason=reason, detail=detail))
