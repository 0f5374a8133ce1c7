"""What a tool call finally says, whatever plugins made of it: one JSON object, success or failure.

A plugin may replace a result, or turn it into a failure. It cannot turn a failure into a success.
"""

import msgspec
from returns.result import Result, Success

from ..ports.errors import CallRefused, MiddlewareFailed, WebError
from .boundary import attempt
from .envelope import failure_envelope
from .text import one_line, visible


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """An envelope, its JSON text, and the failure it tells of, if it does."""

    envelope: dict[str, object]
    text: str
    error: WebError | None = None


def replied(envelope: dict[str, object], error: WebError | None = None) -> Reply:
    """Return the reply that an envelope of our own is."""
    return Reply(envelope=envelope, text=msgspec.json.encode(envelope).decode(), error=error)


def failed(error: WebError) -> Reply:
    """Return the reply that tells of ``error``."""
    return replied(failure_envelope(error), error)


def reply_of(result: Result[object, WebError], said: object, plugins: str) -> Reply:
    """Return the reply to a call that ended with ``result``, or with what a plugin ``said``.

    A value is text or a mapping, as tools give them; anything else is a failure that names the
    ``plugins`` that may have given it.
    """
    if isinstance(result, Success):
        return _opened(result.unwrap(), plugins)
    reply = failed(result.failure())
    words = _error_in(fields_in(said))
    return reply if words is None else replied({**reply.envelope, "error": words}, reply.error)


def transformed(reply: Reply, text: str, plugins: str) -> Reply:
    """Return ``reply`` with ``text`` in place of its own; a failure stays the failure it is."""
    if reply.error is None:
        return _opened(text, plugins)
    fields = fields_in(text)
    if fields is None:
        return replied({**reply.envelope, "text": visible(text)}, reply.error)
    words = _error_in(fields) or reply.envelope["error"]
    kept = {"success": False, "error": words, "failure": reply.envelope["failure"]}
    return replied({**fields, **kept}, reply.error)


def fields_in(value: object) -> dict[str, object] | None:
    """Return the JSON object that a mapping or a text is, or None."""
    text = attempt(lambda: value if isinstance(value, str) else msgspec.json.encode(value))
    read = text.bind(lambda given: attempt(lambda: msgspec.json.decode(given)))
    fields = read.value_or(None)
    return fields if isinstance(fields, dict) else None


def _opened(value: object, plugins: str) -> Reply:
    fields = fields_in(value)
    if fields is None and isinstance(value, str):
        return replied({"success": True, "data": {"text": visible(value)}})
    if fields is None:
        what = f"returned {type(value).__name__[:100]}, not a tool result"
        return failed(MiddlewareFailed(plugin=plugins, stage="tool_execution", error=what))
    if _is_failure(fields):
        words = _error_in(fields) or "it said so"
        error = CallRefused(by=plugins, reason=words.rstrip("."))
        return replied({**fields, **failure_envelope(error), "error": words}, error)
    return replied({**fields, "success": True})


def _is_failure(fields: dict[str, object]) -> bool:
    said = fields.get("success")
    return said is False or (said is not True and bool(fields.get("error")))


def _error_in(fields: dict[str, object] | None) -> str | None:
    words = None if fields is None else fields.get("error")
    return one_line(words, 1000) if type(words) is str and words.strip() else None
