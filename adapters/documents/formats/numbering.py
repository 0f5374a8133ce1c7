"""Numbers that a program sets before headings and items; no file has them among its words."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from ...pages.safe_text import one_line
from .markdown_writing import disarm_pictures, list_item

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


# How lists count, in Word and in OpenDocument: levels under levels, each with its own form.

_PLACE: Final = re.compile(r"%([1-9])")
_PLAIN: Final = re.compile(r"\d{1,9}[.)]?\Z", re.ASCII)
_MAX_LABEL_CHARS: Final = 60
_MAX_NUMBER: Final = 999_999_999
_MAX_LIST_DEPTH: Final = 8
_MARGIN: Final = "   "
DOT: Final = "-"


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """How a level counts, and what it writes: ``%1.%2`` are the numbers of the first two levels.

    ``after`` is the level (from 1) that it begins anew after, with all above that; 0 is never.
    ``in_digits`` are all numbers of a label, whatever the form of their level.
    """

    form: str = "decimal"
    text: str
    start: int = 1
    after: int
    in_digits: bool = False


class Numbering(msgspec.Struct, frozen=True):
    """A list: its levels, with whom it counts on, and which levels begin anew where it begins."""

    key: str
    levels: Mapping[int, Level]
    anew: frozenset[int] = frozenset()


class ListMark(NamedTuple):
    """What stands before a paragraph of a list, and how deep it stands."""

    depth: int
    label: str


class ListCounts:
    """How far each list has counted, by levels."""

    def __init__(self) -> None:
        """Have counted nothing."""
        self._counts: dict[str, dict[int, int]] = {}
        self._met: set[tuple[str, int]] = set()

    def label(self, name: str, numbering: Numbering, place: int, start: int | None = None) -> str:
        """Count on, or from ``start``, and return the label: words, a dot, or nothing at all."""
        level = numbering.levels.get(place)
        if level is None:
            return DOT
        counts = self._counts.setdefault(numbering.key, {})
        begins = place in numbering.anew and (name, place) not in self._met
        self._met.add((name, place))
        goes_on = place in counts and not begins
        number = counts[place] + 1 if goes_on else level.start
        counts[place] = min(number if start is None else start, _MAX_NUMBER)
        _begin_anew(counts, numbering.levels, place)
        return _written(level, counts, numbering.levels)


def _begin_anew(counts: dict[int, int], levels: Mapping[int, Level], place: int) -> None:
    """Have the levels below begin anew, and those above begun that were left out."""
    for lower in [each for each in counts if each > place]:
        if lower not in levels or levels[lower].after > place:
            del counts[lower]
    # After a first heading of level 2, which is 1.1, the first of level 1 is 2.
    for upper in [each for each in levels if each < place]:
        counts.setdefault(upper, levels[upper].start)


def _written(level: Level, counts: Mapping[int, int], levels: Mapping[int, Level]) -> str:
    if level.form == "bullet":
        return DOT

    def shown(found: re.Match[str]) -> str:
        place = int(found[1]) - 1
        if place not in counts or place not in levels:
            return ""
        return numeral(counts[place], "decimal" if level.in_digits else levels[place].form)

    label = one_line(_PLACE.sub(shown, level.text[:_MAX_LABEL_CHARS]), _MAX_LABEL_CHARS)
    return label if not label or any(map(str.isalnum, label)) else DOT


def numbered_heading(mark: ListMark | None, text: str) -> str:
    """Return a text behind the number before it; a dot is none, nor is nothing.

    >>> (numbered_heading(ListMark(1, "2.1"), "Scope"),
    ...  numbered_heading(ListMark(1, "-"), "Scope"), numbered_heading(None, "Scope"))
    ('2.1 Scope', 'Scope', 'Scope')
    """
    is_said = mark is not None and mark.label not in ("", DOT)
    return f"{disarm_pictures(mark.label)} {text}".rstrip() if mark and is_said else text


def marked_item(mark: ListMark, text: str) -> str:
    """Return an item of a list; a label that markdown does not know stands before its words.

    >>> (marked_item(ListMark(0, "1)"), "Dig."), marked_item(ListMark(1, "(a)"), "Dig."),
    ...  marked_item(ListMark(0, "-"), "Dig."))
    ('1. Dig.', '   - (a) Dig.', '- Dig.')
    """
    margin = _MARGIN * min(mark.depth, _MAX_LIST_DEPTH)
    if _PLAIN.match(mark.label):
        return list_item(f"{margin}{mark.label.rstrip('.)')}. ", text)
    return list_item(f"{margin}- ", numbered_heading(mark, text))
