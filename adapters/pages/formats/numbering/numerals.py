"""Numbers as lists write them, by the names that Word has for the forms.

ISO/IEC 29500-1, 17.18.59 (read 2026-11-17). What is not here is written in plain digits.
"""

import re
from collections.abc import Sequence
from typing import Final

_ROMAN: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_ROMAN_NUMBER: Final = 3999
_MAX_REPEATED_LETTERS: Final = 10
_HAN: Final = "〇一二三四五六七八九"
_MAX_HAN_NUMBER: Final = 99
_RUSSIAN: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"
# After the last letter the first comes twice: z, aa, bb.
_LETTERS: Final = {
    "lowerLetter": _LATIN,
    "upperLetter": _LATIN.upper(),
    "russianLower": _RUSSIAN,
    "russianUpper": _RUSSIAN.upper(),
    "ganada": "가나다라마바사아자차카타파하",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノ"
    "ハヒフヘホマミムメモヤユヨラリルレロワヲン",
}
# After the last sign digits follow.
_SIGNS: Final[dict[str, Sequence[str]]] = {
    "cardinalText": [
        "One",
        "Two",
        "Three",
        "Four",
        "Five",
        "Six",
        "Seven",
        "Eight",
        "Nine",
        "Ten",
        "Eleven",
        "Twelve",
    ],
    "ordinalText": [
        "First",
        "Second",
        "Third",
        "Fourth",
        "Fifth",
        "Sixth",
        "Seventh",
        "Eighth",
        "Ninth",
        "Tenth",
    ],
    "decimalEnclosedCircle": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
    "decimalEnclosedCircleChinese": "①②③④⑤⑥⑦⑧⑨⑩",
    "decimalEnclosedParen": "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}  # fmt: skip
_COUNTED: Final = frozenset(
    {
        "chineseCounting",
        "chineseCountingThousand",
        "japaneseCounting",
        "taiwaneseCounting",
        "taiwaneseCountingThousand",
    }
)
# By the numbers that DOC and RTF have for forms, those with another form than plain digits.
FORMS: Final = {
    1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    6: "cardinalText", 7: "ordinalText", 11: "japaneseCounting", 12: "aiueo",
    18: "decimalEnclosedCircle", 22: "00", 23: "bullet", 24: "ganada", 30: "ideographTraditional",
    31: "ideographZodiac", 33: "taiwaneseCounting", 37: "chineseCounting",
    39: "chineseCountingThousand", 58: "russianLower", 59: "russianUpper", 255: "none",
}  # fmt: skip
_ZEROS: Final = re.compile(r"0{1,9}\Z")
_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}
_TEENS: Final = range(11, 14)


def numeral(number: int, form: str) -> str:
    """Return a number in a form; zeros as the form are how wide it is at least.

    >>> [numeral(4, form) for form in ("decimal", "00", "lowerRoman", "upperLetter", "none")]
    ['4', '04', 'iv', 'D', '']
    """
    if form in ("none", "bullet"):
        return ""
    if form in ("lowerRoman", "upperRoman") and 0 < number <= _MAX_ROMAN_NUMBER:
        return _roman(number) if form == "lowerRoman" else _roman(number).upper()
    if form in _LETTERS and number > 0:
        return _lettered(number, _LETTERS[form])
    return _signed(number, form) or str(number)


def _roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN:
        written += letters * (number // value)
        number %= value
    return written


def _lettered(number: int, letters: str) -> str:
    times, place = divmod(number - 1, len(letters))
    return letters[place] * (times + 1) if times < _MAX_REPEATED_LETTERS else str(number)


def _signed(number: int, form: str) -> str:
    """Return a number in one of the rarer forms, empty where digits are it."""
    signs = _SIGNS.get(form, "")
    if 0 < number <= len(signs):
        return signs[number - 1]
    if form in _COUNTED and 0 < number <= _MAX_HAN_NUMBER:
        return _han(number)
    if form == "ordinal":
        ending = "th" if number % 100 in _TEENS else _ENDINGS.get(number % 10, "th")
        return f"{number}{ending}"
    return str(number).zfill(len(form)) if _ZEROS.match(form) else ""


def _han(number: int) -> str:
    """Return a number in Chinese signs.

    >>> [_han(number) for number in (3, 10, 12, 20, 45)]
    ['三', '十', '十二', '二十', '四十五']
    """
    tens, ones = divmod(number, 10)
    return f"{_HAN[tens] * (tens > 1)}{'十' * (tens > 0)}{_HAN[ones] * (ones > 0)}"
