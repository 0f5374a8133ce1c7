"""Symbols that mean something: 🚀, §, what tells C++ and C# apart, and .NET from any net."""

import re
from collections.abc import Iterator
from functools import cache

from .sigils import find_sigils, sigil_pattern

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
