"""How Excel shows numbers; dates are numbers of days.

ECMA-376-1, 18.8.30 and 18.8.31: a format has up to four sections, for positive numbers, negative
numbers, zero and texts. Dates are shown as ISO 8601 has them, whatever the order of their parts.
"""

import re
import struct
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

# The letters of a clock: day, month, year; hour, hour of two digits, minute, second. A "p" is noon.
_DATE_PARTS: Final = frozenset("dmy")
_TIME_PARTS: Final = frozenset("hHMs")
_SHORT_DATE: Final = "m/d/yyyy"
# The formats that a file need not define; it may have them in its language (TT.MM.JJJJ).
_BUILT_IN_CODES: Final = {
    **dict.fromkeys((*range(14, 17), *range(27, 37), *range(50, 59)), _SHORT_DATE),
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00",
    12: "# ?/?", 13: "# ??/??", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: f"{_SHORT_DATE} h:mm", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0",
}  # fmt: skip
# Formats with the currency of a country, which a file defines unless it is the dollar.
_CURRENCY_CODES: Final = {
    **dict.fromkeys((5, 6, 42), "$#,##0;($#,##0)"),
    **dict.fromkeys((7, 8, 44), "$#,##0.00;($#,##0.00)"),
    **dict.fromkeys((37, 38, 41), "#,##0;(#,##0)"),
    **dict.fromkeys((39, 40, 43), "#,##0.00;(#,##0.00)"),
}
_NEGATIVE_SECTION: Final = 1
_ZERO_SECTION: Final = 2
_NOON_HOUR: Final = 12
_MAX_CODE_CHARS: Final = 255
_MAX_DECIMALS: Final = 30
_MAX_PERCENTS: Final = 2
# All digits of the largest number with the most decimals.
_HALF_UP_CONTEXT: Final = Context(prec=60, rounding=ROUND_HALF_UP)
# Quoted, escaped and plain literals, blanks of a width, fillers, currencies, colours, numbers.
_TOKEN_PATTERN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<rule>\[[^\]]*\])'
    r"|(?P<number>(?:[0#?][0#?,]*(?:\.[0#?]*)?|\.[0#?]+),*(?:E[+-][0#?]+)?)|(?P<plain>(?i:General)|@)"
    r"|(?P<end>;)|(?P<literal>.)",
    re.DOTALL,
)
_ELAPSED_CODE_PATTERN: Final = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_CONDITION_PATTERN: Final = re.compile(r"\[([<>]=?|<>|=)(-?\d+(?:\.\d+)?)\]")
_SECTION_PATTERN: Final = re.compile(r'(?:"[^"]*"|\\.|[^";\\])+')
_DATE_PART_PATTERN: Final = re.compile(r"y+|m+|d+|h+|s+", re.IGNORECASE)
_NOON_MARK_PATTERN: Final = re.compile(r"am/pm|a/p", re.IGNORECASE)
_FRACTION_PATTERN: Final = re.compile(r"([0#?]+ )?[0#?]+/([0#?]+|[1-9][0-9]{0,3})")
# Excel treats 1900 as a leap year, so its day 0 is a day early.
DAY_ZERO: Final = datetime(1899, 12, 30)  # noqa: DTZ001  a sheet has no time zone
DAY_ZERO_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001  a sheet has no time zone
_LAST_DAY: Final = datetime(9999, 12, 31)  # noqa: DTZ001  a sheet has no time zone
# Larger numbers are shown in scientific notation.
_MAX_PLAIN_NUMBER: Final = 1e18
_MAX_ELAPSED_DAYS: Final = 1e6
ERROR_TEXTS: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: "#N/A",
}  # fmt: skip


class _Slot(NamedTuple):
    """The digits of a number in a section: at least ``whole`` before the point."""

    whole: int
    decimals: int
    min_decimals: int
    separator: str
    thousands: int
    exponent: int
    width: int


class NumberForm(NamedTuple):
    """How a number is shown: as a date by ``clock``, a duration, a fraction, or by its sections.

    A section has a factor, literals and slots for digits; None is the plain number. ``choices``
    are forms with the comparison that their numbers must pass, if there is one.
    """

    clock: str = ""
    elapsed: str = ""
    fraction: tuple[bool, str] | None = None
    sections: tuple["_Section", ...] = ()
    choices: tuple[tuple[str, float, "NumberForm"], ...] = ()


_Section = tuple[int, tuple[str | _Slot | None, ...]]
PLAIN_NUMBER: Final = NumberForm()


def style_number_form(format_id: int, code: str) -> NumberForm:
    """Return the form of a style by the number of its format, and its code in the file."""
    known = _BUILT_IN_CODES.get(format_id) or code or _CURRENCY_CODES.get(format_id, "")
    return number_form(known)


