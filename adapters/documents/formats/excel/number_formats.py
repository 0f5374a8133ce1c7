"""How Excel shows numbers; dates are numbers of days."""

import re
import struct
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple


class NumberForm(NamedTuple):
    """How a number is shown; ``digits`` is the minimum number of digits, as in ``007``."""

    is_date: bool = False
    is_elapsed: bool = False
    is_percent: bool = False
    digits: int = 0


PLAIN_NUMBER: Final = NumberForm()
_DATE: Final = NumberForm(is_date=True)
_ELAPSED: Final = NumberForm(is_elapsed=True)
_PERCENT: Final = NumberForm(is_percent=True)
# ECMA-376-1, 18.8.30: the formats that a file need not define.
BUILT_IN_FORMATS: Final = {
    **dict.fromkeys((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)), _DATE),
    **dict.fromkeys((9, 10), _PERCENT),
    46: _ELAPSED,
}
_ELAPSED_CODE: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_PADDED_CODE: Final = re.compile(r"0{2,15}")
# Parts of a format that are no date letters: colours, quoted texts and escaped characters.
_LITERAL_CODE: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_DATE_LETTERS: Final = re.compile(r"[ymdhs]", re.IGNORECASE)
# Excel treats 1900 as a leap year, so its day 0 is a day early.
DAY_ZERO: Final = datetime(1899, 12, 30)  # noqa: DTZ001  a sheet has no time zone
DAY_ZERO_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001
_LAST_DAY: Final = datetime(9999, 12, 31)  # noqa: DTZ001
# Larger numbers are shown in scientific notation.
_MAX_PLAIN_NUMBER: Final = 1e18
_MAX_ELAPSED_DAYS: Final = 1e6
ERROR_TEXTS: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: "#N/A",
}  # fmt: skip


def excel_day_text(days: float, day_zero: datetime) -> str:
    """Return a number of days since a day as a date, a time, or both.

    >>> excel_day_text(45000.5, DAY_ZERO), excel_day_text(0.25, DAY_ZERO)
    ('2023-03-15 12:00:00', '06:00:00')
    """
    moment = day_zero + timedelta(days=days)
    rounded = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if days < 1:
        return rounded.time().isoformat()
    return rounded.date().isoformat() if days == int(days) else rounded.isoformat(sep=" ")


@lru_cache(maxsize=1_000)
def number_form(code: str) -> NumberForm:
    """Return how a number format shows its numbers.

    >>> number_form("[h]:mm").is_elapsed, number_form("0.0%").is_percent, number_form("000").digits
    (True, True, 3)
    """
    letters = _LITERAL_CODE.sub("", code)
    if _ELAPSED_CODE.search(code):
        return _ELAPSED
    if _DATE_LETTERS.search(letters):
        return _DATE
    if "%" in letters:
        return _PERCENT
    return NumberForm(digits=len(letters)) if _PADDED_CODE.fullmatch(letters) else PLAIN_NUMBER


def excel_number_text(value: float, form: NumberForm, day_zero: datetime) -> str:
    """Return the text of a number; a date counts from ``day_zero``.

    >>> (excel_number_text(2.5, PLAIN_NUMBER, DAY_ZERO),
    ...  excel_number_text(45000, number_form("d.m.yy"), DAY_ZERO))
    ('2.5', '2023-03-15')
    >>> (excel_number_text(-1, number_form("d.m.yy"), DAY_ZERO),
    ...  excel_number_text(1e30, PLAIN_NUMBER, DAY_ZERO))
    ('-1', '1e+30')
    >>> excel_number_text(1.25, number_form("[h]:mm"), DAY_ZERO)
    '30:00:00'
    >>> excel_number_text(0.07, _PERCENT, DAY_ZERO)
    '7%'
    """
    if form.is_date and 0 <= value <= (_LAST_DAY - day_zero).days:
        return excel_day_text(value, day_zero)
    if form.is_elapsed and abs(value) < _MAX_ELAPSED_DAYS:
        return _excel_elapsed_hours(value)
    if form.is_percent:
        return f"{_plain_excel_number(value * 100)}%"
    text = _plain_excel_number(value)
    return text.zfill(form.digits) if value >= 0 and value % 1 == 0 else text


def _plain_excel_number(value: float) -> str:
    return str(int(value)) if value % 1 == 0 and abs(value) < _MAX_PLAIN_NUMBER else f"{value:.15g}"


def _excel_elapsed_hours(days: float) -> str:
    minutes, seconds = divmod(round(abs(days) * 86_400), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{'-' if days < 0 else ''}{hours}:{minutes:02}:{seconds:02}"


def unpack_rk_number(packed: int) -> float:
    """Return an RK number: 30 bits of an integer or a float, maybe in hundredths."""
    bits = packed & ~3
    if packed & 2:
        value: float = (bits - (1 << 32) if bits >> 31 else bits) >> 2
    else:
        value = struct.unpack("<d", struct.pack("<II", 0, bits))[0]
    return value / 100 if packed & 1 else value
