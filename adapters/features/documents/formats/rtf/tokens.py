r"""The tokens of RTF: braces, control words and text.

Rich Text Format Specification 1.9.1, Microsoft 2008 (read 2026-11-15).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_TOKEN_PATTERN: Final = re.compile(
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


_NO_TOKEN: Final = RtfToken()


def read_rtf_tokens(body: bytes) -> Iterator[RtfToken]:
    r"""Yield the tokens of a document.

    >>> [token.word or token.text for token in read_rtf_tokens(rb"{\b0 a\'e4}")]
    ['{', 'b', b'a', b'\xe4', '}']
    """
    offset, end = 0, len(body)
    while offset < end and (match := _TOKEN_PATTERN.match(body, offset)):
        offset = match.end()
        token = _make_token(match)
        if token.word == "bin":
            offset += max(0, token.number or 0)  # skip that many bytes of binary data
        elif token != _NO_TOKEN:
            yield token


def _make_token(match: re.Match[bytes]) -> RtfToken:
    word, number, byte, symbol, brace, text = match.groups()
    if word:
        return RtfToken(word.decode(), int(number) if number else None)
    if byte:
        return RtfToken(text=bytes([int(byte, 16)]))
    if symbol:
        if symbol in b"\\{}":
            return RtfToken(text=symbol)
        return RtfToken("par" if symbol in b"\r\n" else symbol.decode("latin-1"))
    return RtfToken(brace.decode()) if brace else RtfToken(text=text or b"")
