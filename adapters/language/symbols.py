"""Symbols that mean something: 🚀, §, what tells C++ and C# apart, and .NET from any net."""

import re
import string
from collections.abc import Iterator
from functools import cache

# What such a name never stands behind: then it is the end of another one, or of an address.
_BEHIND = "_.$@#/\\&)]}%-"
_SIGILS_NAME = "[A-Za-z][A-Za-z0-9_]{0,39}"
_OPTION = "[A-Za-z](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9_])?"
_ANY = rf"[.@#]{_SIGILS_NAME}|\$\{{?{_SIGILS_NAME}|--{_OPTION}"
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


# Symbols that mean something: 🚀, §, what tells C++ and C# apart, and .NET from any net.

# What a symbol begins with where it stands among terms; no word has it.
_MARK = "="
# Pictures, but not the tones that colour them, nor what only joins them.
_PICTURES = "\u2600-\u27bf\u2b05-\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
# Paragraphs, numbers, money, and what formulas are made of.
_SINGLE = f"[§¶№€£¥\u20a0-\u20bf\u2200-\u22ff{_PICTURES}]"
# How a picture is drawn, behind it.
_DRAWN = "[\ufe0f\U0001f3fb-\U0001f3ff]*"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_NAME = r"(?<![\w+#])[A-Za-z][A-Za-z0-9]{0,15}(?:\+\+|#)(?![\w+#])"
# How symbols of three bytes begin, beside dashes and quotes, which many texts have; and of two.
_LONG = tuple(
    b"\xe2" + bytes((code,))
    for code in (0x82, 0x84, *range(0x88, 0x8C), *range(0x98, 0x9F), 0xAC, 0xAD)
)
_SHORT = (b"\xc2\xa3", b"\xc2\xa5", b"\xc2\xa7", b"\xc2\xb6")


def symbol_terms(text: str) -> list[str]:
    """Return the symbols of a text, as terms.

    >>> symbol_terms("C++ and c# 🚀 on .NET, but no C+ nor a.net")
    ['=c++', '=c#', '=🚀', '=.net']
    """
    if _has_trace(text):
        return [term for _, _, term in symbol_places(text)]
    return [_MARK + _name(sigil) for sigil in find_sigils(text)]


def symbol_places(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where symbols stand in a text, and the term of each."""
    for symbol in _symbol().finditer(text):
        yield symbol.start(), symbol.end(), _MARK + (symbol["single"] or _name(symbol[0]))


def _name(written: str) -> str:
    """Return a name with its symbols: ${HOME} is $HOME."""
    return written.lower().replace("{", "")


def is_symbol(term: str) -> bool:
    """Tell whether a term is a symbol and no word."""
    return term.startswith(_MARK)


def _has_trace(text: str) -> bool:
    """Tell whether a text may have a symbol. Most have none, and are told in little time."""
    if ("#" in text and _ends_a_name(text)) or ("+" in text and "++" in text):
        return True
    if text.isascii():
        return False
    content = text.encode("utf-8", "replace")
    return (
        b"\xf0" in content
        or (b"\xe2" in content and any(begin in content for begin in _LONG))
        or (b"\xc2" in content and any(symbol in content for symbol in _SHORT))
    )


def _ends_a_name(text: str) -> bool:
    """Tell whether there is a # that does not begin a heading."""
    at = text.find("#")
    while at >= 0:
        if text[max(0, at - 1) : at].isalnum():
            return True
        at = text.find("#", at + 1)
    return False


@cache
def _symbol() -> re.Pattern[str]:
    return re.compile(f"(?P<single>{_SINGLE}){_DRAWN}|{_FLAG}|{_NAME}|{sigil_pattern()}")
