"""Seal the turns of a conversation into an id that only the caller who got it can use.

The id of a response is the conversation itself, so that every worker and every gateway can go on
with it and none has to store it. It also reaches logs, colleagues and other programs. So it is
encrypted and authenticated under a secret that is made of the caller's own key: another key can
neither read it nor go on from it, and nobody can change it.

The standard library has no cipher. SHAKE-256 of a secret key and a fresh nonce is a stream that
nobody else can make (FIPS 202, 6.2: an extendable-output function), and HMAC-SHA-256 over nonce and
ciphertext comes before anything is decrypted (encrypt-then-MAC; RFC 2104).
"""

import base64
import hashlib
import hmac
import os
import zlib
from collections.abc import Sequence
from typing import Literal

import msgspec

from webseam.ports.models import Message
from webseam.ports.secrets import Secret

_NONCE_BYTES, _TAG_BYTES = 16, 16
_MAX_CHARS = 20_000
_MAX_TURNS = 20
_TURNS_DECODER = msgspec.json.Decoder(list[tuple[Literal["user", "assistant"], str]])


def caller_secret(key: str) -> Secret:
    """Return the secret of the caller with this key; it does not lead back to the key."""
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), person=b"webseam turns")
    return Secret(digest.hexdigest())


def seal_turns(turns: Sequence[Message], secret: Secret) -> str:
    """Return the last turns of a conversation as text for an id; the oldest may be left out."""
    pairs = [(turn["role"], turn["content"]) for turn in turns[-_MAX_TURNS:]]
    while len(data := msgspec.json.encode(pairs)) > _MAX_CHARS:
        pairs = pairs[2:]
    nonce = os.urandom(_NONCE_BYTES)
    ciphertext = _mix(zlib.compress(data), nonce, secret)
    tag = _authenticate(nonce + ciphertext, secret)
    return base64.urlsafe_b64encode(nonce + tag + ciphertext).decode()


def open_turns(text: str, secret: Secret) -> tuple[Message, ...] | None:
    """Return the turns in an id; None unless they were sealed for this caller."""
    try:
        sealed = base64.b64decode(text.encode(), altchars=b"-_", validate=True)
    except ValueError:
        return None
    nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    tag, ciphertext = rest[:_TAG_BYTES], rest[_TAG_BYTES:]
    if not hmac.compare_digest(tag, _authenticate(nonce + ciphertext, secret)):
        return None
    try:
        # Callers without a key share a secret that anybody can make: what they send is bounded.
        data = zlib.decompressobj().decompress(_mix(ciphertext, nonce, secret), _MAX_CHARS)
        turns = _TURNS_DECODER.decode(data)
    except (ValueError, zlib.error):
        return None
    return tuple({"role": role, "content": content} for role, content in turns)


def _mix(data: bytes, nonce: bytes, secret: Secret) -> bytes:
    """Return ``data`` XOR the stream of the secret and the nonce."""
    stream = hashlib.shake_256(b"stream" + secret.reveal().encode() + nonce).digest(len(data))
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")
    return mixed.to_bytes(len(data), "big")


def _authenticate(data: bytes, secret: Secret) -> bytes:
    tag = hmac.new(b"tag" + secret.reveal().encode(), data, hashlib.sha256)
    return tag.digest()[:_TAG_BYTES]
