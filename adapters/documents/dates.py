"""Dates as pages write them, in any of the languages whose months are known, as ISO dates.

Two numbers that may each be the month are no date, unless dots stand between them (hardly anybody
puts the month first with dots) or the language is one that always puts the day first.
"""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, datetime
from typing import Final, TypeAlias

from .months import COUNTED, MONTHS, SHORT_MONTHS, UNDOTTED, fold_month_name

_Parts: TypeAlias = tuple[int, int, int]

_EARLIEST: Final = 1900
_LATEST: Final = 2100
_MAX_DATE_CHARS: Final = 80
_MONTHS_A_YEAR: Final = 12
_ISO: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d))?")
_DIGITS: Final = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?=T\d|\b)")
_YEAR: Final = re.compile(r"\d{4}(?!\d)")


def iso_date(text: str, language: str = "") -> str | None:
    """Return the date in ``text`` as ISO 8601, with its time when it is ISO and has one.

    ``language`` is a tag (RFC 5646) of what people read; leave it out for what programs wrote.

    >>> iso_date("March 5th, 2024"), iso_date("2024-03-05T08:30:00Z"), iso_date("yesterday")
    ('2024-03-05', '2024-03-05T08:30:00+00:00', None)
    >>> iso_date("am 5. März 2024"), iso_date("2024年3月5日"), iso_date("3/4/2024")
    ('2024-03-05', '2024-03-05', None)
    >>> iso_date("3/4/2024", "fr"), iso_date("3/4/2024", "en-GB"), iso_date("3/4/2024", "en-US")
    ('2024-04-03', '2024-04-03', None)
    """
    plain = text.strip()[:_MAX_DATE_CHARS]
    if _ISO.match(plain):
        return _moment(plain)
    if digits := _DIGITS.match(plain):
        return _day(int(digits[1]), int(digits[2]), int(digits[3]))
    if _YEAR.search(plain) is None:
        return None
    plain = plain if plain.isascii() else unicodedata.normalize("NFKC", plain)
    matches = ((match, read) for form, read in _FORMS for match in form.finditer(plain))
    parts = next((parts for match, read in matches if (parts := read(match))), None)
    if parts is None and _puts_day_first(language):
        parts = next(map(_day_first, _NUMBERS.finditer(plain)), None)
    return None if parts is None else _day(*parts)


# Of English only where a region tells; that of the United States stands on pages from anywhere.
_TAGS: Final = (
    "ar bg ca cs da de el es fi fr gl he hi hr id it ms nb nl nn no pl pt ro ru sk sl sr th tr uk "
    "vi en-au en-gb en-ie en-in en-nz"
)
_DAY_FIRST_TAGS: Final = frozenset(_TAGS.split())


def _puts_day_first(language: str) -> bool:
    tag = language.lower().replace("_", "-")
    return tag in _DAY_FIRST_TAGS or tag.partition("-")[0] in _DAY_FIRST_TAGS


