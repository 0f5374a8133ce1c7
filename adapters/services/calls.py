"""The calls to a service, and its replies."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from webseam.ports.secrets import Secret

Method: TypeAlias = Literal["GET", "POST"]
Format: TypeAlias = Literal["json", "text"]


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """The address of a service and the option values of a caller. No repr shows a secret.

    ``overridden`` means that the user set the address: then every call goes there.
    """

    base_url: str = ""
    overridden: bool = False
    values: Mapping[str, Secret] = {}

    def value(self, name: str) -> str:
        """Return an option's value; an empty text when it is not set."""
        secret = self.values.get(name)
        return secret.reveal() if secret is not None else ""

    @property
    def key(self) -> str:
        """The API key, or an empty text."""
        return self.value("api_key")


class ServiceCall(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One HTTP request. ``path`` is appended to the service's base URL.

    A start of the path that the base URL already ends with is not repeated, so a user's address
    may have the API version or not. ``base`` replaces the base URL for calls that go to another
    host of the service, unless the user set an address. Set at most one of ``body``, which is sent
    as JSON, and ``form``.
    """

    method: Method = "POST"
    path: str = ""
    base: str = ""
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, object] | Sequence[object] | None = None
    form: tuple[tuple[str, str], ...] | None = None


def get_call(
    path: str, parameters: Mapping[str, str], headers: tuple[tuple[str, str], ...] = ()
) -> ServiceCall:
    """Return a GET call with the parameters that have a value."""
    pairs = tuple((name, value) for name, value in parameters.items() if value)
    return ServiceCall(method="GET", path=path, parameters=pairs, headers=headers)


def post_call(
    path: str, fields: Mapping[str, object], headers: tuple[tuple[str, str], ...]
) -> ServiceCall:
    """Return a POST call with the fields that have a value as its JSON body."""
    return ServiceCall(path=path, headers=headers, body=filled_fields(fields))


def filled_fields(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def bearer_headers(access: Access) -> tuple[tuple[str, str], ...]:
    """Return the bearer token as a header; none without a key: Firecrawl refuses an empty one."""
    return (("authorization", f"Bearer {key}"),) if (key := access.key) else ()


def api_key_headers(access: Access) -> tuple[tuple[str, str], ...]:
    """Return the header ``X-API-Key``."""
    return (("x-api-key", access.key),)


class Reply(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A reply. ``payload`` is any JSON value, or None; ``text`` is the body if it is not JSON.

    ``origin`` is the scheme, host and port of the server. ``page`` is the number of the search
    page, from 0. ``earlier`` are the previous replies of a job.
    """

    status: int
    payload: object = None
    text: str = ""
    page: int = 0
    headers: Mapping[str, str] = {}
    origin: str = ""
    earlier: "tuple[Reply, ...]" = ()
