r"""The marks of RTF, one after the other: braces, control words, and text.

Rich Text Format Specification 1.9.1, Microsoft 2008 (read 2026-11-15).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    rb"\\([a-z]{1,32})(-?\d{1,10})? ?"  # a control word, its number, and the blank that ends it
    rb"|\\'([0-9a-fA-F]{2})"  # a byte
    rb"|\\([^a-z'])"  # a control symbol
    rb"|([{}])"
    rb"|([^\\{}\r\n]+)"
    rb"|[\r\n]+|\\",
    re.IGNORECASE | re.DOTALL,
)


class RtfToken(NamedTuple):
    """A control word with its number, a symbol (``~``, ``*``), a brace, or bytes of text."""

    word: str = ""
    number: int | None = None
    text: bytes = b""


_NOTHING: Final = RtfToken()


def read_tokens(body: bytes) -> Iterator[RtfToken]:
    r"""Yield the marks of a document.

    >>> [token.word or token.text for token in read_tokens(rb"{\b0 a\'e4}")]
    ['{', 'b', b'a', b'\xe4', '}']
    """
    at, end = 0, len(body)
    while at < end and (match := _TOKEN.match(body, at)):
        at = match.end()
        token = _token(match)
        if token.word == "bin":
            at += max(0, token.number or 0)  # so many bytes that are no RTF
        elif token != _NOTHING:
            yield token


def _token(match: re.Match[bytes]) -> RtfToken:
    word, number, byte, symbol, brace, text = match.groups()
    if word:
        return RtfToken(word.decode(), int(number) if number else None)
    if byte:
        return RtfToken(text=bytes([int(byte, 16)]))
    if symbol:
        return _symbol(symbol)
    return RtfToken(brace.decode()) if brace else RtfToken(text=text or b"")


def _symbol(symbol: bytes) -> RtfToken:
    """Return a symbol that says something, or the character that stands behind its backslash."""
    if symbol in b"\\{}":
        return RtfToken(text=symbol)
    return RtfToken("par" if symbol in b"\r\n" else symbol.decode("latin-1"))
