"""Split a model request that plugins rewrote: what to send, and what to drop by name."""

from collections.abc import Collection, Mapping

import msgspec

from ..boundary import attempt_call

Headers = tuple[tuple[str, str], ...]

# A plugin may not set the target, the caller or the framing of a message (RFC 9112, 6; RFC 9110,
# 7.6.1). Cookies and other keys belong to the account.
_FORBIDDEN_HEADERS = frozenset({
    "accept", "accept-encoding", "api-key", "authorization", "connection", "content-encoding",
    "content-length", "content-type", "cookie", "expect", "host", "keep-alive",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    "x-api-key", "x-goog-api-key",
})  # fmt: skip
# Arguments of client libraries, which no provider accepts in a body.
_CLIENT_ARGUMENTS = frozenset({"extra_headers", "extra_query", "http_client", "timeout"})
_MAX_TIMEOUT_SECONDS = 3600.0


class PlannedSending(msgspec.Struct, frozen=True, kw_only=True):
    """What to send: the body, added headers, a limit in seconds; and the names of dropped parts."""

    body: dict[str, object]
    headers: Headers = ()
    seconds: float | None = None
    dropped: tuple[str, ...] = ()


def plan_rewritten_sending(
    rewritten: Mapping[str, object],
    original: Mapping[str, object],
    own_headers: Collection[str] = (),
) -> PlannedSending:
    """Return the parts of ``rewritten`` to send; ``original`` and ``own_headers`` are ours.

    ``extra_body`` goes into the body, as in client libraries, unless the provider has a field of
    that name. ``stream`` keeps its original value.

    >>> headers = {"Host": "a.example", "x-tag": "t"}
    >>> made = plan_rewritten_sending({"seed": 7, "stream": True, "extra_headers": headers}, {})
    >>> made.body, made.headers, made.dropped
    ({'seed': 7}, (('x-tag', 't'),), ('extra_headers.Host',))
    """
    body = {name: value for name, value in rewritten.items() if name not in _CLIENT_ARGUMENTS}
    unused = [name for name in ("extra_query", "http_client") if rewritten.get(name) is not None]
    if "extra_body" not in original:
        extra = body.pop("extra_body", None)
        body |= extra if isinstance(extra, Mapping) else {}
        unused += [] if isinstance(extra, Mapping | None) else ["extra_body"]
    body.pop("stream", None)
    if "stream" in original:
        body["stream"] = original["stream"]
    headers, refused = _split_headers(rewritten.get("extra_headers"), own_headers)
    timeout = rewritten.get("timeout")
    seconds = _timeout_seconds(timeout)
    if seconds is None and timeout is not None:
        unused.append("timeout")
    return PlannedSending(body=body, headers=headers, seconds=seconds, dropped=(*refused, *unused))


def _split_headers(headers: object, own_names: Collection[str]) -> tuple[Headers, tuple[str, ...]]:
    if headers is None:
        return (), ()
    if not isinstance(headers, Mapping):
        return (), ("extra_headers",)
    safe = {
        name: value for name, value in headers.items() if _is_safe_header(name, value, own_names)
    }
    refused = tuple(f"extra_headers.{str(name)[:100]}" for name in headers if name not in safe)
    return tuple((name.lower(), value) for name, value in safe.items()), refused


def _is_safe_header(name: object, value: object, own_names: Collection[str]) -> bool:
    if type(name) is not str or type(value) is not str or not _is_header_name(name):
        return False
    lowered = name.lower()
    return (
        lowered not in _FORBIDDEN_HEADERS
        and lowered not in own_names
        and value.isascii()
        and value.isprintable()
    )


def _is_header_name(name: str) -> bool:
    """Tell whether a name is a valid header name (RFC 9110, 5.6.2)."""
    return bool(name) and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def _timeout_seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = attempt_call(lambda: float(value)).value_or(0.0)
    return seconds if 0 < seconds <= _MAX_TIMEOUT_SECONDS else None
