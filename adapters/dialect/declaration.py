"""A dialect: data and pure functions, in a file of its own under ``dialects``."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from ...ports.keys import KeyTool
from .gateway_requests import Ask
from .http_messages import Call, Reply
from .refusal import Refusal

# A reader may answer by itself what needs nobody, such as a list of models.
Reading: TypeAlias = Ask | Reply | Refusal


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One path. A star in it stands for one part, at its end for all that follows.

    ``root`` says of a call whether it is this dialect's when it came without the prefix; None is
    never, as another dialect has the same path and nothing tells the two apart. ``tool`` is what a
    key must be allowed; a ``long`` call may take its time. To a ``bare`` one the query is a part of
    what it asks for, as it stands.
    """

    method: str
    path: str
    read: Callable[[Call], Reading]
    root: Callable[[Call], bool] | None = None
    tool: KeyTool | None = "search"
    long: bool = False
    bare: bool = False


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """A search API that others speak. ``keys`` finds the keys in a call, wherever they stand.

    ``refuse`` puts any refusal into the dialect's own status and shape.
    """

    name: str
    title: str
    endpoints: tuple[Endpoint, ...]
    keys: Callable[[Call], tuple[str, ...]]
    refuse: Callable[[Refusal, Call], Reply]


def accept_always(_call: Call) -> bool:
    """Take every call to a path that no other dialect has."""
    return True


def header_keys(call: Call) -> tuple[str, ...]:
    """Return the keys that stand in headers, in any of the ways that clients send them.

    >>> from datetime import date
    >>> bearer = {"authorization": "Bearer k"}
    >>> header_keys(Call(method="GET", path="/", headers=bearer, today=date.min))
    ('k',)
    """
    names = ("x-api-key", "x-subscription-token")
    bearer = call.header("authorization").strip()
    scheme, _, token = bearer.partition(" ")
    # Open WebUI's client of Jina sends the bare key (read 2026-11-15).
    own = token.strip() if scheme.lower() == "bearer" else bearer if not token else ""
    return tuple(key for key in (own, *(call.header(name).strip() for name in names)) if key)
