"""Call code that may raise; no other kernel module catches exceptions.

An exception of a port, or of a value it returned, becomes a ``Crash``. Cancellation and interpreter
exits are no ``Exception`` and pass through.
"""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import WebError
from webseam.ports.text import is_text, plain_text, strip_hidden, type_name

Value = TypeVar("Value")
Error = TypeVar("Error")


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """The exception's type and location, without its text, which may quote a key."""

    error: str
    where: str


def attempt_call(call: Callable[[], Value]) -> Result[Value, Crash]:
    """Run ``call`` and return its value, or a description of its exception."""
    try:
        return Success(call())
    except Exception as error:
        return Failure(describe_crash(error))


def attempt_or(call: Callable[[], Value], otherwise: Value) -> Value:
    """Run ``call`` and return its value, or ``otherwise`` if it raises."""
    try:
        return call()
    except Exception:
        return otherwise


async def attempt_port(call: Callable[[], Awaitable[Value]]) -> Result[Value, Crash]:
    """Await ``call`` and return its value, or a description of its exception."""
    try:
        return Success(await call())
    except Exception as error:
        return Failure(describe_crash(error))


async def attempt_callback(work: Awaitable[Value]) -> Result[Value, Exception]:
    """Await ``work`` and return its value, or the exception itself.

    Only for callbacks that pass exceptions to each other; the caller converts the last one.
    """
    try:
        return Success(await work)
    except Exception as error:
        return Failure(error)


async def attempt_value(
    work: Awaitable[Value], otherwise: Callable[[Crash], Error]
) -> Value | Error:
    """Await ``work`` and return its value; if it raises, the result of ``otherwise``."""
    try:
        return await work
    except Exception as error:
        return otherwise(describe_crash(error))


def describe_crash(error: BaseException) -> Crash:
    """Describe an exception by its type and the innermost line, e.g. ``runner.py:42``."""
    return Crash(error=type_name(error)[:100], where=_crash_line(error))


def rebuild_value(value: object, kind: type[Value]) -> Result[Value, Crash]:
    """Rebuild ``value`` from its fields: msgspec trusts a Struct that has the right type.

    What is rebuilt can be sent as JSON.
    """
    return attempt_call(lambda: _rebuild(value, kind))


def rebuild_error(error: object) -> WebError | None:
    """Rebuild an error from its fields; return None if it is no valid ``WebError``."""
    if not issubclass(type(error), msgspec.Struct):
        return None
    return attempt_or(lambda: cast("WebError", _rebuild(error, WebError)), None)


def _rebuild(value: object, kind: object) -> Any:  # noqa: ANN401  of the kind
    fields = msgspec.to_builtins(value, enc_hook=encode_text)
    rebuilt = msgspec.convert(fields, kind)
    try:
        msgspec.json.encode(rebuilt)
    except UnicodeEncodeError:
        rebuilt = msgspec.convert(_strip_surrogates(fields), kind)
        msgspec.json.encode(rebuilt)
    return rebuilt


def encode_text(value: object) -> str:
    """Encode a subclass of ``str`` for msgspec, which knows none; refuse any other value."""
    if is_text(value):
        return plain_text(value)
    raise TypeError


def _strip_surrogates(value: object) -> object:
    """Return builtins without lone surrogates, which JSON cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_strip_surrogates(name): _strip_surrogates(value[name]) for name in value}
    return [_strip_surrogates(item) for item in value] if isinstance(value, list) else value


def _crash_line(error: BaseException) -> str:
    # Use the descriptor: a hostile subclass may shadow the attribute.
    trace = vars(BaseException)["__traceback__"].__get__(error)
    if not isinstance(trace, TracebackType):
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{strip_hidden(file)}:{trace.tb_lineno}"
