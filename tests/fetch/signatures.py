"""Signatures, checked by an independent implementation of RFC 9421."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from webseam.adapters.pages.fetch.user_headers import PageSigner, read_page_signer

rfc9421 = pytest.importorskip("http_message_signatures")
serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
InvalidSignature = rfc9421.InvalidSignature

AGENT = "bots.example.com"
_COVERED = {
    "web-bot-auth": ('"@authority"', '"signature-agent";key="sig1"'),
    "http-message-signatures-directory": ('"@authority";req', '"content-digest"'),
}


def write_key(folder: Path, key: Any = None) -> Path:  # noqa: ANN401  keys of every kind
    """Write a private key as ``openssl genpkey`` does; return its file."""
    path = folder / "key.pem"
    private = key or ed25519.Ed25519PrivateKey.generate()
    path.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    path.chmod(0o600)
    return path


def make_signer(folder: Path, agent: str = AGENT) -> PageSigner:
    return read_page_signer(write_key(folder), agent).unwrap()


def directory_keys(body: bytes) -> dict[str, object]:
    """Return the public keys of a directory by their ids."""
    return {
        key["kid"]: ed25519.Ed25519PublicKey.from_public_bytes(
            base64.urlsafe_b64decode(key["x"] + "==")
        )
        for key in json.loads(body)["keys"]
    }


def request_headers(head: bytes) -> dict[str, str]:
    """Return the headers of a request as it was sent."""
    lines = head.decode().split("\r\n")[1:-2]
    return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}


def verify(
    url: str, headers: Mapping[str, str], directory: bytes, body: bytes | None = None
) -> Mapping[str, object]:
    """Return the parameters of the only signature; raise ``InvalidSignature`` if it is wrong.

    With ``body``, the headers are those of a response to a request for ``url``.
    """
    message = SimpleNamespace(method="GET", url=url, headers=headers)
    if body is not None:
        message = SimpleNamespace(status_code=200, headers=headers, request=message)
        message.request.headers = {}
    keys = rfc9421.MappingKeyResolver(public_keys=directory_keys(directory), private_keys={})
    verifier = rfc9421.HTTPMessageVerifier(
        signature_algorithm=rfc9421.algorithms.ED25519, key_resolver=keys
    )
    tag = "web-bot-auth" if body is None else "http-message-signatures-directory"
    (result,) = verifier.verify(
        message, expect_tag=tag, require_components=_COVERED[tag], body=body
    )
    parameters: Mapping[str, object] = result.parameters
    return parameters
