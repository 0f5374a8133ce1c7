"""Read dates as pages, services, mail and HTTP write them into ISO dates.

- ISO 8601 with or without a time, also as ``20240305T083000Z``.
- A day with the name of its month in the languages below, in any usual order: 5 March 2024,
  March 5th, 2024, 5. März 2024, 2024. március 5., and 2024年3月5日.
- A day in numbers: 2024/3/5, 5.3.2024, 25/3/2024. Two numbers that could each be the month are not
  a date, unless dots separate them (dotted dates almost never put the month first), AM or PM
  follows (such dates put it first), or the language always puts the day first.
- The dates of mail and HTTP (RFC 5322, RFC 9110), and Unix times in seconds or milliseconds.

``iso_date`` finds the day within the text of a page. ``read_date_field`` reads a field that is a
date and nothing else, with its time. ``ports/dates.py`` has the ISO day alone.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import Final, TypeAlias

from webseam.ports.data import DayReading

from .field_values import collapse_blanks, number

# English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian,
# Indonesian, Romanian; Polish, Czech, Russian, Ukrainian; Finnish, Hungarian, Turkish, Greek.
_MONTH_NAMES: Final = """
january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct november/nov december/dec
januar/jänner februar/feber märz/maerz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november december
januar februar mars april mai juni juli august september oktober november desember
januari februari maret april mei juni juli agustus september oktober november desember
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
styczeń/stycznia luty/lutego marzec/marca kwiecień/kwietnia maj/maja czerwiec/czerwca lipiec/lipca sierpień/sierpnia wrzesień/września październik/października - grudzień/grudnia
leden/ledna únor/února březen/března duben/dubna květen/května červen/června červenec/července srpen/srpna září říjen/října listopadu prosinec/prosince
январь/января февраль/февраля март/марта апрель/апреля май/мая июнь/июня июль/июля август/августа сентябрь/сентября октябрь/октября ноябрь/ноября декабрь/декабря
січень/січня лютий/лютого березень/березня квітень/квітня травень/травня червень/червня липень/липня серпень/серпня вересень/вересня жовтень/жовтня листопад/листопада грудень/грудня
tammikuu/tammikuuta helmikuu/helmikuuta maaliskuu/maaliskuuta huhtikuu/huhtikuuta toukokuu/toukokuuta kesäkuu/kesäkuuta heinäkuu/heinäkuuta elokuu/elokuuta syyskuu/syyskuuta lokakuu/lokakuuta marraskuu/marraskuuta joulukuu/joulukuuta
január február március április május június július augusztus szeptember október november december
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
ιανουάριος/ιανουαρίου φεβρουάριος/φεβρουαρίου μάρτιος/μαρτίου απρίλιος/απριλίου μάιος/μαΐου ιούνιος/ιουνίου ιούλιος/ιουλίου αύγουστος/αυγούστου σεπτέμβριος/σεπτεμβρίου οκτώβριος/οκτωβρίου νοέμβριος/νοεμβρίου δεκέμβριος/δεκεμβρίου
"""
_SHORT_MONTH_NAMES: Final = """
jän/jänn - mär/mrz - - - - - - okt - dez
janv fév/févr - avr - - juil aoû - - - déc
ene - - abr - - - ago - - - dic
gen - - - mag giu lug ago set ott - dic
- fev - abr mai - - ago set out - dez
- - mrt - - - - - - okt - -
- - - - - - - agu/agt/ags - okt - des
ian - - - - iun iul - - - noi -
sty lut - kwi - cze lip sie wrz paź lis/listopad/listopada gru
янв фев/февр мар апр - июн июл авг сен/сент окт ноя/нояб дек
січ лют бер/берез кві/квіт трав черв лип серп вер/верес жовт лист груд
- febr márc ápr máj jún júl - szept - - -
oca şub - nis - haz tem ağu eyl eki kas ara
ιαν φεβ μαρ απρ μάι ιουν ιουλ αυγ σεπ/σεπτ οκτ νοε δεκ
"""
# Croatian writes a dot after the day and uses these names for the month before the Polish one.
UNDOTTED_MONTHS: Final = frozenset({"lip", "lis", "listopad", "listopada"})
# Ordinal suffixes of a day: 5th, 1er, 5:e. NFKC has already made raised letters plain.
ORDINAL_SUFFIX: Final = r"(?:st|nd|rd|th|er|re|ste|de|\.?[oa]|e|:[ae]|ο|η|ης|-?(?:го|ого|е|є))?"
_DOTLESS_I_TABLE: Final = str.maketrans("ı", "i")


def fold_month_name(name: str) -> str:
    """Return a month name in lower case without accents.

    >>> fold_month_name("MÄRZ")
    'marz'
    """
    lowered = name.casefold()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFD", lowered)
    letters = "".join(char for char in decomposed if not unicodedata.combining(char))
    return letters.translate(_DOTLESS_I_TABLE)


def _month_numbers(lines: str) -> MappingProxyType[str, int]:
    months: dict[str, int] = {}
    for line in lines.strip().split("\n"):
        for month, names in enumerate(line.split(), 1):
            spellings = [name for name in names.split("/") if name != "-"]
            months |= dict.fromkeys(map(fold_month_name, spellings), month)
    return MappingProxyType(months)


MONTHS: Final = _month_numbers(_MONTH_NAMES)
SHORT_MONTHS: Final = _month_numbers(_SHORT_MONTH_NAMES)
# Year, month and day.
_DateParts: TypeAlias = tuple[int, int, int]
_NO_DAY: Final = -1
_MIN_YEAR: Final = 1900
_MAX_YEAR: Final = 2100
_MAX_DATE_CHARS: Final = 80
_MONTHS_A_YEAR: Final = 12
_ISO_PATTERN: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):?(\d\d))?")
_COMPACT_DATE_PATTERN: Final = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?=T\d|\b)")
_YEAR_PATTERN: Final = re.compile(r"\d{4}(?!\d)")
_YEAR_OR_MONTH_PATTERN: Final = re.compile(r"\d{4}(?:-\d\d)?", re.ASCII)


def iso_date(text: str, language: str = "") -> str | None:
    """Return the date in ``text`` as ISO 8601, with its time when it is ISO and has one.

    A text that states a month or a year alone gives that.

    ``language`` is the tag (RFC 5646) of a text for people; leave it out for machine output.

    >>> iso_date("March 5th, 2024"), iso_date("2024-03-05T08:30:00Z"), iso_date("yesterday")
    ('2024-03-05', '2024-03-05T08:30:00+00:00', None)
    >>> iso_date("am 5. März 2024"), iso_date("2024年3月5日"), iso_date("3/4/2024")
    ('2024-03-05', '2024-03-05', None)
    >>> iso_date("3/4/2024", "fr"), iso_date("3/4/2024", "en-GB"), iso_date("3/4/2024", "en-US")
    ('2024-04-03', '2024-04-03', None)
    >>> iso_date("2024"), iso_date("2024-03"), iso_date("March 2024")
    ('2024', '2024-03', '2024-03')
    """
    line = text.strip()[:_MAX_DATE_CHARS]
    if _YEAR_OR_MONTH_PATTERN.fullmatch(line):
        return line if _iso_day(int(line[:4]), int(line[5:] or 1), 1) else None
    if _ISO_PATTERN.match(line):
        return _iso_moment(line)
    if digits := _COMPACT_DATE_PATTERN.match(line):
        return _iso_day(int(digits[1]), int(digits[2]), int(digits[3]))
    if _YEAR_PATTERN.search(line) is None:
        return None
    line = line if line.isascii() else unicodedata.normalize("NFKC", line)
    matches = ((match, read) for form, read in _date_forms() for match in form.finditer(line))
    parts = next((parts for match, read in matches if (parts := read(match))), None)
    if parts is None and _puts_day_first(language):
        match = re.search(_YEAR_LAST_FORM, line)
        parts = match and (int(match["year"]), int(match["second"]), int(match["first"]))
    if parts is None:
        return None
    year, month, day = parts
    if day != _NO_DAY:
        return _iso_day(year, month, day)
    first_day = _iso_day(year, month, 1)
    return None if first_day is None else first_day[: len("2024-03")]


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
    return moment.isoformat() if len(text) > len("2024-03-05") else moment.date().isoformat()


def _iso_day(year: int, month: int, day: int) -> str | None:
    if not _MIN_YEAR <= year <= _MAX_YEAR:
        return None
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def _read_month_name(match: re.Match[str]) -> _DateParts | None:
    name = fold_month_name(match["month"])
    month = MONTHS.get(name) or SHORT_MONTHS.get(name)
    if month is None or (
        name in UNDOTTED_MONTHS and match.string.startswith(".", match.end("day"))
    ):
        return None
    return int(match["year"]), month, int(match["day"])


def _read_month_first_date(match: re.Match[str]) -> _DateParts | None:
    # "ago" is also a short form of August: "two days ago" is not a date.
    before = match.string[: match.start()].rstrip()[-1:]
    is_ago = before.isalpha() and fold_month_name(match["month"]) == "ago"
    return None if is_ago else _read_month_name(match)


def _read_month_and_year(match: re.Match[str]) -> _DateParts | None:
    month = MONTHS.get(fold_month_name(match["month"]))
    return None if month is None else (int(match["year"]), month, _NO_DAY)


def _read_year_first_date(match: re.Match[str]) -> _DateParts:
    return int(match["year"]), int(match["month"]), int(match["day"] or _NO_DAY)


def _read_year_last_date(match: re.Match[str]) -> _DateParts | None:
    """Read two numbers and a year; None where both could be the month and no dots decide."""
    year, first, second = int(match["year"]), int(match["first"]), int(match["second"])
    if first <= _MONTHS_A_YEAR < second:
        return year, first, second
    if first > _MONTHS_A_YEAR or first == second or match["sign"] == ".":
        return year, second, first
    return None


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
    r"(?<![\d./-])(?P<year>(?:1\d|20)\d\d)(?P<sign>[/.-])\s?(?P<month>\d\d?)(?P=sign)\s?"
    r"(?P<day>\d\d?)(?!\d|[./-]\d)"
)
# 05.03.2024, 25/3/2024, 3/25/2024
_YEAR_LAST_FORM: Final = (
    r"(?<![\d./-])(?P<first>\d\d?)(?P<sign>[/.-])\s?(?P<second>\d\d?)(?P=sign)\s?"
    r"(?P<year>\d{4})(?!\d|[./-]\d)"
)
_ReadDate: TypeAlias = Callable[[re.Match[str]], _DateParts | None]
_READERS_BY_FORM: Final[dict[str, _ReadDate]] = {
    _DAY_FIRST_FORM: _read_month_name,
    _DAY_SECOND_FORM: _read_month_first_date,
    _DAY_LAST_FORM: _read_month_name,
    _EASTERN_FORM: _read_year_first_date,
    _YEAR_FIRST_FORM: _read_year_first_date,
    _YEAR_LAST_FORM: _read_year_last_date,
    _NO_DAY_FORM: _read_month_and_year,
}


@cache
def _date_forms() -> tuple[tuple[re.Pattern[str], _ReadDate], ...]:
    return tuple((re.compile(form, re.IGNORECASE), read) for form, read in _READERS_BY_FORM.items())


# A date for people stands within this many characters of its year.
_DATE_REACH_CHARS: Final = 40
_ANY_YEAR_PATTERN: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MAX_DAYS: Final = 2_000


def find_days(text: str) -> Iterator[DayReading]:
    """Yield the full dates in the text of a page; 3/4/2024 can mean two days.

    >>> [(it.start, it.end, len(it.days)) for it in find_days("On 3/4/2024, not 5 May 2024")]
    [(3, 11, 2), (17, 27, 1)]
    """
    days: dict[tuple[int, int], set[date]] = {}
    for year in islice(_ANY_YEAR_PATTERN.finditer(text), _MAX_DAYS):
        start, end = max(0, year.start() - _DATE_REACH_CHARS), year.end() + _DATE_REACH_CHARS
        for form, read in _date_forms():
            for match in form.finditer(text, start, end):
                if match.span("year") == year.span():
                    days.setdefault(match.span(), set()).update(_possible_days(match, read))
    for (start, end), possible in sorted(days.items()):
        if possible:
            yield DayReading(start, end, frozenset(possible))


def _possible_days(match: re.Match[str], read: _ReadDate) -> Iterator[date]:
    if read is _read_month_and_year or (read is _read_year_first_date and not match["day"]):
        return
    parts = read(match)
    readings = [] if parts is None else [parts]
    if parts is None and read is _read_year_last_date:
        year, first, second = (int(match[name]) for name in ("year", "first", "second"))
        readings = [(year, second, first), (year, first, second)]
    for reading in readings:
        day = _iso_day(*reading)
        if day is not None:
            yield date.fromisoformat(day)


_ISO_MOMENT_PATTERN: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?"
)
_COMPACT_MOMENT_PATTERN: Final = re.compile(r"\d{8}(?:T\d{6}Z?)?", re.ASCII)
_WEEKDAY_PATTERN: Final = re.compile(r"(?:[^\W\d_]{2,12}\.?,? )?")
_TIME_PATTERN: Final = re.compile(
    r"(?:(?:,| at)? (?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"(?: ?(?P<half>[AaPp])[Mm])?(?:,? (?P<zone>[+-]\d{2}:?\d{2})?(?: ?(?P<utc>UTC|GMT))?)?)?",
    re.ASCII,
)
_AM_PM_PATTERN: Final = re.compile(r"\d ?[AaPp]\.?[Mm]\b")
_DIGITS_MOMENT_PATTERN: Final = re.compile(r"(?:19|20)\d{12}", re.ASCII)
_EPOCH_PATTERN: Final = re.compile(r"\d{10}|\d{13}|\d{16}|\d{19}", re.ASCII)
_MAX_EPOCH_SECONDS: Final = 32_503_680_000  # the year 3000: more must be milliseconds


def mail_moment(text: str) -> datetime | None:
    """Return the time that a date of mail or HTTP gives; None for another text.

    >>> mail_moment("Wed, 05 Mar 2025 12:00:00 GMT").isoformat(), mail_moment("soon")
    ('2025-03-05T12:00:00+00:00', None)
    """
    try:
        return parsedate_to_datetime(text)
    # A year or an hour with too many digits is an OverflowError.
    except (ValueError, OverflowError):
        return None


def http_date_seconds(text: str) -> float | None:
    """Return the Unix time of a date in a header of HTTP; None for another text."""
    moment = mail_moment(text)
    return None if moment is None else moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()


def epoch_date(seconds: float) -> str | None:
    """Return a Unix time, in seconds or parts of them, in ISO form; None out of range."""
    # Milliseconds, then microseconds and nanoseconds.
    for _ in range(3):
        if seconds > _MAX_EPOCH_SECONDS:
            seconds /= 1000
    if not 0 < seconds <= _MAX_EPOCH_SECONDS:
        return None
    return _iso_text(datetime.fromtimestamp(int(seconds), UTC))


def _iso_text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def read_date_field(text: str) -> str | None:
    """Return a date and its time in ISO form; None for a text that is more than that.

    >>> read_date_field("Mar 5, 2025, 10:30 PM"), read_date_field("Mar 5, 2025 or so")
    ('2025-03-05T22:30:00', None)
    """
    if _ISO_MOMENT_PATTERN.fullmatch(text) or _COMPACT_MOMENT_PATTERN.fullmatch(text):
        return _valid_iso_moment(text.replace(" ", "T", 1).replace(" ", ""))
    if _DIGITS_MOMENT_PATTERN.fullmatch(text):
        return _valid_iso_moment(f"{text[:8]}T{text[8:]}")
    if _EPOCH_PATTERN.fullmatch(text):
        return epoch_date(int(text))
    line = text if text.isascii() else unicodedata.normalize("NFKC", text)
    matches = ((form.search(line), read) for form, read in _date_forms())
    dates = (_date_and_time(match, read) for match, read in matches if match)
    stated = next(filter(None, dates), None)
    # A date of mail never has AM or PM.
    mailed = None if stated or _AM_PM_PATTERN.search(text) else mail_moment(text)
    return stated if mailed is None else _iso_text(mailed)


def _valid_iso_moment(text: str) -> str | None:
    """Return an ISO time as it is written, but with its dashes; None if it is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if "-" in text[:5]:
        return text
    return _iso_text(moment) if "T" in text else moment.date().isoformat()


