"""Convert failed results to exceptions."""

from __future__ import annotations

import functools
import warnings
from typing import TYPE_CHECKING, ParamSpec, TypeGuard, TypeVar

from returns.result import Failure, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from webseam.ports.errors import WebError

Given = ParamSpec("Given")
Value = TypeVar("Value")
Error = TypeVar("Error")


class WebseamError(Exception):
    """A call failed. ``error`` is the typed failure; the text is its message and what to do.

    >>> from webseam.ports.errors import AuthFailed
    >>> str(WebseamError(AuthFailed(status=401, backend="brave"))).splitlines()[0]
    'brave refused the key (401).'
    """

    error: WebError
    remedy: str

    def __init__(self, error: WebError) -> None:
        self.error = error
        self.remedy = error.remedy_for("python")
        super().__init__("\n".join(filter(None, (error.message, self.remedy))))

    def __reduce__(self) -> tuple[type[WebseamError], tuple[WebError]]:
        # The default would rebuild the exception from its text, for example when unpickled.
        return (type(self), (self.error,))


# A traceback names the class as users import it.
WebseamError.__module__ = "webseam"


def hide_inner_frames(call: Callable[Given, Value]) -> Callable[Given, Value]:
    """Return ``call`` that raises ``WebseamError`` without the frames inside of it."""

    @functools.wraps(call)
    def plain_call(*args: Given.args, **kwargs: Given.kwargs) -> Value:
        try:
            return call(*args, **kwargs)
        except WebseamError as error:
            raised = error
        raise raised.with_traceback(None)

    return plain_call


def make_deprecated_alias(call: Callable[Given, Value], old: str) -> Callable[Given, Value]:
    """Return ``call`` for its ``old`` name, which warns that the name is deprecated."""

    @functools.wraps(call)
    def old_call(*args: Given.args, **kwargs: Given.kwargs) -> Value:
        warnings.warn(f"use {call.__name__}, not {old}", DeprecationWarning, stacklevel=2)
        return call(*args, **kwargs)

    return old_call


def failed(result: Result[Value, Error]) -> TypeGuard[Failure[Error]]:
    """Tell whether a result is a failure; type checkers then know what ``failure()`` gives.

    >>> from returns.result import Success
    >>> failed(Success(1)), failed(Failure("no"))
    (False, True)
    """
    return isinstance(result, Failure)


def unwrap(result: Result[Value, WebError]) -> Value:
    """Return the value of a result, or raise ``WebseamError`` with its error.

    >>> from returns.result import Success
    >>> unwrap(Success(1))
    1
    """
    if isinstance(result, Failure):
        raise WebseamError(result.failure())
    return result.unwrap()
