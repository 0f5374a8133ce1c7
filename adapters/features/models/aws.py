"""AWS: event stream frames, request signatures, and the account with its region."""

import hashlib
import hmac
import re
import struct
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import BadEncoding, ConnectionLost, ResponseTooLarge, WebError
from webseam.ports.secrets import Secret

from .declaration import provider
from .declaration.wire import EventsResult, StreamEvent

# The limits of AWS's own SDKs.
MAX_FRAME_BYTES = 24 * 1024 * 1024
_MAX_HEADER_BYTES = 128 * 1024
_FRAME_PRELUDE = struct.Struct("!III")
_CHECKSUM = struct.Struct("!I")
_MIN_FRAME_BYTES = _FRAME_PRELUDE.size + _CHECKSUM.size
_EVENT_NAME_HEADERS = (":exception-type", ":error-code", ":event-type")
_TEXT_HEADER_TYPE = 7
# Bytes of a header's value by its type; the types below have a 16-bit length before the value.
_HEADER_VALUE_BYTES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_LENGTH_PREFIXED_TYPES = frozenset({6, _TEXT_HEADER_TYPE})


class EventStreamFrames:
    """The ``Frames`` of a binary event stream. After a failure nothing more is read."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._failure: WebError | None = None

    def feed(self, piece: bytes, /) -> EventsResult:
        """Return the events that are complete, including those before a corrupt frame."""
        self._buffer += piece
        events: list[StreamEvent] = []
        while self._failure is None:
            event = self._next_frame()
            if event is None:
                return Success(events)
            if isinstance(event, Failure):
                self._failure = event.failure()
            else:
                events.append(event.unwrap())
        self._buffer.clear()
        # Report the failure at the next call, so that every split gives the same events.
        return Success(events) if events else Failure(self._failure)

    def finish(self) -> EventsResult:
        """Take the end of the stream; inside a frame it is ``ConnectionLost``."""
        if self._failure is not None:
            return Failure(self._failure)
        return Failure(ConnectionLost()) if self._buffer else Success(())

    def _next_frame(self) -> Result[StreamEvent, WebError] | None:
        """Take the next frame from the buffer; None while it is incomplete."""
        length = _frame_length(self._buffer)
        if isinstance(length, Failure):
            return length
        size = length.unwrap()
        if size > len(self._buffer):
            return None
        frame = bytes(self._buffer[:size])
        del self._buffer[:size]
        body, (checksum,) = (frame[: -_CHECKSUM.size], _CHECKSUM.unpack_from(frame, len(frame) - 4))
        if zlib.crc32(body) != checksum:
            return _corrupt_frame("the checksum of a frame does not match")
        end = _FRAME_PRELUDE.size + _FRAME_PRELUDE.unpack_from(frame)[1]
        try:
            headers = dict(_read_headers(body[_FRAME_PRELUDE.size : end]))
            data = body[end:].decode()
        except (IndexError, KeyError, UnicodeDecodeError):
            return _corrupt_frame("a frame has unreadable headers or text")
        name = next((headers[key] for key in _EVENT_NAME_HEADERS if key in headers), "")
        failed = headers.get(":message-type", "event") != "event"
        return Success(StreamEvent(name=name, data=data, failed=failed))


def _frame_length(buffer: bytearray) -> Result[int, WebError]:
    """Return the next frame's length from its prelude; the least length before that is there."""
    if len(buffer) < _FRAME_PRELUDE.size:
        return Success(_MIN_FRAME_BYTES)
    total, headers, checksum = _FRAME_PRELUDE.unpack_from(buffer)
    if zlib.crc32(buffer[: _FRAME_PRELUDE.size - _CHECKSUM.size]) != checksum:
        return _corrupt_frame("the checksum of a frame's prelude does not match")
    if headers > _MAX_HEADER_BYTES or total > MAX_FRAME_BYTES:
        return Failure(ResponseTooLarge(what="body", limit=MAX_FRAME_BYTES))
    if total < headers + _MIN_FRAME_BYTES:
        return _corrupt_frame("the lengths in a frame contradict each other")
    return Success(total)