def _date_and_time(match: re.Match[str], read: _ReadDate) -> str | None:
    """Return a date and its time in ISO form; None if the text has more or there is no such day."""
    line, time = match.string, _TIME_PATTERN.fullmatch(match.string, match.end())
    if time is None or not _WEEKDAY_PATTERN.fullmatch(line, 0, match.start()):
        return None
    parts = _full_date_parts(match, read, is_month_first=time["half"] is not None)
    try:
        moment = None if parts is None else datetime(*parts, *_clock_parts(time))  # noqa: DTZ001  the zone is appended
    except ValueError:
        return None
    if moment is None:
        return None
    if not time["hour"]:
        return moment.date().isoformat()
    zone = "Z" if time["utc"] else time["zone"] or ""
    return moment.isoformat() + (zone if len(zone) <= 1 else f"{zone[:3]}:{zone[-2:]}")


def _full_date_parts(
    match: re.Match[str], read: _ReadDate, *, is_month_first: bool
) -> _DateParts | None:
    """Return year, month and day; None where the day is missing or may be the month."""
    names = match.groupdict()
    parts = read(match) if names.get("day") or names.get("second") else None
    if parts is None and is_month_first and "first" in names:
        return int(names["year"]), int(names["first"]), int(names["second"])
    return parts


def _clock_parts(time: re.Match[str]) -> tuple[int, int, int]:
    """Return hour, minute and second; the hour is -1 if a clock of twelve hours does not have it."""
    hour, minute, second = (int(time[name] or 0) for name in ("hour", "minute", "second"))
    if time["half"]:
        hour = hour % 12 + (12 if time["half"] in "Pp" else 0) if 1 <= hour <= 12 else -1  # noqa: PLR2004  a clock
    return hour, minute, second


