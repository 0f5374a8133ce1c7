"""Secrets out of text and URLs, before either is kept or shown."""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple
from urllib.parse import quote, quote_plus

# So many characters of a key in a row are a secret, if they are no word.
MIN_FRAGMENT_CHARS = 8
# From here on they are one whatever they look like.
LONG_FRAGMENT_CHARS = 12
_NO_WORD = re.compile(r"[0-9]|[a-z][A-Z]")
_PROBE = 4
# What is not quoted: nothing, the slashes of a path, and what a browser leaves.
_LEFT_PLAIN = ("", "/", "!*'()")


class SecretFragments(NamedTuple):
    """All windows of one size over the spellings of secrets, and all probes of four characters.

    Every place of a text that holds a window holds one of its probes at a multiple of the stride,
    so that most of a text is never looked at.
    """

    size: int
    windows: frozenset[str]
    probes: frozenset[str]


def secret_fragments(
    secrets: Iterable[str], min_chars: int = MIN_FRAGMENT_CHARS
) -> tuple[SecretFragments, ...]:
    """Return what to look for: so many characters of a secret, plain, escaped, base64 or hex.

    >>> [pieces.size for pieces in secret_fragments(["0123456789"])]
    [24, 16, 12, 8]
    """
    spelled: dict[int, set[str]] = {}
    for secret in secrets:
        for size, spelling in secret_spellings(secret, min_chars):
            spelled.setdefault(size, set()).add(spelling)
    # An escaped piece goes as a whole before its plain parts would.
    return tuple(
        SecretFragments(size, _windows(spelled[size], size), _windows(spelled[size], _PROBE))
        for size in sorted(spelled, reverse=True)
    )


def fragment_signs(secret: str) -> set[str]:
    """Return short texts of which every long plain piece of a secret holds one.

    >>> sorted(fragment_signs("0123456789abcdef"))
    ['012345', '789abc']
    """
    size = LONG_FRAGMENT_CHARS // 2
    stride = LONG_FRAGMENT_CHARS - size + 1
    return {secret[at : at + size] for at in range(0, len(secret) - size + 1, stride)}


def redact_fragments(text: str, fragments: Iterable[SecretFragments], mask: str) -> str:
    """Put a mask over every piece; a short one that may be a word stays.

    >>> redact_fragments("bad key sk-0123456...", secret_fragments(["sk-0123456789"]), "***")
    'bad key ***...'
    """
    for pieces in fragments:
        text = "".join(_masked(text, pieces, mask))
    return text


def _masked(text: str, pieces: SecretFragments, mask: str) -> Iterator[str]:
    done = 0
    for start, end in _spans(text, pieces):
        if end - start >= LONG_FRAGMENT_CHARS or _NO_WORD.search(text, start, end):
            yield text[done:start]
            yield mask
            done = end
    yield text[done:]


def _spans(text: str, pieces: SecretFragments) -> Iterator[tuple[int, int]]:
    """Yield where windows stand, those that overlap or touch as one."""
    begin = end = 0
    for start in _starts(text, pieces):
        if start > end:
            yield begin, end
            begin = start
        end = start + pieces.size
    yield begin, end


def _starts(text: str, pieces: SecretFragments) -> Iterator[int]:
    size, windows, probes = pieces
    stride = size - _PROBE + 1
    for at in range(0, len(text), stride):
        if text[at : at + _PROBE] in probes:
            for start in range(max(0, at - stride + 1), at + 1):
                if text[start : start + size] in windows:
                    yield start


def _windows(spellings: Iterable[str], size: int) -> frozenset[str]:
    return frozenset(
        spelling[at : at + size] for spelling in spellings for at in range(len(spelling) - size + 1)
    )


def secret_spellings(secret: str, min_chars: int = MIN_FRAGMENT_CHARS) -> Iterator[tuple[int, str]]:
    """Yield how a server may spell a secret, and how much of each spelling gives it away."""
    raw = secret.encode("utf-8", "surrogatepass")
    for plain in (secret, secret.lower(), secret.upper()):
        yield min_chars, plain
    for quoted in (quote_plus(raw), *(quote(raw, safe=safe) for safe in _LEFT_PLAIN)):
        yield LONG_FRAGMENT_CHARS, quoted
        yield LONG_FRAGMENT_CHARS, re.sub("%..", lambda byte: byte[0].lower(), quoted)
    for escaped in (html.escape(secret), json.dumps(secret)[1:-1], *_base64(raw)):
        yield LONG_FRAGMENT_CHARS, escaped
    for digits in (raw.hex(), raw.hex().upper()):
        yield 2 * MIN_FRAGMENT_CHARS, digits
        yield 3 * MIN_FRAGMENT_CHARS, "".join(f"%{pair}" for pair in re.findall("..", digits))


def _base64(raw: bytes) -> Iterator[str]:
    """Yield what stays the same in base64, whatever stands before a secret and behind it."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode("ascii")
        inner = encoded[-(-before * 4 // 3) : (before + len(raw)) * 4 // 3]
        yield inner
        yield inner.translate({ord("+"): "-", ord("/"): "_"})


# Secrets out of text and URLs, before either is kept or shown.

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
