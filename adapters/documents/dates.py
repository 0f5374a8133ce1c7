"""Read dates as pages write them, in the languages of ``months``, into ISO dates.

Two numbers that could each be the month are not a date, unless dots separate them (dotted dates
almost never put the month first) or the language always puts the day first.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, datetime
from typing import Final, TypeAlias

from .months import MONTHS, ORDINAL_SUFFIX, SHORT_MONTHS, UNDOTTED, fold_month_name

_DateParts: TypeAlias = tuple[int, int, int]

_MIN_YEAR: Final = 1900
_MAX_YEAR: Final = 2100
_MAX_DATE_CHARS: Final = 80
_MONTHS_A_YEAR: Final = 12
_ISO_PATTERN: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d))?")
_COMPACT_DATE_PATTERN: Final = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?=T\d|\b)")
_YEAR_PATTERN: Final = re.compile(r"\d{4}(?!\d)")


def iso_date(text: str, language: str = "") -> str | None:
    """Return the date in ``text`` as ISO 8601, with its time when it is ISO and has one.

    ``language`` is the tag (RFC 5646) of a text for people; leave it out for machine output.

    >>> iso_date("March 5th, 2024"), iso_date("2024-03-05T08:30:00Z"), iso_date("yesterday")
    ('2024-03-05', '2024-03-05T08:30:00+00:00', None)
    >>> iso_date("am 5. März 2024"), iso_date("2024年3月5日"), iso_date("3/4/2024")
    ('2024-03-05', '2024-03-05', None)
    >>> iso_date("3/4/2024", "fr"), iso_date("3/4/2024", "en-GB"), iso_date("3/4/2024", "en-US")
    ('2024-04-03', '2024-04-03', None)
    """
    line = text.strip()[:_MAX_DATE_CHARS]
    if _ISO_PATTERN.match(line):
        return _iso_moment(line)
    if digits := _COMPACT_DATE_PATTERN.match(line):
        return _iso_day(int(digits[1]), int(digits[2]), int(digits[3]))
    if _YEAR_PATTERN.search(line) is None:
        return None
    line = line if line.isascii() else unicodedata.normalize("NFKC", line)
    matches = ((match, read) for form, read in _FORMS for match in form.finditer(line))
    parts = next((parts for match, read in matches if (parts := read(match))), None)
    if parts is None and _puts_day_first(language):
        parts = next(map(_read_day_first_date, _YEAR_LAST_PATTERN.finditer(line)), None)
    return None if parts is None else _iso_day(*parts)


# English needs a region, and en-US is not listed: pages from anywhere carry that tag.
_DAY_FIRST_TAG_LIST: Final = (
    "ar bg ca cs da de el es fi fr gl he hi hr id it ms nb nl nn no pl pt ro ru sk sl sr th tr uk "
    "vi en-au en-gb en-ie en-in en-nz"
)
_DAY_FIRST_TAGS: Final = frozenset(_DAY_FIRST_TAG_LIST.split())


def _puts_day_first(language: str) -> bool:
    tag = language.lower().replace("_", "-")
    return tag in _DAY_FIRST_TAGS or tag.partition("-")[0] in _DAY_FIRST_TAGS


def _iso_moment(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _iso_day(int(text[:4]), int(text[5:7]), int(text[8:10]))
    if not _MIN_YEAR <= moment.year <= _MAX_YEAR:
        return None
    has_time = len(text) > len("2024-03-05")
    return moment.isoformat() if has_time else moment.date().isoformat()


def _iso_day(year: int, month: int, day: int) -> str | None:
    if not _MIN_YEAR <= year <= _MAX_YEAR:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


# Each reader returns year, month and day, or None where a word is not a month name.


def _read_month_name(match: re.Match[str]) -> _DateParts | None:
    name = fold_month_name(match["month"])
    month = MONTHS.get(name) or SHORT_MONTHS.get(name)
    if month is None or (name in UNDOTTED and match.string.startswith(".", match.end("day"))):
        return None
    return int(match["year"]), month, int(match["day"])


def _read_month_first_date(match: re.Match[str]) -> _DateParts | None:
    # "ago" is also a short form of August: "two days ago" is not a date.
    before = match.string[: match.start()].rstrip()[-1:]
    return (
        None
        if before.isalpha() and fold_month_name(match["month"]) == "ago"
        else _read_month_name(match)
    )


def _read_month_and_year(match: re.Match[str]) -> _DateParts | None:
    month = MONTHS.get(fold_month_name(match["month"]))
    return None if month is None else (int(match["year"]), month, 1)


def _read_year_first_date(match: re.Match[str]) -> _DateParts:
    return int(match["year"]), int(match["month"]), int(match["day"] or 1)


def _read_year_last_date(match: re.Match[str]) -> _DateParts | None:
    """Read two numbers and a year; None where both could be the month and no dots decide."""
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    if first <= _MONTHS_A_YEAR < second:
        return year, first, second
    if first > _MONTHS_A_YEAR or first == second or match["sign"] == ".":
        return year, second, first
    return None


def _read_day_first_date(match: re.Match[str]) -> _DateParts:
    return int(match["year"]), int(match["second"]), int(match["first"])


_MONTH: Final = r"(?<![^\W\d_])(?P<month>[^\W\d_]{3,12})(?![^\W\d_])"
_DAY: Final = rf"(?<![\d:])(?P<day>\d\d?){ORDINAL_SUFFIX}"
_YEAR: Final = r"(?<!\d)(?P<year>\d{4})(?!\d)"
_OF_MONTH: Final = r"(?:(?:of|de|di|del|del\s+mes\s+de)\s+|d['\u2019])?"
_OF_YEAR: Final = r"(?:(?:de|del|di)\s+)?"
_CLOCK: Final = r"(?:\d\d?:\d\d(?::\d\d)?\s+(?:[a-z]{2,5}\s+|[+-]\d{4}\s+)?)?"
# 5 March 2024, 5. März 2024, 5 de marzo de 2024, 05-Mar-2024
_DAY_FIRST_FORM: Final = rf"{_DAY}[\s./-]{{1,3}}{_OF_MONTH}{_MONTH}[\s.,/-]{{1,3}}{_OF_YEAR}{_YEAR}"
# March 5, 2024 and Tue Mar 5 10:30:00 2024
_DAY_SECOND_FORM: Final = rf"{_MONTH}[\s.,]{{1,3}}{_DAY}[\s.,]{{1,3}}{_OF_YEAR}{_CLOCK}{_YEAR}"
# 2024. március 5.
_DAY_LAST_FORM: Final = rf"{_YEAR}[\s.,]{{1,3}}{_MONTH}[\s.]{{1,3}}(?P<day>\d\d?)(?![\d:])"
# March 2024, marzo de 2024
_NO_DAY_FORM: Final = rf"{_MONTH}[\s.,]{{1,3}}{_OF_YEAR}{_YEAR}"
# 2024年3月5日, 2024년 3월 5일
_EASTERN_FORM: Final = (
    r"(?<!\d)(?P<year>\d{4})\s?[年년]\s?(?P<month>\d\d?)\s?[月월]"
    r"(?:\s?(?P<day>\d\d?)\s?[日일号號])?"
)
# 2024/03/05, 2024. 3. 5., 2024-3-5
_YEAR_FIRST_FORM: Final = (
    r"(?<![\d./-])(?P<year>(?:19|20)\d\d)(?P<sign>[/.-])\s?(?P<month>\d\d?)(?P=sign)\s?"
    r"(?P<day>\d\d?)(?!\d|[./-]\d)"
)
# 05.03.2024, 25/3/2024, 3/25/2024
_YEAR_LAST_FORM: Final = (
    r"(?<![\d./-])(?P<first>\d\d?)(?P<sign>[/.-])\s?(?P<second>\d\d?)(?P=sign)\s?"
    r"(?P<year>\d{4})(?!\d|[./-]\d)"
)
_READERS: Final[dict[str, Callable[[re.Match[str]], _DateParts | None]]] = {
    _DAY_FIRST_FORM: _read_month_name,
    _DAY_SECOND_FORM: _read_month_first_date,
    _DAY_LAST_FORM: _read_month_name,
    _EASTERN_FORM: _read_year_first_date,
    _YEAR_FIRST_FORM: _read_year_first_date,
    _YEAR_LAST_FORM: _read_year_last_date,
    _NO_DAY_FORM: _read_month_and_year,
}
_YEAR_LAST_PATTERN: Final = re.compile(_YEAR_LAST_FORM)
_FORMS: Final = tuple((re.compile(form, re.IGNORECASE), read) for form, read in _READERS.items())
