"""The Unicode characters of letters in the fonts Symbol and Wingdings."""

import re
from collections.abc import Iterable
from typing import Final

_FIRST_LOW, _FIRST_HIGH = 0x20, 0xA0
# Adobe's table of the font Symbol: from the blank on, and from the Euro sign on.
_SYMBOL_LOW: Final = (
    " !\u2200#\u2203%&\u220b()\u2217+,\u2212./0123456789:;<=>?\u2245\u0391\u0392\u03a7\u0394"
    "\u0395\u03a6\u0393\u0397\u0399\u03d1\u039a\u039b\u039c\u039d\u039f\u03a0\u0398\u03a1"
    "\u03a3\u03a4\u03a5\u03c2\u03a9\u039e\u03a8\u0396[\u2234]\u22a5_\u203e\u03b1\u03b2\u03c7"
    "\u03b4\u03b5\u03c6\u03b3\u03b7\u03b9\u03d5\u03ba\u03bb\u03bc\u03bd\u03bf\u03c0\u03b8"
    "\u03c1\u03c3\u03c4\u03c5\u03d6\u03c9\u03be\u03c8\u03b6{|}\u223c"
)
_SYMBOL_HIGH: Final = (
    "\u20ac\u03d2\u2032\u2264\u2044\u221e\u0192\u2663\u2666\u2665\u2660\u2194\u2190\u2191"
    "\u2192\u2193\u00b0\u00b1\u2033\u2265\u00d7\u221d\u2202\u2022\u00f7\u2260\u2261\u2248"
    "\u2026\u23d0\u23af\u21b5\u2135\u2111\u211c\u2118\u2297\u2295\u2205\u2229\u222a\u2283"
    "\u2287\u2284\u2282\u2286\u2208\u2209\u2220\u2207\u00ae\u00a9\u2122\u220f\u221a\u22c5"
    "\u00ac\u2227\u2228\u21d4\u21d0\u21d1\u21d2\u21d3\u25ca\u3008\u00ae\u00a9\u2122\u2211"
    "\u239b\u239c\u239d\u23a1\u23a2\u23a3\u23a7\u23a8\u23a9\u23aa"
)
_WINGDINGS: Final = {
    0x4A: "\u263a", 0x6C: "\u25cf", 0x6E: "\u25a0", 0x6F: "\u25a1", 0x71: "\u2751", 0x76: "\u2756",
    0xA7: "\u25aa", 0xA8: "\u25fb", 0xD8: "\u27a2", 0xDF: "\u2190", 0xE0: "\u2192", 0xE1: "\u2191",
    0xE2: "\u2193", 0xE8: "\u2794", 0xF0: "\u21e8", 0xFB: "\u2717", 0xFC: "\u2713", 0xFD: "\u2612",
    0xFE: "\u2611",
}  # fmt: skip
_SYMBOLS: Final = dict(enumerate(_SYMBOL_LOW, _FIRST_LOW)) | dict(
    enumerate(_SYMBOL_HIGH, _FIRST_HIGH)
)
_SYMBOL_FONTS: Final = {"symbol": _SYMBOLS, "wingdings": _WINGDINGS}
# Word numbers such letters in Unicode's private use area, or by their code in the font.
_PRIVATE_CODES: Final = range(0xF000, 0xF100)
_SURROGATE_CODES: Final = range(0xD800, 0xE000)
_PRIVATE_LETTER_PATTERN: Final = re.compile("[\uf000-\uf0ff]")
_SYMBOL_FIELD_PATTERN: Final = re.compile(
    r"\s*SYMBOL\s+(?:0x([0-9a-f]{1,4})|(\d{1,5}))\b", re.IGNORECASE
)
_SYMBOL_FIELD_FONT_PATTERN: Final = re.compile(r'\\f\s*"?([\w ]{1,60})')


def font_symbol(font: str, code: int) -> str:
    """Return the symbol of a code; the letter for a text font, empty for an unknown symbol font.

    >>> font_symbol("Symbol", 0xF0B0)
    '°'
    >>> font_symbol("Arial", 0x41)
    'A'
    >>> font_symbol("Webdings", 0xF041)
    ''
    """
    symbols = _SYMBOL_FONTS.get(font.strip().lower())
    if symbols is not None:
        return symbols.get(code & 0xFF, "")
    return "" if code in _PRIVATE_CODES or not code else chr(code)


def replace_private_letters(text: str, fonts: Iterable[str]) -> str:
    r"""Return text with private letters as symbols of its font, or of Symbol if none is named.

    >>> replace_private_letters("4\uf0b0", ["Symbol"])
    '4°'
    >>> replace_private_letters("\uf0fc", ["Arial", "Wingdings"])
    '✓'
    """
    if text.isascii() or _PRIVATE_LETTER_PATTERN.search(text) is None:
        return text
    named = [font for font in fonts if font]
    font = next((font for font in named if font.strip().lower() in _SYMBOL_FONTS), "")
    return _PRIVATE_LETTER_PATTERN.sub(
        lambda sign: font_symbol(font or ("" if named else "Symbol"), ord(sign[0])), text
    )


def word_field_symbol(instruction: str) -> str:
    r"""Return the symbol that a SYMBOL field of Word shows, empty for other fields.

    >>> word_field_symbol(r'SYMBOL 98 \f "Symbol" \s 10')
    'β'
    >>> word_field_symbol("PAGE")
    ''
    """
    field = _SYMBOL_FIELD_PATTERN.match(instruction)
    if not field:
        return ""
    font = _SYMBOL_FIELD_FONT_PATTERN.search(instruction)
    code = int(field[1], 16) if field[1] else int(field[2])
    if code in _SURROGATE_CODES:
        return ""
    return font_symbol(font[1] if font else "", min(code, 0xFFFF))
