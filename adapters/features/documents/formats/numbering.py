"""Numbers before headings and list items, which programs compute and files do not contain."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from webseam.adapters.pages.safe_text import one_line
from webseam.ports.text import disarm_pictures

from .markdown_writing import markdown_list_item

_ROMAN_VALUES: Final = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_ROMAN_NUMBER: Final = 3999
_MAX_REPEATED_LETTERS: Final = 10
_HAN_DIGITS: Final = "〇一二三四五六七八九"
_MAX_HAN_NUMBER: Final = 99
_RUSSIAN_LETTERS: Final = "абвгдежзиклмнопрстуфхцчшщыэюя"
_LATIN_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
# After the last letter the first is doubled: z, aa, bb.
_LETTER_FORMS: Final = {
    "lowerLetter": _LATIN_LETTERS,
    "upperLetter": _LATIN_LETTERS.upper(),
    "russianLower": _RUSSIAN_LETTERS,
    "russianUpper": _RUSSIAN_LETTERS.upper(),
    "ganada": "가나다라마바사아자차카타파하",
    "aiueo": "アイウエオカキクケコサシスセソタチツテトナニヌネノ"
    "ハヒフヘホマミムメモヤユヨラリルレロワヲン",
}
# After the last sign, numbers are written in digits.
_SIGN_FORMS: Final[dict[str, Sequence[str]]] = {
    "cardinalText": [
        "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven",
        "Twelve",
    ],
    "ordinalText": [
        "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth",
        "Tenth",
    ],
    "decimalEnclosedCircle": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
    "decimalEnclosedCircleChinese": "①②③④⑤⑥⑦⑧⑨⑩",
    "decimalEnclosedParen": "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇",
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}  # fmt: skip
_HAN_FORMS: Final = frozenset({
    "chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting",
    "taiwaneseCountingThousand",
})  # fmt: skip
# The number codes of DOC and RTF for forms other than plain digits.
NUMBER_FORMS: Final = {
    1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 5: "ordinal",
    6: "cardinalText", 7: "ordinalText", 11: "japaneseCounting", 12: "aiueo",
    18: "decimalEnclosedCircle", 22: "00", 23: "bullet", 24: "ganada", 30: "ideographTraditional",
    31: "ideographZodiac", 33: "taiwaneseCounting", 37: "chineseCounting",
    39: "chineseCountingThousand", 58: "russianLower", 59: "russianUpper", 255: "none",
}  # fmt: skip
_ZEROS_PATTERN: Final = re.compile(r"0{1,9}\Z")
_ORDINAL_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd"}
_TEENS: Final = range(11, 14)
_LEVEL_NUMBER_PATTERN: Final = re.compile(r"%([1-9])")
_MARKDOWN_NUMBER_PATTERN: Final = re.compile(r"\d{1,9}[.)]?\Z", re.ASCII)
_MAX_LABEL_CHARS: Final = 60
_MAX_NUMBER: Final = 999_999_999
_MAX_LIST_DEPTH: Final = 8
_LEVEL_INDENT: Final = "   "
BULLET: Final = "-"


def list_numeral(number: int, form: str) -> str:
    """Return a number in a form; a form of zeros is the minimum number of digits.

    >>> [list_numeral(4, form) for form in ("decimal", "00", "lowerRoman", "upperLetter", "none")]
    ['4', '04', 'iv', 'D', '']
    """
    if form in ("none", "bullet"):
        return ""
    if form in ("lowerRoman", "upperRoman") and 0 < number <= _MAX_ROMAN_NUMBER:
        return _roman_numeral(number) if form == "lowerRoman" else _roman_numeral(number).upper()
    if form in _LETTER_FORMS and number > 0:
        letters = _LETTER_FORMS[form]
        times, index = divmod(number - 1, len(letters))
        return letters[index] * (times + 1) if times < _MAX_REPEATED_LETTERS else str(number)
    return _rare_list_numeral(number, form) or str(number)


def _roman_numeral(number: int) -> str:
    written = ""
    for value, letters in _ROMAN_VALUES:
        written += letters * (number // value)
        number %= value
    return written


def _rare_list_numeral(number: int, form: str) -> str:
    """Return a number in one of the rarer forms, empty where the form is unknown."""
    signs = _SIGN_FORMS.get(form, "")
    if 0 < number <= len(signs):
        return signs[number - 1]
    if form in _HAN_FORMS and 0 < number <= _MAX_HAN_NUMBER:
        return _han_numeral(number)
    if form == "ordinal":
        ending = "th" if number % 100 in _TEENS else _ORDINAL_ENDINGS.get(number % 10, "th")
        return f"{number}{ending}"
    return str(number).zfill(len(form)) if _ZEROS_PATTERN.match(form) else ""


def _han_numeral(number: int) -> str:
    """Return a number below 100 as Chinese writes it.

    >>> [_han_numeral(number) for number in (3, 10, 12, 20, 45)]
    ['三', '十', '十二', '二十', '四十五']
    """
    tens, ones = divmod(number, 10)
    numeral = "十" if tens else ""
    # Ten is 十 and not 一十.
    if tens > 1:
        numeral = _HAN_DIGITS[tens] + numeral
    if ones:
        numeral += _HAN_DIGITS[ones]
    return numeral


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A level of a list; in ``text``, ``%1.%2`` are the numbers of the first two levels.

    The level restarts after level ``after`` (from 1) or one above it; 0 means never.
    ``in_digits`` writes all numbers of a label in digits.
    """

    form: str = "decimal"
    text: str
    start: int = 1
    after: int
    in_digits: bool = False


