"""Headers that the user adds to requests: those of one site, and signatures (Web Bot Auth).

Signatures follow RFC 9421 and draft-ietf-webbotauth-httpsig-protocol-01.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import base64
import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.secrets import Secret
from webseam.ports.targets import Target

from ...http.payment_terms import PAYMENT_PROOF_HEADERS

if TYPE_CHECKING:
    from http.cookiejar import CookieJar

_SECRET_WORD_PATTERN = re.compile(r"[^\s;,=]+")
_MAX_COOKIE_FILE_BYTES = 1_000_000
_OTHERS_READ_BITS = stat.S_IRGRP | stat.S_IROTH
DIRECTORY_PATH = "/.well-known/http-message-signatures-directory"
DIRECTORY_TYPE = "application/http-message-signatures-directory+json"
_REQUEST_SIGNATURE_SECONDS = 60
# Caches may hold a directory for less time than its signature is valid.
_DIRECTORY_SIGNATURE_SECONDS, _DIRECTORY_CACHE_SECONDS = 86_400, 3600
_NONCE_BYTES = 32
Headers: TypeAlias = tuple[tuple[str, str], ...]


class SiteAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What goes to one origin: headers, and the cookies of a file that match a URL there."""

    headers: Mapping[str, Secret]
    cookies: "CookieJar | None" = None


# By scheme and authority.
Sites: TypeAlias = Mapping[tuple[str, str], SiteAccess]


def read_cookies_file(path: Path) -> "Result[CookieJar, str]":
    """Read a file in the format of Netscape, which browsers export; or return why not."""
    from http.cookiejar import LoadError, MozillaCookieJar  # few users have one

    jar = MozillaCookieJar()
    try:
        if path.stat().st_size > _MAX_COOKIE_FILE_BYTES:
            return Failure(f"has more than {_MAX_COOKIE_FILE_BYTES} bytes")
        jar.load(str(path), ignore_discard=True)
    except (LoadError, UnicodeError):
        return Failure("is not a cookies.txt in the format of Netscape")
    except OSError as error:
        return Failure(f"cannot be read ({type(error).__name__})")
    return Success(jar)


def site_secrets(sites: Sites) -> list[str]:
    """Return what no page may repeat: the words of all headers, and the values of cookies."""
    headers = [value.reveal() for site in sites.values() for value in site.headers.values()]
    cookies = [cookie.value or "" for site in sites.values() for cookie in site.cookies or ()]
    return [word for text in (*headers, *cookies) for word in _SECRET_WORD_PATTERN.findall(text)]


def site_headers(sites: Sites, target: Target, passed: Sequence[str]) -> Headers:
    """Return the headers for a target after the URLs that redirected to it.

    A site that another host redirects to gets none: that host chose the URL, not the user.
    """
    site = sites.get((target.scheme, target.authority))
    hosts = {url.partition("://")[2].partition("/")[0] for url in passed}
    if site is None or not hosts <= {target.authority}:
        return ()
    headers = {name: value.reveal() for name, value in site.headers.items()}
    if site.cookies is not None and "cookie" not in map(str.lower, headers):
        import urllib.request  # few users have cookies

        # http.cookiejar matches domains, paths, https and ages after RFC 6265.
        request = urllib.request.Request(target.url)  # noqa: S310  it is never opened
        site.cookies.add_cookie_header(request)
        headers |= {name: text for name, text in request.header_items() if name == "Cookie"}
    return tuple(headers.items())


class PageSigner(msgspec.Struct, frozen=True, kw_only=True):
    """An Ed25519 key; ``agent`` is the authority whose directory publishes its public half."""

    sign: Callable[[bytes], bytes]
    public_key: bytes
    agent: str

    @property
    def key_id(self) -> str:
        """The thumbprint of the key (RFC 7638, 3; RFC 8037, A.3)."""
        return _encode_base64url(hashlib.sha256(msgspec.json.encode(self._public_jwk())).digest())

    def sign_page_request(self, target: Target, now: float, sent: Headers = ()) -> Headers:
        """Return the headers of one request; they hold for its authority, for a minute."""
        agent = f'"https://{self.agent}"'
        components = {'"@authority"': target.authority, '"signature-agent";key="sig1"': agent}
        # developers.cloudflare.com/ai-crawl-control/changelog, 2025-12-10: payments are signed.
        components |= {f'"{name}"': value for name, value in sent if name in PAYMENT_PROOF_HEADERS}
        signed = self._sign_components(components, "web-bot-auth", now, _REQUEST_SIGNATURE_SECONDS)
        return (("signature-agent", f"sig1={agent}"), *signed)

    def sign_key_directory(self, now: float) -> tuple[bytes, Headers]:
        """Return the directory, a JWK set, and headers that prove possession of its key.

        They name the agent's authority: under another name, the directory proves nothing.
        """
        key = {**self._public_jwk(), "kid": self.key_id, "use": "sig"}
        body = msgspec.json.encode({"keys": [key]})
        # RFC 9530, 2.
        digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
        components = {'"@authority";req': self.agent, '"content-digest"': digest}
        tag = DIRECTORY_PATH.rpartition("/")[2]
        signed = self._sign_components(components, tag, now, _DIRECTORY_SIGNATURE_SECONDS)
        cache = ("cache-control", f"max-age={_DIRECTORY_CACHE_SECONDS}")
        return body, (cache, ("content-digest", digest), *signed)

    def _public_jwk(self) -> dict[str, str]:
        # The thumbprint needs these members in this order.
        return {"crv": "Ed25519", "kty": "OKP", "x": _encode_base64url(self.public_key)}

    def _sign_components(
        self, components: Mapping[str, str], tag: str, now: float, seconds: int
    ) -> Headers:
        """Sign component identifiers with their values (RFC 9421, 2.5 and 3.1)."""
        nonce = _encode_base64url(os.urandom(_NONCE_BYTES))
        parameters = (
            f"({' '.join(components)});created={int(now)};expires={int(now) + seconds}"
            f';keyid="{self.key_id}";alg="ed25519";nonce="{nonce}";tag="{tag}"'
        )
        lines = {**components, '"@signature-params"': parameters}.items()
        signed = self.sign("\n".join(f"{name}: {value}" for name, value in lines).encode())
        signature = f"sig1=:{base64.b64encode(signed).decode()}:"
        return (("signature-input", f"sig1={parameters}"), ("signature", signature))


def read_page_signer(path: Path, agent: str) -> Result[PageSigner, str]:
    """Read a private key, or return what is wrong with the file. It needs ``cryptography``."""
    from cryptography import exceptions  # an extra
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    try:
        # Do not block on a named pipe that has no writer.
        if not path.is_file():
            return Failure("is not a file")
        if sys.platform != "win32" and path.stat().st_mode & _OTHERS_READ_BITS:
            return Failure("can be read by other users; run chmod 600 on it")
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        return Failure(f"cannot be read ({type(error).__name__})")
    except (ValueError, TypeError, exceptions.UnsupportedAlgorithm):
        key = None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        return Failure(
            "is not a private Ed25519 key as PEM without a password; make one with: "
            "openssl genpkey -algorithm ed25519"
        )
    public_key = key.public_key().public_bytes_raw()
    return Success(PageSigner(sign=key.sign, public_key=public_key, agent=agent))


def _encode_base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