def _read_headers(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the headers that are text; raise if the bytes are not a list of headers."""
    offset = 0
    while offset < len(data):
        name, offset = _take_slice(data, offset + 1, data[offset])
        kind, offset = data[offset], offset + 1
        if kind in _LENGTH_PREFIXED_TYPES:
            size = data[offset] << 8 | data[offset + 1]
            offset += 2
        else:
            size = _HEADER_VALUE_BYTES[kind]
        value, offset = _take_slice(data, offset, size)
        if kind == _TEXT_HEADER_TYPE:
            yield name.decode(), value.decode()


def _take_slice(data: bytes, offset: int, size: int) -> tuple[bytes, int]:
    if offset + size > len(data):
        raise IndexError(offset)
    return data[offset : offset + size], offset + size


def _corrupt_frame(reason: str) -> Failure[WebError]:
    return Failure(BadEncoding(reason=reason))


# AWS Signature Version 4.
_ALGORITHM = "AWS4-HMAC-SHA256"
_DEFAULT_PORTS = {"http": 80, "https": 443}


class AwsKeys(msgspec.Struct, frozen=True, kw_only=True):
    """Signing keys; temporary ones have a session token."""

    access_key: str
    secret_key: Secret
    session_token: Secret = msgspec.field(default_factory=lambda: Secret(""))


class SigningScope(msgspec.Struct, frozen=True, kw_only=True):
    """Region and service of a signature. Bedrock is ``bedrock`` here, without ``-runtime``."""

    region: str
    service: str = "bedrock"


class UnsignedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it will be sent: the encoded path, and the headers to sign."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


def sign_aws_request(
    request: UnsignedRequest, keys: AwsKeys, scope: SigningScope, now: float
) -> tuple[tuple[str, str], ...]:
    """Return the headers to add; ``now`` is in seconds since 1970.

    The signature covers these exact bytes, and ``host``, which has a port only where it is not the
    scheme's default.
    """
    timestamp = datetime.fromtimestamp(int(now), UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = [("x-amz-date", timestamp)]
    if keys.session_token:
        headers.append(("x-amz-security-token", keys.session_token.reveal()))
    signed = _header_pairs([("host", aws_host_header(request.url)), *request.headers, *headers])
    names = ";".join(name for name, _ in signed)
    credential_scope = f"{timestamp[:8]}/{scope.region}/{scope.service}/aws4_request"
    canonical = _canonical_request(request, signed, names)
    to_sign = "\n".join((_ALGORITHM, timestamp, credential_scope, _sha256_hex(canonical.encode())))
    signature = _hmac_sha256(aws_signing_key(keys.secret_key, credential_scope), to_sign).hex()
    credential = f"{keys.access_key}/{credential_scope}"
    value = f"{_ALGORITHM} Credential={credential}, SignedHeaders={names}, Signature={signature}"
    return (*headers, ("authorization", value))


def aws_host_header(url: str) -> str:
    """Return the ``host`` header of a URL."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    default_port = f":{_DEFAULT_PORTS.get(parts.scheme, '')}"
    return host.removesuffix(default_port) if len(default_port) > 1 else host


def aws_signing_key(secret: Secret, credential_scope: str) -> bytes:
    """Derive the key of one day, region and service, as ``credential_scope`` names them."""
    key = f"AWS4{secret.reveal()}".encode()
    for part in credential_scope.split("/"):
        key = _hmac_sha256(key, part)
    return key


def _canonical_request(
    request: UnsignedRequest, signed: Iterable[tuple[str, str]], names: str
) -> str:
    parts = urlsplit(request.url)
    lines = (
        request.method,
        # The path is encoded twice, so that %3A is signed as %253A, for every service but S3.
        quote(parts.path or "/", safe="/~"),
        _canonical_query(parts.query),
        *(f"{name}:{value}" for name, value in signed),
        "",
        names,
        _sha256_hex(request.body),
    )
    return "\n".join(lines)


def _canonical_query(query: str) -> str:
    pairs = (pair.partition("=") for pair in query.split("&") if pair)
    encoded = sorted((quote(name, safe="%~"), quote(value, safe="%~")) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _header_pairs(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    joined: dict[str, list[str]] = {}
    for name, value in headers:
        joined.setdefault(name.lower(), []).append(" ".join(value.split()))
    return sorted((name, ",".join(values)) for name, values in joined.items())


def _sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hmac_sha256(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


# The account: an API key sent as a bearer token, or keys that sign each request.
DEFAULT_REGION = "us-east-1"
_ACCESS_KEY_ENV, _SECRET_KEY_ENV, _SESSION_TOKEN_ENV = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
)
SIGNING_PAIR_ENV = (_ACCESS_KEY_ENV, _SECRET_KEY_ENV)
SIGNING_ENV = (*SIGNING_PAIR_ENV, _SESSION_TOKEN_ENV)
_REGION_ENV = ("AWS_REGION", "AWS_DEFAULT_REGION")
# Variables that set the region, and the profile that signs.
PLACE_ENV = (*_REGION_ENV, "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
_HOST_REGION_PATTERN = re.compile(r"(?:^|\.)([a-z]{2,4}(?:-[a-z]+)+-\d+)(?=\.)")
_AWS_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")
_REGION_NAME_PATTERN = re.compile(r"[a-z0-9-]+")
# Sign only headers that no proxy changes.
_SIGNED_HEADER_NAMES = frozenset({"content-type"})


def aws_account(
    login: provider.Login, title: str, environment: provider.Environment
) -> provider.AccountResult:
    """Read an API key, else a pair of signing keys, and the region from the environment.

    ``{region}`` in the login's base URL is replaced; a blank variable counts as absent.
    """
    variables = {name: value.strip() for name, value in environment.items()}
    regions = (variables[name] for name in _REGION_ENV if variables.get(name))
    region = next(regions, DEFAULT_REGION)
    if not _REGION_NAME_PATTERN.fullmatch(region):
        return provider.missing_setting_failure(f"{region!r} is not an AWS region", "AWS_REGION")
    address = variables.get(login.base_url_env or "") or login.base_url
    base = address.rstrip("/").replace("{region}", region)
    if region.startswith("cn-") and base.endswith(".amazonaws.com"):
        base += ".cn"
    key = next((variables[name] for name in login.env if variables.get(name)), "")
    if key:
        return Success(provider.Account(base_url=base, key=Secret(key)))
    if not (variables.get(_ACCESS_KEY_ENV) and variables.get(_SECRET_KEY_ENV)):
        return provider.missing_key_failure(
            title, *login.env, *SIGNING_PAIR_ENV, remedy=_remedy(login.env)
        )
    signing_parts = {name: Secret(variables[name]) for name in SIGNING_ENV if variables.get(name)}
    if aws_url_region(base) is None:
        signing_parts["region"] = Secret(region)
    return Success(provider.Account(base_url=base, parts=signing_parts))


def aws_auth(
    outgoing: provider.Outgoing, account: provider.Account, now: float
) -> provider.Headers:
    """Return the API key's header if there is a key, else a signature over these bytes."""
    if account.key or _ACCESS_KEY_ENV not in account.parts:
        return provider.bearer(outgoing, account, now)
    revealed = {name: secret.reveal() for name, secret in account.parts.items()}
    keys = AwsKeys(
        access_key=revealed[_ACCESS_KEY_ENV],
        secret_key=account.parts.get(_SECRET_KEY_ENV, Secret("")),
        session_token=account.parts.get(_SESSION_TOKEN_ENV, Secret("")),
    )
    region = aws_url_region(outgoing.url) or revealed.get("region", DEFAULT_REGION)
    signed = tuple(pair for pair in outgoing.headers if pair[0].lower() in _SIGNED_HEADER_NAMES)
    request = UnsignedRequest(
        method=outgoing.method, url=outgoing.url, headers=signed, body=outgoing.content
    )
    return sign_aws_request(request, keys, SigningScope(region=region), now)


def aws_url_region(url: str) -> str | None:
    """Return the region in an AWS host name; None for other hosts."""
    host = url.partition("://")[2].partition("/")[0].partition(":")[0]
    match = _HOST_REGION_PATTERN.search(host) if host.endswith(_AWS_DOMAINS) else None
    return match.group(1) if match else None


def _remedy(keys: tuple[str, ...]) -> str:
    pair = f"both {' and '.join(SIGNING_PAIR_ENV)}"
    return f"Set {' or '.join(keys)}, or {pair}." if keys else f"Set {pair}."