class Numbering(msgspec.Struct, frozen=True):
    """A list: its levels, and which restart (``anew``). Lists with one ``key`` share counts."""

    key: str
    levels: Mapping[int, Level]
    anew: frozenset[int] = frozenset()


class ListMark(NamedTuple):
    """The label of a list paragraph, and its depth."""

    depth: int
    label: str


class ListCounts:
    """The current number of each list, by levels."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()

    def count_list_label(
        self, name: str, numbering: Numbering, index: int, start: int | None = None
    ) -> str:
        """Count on, or from ``start``, and return the label: a number, a bullet, or nothing."""
        level = numbering.levels.get(index)
        if level is None:
            return BULLET
        counts = self._counts.setdefault(numbering.key, {})
        begins = index in numbering.anew and (name, index) not in self._started
        self._started.add((name, index))
        number = counts[index] + 1 if index in counts and not begins else level.start
        counts[index] = min(number if start is None else start, _MAX_NUMBER)
        _restart_numbering(counts, numbering.levels, index)
        return _list_label(level, counts, numbering.levels)


def _restart_numbering(counts: dict[int, int], levels: Mapping[int, Level], level: int) -> None:
    """Restart the levels below, and start the levels above that were skipped."""
    for lower in [index for index in counts if index > level]:
        if lower not in levels or levels[lower].after > level:
            del counts[lower]
    # After a first heading of level 2, which is 1.1, the first of level 1 is 2.
    for upper in [index for index in levels if index < level]:
        counts.setdefault(upper, levels[upper].start)


def _list_label(level: Level, counts: Mapping[int, int], levels: Mapping[int, Level]) -> str:
    if level.form == "bullet":
        return BULLET

    def shown(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        if index not in counts or index not in levels:
            return ""
        return list_numeral(counts[index], "decimal" if level.in_digits else levels[index].form)

    label = one_line(
        _LEVEL_NUMBER_PATTERN.sub(shown, level.text[:_MAX_LABEL_CHARS]), _MAX_LABEL_CHARS
    )
    return label if not label or any(map(str.isalnum, label)) else BULLET


def numbered_heading(mark: ListMark | None, text: str) -> str:
    """Return a text with its number before it; a bullet or an empty label is left out.

    >>> (numbered_heading(ListMark(1, "2.1"), "Scope"),
    ...  numbered_heading(ListMark(1, "-"), "Scope"), numbered_heading(None, "Scope"))
    ('2.1 Scope', 'Scope', 'Scope')
    """
    has_number = mark is not None and mark.label not in ("", BULLET)
    return f"{disarm_pictures(mark.label)} {text}".rstrip() if mark and has_number else text


def marked_item(mark: ListMark, text: str) -> str:
    """Return an item of a list; a label that markdown does not know becomes part of the text.

    >>> (marked_item(ListMark(0, "1)"), "Dig."), marked_item(ListMark(1, "(a)"), "Dig."),
    ...  marked_item(ListMark(0, "-"), "Dig."))
    ('1. Dig.', '   - (a) Dig.', '- Dig.')
    """
    margin = _LEVEL_INDENT * min(mark.depth, _MAX_LIST_DEPTH)
    if _MARKDOWN_NUMBER_PATTERN.match(mark.label):
        return markdown_list_item(f"{margin}{mark.label.rstrip('.)')}. ", text)
    return markdown_list_item(f"{margin}- ", numbered_heading(mark, text))
