"""Names that begin with a symbol: files (.env), variables ($HOME), options (--flag), #tags."""

import re
import string
from collections.abc import Iterator
from functools import cache

# What such a name never stands behind: then it is the end of another one, or of an address.
_BEHIND = "_.$@#/\\&)]}%-"
_NAME = "[A-Za-z][A-Za-z0-9_]{0,39}"
_OPTION = "[A-Za-z](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9_])?"
_ANY = rf"[.@#]{_NAME}|\$\{{?{_NAME}|--{_OPTION}"
_LINK = b"]("
# Every byte as what it is to these names: a letter, a symbol, something they stand behind, or not.
_LETTERS, _SYMBOLS = string.ascii_letters.encode(), b".@#$-{"
_NEVER = string.digits.encode() + b"_/\\&)]}%"
_KINDS = bytes(
    ord("a")
    if code in _LETTERS
    else code
    if code in _SYMBOLS
    else ord("0" if code in _NEVER else " ")
    for code in range(256)
)
_BLANK = ord(" ")
_COMMON, *_RARE = (b".a", b"@a", b"#a", b"$a", b"${a", b"--a")
_ASCII = 128
# In bytes of UTF-8.
_MAX_LETTER_BYTES = 4


def sigil_pattern() -> str:
    """Return a pattern of such names, as a part of a larger one."""
    # A link inside of a page has no tag.
    return rf"(?<![^\W_])(?<![{re.escape(_BEHIND)}])(?<!\]\()(?:{_ANY})"


def find_sigils(text: str) -> list[str]:
    """Return such names in a text, as they are written.

    Without the pattern, which takes longer than the rest of a text's analysis: most have none.

    >>> find_sigils("Use .NET, not a.net, in $HOME")
    ['.NET', '$HOME']
    """
    is_plain = "@" not in text and "#" not in text and "$" not in text and "--" not in text
    if is_plain and "." not in text:
        return []
    content = b" " + text.encode("utf-8", "replace")
    kinds = content.translate(_KINDS)
    beginnings = (_COMMON,) if is_plain else (_COMMON, *_RARE)
    return [name for beginning in beginnings for name in _begun(content, kinds, beginning)]


def _begun(content: bytes, kinds: bytes, beginning: bytes) -> Iterator[str]:
    at = kinds.find(beginning)
    while at >= 0:
        if kinds[at - 1] == _BLANK and _is_first(content, at):
            name = _whole().match(content, at)
            yield name[0].decode() if name else ""
        at = kinds.find(beginning, at + 1)


def _is_first(content: bytes, at: int) -> bool:
    """Tell whether neither a letter beside those of ASCII is before a place, nor a link."""
    if content[at - 2 : at] == _LINK:
        return False
    before = content[max(0, at - _MAX_LETTER_BYTES) : at] if content[at - 1] >= _ASCII else b" "
    return not before.decode(errors="ignore")[-1].isalnum()


@cache
def _whole() -> re.Pattern[bytes]:
    return re.compile(_ANY.encode())
