"""Who calls: this machine's own user, the owner of a token, or the owner of a key."""

from __future__ import annotations

import hmac
import math
from typing import Protocol

import msgspec
from returns.result import Failure

from ....ports.keys import KeyRecord, KeyStore, KeyTool
from ....ports.secrets import Secret
from ...key_guessing import TOO_MANY_GUESSES, GuessLimiter
from ...wiring.key_ring import KeyRing
from .asgi import Headers
from .heads import McpHead

TOOLS: dict[str, KeyTool] = {
    "web_search": "search",
    "web_extract": "extract",
    "web_more": "more",
    "x_search": "x",
    "web_ask": "ask",
}


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """Whose a request is. ``record`` says what a key may do; without one it is not limited."""

    id: str
    record: KeyRecord | None = None

    def may(self, tool: str) -> bool:
        """Tell whether a tool may be called."""
        return self.record is None or self.record.may(TOOLS[tool])


class Challenge(msgspec.Struct, frozen=True, kw_only=True):
    """Why nobody is let in, and how to come back."""

    status: int
    message: str
    headers: Headers = ()


class Authenticator(Protocol):
    """Something that knows who calls."""

    async def admit(self, head: McpHead, /) -> Principal | Challenge:
        """Return whose a request is, or what is missing."""
        ...


_NO_KEY = "A key is needed, and there is none: send Authorization: Bearer KEY."
LOCAL = Principal(id="local")
OWNER = Principal(id="owner")


def bearer_token(head: McpHead) -> str | None:
    """Return the token of a request: in its one header, never in its address."""
    scheme, _, token = head.get("authorization").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def request_key(head: McpHead) -> str | None:
    """Return the key of a request: its bearer token, or where the gateway's clients have theirs."""
    return bearer_token(head) or head.get("x-api-key") or None


class KeyAuthenticator:
    """Lets in who has the token or a key of ``webseam keys``; ``open``, anybody on this machine."""

    def __init__(self, token: Secret, keys: KeyStore, *, open_: bool) -> None:
        """Compare with ``token`` and ``keys``."""
        self._token = token.reveal().encode()
        self._keys = KeyRing(keys)
        self._open = open_ and not self._token
        self._guesses = GuessLimiter()

    async def admit(self, head: McpHead, /) -> Principal | Challenge:
        """Return whose the key is."""
        text = request_key(head)
        if text is None:
            return LOCAL if self._open else _unknown(_NO_KEY)
        wait = self._guesses.wait(head.peer)
        if self._token and wait is None and hmac.compare_digest(self._token, text.encode()):
            return OWNER
        known = await self._keys.find(text)
        if isinstance(known, Failure):
            return Challenge(status=503, message=known.failure().message)
        record = known.unwrap()
        if record is not None:
            return Principal(id=record.id, record=record)
        self._guesses.count(head.peer)
        if wait is None:
            return _unknown("This is no key in use here.")
        later = (("retry-after", str(math.ceil(wait))),)
        return Challenge(status=429, message=TOO_MANY_GUESSES, headers=later)


def _unknown(message: str) -> Challenge:
    return Challenge(status=401, message=message, headers=(("www-authenticate", "Bearer"),))
