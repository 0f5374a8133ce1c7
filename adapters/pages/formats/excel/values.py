"""What numbers of Excel show as, of whatever kind of file: dates are numbers of days."""

import re
import struct
from datetime import datetime, timedelta
from typing import Final

BUILT_IN_DATES: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
# What a format has beside the letters of dates: colours and words in quotes or behind a backslash.
_ASIDE: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_DATE_LETTERS: Final = re.compile(r"[ymdhs]", re.IGNORECASE)
# Excel believes that 1900 was a leap year, so its day 0 is a day early.
DAY_ZERO: Final = datetime(1899, 12, 30)  # noqa: DTZ001  a sheet has no time zone
DAY_ZERO_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001
_LAST_DAY: Final = datetime(9999, 12, 31)  # noqa: DTZ001
# Shown with all of its digits up to here.
_LONG_NUMBER: Final = 1e18
ERRORS: Final = {
    0x00: "#NULL!", 0x07: "#DIV/0!", 0x0F: "#VALUE!", 0x17: "#REF!", 0x1D: "#NAME?", 0x24: "#NUM!",
    0x2A: "#N/A",
}  # fmt: skip


def day_text(days: float, day_zero: datetime) -> str:
    """Return what a number of days since a day shows as: a date, a time, or both.

    >>> day_text(45000.5, DAY_ZERO), day_text(0.25, DAY_ZERO)
    ('2023-03-15 12:00:00', '06:00:00')
    """
    moment = day_zero + timedelta(days=days)
    rounded = (moment + timedelta(milliseconds=500)).replace(microsecond=0)
    if days < 1:
        return rounded.time().isoformat()
    return rounded.date().isoformat() if days == int(days) else rounded.isoformat(sep=" ")


def is_date_format(code: str) -> bool:
    """Tell whether a number format shows a date or a time."""
    return _DATE_LETTERS.search(_ASIDE.sub("", code)) is not None


def number_text(value: float, day_zero: datetime | None) -> str:
    """Return what a number shows as; it is a date where it says since when it counts.

    >>> number_text(2.5, None), number_text(45000, DAY_ZERO), number_text(-1, DAY_ZERO)
    ('2.5', '2023-03-15', '-1')
    >>> number_text(1234567890123456.0, None), number_text(1e30, None)
    ('1234567890123456', '1e+30')
    """
    if day_zero is not None and 0 <= value <= (_LAST_DAY - day_zero).days:
        return day_text(value, day_zero)
    return str(int(value)) if value % 1 == 0 and abs(value) < _LONG_NUMBER else f"{value:.15g}"


def unpacked(packed: int) -> float:
    """Return a number of thirty bits: whole or the first half of a float, maybe in hundredths."""
    bits = packed & ~3
    if packed & 2:
        value: float = (bits - (1 << 32) if bits >> 31 else bits) >> 2
    else:
        value = struct.unpack("<d", struct.pack("<II", 0, bits))[0]
    return value / 100 if packed & 1 else value
