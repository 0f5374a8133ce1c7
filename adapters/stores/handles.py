"""Handles of texts: each is named by what is in it, so that what was changed shows."""

from __future__ import annotations

import hashlib
import re

from returns.result import Failure, Result, Success

from ...ports.errors import InvalidQuery, StoreFailed, WebError

_HANDLE = re.compile(r"[0-9a-f]{24}")


def text_handle(data: bytes) -> str:
    """Return the handle of a text."""
    return hashlib.sha256(data).hexdigest()[:24]


def is_handle(text: str) -> bool:
    """Tell whether a text could be a handle."""
    return _HANDLE.fullmatch(text) is not None


def stored_text(handle: str, data: bytes | None) -> Result[str, WebError]:
    """Return the text that was stored under ``handle``, checked to be what was saved."""
    if data is None:
        return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
    if text_handle(data) != handle:
        return Failure(StoreFailed(store="texts", reason="the stored text was changed"))
    return Success(data.decode())
