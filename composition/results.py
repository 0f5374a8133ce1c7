"""Convert failed results to exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard, TypeVar

from returns.result import Failure, Result

if TYPE_CHECKING:
    from ..ports.errors import WebError

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
        """Carry ``error``."""
        self.error = error
        self.remedy = error.remedy_for("python")
        super().__init__("\n".join(filter(None, (error.message, self.remedy))))

    def __reduce__(self) -> tuple[type[WebseamError], tuple[WebError]]:
        # The default would rebuild the exception from its text, for example when unpickled.
        return (type(self), (self.error,))


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
