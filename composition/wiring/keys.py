"""The gateway's keys: for whoever serves calls of others, over HTTP or as an MCP server."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

from returns.result import Result

from ...adapters.stores.keys.file import KeyFile
from ...ports.errors import WebError
from ...ports.keys import KeyRecord
from ..places import keys_file


def key_file(environment: Mapping[str, str] | None = None) -> KeyFile:
    """Return the keys of this user; a server keeps it open, and asks ``find`` at every call."""
    return KeyFile(keys_file(environment))


def find_key(
    text: str, environment: Mapping[str, str] | None = None
) -> Result[KeyRecord | None, WebError]:
    """Answer a single question: whose key a text is; None when it is nobody's or was revoked."""
    with closing(key_file(environment)) as keys:
        record: Result[KeyRecord | None, WebError] = keys.find(text)
        return record
