"""What AWS asks of a caller: signatures, profiles, regions."""

import hashlib
import hmac
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BadEncoding, ConnectionLost, NotConfigured, ResponseTooLarge, WebError
from ...ports.secrets import Secret
from .declaration.provider import (
    Account,
    Headers,
    Login,
    Outgoing,
    bearer,
    keyless_error,
    unset_error,
)
from .declaration.wire import StreamEvent

# As AWS's own readers have them.
MAX_FRAME_BYTES = 24 * 1024 * 1024
_MAX_HEADER_BYTES = 128 * 1024
_PRELUDE = struct.Struct("!III")
_CHECKSUM = struct.Struct("!I")
_LEAST = _PRELUDE.size + _CHECKSUM.size
_NAMES = (":exception-type", ":error-code", ":event-type")
_TEXT = 7
# What follows a header's type: a size in bytes, or a 16-bit length before the value itself.
_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_MEASURED = frozenset({6, _TEXT})


class EventStreamFrames:
    """The ``Frames`` of a binary event stream. After a failure there is nothing more to read."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._failure: WebError | None = None

    def feed(self, piece: bytes, /) -> Result[Sequence[StreamEvent], WebError]:
        """Return the events that are whole by now. What comes before a corrupt frame counts."""
        self._held += piece
        events: list[StreamEvent] = []
        while self._failure is None:
            event = self._next()
            if event is None:
                return Success(events)
            if isinstance(event, Failure):
                self._failure = event.failure()
            else:
                events.append(event.unwrap())
        self._held.clear()
        # The failure is kept for the next call, so that every split gives the same events.
        return Success(events) if events else Failure(self._failure)

    def finish(self) -> Result[Sequence[StreamEvent], WebError]:
        """Take the end of the stream: in the middle of a frame it is a loss."""
        if self._failure is not None:
            return Failure(self._failure)
        return Failure(ConnectionLost()) if self._held else Success(())

    def _next(self) -> Result[StreamEvent, WebError] | None:
        """Take the next frame off what is held; None when it is not all there yet."""
        length = _length(self._held)
        if isinstance(length, Failure):
            return length
        size = length.unwrap()
        if size > len(self._held):
            return None
        frame = bytes(self._held[:size])
        del self._held[:size]
        return _read(frame)


def _length(held: bytearray) -> Result[int, WebError]:
    """Return how long the next frame is, from its prelude; as little as that if it is not there."""
    if len(held) < _PRELUDE.size:
        return Success(_LEAST)
    total, headers, checksum = _PRELUDE.unpack_from(held)
    if zlib.crc32(held[: _PRELUDE.size - _CHECKSUM.size]) != checksum:
        return _corrupt("the checksum of a frame's prelude does not match")
    if headers > _MAX_HEADER_BYTES or total > MAX_FRAME_BYTES:
        return Failure(ResponseTooLarge(what="body", limit=MAX_FRAME_BYTES))
    if total < headers + _LEAST:
        return _corrupt("the lengths in a frame do not fit")
    return Success(total)


def _read(frame: bytes) -> Result[StreamEvent, WebError]:
    """Check a whole frame and take it apart."""
    body, (checksum,) = frame[: -_CHECKSUM.size], _CHECKSUM.unpack_from(frame, len(frame) - 4)
    if zlib.crc32(body) != checksum:
        return _corrupt("the checksum of a frame does not match")
    end = _PRELUDE.size + _PRELUDE.unpack_from(frame)[1]
    try:
        headers = dict(_headers(body[_PRELUDE.size : end]))
        data = body[end:].decode()
    except (IndexError, KeyError, UnicodeDecodeError):
        return _corrupt("a frame holds what cannot be read")
    name = next((headers[key] for key in _NAMES if key in headers), "")
    failed = headers.get(":message-type", "event") != "event"
    return Success(StreamEvent(name=name, data=data, failed=failed))


def _headers(data: bytes) -> Iterator[tuple[str, str]]:
    """Give the headers that are text; what is no list of headers raises."""
    at = 0
    while at < len(data):
        name, at = _slice(data, at + 1, data[at])
        kind, at = data[at], at + 1
        size = _SIZES[kind] if kind not in _MEASURED else data[at] << 8 | data[at + 1]
        value, at = _slice(data, at + 2 * (kind in _MEASURED), size)
        if kind == _TEXT:
            yield name.decode(), value.decode()


def _slice(data: bytes, at: int, size: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise IndexError(at)
    return data[at : at + size], at + size


def _corrupt(reason: str) -> Failure[WebError]:
    return Failure(BadEncoding(reason=reason))


# AWS Signature Version 4: the headers that prove who sends a request. Pure, of hashes alone.

_ALGORITHM = "AWS4-HMAC-SHA256"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class AwsKeys(msgspec.Struct, frozen=True, kw_only=True):
    """Who signs; temporary keys come with a token."""

    access_key: str
    secret_key: Secret
    session_token: Secret = msgspec.field(default_factory=lambda: Secret(""))


class SigningScope(msgspec.Struct, frozen=True, kw_only=True):
    """What a signature is good for. Bedrock's name here is ``bedrock``, without ``-runtime``."""

    region: str
    service: str = "bedrock"


class UnsignedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it will be sent: the path as it is on the wire, the headers to be signed."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def sign_request(
    request: UnsignedRequest, keys: AwsKeys, scope: SigningScope, now: float
) -> tuple[tuple[str, str], ...]:
    """Return the headers to add, for the moment ``now`` in seconds since 1970.

    They hold for exactly these bytes: what is sent must be what was signed. ``host`` is signed
    too, and is the URL's own, with a port only where it is not the usual one.
    """
    moment = datetime.fromtimestamp(int(now), UTC).strftime("%Y%m%dT%H%M%SZ")
    added = [("x-amz-date", moment)]
    if keys.session_token:
        added.append(("x-amz-security-token", keys.session_token.reveal()))
    signed = _canonical_headers([("host", host_header(request.url)), *request.headers, *added])
    names = ";".join(name for name, _ in signed)
    place = f"{moment[:8]}/{scope.region}/{scope.service}/aws4_request"
    canonical = _canonical_request(request, signed, names)
    to_sign = "\n".join((_ALGORITHM, moment, place, _hexed(canonical.encode())))
    signature = _mac(signing_key(keys.secret_key, place), to_sign).hex()
    credential = f"{keys.access_key}/{place}"
    value = f"{_ALGORITHM} Credential={credential}, SignedHeaders={names}, Signature={signature}"
    return (*added, ("authorization", value))


def host_header(url: str) -> str:
    """Return the ``host`` header of a URL.

    >>> host_header("https://a.example:443/x"), host_header("http://a.example:8080")
    ('a.example', 'a.example:8080')
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    usual = f":{_DEFAULT_PORTS.get(parts.scheme, '')}"
    return host.removesuffix(usual) if len(usual) > 1 else host


def signing_key(secret: Secret, credential_scope: str) -> bytes:
    """Derive the key of one day, region and service, as ``credential_scope`` names them."""
    key = f"AWS4{secret.reveal()}".encode()
    for part in credential_scope.split("/"):
        key = _mac(key, part)
    return key


def _canonical_request(
    request: UnsignedRequest, signed: Iterable[tuple[str, str]], names: str
) -> str:
    parts = urlsplit(request.url)
    lines = (
        request.method,
        # The wire's path encoded once more, so that %3A is signed as %253A. Only S3 does not.
        quote(parts.path or "/", safe="/~"),
        _canonical_query(parts.query),
        *(f"{name}:{value}" for name, value in signed),
        "",
        names,
        _hexed(request.body),
    )
    return "\n".join(lines)


def _canonical_query(query: str) -> str:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    encoded = sorted((quote(name, safe="%~"), quote(value, safe="%~")) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _canonical_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    joined: dict[str, list[str]] = {}
    for name, value in headers:
        joined.setdefault(name.lower(), []).append(" ".join(value.split()))
    return sorted((name, ",".join(values)) for name, values in joined.items())


def _hexed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _mac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


# Who calls Bedrock: an API key as bearer, or keys that sign each request.

DEFAULT_REGION = "us-east-1"
_ACCESS, _SECRET, _TOKEN = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"
PAIR = (_ACCESS, _SECRET)
SIGNING = (*PAIR, _TOKEN)
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
# Where a call goes, and whose profile signs it.
PLACES = (*_REGIONS, "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
_REGION = re.compile(r"(?:^|\.)([a-z]{2,4}(?:-[a-z]+)+-\d+)(?=\.)")
_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")
_NAME = re.compile(r"[a-z0-9-]+")
# Nothing on the way may change these; what a proxy adds or rewrites is left unsigned.
_SIGNED = frozenset({"content-type"})


def aws_account(
    login: Login, title: str, environment: Mapping[str, str]
) -> Result[Account, NotConfigured]:
    """Take an API key, else a pair of signing keys, and the region from the environment.

    ``{region}`` in the login's base URL is filled in; blank counts as absent.
    """
    variables = {name: value.strip() for name, value in environment.items()}
    regions = (variables[name] for name in _REGIONS if variables.get(name))
    region = next(regions, DEFAULT_REGION)
    if not _NAME.fullmatch(region):
        return unset_error(f"{region!r} is no AWS region", "AWS_REGION")
    address = variables.get(login.base_url_env or "") or login.base_url
    base = address.rstrip("/").replace("{region}", region)
    if region.startswith("cn-") and base.endswith(".amazonaws.com"):
        base += ".cn"
    key = next((variables[name] for name in login.env if variables.get(name)), "")
    if key:
        return Success(Account(base_url=base, key=Secret(key)))
    if not (variables.get(_ACCESS) and variables.get(_SECRET)):
        return keyless_error(title, *login.env, *PAIR, remedy=_remedy(login.env))
    parts = {name: Secret(variables[name]) for name in SIGNING if variables.get(name)}
    if url_region(base) is None:
        parts["region"] = Secret(region)
    return Success(Account(base_url=base, parts=parts))


def aws_auth(outgoing: Outgoing, account: Account, now: float) -> Headers:
    """Prove who calls: the API key if there is one, else a signature over these very bytes."""
    if account.key or _ACCESS not in account.parts:
        return bearer(outgoing, account, now)
    held = {name: secret.reveal() for name, secret in account.parts.items()}
    keys = AwsKeys(
        access_key=held[_ACCESS],
        secret_key=account.parts.get(_SECRET, Secret("")),
        session_token=account.parts.get(_TOKEN, Secret("")),
    )
    region = url_region(outgoing.url) or held.get("region", DEFAULT_REGION)
    signed = tuple(pair for pair in outgoing.headers if pair[0].lower() in _SIGNED)
    request = UnsignedRequest(
        method=outgoing.method, url=outgoing.url, headers=signed, body=outgoing.content
    )
    return sign_request(request, keys, SigningScope(region=region), now)


def url_region(url: str) -> str | None:
    """Return the region that a host of AWS names.

    >>> url_region("https://bedrock-runtime.eu-central-1.amazonaws.com/model/x")
    'eu-central-1'
    """
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    match = _REGION.search(host) if host.endswith(_DOMAINS) else None
    return match.group(1) if match else None


def _remedy(keys: tuple[str, ...]) -> str:
    pair = f"both {' and '.join(PAIR)}"
    return f"Set {' or '.join(keys)}, or {pair}." if keys else f"Set {pair}."
