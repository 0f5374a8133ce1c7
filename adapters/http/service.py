"""What a web service is: data and pure functions. No file of this kind does any I/O."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec
from returns.result import Result

from ...ports.errors import WebError
from ...ports.secrets import Secret
from ...ports.web import UntrustedRow, WebSearchQuery

Method: TypeAlias = Literal["GET", "POST"]


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """What a service needs to know its caller."""

    key: Secret = msgspec.field(default_factory=lambda: Secret(""))

    def secrets(self) -> tuple[str, ...]:
        """Return every value that must never be shown."""
        return (self.key.reveal(),) if self.key else ()


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP request, still without a base URL."""

    method: Method = "POST"
    url: str
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What came back, with its body parsed: any JSON value."""

    status: int
    payload: object


class SearchOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service searches. ``decode`` takes any JSON, invents nothing and never raises."""

    encode: Callable[[WebSearchQuery, Credentials], Call]
    decode: Callable[[Reply], Result[Sequence[UntrustedRow], WebError]]


class ExtractOperation(msgspec.Struct, frozen=True, kw_only=True):
    """How a service reads one page. ``decode`` is also told which URL was asked for."""

    encode: Callable[[str, Credentials], Call]
    decode: Callable[[Reply, str], Result[UntrustedRow, WebError]]


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """A web service; an operation that it does not have is None.

    ``classify`` sees every reply first and names the failure that this service hides in it, such
    as an error object inside a 200. None leaves the reply to the status and the decoder.
    """

    name: str
    classify: Callable[[Reply], WebError | None]
    search: SearchOperation | None = None
    extract: ExtractOperation | None = None