# Dates of services in ISO form.


# A smaller number is a year, a day in digits, or no date. Unix times below it are before 1973.
_MIN_EPOCH_SECONDS: Final = 100_000_000
_MIN_YEAR_NUMBER: Final = 1000
_MAX_YEAR_NUMBER: Final = 2999


def service_iso_date(value: object) -> str | None:
    """Return a date in ISO form; what is none, such as "2 hours ago", as a text; else None.

    A number is what its digits say: a year, a day, and only else a Unix time.

    >>> [service_iso_date(value) for value in (2024, 20240305, 1741000000, 7, "soon", "")]
    ['2024', '2024-03-05', '2025-03-03T11:06:40Z', '7', 'soon', None]
    """
    if type(value) is int or type(value) is float:
        return _number_date(value)
    if value is None or isinstance(value, str):
        text = collapse_blanks(value)[:100]
        return (read_date_field(text) or text) if text else None
    return repr(value)[:100]


def _number_date(value: float) -> str | None:
    finite = number(value)
    if not finite:
        return None
    if not finite.is_integer() or abs(finite) >= _MIN_EPOCH_SECONDS:
        digits = str(int(finite))
        day = read_date_field(digits) if _DIGITS_MOMENT_PATTERN.fullmatch(digits) else None
        return day or (epoch_date(finite) if finite >= _MIN_EPOCH_SECONDS else None) or repr(value)
    digits = str(int(finite))
    if _MIN_YEAR_NUMBER <= finite <= _MAX_YEAR_NUMBER:
        return digits
    return read_date_field(digits) or digits


def date_from_parts(parts: object) -> str | None:
    """Return a date from year, month and day, or only the first of them; None if invalid.

    >>> date_from_parts([2025, 3])
    '2025-03'
    >>> date_from_parts([None])
    """
    if not isinstance(parts, list) or not parts or not all(type(part) is int for part in parts[:3]):
        return None
    year, *rest = parts[:3]
    try:
        date(year, *[*rest, 1, 1][:2])
    except (ValueError, OverflowError):
        return None
    return "-".join([f"{year:04d}", *(f"{part:02d}" for part in rest)])