@lru_cache(maxsize=1_000)
def number_form(code: str) -> NumberForm:
    """Return how a number format shows its numbers; an unknown one shows the plain number.

    >>> number_form("[h]:mm").elapsed, number_form("d.m.yy").clock, number_form("# ?/?").fraction
    ('hm', 'dmy', (True, '?'))
    """
    pieces = _SECTION_PATTERN.findall(code) if len(code) <= _MAX_CODE_CHARS else []
    if not pieces or _CONDITION_PATTERN.search(code):
        return NumberForm(choices=tuple(map(_section_choice, pieces)))
    sections = _split_sections(code)
    shown = ((kind, text) for kind, text in sections[0] if kind in ("literal", "number", "escaped"))
    # An escaped letter is no part of a date, but an escaped blank separates a fraction.
    letters = "".join(text for kind, text in shown if kind != "escaped" or text == " ")
    found = _DATE_PART_PATTERN.findall(_NOON_MARK_PATTERN.sub("", letters).lower())
    parts = ["H" if part == "hh" else part[0] for part in found]
    if elapsed := _ELAPSED_CODE_PATTERN.search(code):
        return NumberForm(elapsed="".join([elapsed[1][0].lower(), *parts]))
    if parts:
        noon = "p" if _NOON_MARK_PATTERN.search(letters) else ""
        return NumberForm(clock=_clock_parts(parts) + noon)
    if all(kind == "plain" for kind, _ in sections[0]):
        return PLAIN_NUMBER
    if fraction := _FRACTION_PATTERN.search(letters):
        return NumberForm(fraction=(bool(fraction[1]), fraction[2]))
    return NumberForm(sections=tuple(_read_section(section) for section in sections))


def _section_choice(section: str) -> tuple[str, float, NumberForm]:
    condition = _CONDITION_PATTERN.search(section)
    form = number_form(_CONDITION_PATTERN.sub("", section))
    return (condition[1], float(condition[2]), form) if condition else ("", 0.0, form)


def _clock_parts(parts: list[str]) -> str:
    """Return the letters of a date, with M for minutes: after hours or before seconds."""
    around = zip(["", *parts], parts, [*parts[1:], ""], strict=False)
    return "".join(
        "M" if part == "m" and (before in ("h", "H") or after == "s") else part
        for before, part, after in around
    )


def _split_sections(code: str) -> list[list[tuple[str, str]]]:
    """Return the tokens of each section: their kinds and texts."""
    sections: list[list[tuple[str, str]]] = [[]]
    for token in _TOKEN_PATTERN.finditer(code):
        kind = token.lastgroup or ""
        if kind == "end":
            sections.append([])
        elif kind not in ("", "rule"):
            sections[-1].append((kind, token[kind]))
    return sections


def _read_section(tokens: list[tuple[str, str]]) -> "_Section":
    readers = {"number": _read_slot, "plain": lambda _: None}
    factor = 100 ** min(tokens.count(("literal", "%")), _MAX_PERCENTS)
    return factor, tuple(readers.get(kind, str)(text) for kind, text in tokens)


def _read_slot(code: str) -> _Slot:
    digits, _, exponent = code.partition("E")
    whole, _, decimals = digits.rstrip(",").partition(".")
    return _Slot(
        whole=whole.count("0"),
        decimals=min(len(decimals), _MAX_DECIMALS),
        min_decimals=len(decimals.rstrip("#?")),
        separator="," if "," in whole.strip(",") else "",
        thousands=len(digits) - len(digits.rstrip(",")) + len(whole) - len(whole.rstrip(",")),
        exponent=len(exponent) - 1 if exponent else 0,
        width=len(whole),
    )


def number_text(value: float, form: NumberForm, day_zero: datetime) -> str:
    """Return the text of a number; a date counts from ``day_zero``."""
    for comparison, limit, choice in form.choices:
        if not comparison or _comparison_sign(value, limit) in comparison:
            return number_text(value, choice, day_zero)
    if form.clock and 0 <= value <= (_LAST_DAY - day_zero).days:
        return _clock_text(value, form.clock, day_zero)
    if form.elapsed and abs(value) < _MAX_ELAPSED_DAYS:
        return _elapsed_text(value, form.elapsed)
    if form.fraction and abs(value) < _MAX_PLAIN_NUMBER:
        has_whole, denominator = form.fraction
        return _fraction_text(value, denominator, has_whole=has_whole)
    if form.sections and abs(value) < _MAX_PLAIN_NUMBER:
        return _section_text(value, form.sections) or _plain_number(value)
    return _plain_number(value)


def _comparison_sign(value: float, limit: float) -> str:
    if value == limit:
        return "="
    return "<" if value < limit else ">"


def _plain_number(value: float) -> str:
    if value % 1 == 0 and abs(value) < _MAX_PLAIN_NUMBER:
        return str(int(value))
    return f"{value:.15g}"


def _section_text(value: float, sections: tuple[_Section, ...]) -> str:
    """Return a number in the section for its sign; empty where that shows nothing."""
    index = _section_index(value, len(sections))
    factor, pieces = sections[index]
    slots = [piece for piece in pieces if isinstance(piece, _Slot)]
    digits = iter(_digits_by_slot(Decimal(f"{abs(value):.15g}") * factor, slots))

    # The section for negative numbers has its own sign, if it wants one.
    text = "-" if value < 0 and index == 0 else ""
    for piece in pieces:
        if isinstance(piece, _Slot):
            text += next(digits)
        elif piece is None:
            text += _plain_number(abs(value))
        else:
            text += piece
    return text.strip()


