"""A request as a dialect sees it, and what it answers. No socket is in sight."""

from collections.abc import Mapping
from datetime import date

import msgspec


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request. ``path`` is percent-encoded, and without the dialect's own prefix.

    Header names are lower-case. ``base`` is the address by which the caller came, with the prefix.
    ``rest`` is what stands in the place of the star in an endpoint's path. A query that is
    ``unread`` could not be taken apart; ``search`` is the whole of it as it came.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    unread: bool = False
    search: str = ""
    headers: Mapping[str, str] = {}
    body: bytes = b""
    base: str = ""
    rest: str = ""
    today: date
    now: int = 0
    id: str = ""

    def parameter(self, name: str) -> str:
        """Return the value of a parameter in the query; empty when it is not there."""
        return next((value for key, value in self.query if key == name), "")

    def header(self, name: str) -> str:
        """Return a header; empty when it is not there."""
        return self.headers.get(name, "")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent back."""

    status: int = 200
    body: bytes = b""
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


def json_reply(value: object, status: int = 200) -> Reply:
    """Return a value as JSON."""
    return Reply(status=status, body=msgspec.json.encode(value))


def text_reply(text: str, media_type: str = "text/plain; charset=utf-8") -> Reply:
    """Return text."""
    return Reply(body=text.encode(), media_type=media_type)
