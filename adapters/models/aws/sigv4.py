"""AWS Signature Version 4: the headers that prove who sends a request. Pure, of hashes alone.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

import msgspec

from ....ports.secrets import Secret

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
