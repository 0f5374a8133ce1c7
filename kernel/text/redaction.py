"""Secrets out of text and URLs, before either is kept or shown."""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, quote_plus

from .secret_fragments import (
    LONG_FRAGMENT_CHARS,
    MIN_FRAGMENT_CHARS,
    SecretFragments,
    fragment_signs,
    redact_fragments,
    secret_fragments,
    secret_spellings,
)

MASK = "***"
_MIN_SECRET_CHARS = 4

# Families of well-known keys, so that a key nobody told us about does not slip through either.
_KEY_SHAPES = re.compile(
    r"\b(?:(?:sk|pk|rk|tvly|pplx|exa|fc|gsk|xai|jina|brv|hf|ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm)[-_.]"
    r"|AIza|AKIA|ya29)[A-Za-z0-9_.-]{16,}"
)
_AUTHORIZATION = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/=_.~-]{8,}")
# "token expiration" is prose: a credential has a digit, a sign or a capital inside.
_TOKEN = re.compile(
    r"\b((?i:token))\s+(?=[A-Za-z.-]*(?:[0-9+/=_~]|[a-z][A-Z]))[A-Za-z0-9+/=_.~-]{8,}"
)
_PARAMETER_NAMES = (
    r"access_?token|api_?key|apikey|auth_?token|authorization|awsaccesskeyid|client_secret|credentials?|jwt"
    r"|key|passwd|password|secret|session_?id|sig|signature|token|x-amz-(?:credential|security-token|signature)"
)
_PARAMETER = re.compile(rf"(?i)([?&#;]|^)({_PARAMETER_NAMES})=[^&#;\s]+")
_USERINFO = re.compile(r"(?i)\b(https?://)[^/?#\s@]*@")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Mask known secrets and their pieces, in any usual spelling, and whatever looks like a key.

    >>> redact("bad key hunter2!", ["hunter2!"])
    'bad key ***'
    """
    known = _told(secrets)
    spellings, pieces = _spelled(known), secret_fragments(known)
    # Masking one secret can bring the halves of another together, so go on until nothing
    # changes. Each round that changes something makes the text shorter or adds a mask.
    while (masked := _mask_once(text, spellings, pieces)) != text:
        text = masked
    return text


def echo_redactor(secrets: Iterable[str]) -> Callable[[str], str]:
    """Return what masks secrets in rows and pages, where a short one, or a short piece, is a word.

    >>> echo_redactor(["0123456789abcdef"])("you are 456789abcdef... in 12345678")
    'you are ***... in 12345678'
    """
    known = [secret for secret in _told(secrets) if len(secret) >= MIN_FRAGMENT_CHARS]
    spellings, pieces = _spelled(known), secret_fragments(known, LONG_FRAGMENT_CHARS)
    # Pages are long and hardly ever hold a key: they are looked through for a few short texts.
    signs = {*spellings, *(sign for secret in known for sign in fragment_signs(secret))}

    def masked(text: str) -> str:
        met = any(sign in text for sign in signs)
        return _without(text, spellings, pieces) if met else text

    return masked


def _told(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return the secrets to look for; too short ones would mask words."""
    return tuple(
        secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS and secret.strip("*")
    )


def _spelled(secrets: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({s for secret in secrets for s in _spellings(secret)}, key=_long_first))


def _long_first(text: str) -> tuple[int, str]:
    return -len(text), text


def redact_url(url: str) -> str:
    """Mask userinfo and credential-named query values; the rest stays readable.

    >>> redact_url("https://u:p@a.example/x?token=abc&q=1")
    'https://***@a.example/x?token=***&q=1'
    """
    masked = _USERINFO.sub(rf"\g<1>{MASK}@", url)
    return _PARAMETER.sub(rf"\g<1>\g<2>={MASK}", masked)


def looks_like_key(text: str) -> bool:
    """Tell whether ``text`` has something in it that is shaped like a well-known service's key.

    >>> looks_like_key("ghp_abcdefghijklmnopqrstuvwxyz"), looks_like_key("a page on tokens")
    (True, False)
    """
    return _KEY_SHAPES.search(text) is not None


def _mask_once(text: str, spellings: Iterable[str], pieces: Iterable[SecretFragments]) -> str:
    text = _without(text, spellings, pieces)
    for pattern in (_AUTHORIZATION, _TOKEN):
        text = pattern.sub(rf"\g<1> {MASK}", text)
    return redact_url(_KEY_SHAPES.sub(MASK, text))


def _without(text: str, spellings: Iterable[str], pieces: Iterable[SecretFragments]) -> str:
    for spelling in spellings:
        text = text.replace(spelling, MASK)
    return redact_fragments(text, pieces, MASK)


def _spellings(secret: str) -> set[str]:
    """Return the forms in which a server may echo a secret as a whole."""
    raw = secret.encode("utf-8", "surrogatepass")
    encoded = base64.b64encode(raw).decode("ascii").rstrip("=")
    escaped = {html.escape(secret), json.dumps(secret, ensure_ascii=False)[1:-1]}
    whole = {secret, secret[::-1], quote(raw, safe=""), quote_plus(raw), encoded, *escaped}
    if len(secret) < MIN_FRAGMENT_CHARS:
        # In other letters a short one would be a word.
        return whole
    return {*whole, *(spelling for _, spelling in secret_spellings(secret))}
