"""Pieces of secrets in a text, in any usual spelling, found in one walk over it."""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
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
