"""Symbols that carry meaning: 🚀, §, the signs of C++ and C#, and the dot of .NET."""

import re
import string
from collections.abc import Iterator

from webseam.ports.text import lazy_pattern

# Characters before a name with a sigil that make it the end of another name or address.
_EXCLUDING_CHARS = "_.$@#/\\&)]}%-"
_SIGIL_NAME = "[A-Za-z][A-Za-z0-9_]{0,39}"
_OPTION_NAME = "[A-Za-z](?:[A-Za-z0-9_-]{0,38}[A-Za-z0-9_])?"
_ANY_SIGIL_NAME = rf"[.@#]{_SIGIL_NAME}|\$\{{?{_SIGIL_NAME}|--{_OPTION_NAME}"
_LINK_OPENING = b"]("
# Map each byte to its class: letter, sigil, character that excludes a name after it, or other.
_LETTER_BYTES, _SIGIL_BYTES = string.ascii_letters.encode(), b".@#$-{"
_EXCLUDING_BYTES = string.digits.encode() + b"_/\\&)]}%"


def _sigil_byte_class(code: int) -> int:
    if code in _LETTER_BYTES:
        return ord("a")
    if code in _SIGIL_BYTES:
        return code
    return ord("0" if code in _EXCLUDING_BYTES else " ")


_SIGIL_BYTE_CLASSES = bytes(map(_sigil_byte_class, range(256)))
_BLANK = ord(" ")
_SIGIL_STARTS = (b".a", b"@a", b"#a", b"$a", b"${a", b"--a")
_ASCII_END = 128
_MAX_LETTER_BYTES = 4


def find_sigils(text: str) -> list[str]:
    """Return names with a sigil in a text, as they are written.

    It scans bytes: most texts have none, and a pattern takes longer than the rest of the analysis.

    >>> find_sigils("Use .NET, not a.net, in $HOME")
    ['.NET', '$HOME']
    """
    is_plain = "@" not in text and "#" not in text and "$" not in text and "--" not in text
    if is_plain and "." not in text:
        return []
    content = b" " + text.encode("utf-8", "replace")
    classes = content.translate(_SIGIL_BYTE_CLASSES)
    sigils: list[str] = []
    for start in _SIGIL_STARTS[:1] if is_plain else _SIGIL_STARTS:
        offset = classes.find(start)
        while offset >= 0:
            if classes[offset - 1] == _BLANK and _is_sigil_start(content, offset):
                name = _SIGIL_NAME_PATTERN.match(content, offset)
                sigils.append(name[0].decode() if name else "")
            offset = classes.find(start, offset + 1)
    return sigils


def _is_sigil_start(content: bytes, at: int) -> bool:
    """Tell whether neither a letter outside ASCII nor a link precedes an offset."""
    if content[at - 2 : at] == _LINK_OPENING:
        return False
    before = content[max(0, at - _MAX_LETTER_BYTES) : at] if content[at - 1] >= _ASCII_END else b" "
    return not before.decode(errors="ignore")[-1].isalnum()


_SIGIL_NAME_PATTERN = lazy_pattern(_ANY_SIGIL_NAME.encode())

# Prefix of symbols among terms; no word contains it.
_PREFIX = "="
# Emoji without skin tones and joiners.
_EMOJI_CHARS = "\u2600-\u27bf\u2b05-\u2b55\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
# Paragraph, number and currency signs, and mathematical operators.
_SINGLE = f"[§¶№€£¥\u20a0-\u20bf\u2200-\u22ff{_EMOJI_CHARS}]"
# Variation selectors and skin tones after an emoji.
_MODIFIERS = "[\ufe0f\U0001f3fb-\U0001f3ff]*"
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_SUFFIXED = r"(?<![\w+#])[A-Za-z][A-Za-z0-9]{0,15}(?:\+\+|#)(?![\w+#])"
# First bytes of three-byte symbols, without dashes and quotes, which are frequent; then
# two-byte symbols.
_THREE_BYTE_STARTS = tuple(
    b"\xe2" + bytes((code,))
    for code in (0x82, 0x84, *range(0x88, 0x8C), *range(0x98, 0x9F), 0xAC, 0xAD)
)
_TWO_BYTE_SYMBOLS = (b"\xc2\xa3", b"\xc2\xa5", b"\xc2\xa7", b"\xc2\xb6")


def symbol_terms(text: str) -> list[str]:
    """Return the symbols of a text as terms.

    >>> symbol_terms("C++ and c# 🚀 on .NET, but no C+ nor a.net")
    ['=c++', '=c#', '=🚀', '=.net']
    """
    if _may_have_symbol(text):
        return [term for _, _, term in symbol_positions(text)]
    return [_PREFIX + _sigil_term(sigil) for sigil in find_sigils(text)]


def symbol_positions(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and term of each symbol in a text."""
    for match in _SYMBOL_PATTERN.finditer(text):
        yield (match.start(), match.end(), _PREFIX + (match["single"] or _sigil_term(match[0])))


def _sigil_term(written: str) -> str:
    """Return a name with its sigil, without braces: ${HOME} becomes $HOME."""
    return written.lower().replace("{", "")


def is_symbol(term: str) -> bool:
    """Tell whether a term is a symbol."""
    return term.startswith(_PREFIX)


def _may_have_symbol(text: str) -> bool:
    """Tell whether a text may have a symbol; a fast test that most texts fail."""
    if ("#" in text and _has_hash_after_name(text)) or ("+" in text and "++" in text):
        return True
    if text.isascii():
        return False
    content = text.encode("utf-8", "replace")
    return (
        b"\xf0" in content
        or (b"\xe2" in content and any(begin in content for begin in _THREE_BYTE_STARTS))
        or (b"\xc2" in content and any(symbol in content for symbol in _TWO_BYTE_SYMBOLS))
    )


def _has_hash_after_name(text: str) -> bool:
    """Tell whether a # follows a letter or digit, so it does not begin a heading."""
    return any(before[-1:].isalnum() for before in text.split("#")[:-1])


# The target of a link inside a page, as in ](#top), is not a tag.
_SIGIL = rf"(?<![^\W_])(?<![{re.escape(_EXCLUDING_CHARS)}])(?<!\]\()(?:{_ANY_SIGIL_NAME})"
_SYMBOL_PATTERN = lazy_pattern(f"(?P<single>{_SINGLE}){_MODIFIERS}|{_FLAG}|{_SUFFIXED}|{_SIGIL}")