def _section_index(value: float, sections: int) -> int:
    """Return the section for a number: the first, that of negative numbers, or that of zero."""
    if value < 0 and sections > _NEGATIVE_SECTION:
        return _NEGATIVE_SECTION
    if value == 0 and sections > _ZERO_SECTION:
        return _ZERO_SECTION
    return 0


def _digits_by_slot(number: Decimal, slots: list[_Slot]) -> list[str]:
    """Return the digits of each slot; several share the digits of one number, as in ``000-00``."""
    if len(slots) == 1:
        return [_slot_text(number, slots[0])]
    whole = f"{number:.0f}".zfill(sum(slot.whole for slot in slots))
    texts: list[str] = []
    for slot in reversed(slots[1:]):
        split = max(len(whole) - slot.width, 0)
        texts, whole = [whole[split:], *texts], whole[:split]
    return [whole, *texts]


def _slot_text(number: Decimal, slot: _Slot) -> str:
    if slot.exponent:
        # In ##0.0E+0 the exponent is a multiple of three.
        extra = number.adjusted() % max(slot.width, 1) if number else 0
        scientific = f"{number.scaleb(-extra) or 0.0:.{slot.decimals + extra}E}"
        mantissa, _, power = scientific.partition("E")
        shifted = Decimal(mantissa).scaleb(extra)
        return f"{shifted:f}E{power[0]}{power[1:].zfill(slot.exponent)}"
    step = Decimal(1).scaleb(-slot.decimals)
    rounded = (number / 1000**slot.thousands).quantize(step, context=_HALF_UP_CONTEXT)
    whole, point, decimals = f"{rounded:{slot.separator}f}".partition(".")
    while len(decimals) > slot.min_decimals and decimals.endswith("0"):
        decimals = decimals[:-1]
    whole = whole.zfill(slot.whole) if slot.whole or whole != "0" else ""
    return f"{whole}{point}{decimals}" if decimals else whole


def _clock_text(days: float, clock: str, day_zero: datetime) -> str:
    """Return the parts of a moment that a format shows."""
    moment = day_zero + timedelta(days=days)
    moment = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    has_time = not _TIME_PARTS.isdisjoint(clock)
    if days < 1 and not has_time:
        # A day below the first is a time of day.
        clock, has_time = "HMs", True
    date = "" if _DATE_PARTS.isdisjoint(clock) else moment.date().isoformat()
    if "d" not in clock and "y" in clock:
        date = date[:7] if "m" in clock else date[:4]
    if not has_time:
        return date

    times: list[str] = []
    noon = ""
    if "h" in clock.lower():
        hour = moment.hour
        if "p" in clock:
            noon = "AM" if hour < _NOON_HOUR else "PM"
            hour = hour % _NOON_HOUR or _NOON_HOUR
        times.append(f"{hour:02}" if date or "H" in clock else str(hour))
    times.append(f"{moment.minute:02}")
    if "s" in clock:
        times.append(f"{moment.second:02}")
    return f"{date} {':'.join(times)} {noon}".strip()


def _elapsed_text(days: float, units: str) -> str:
    """Return a duration in its largest unit, with the smaller ones that the format shows."""
    seconds = round(abs(days) * 86_400)
    minutes, hours = seconds // 60, seconds // 3600
    largest, smaller = units[0], units[1:]
    shown = [str({"h": hours, "m": minutes, "s": seconds}[largest])]
    if "m" in smaller:
        shown.append(f"{minutes % 60:02}")
    if "s" in smaller:
        shown.append(f"{seconds % 60:02}")
    sign = "-" if days < 0 else ""
    return sign + ":".join(shown)


def _fraction_text(value: float, denominator: str, *, has_whole: bool) -> str:
    number = Fraction(f"{abs(value):.15g}")
    if denominator.isdecimal() and denominator.strip("0"):
        size = int(denominator)
        top, bottom = (number * size * 2 + 1) // 2, size
    else:
        near = number.limit_denominator(10 ** min(len(denominator), 4) - 1)
        top, bottom = near.numerator, near.denominator
    whole = 0
    if has_whole:
        whole, top = divmod(top, bottom)
    shown = [str(whole)] if whole or not top else []
    if top:
        shown.append(f"{top}/{bottom}")
    sign = "-" if value < 0 else ""
    return sign + " ".join(shown)


def unpack_rk_number(packed: int) -> float:
    """Return an RK number: 30 bits of an integer or a float, maybe in hundredths."""
    bits = packed & ~3
    if packed & 2:
        value: float = (bits - (1 << 32) if bits >> 31 else bits) >> 2
    else:
        value = struct.unpack("<d", struct.pack("<II", 0, bits))[0]
    return value / 100 if packed & 1 else value