def _moment(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return _day(int(text[:4]), int(text[5:7]), int(text[8:10]))
    if not _EARLIEST <= moment.year <= _LATEST:
        return None
    has_time = len(text) > len("2024-03-05")
    return moment.isoformat() if has_time else moment.date().isoformat()


def _day(year: int, month: int, day: int) -> str | None:
    if not _EARLIEST <= year <= _LATEST:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


# Each form is read into year, month and day, or into nothing where a word is no month.


def _named(match: re.Match[str]) -> _Parts | None:
    name = fold_month_name(match["month"])
    month = MONTHS.get(name) or SHORT_MONTHS.get(name)
    if month is None or (name in UNDOTTED and match.string.startswith(".", match.end("day"))):
        return None
    return int(match["year"]), month, int(match["day"])


def _month_first(match: re.Match[str]) -> _Parts | None:
    # Two days ago is no August.
    before = match.string[: match.start()].rstrip()[-1:]
    return None if before.isalpha() and fold_month_name(match["month"]) == "ago" else _named(match)


def _without_day(match: re.Match[str]) -> _Parts | None:
    month = MONTHS.get(fold_month_name(match["month"]))
    return None if month is None else (int(match["year"]), month, 1)


def _numbered(match: re.Match[str]) -> _Parts:
    return int(match["year"]), int(match["month"]), int(match["day"] or 1)


def _year_last(match: re.Match[str]) -> _Parts | None:
    """Read two numbers and a year, where only one of both can be the month, or dots tell."""
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    if first <= _MONTHS_A_YEAR < second:
        return year, first, second
    if first > _MONTHS_A_YEAR or first == second or match["sign"] == ".":
        return year, second, first
    return None


def _day_first(match: re.Match[str]) -> _Parts:
    return int(match["year"]), int(match["second"]), int(match["first"])


_NAME: Final = r"(?<![^\W\d_])(?P<month>[^\W\d_]{3,12})(?![^\W\d_])"
_ANY_DAY: Final = rf"(?<![\d:])(?P<day>\d\d?){COUNTED}"
_ANY_YEAR: Final = r"(?<!\d)(?P<year>\d{4})(?!\d)"
_OF_MONTH: Final = r"(?:(?:of|de|di|del|del\s+mes\s+de)\s+|d['\u2019])?"
_OF_YEAR: Final = r"(?:(?:de|del|di)\s+)?"
_CLOCK: Final = r"(?:\d\d?:\d\d(?::\d\d)?\s+(?:[a-z]{2,5}\s+|[+-]\d{4}\s+)?)?"
# 5 March 2024, 5. März 2024, 5 de marzo de 2024, 05-Mar-2024
_DAY_FIRST: Final = (
    rf"{_ANY_DAY}[\s./-]{{1,3}}{_OF_MONTH}{_NAME}[\s.,/-]{{1,3}}{_OF_YEAR}{_ANY_YEAR}"
)
# March 5, 2024 and Tue Mar 5 10:30:00 2024
_DAY_SECOND: Final = rf"{_NAME}[\s.,]{{1,3}}{_ANY_DAY}[\s.,]{{1,3}}{_OF_YEAR}{_CLOCK}{_ANY_YEAR}"
# 2024. március 5.
_DAY_LAST: Final = rf"{_ANY_YEAR}[\s.,]{{1,3}}{_NAME}[\s.]{{1,3}}(?P<day>\d\d?)(?![\d:])"
# March 2024, marzo de 2024
_NO_DAY: Final = rf"{_NAME}[\s.,]{{1,3}}{_OF_YEAR}{_ANY_YEAR}"
# 2024年3月5日, 2024년 3월 5일
_EASTERN: Final = (
    r"(?<!\d)(?P<year>\d{4})\s?[年년]\s?(?P<month>\d\d?)\s?[月월]"
    r"(?:\s?(?P<day>\d\d?)\s?[日일号號])?"
)
# 2024/03/05, 2024. 3. 5., 2024-3-5
_YEAR_FIRST: Final = (
    r"(?<![\d./-])(?P<year>(?:19|20)\d\d)(?P<sign>[/.-])\s?(?P<month>\d\d?)(?P=sign)\s?"
    r"(?P<day>\d\d?)(?!\d|[./-]\d)"
)
# 05.03.2024, 25/3/2024, 3/25/2024
_YEAR_LAST: Final = (
    r"(?<![\d./-])(?P<first>\d\d?)(?P<sign>[/.-])\s?(?P<second>\d\d?)(?P=sign)\s?"
    r"(?P<year>\d{4})(?!\d|[./-]\d)"
)
_READERS: Final[dict[str, Callable[[re.Match[str]], _Parts | None]]] = {
    _DAY_FIRST: _named,
    _DAY_SECOND: _month_first,
    _DAY_LAST: _named,
    _EASTERN: _numbered,
    _YEAR_FIRST: _numbered,
    _YEAR_LAST: _year_last,
    _NO_DAY: _without_day,
}
_NUMBERS: Final = re.compile(_YEAR_LAST)
_FORMS: Final = tuple((re.compile(form, re.IGNORECASE), read) for form, read in _READERS.items())
