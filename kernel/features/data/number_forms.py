"""The normal forms of numbers and durations.

A figure may read as several values: "1.299" is 1299 or 1.299. It proves a value that is one of
them.
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal, InvalidOperation
from typing import Final, NamedTuple, TypeAlias

Figure: TypeAlias = Decimal | timedelta


class Reading(NamedTuple):
    """A span of a text, and the values that it can mean."""

    start: int
    end: int
    values: frozenset[Figure]


_BLANKS: Final = " \u00a0\u202f\u2009'’"
_MAX_DIGITS: Final = 18
_NUMBER_PATTERN: Final = re.compile(
    rf"(?<![\w.,/-])-?\d{{1,3}}(?:[{_BLANKS}]\d{{3}})+(?:[.,]\d{{1,9}})?(?![\d/])"
    r"|(?<![\d/])(?<!\d[.,])\d{1,18}(?:[.,]\d{1,9})*(?![\d/]|[.,]\d)"
    # A grade, "4.8/5"; "1/5" is a part.
    r"|(?<![\d/.,])\d[.,]\d{1,2}(?=/(?:5|10)(?![\d/]))"
)
_BLANK_PATTERN: Final = re.compile(f"[{_BLANKS}]")
_MARK_PATTERN: Final = re.compile(r"[.,]")
_GROUP_DIGITS: Final = 3


def number_values(text: str) -> frozenset[Decimal]:
    """Return what a written number can mean.

    >>> sorted(map(str, number_values("1.299"))), sorted(map(str, number_values("1,299.50")))
    (['1.299', '1299'], ['1299.50'])
    """
    bare = _BLANK_PATTERN.sub("", text)
    marks = _MARK_PATTERN.findall(bare)
    groups = _MARK_PATTERN.split(bare)
    if sum(map(len, groups)) > _MAX_DIGITS:
        return frozenset()
    forms = set()
    if not marks:
        forms.add(bare)
    elif len(set(marks)) > 1:
        # "1.299,50": the last mark is of the fraction.
        if marks.count(marks[-1]) == 1:
            forms.add("".join(groups[:-1]) + "." + groups[-1])
    else:
        if all(len(group) == _GROUP_DIGITS for group in groups[1:]) and groups[0].strip("-0"):
            forms.add("".join(groups))
        if len(marks) == 1:
            forms.add(".".join(groups))
    return frozenset(Decimal(form) for form in forms)


def number_readings(text: str) -> Iterator[Reading]:
    """Yield each number of a text."""
    for match in _NUMBER_PATTERN.finditer(text):
        yield Reading(match.start(), match.end(), frozenset(number_values(match[0])))


def parse_number(text: str) -> Decimal | None:
    """Return a number as data writes it: "19.90", "1299", also "12 servings"; None for others.

    >>> str(parse_number("4,5 stars")), parse_number("4 to 6"), parse_number("1e999999")
    ('4.5', None, None)
    """
    bare = text.strip()
    if len(bare) <= _MAX_DIGITS:
        try:
            number = Decimal(bare)
        except InvalidOperation:
            pass
        else:
            is_sane = number.is_finite() and abs(number.adjusted()) < _MAX_DIGITS
            return number if is_sane else None
    values: set[Decimal] = set()
    for match in _NUMBER_PATTERN.finditer(text):
        values |= number_values(match[0])
    return values.pop() if len(values) == 1 else None


_DAYS: Final = r"d|days?|tage?n?|jours?|d[ií]as?|giorni?o?|dage?n?|dagar"
_HOURS: Final = (
    r"h|hr|hrs|hours?|hod(?:in[ay]?)?|std|stdn?|stunden?|heures?|hora|horas|or[ae]|uur|uren"
    r"|tim(?:m[ae]r?|er?)?|godz(?:iny?|in)?|час(?:а|ов)?|ч|óra|tuntia?|saat|時間|小时"
)
_MINUTES: Final = (
    r"m|min|mins|minuter?|minutes?|minuten|minutos?|minut[aiyo]?|minuti|minuutt?ia?|мин(?:ут[аы]?)?"
    r"|perc|dakika|dk|хв(?:илин)?|分鐘?|分钟?"
)
_AMOUNT: Final = r"(?:\d{1,5}[.,]\d{1,4}|\d{1,5}\s?[¼½¾]|\d{1,5}\s\d/\d|\d/\d|\d{1,5}|[¼½¾])"
# "1 hour hr 20 minutes mins": recipe plug-ins write a unit for eyes and one for screen readers.
_AGAIN: Final = rf"(?:\s(?:{_DAYS}|{_HOURS})\b)?"
_AND: Final = r"[\s,]{0,3}(?:(?:and|und|et|e|y|og|och|en|i|&)\s)?"
_DURATION_PATTERN: Final = re.compile(
    # A label may touch its value, where space between them is not text: "Prep Time25 minutes".
    rf"(?<![\d_.,/–-])(?=[\d¼½¾])(?:(?P<days>\d{{1,5}})\s?(?:{_DAYS})\b{_AGAIN}\.?{_AND})?"
    rf"(?:(?P<hours>{_AMOUNT})\s?-?(?:{_HOURS})(?![^\W\d_]){_AGAIN}\.?{_AND})?"
    rf"(?:(?P<minutes>{_AMOUNT})\s?-?(?:{_MINUTES}|['′])(?![^\W\d_])"
    rf"|(?:(?<=[hH])|(?<=[hH]\s))(?P<bare>[0-5]\d)(?![\d.,]|[ \u00a0]?\w))?",
    re.IGNORECASE,
)
_ISO_DURATION_PATTERN: Final = re.compile(
    r"P(?:(?P<days>\d{1,5})D)?"
    r"(?:T?(?:(?P<hours>[\d.]{1,7})H)?(?:(?P<minutes>[\d.]{1,7})M)?(?:(?P<seconds>[\d.]{1,9})S)?)?"
)
_MIXED_PART_PATTERN: Final = re.compile(r"\d+/\d+|\d+[.,]\d+|\d+")


def _amount(text: str | None) -> Decimal:
    """Return a plain or mixed number: "1", "1.5", "1½", "1 1/2"."""
    spaced = re.sub(r"([¼½¾])", r" \1", text or "")
    total = Decimal(0)
    for part in _MIXED_PART_PATTERN.findall(
        unicodedata.normalize("NFKC", spaced).replace("⁄", "/")
    ):
        over, _, under = part.partition("/")
        total += Decimal(over.replace(",", ".")) / Decimal(int(under or 1) or 1)
    return total


def duration_readings(text: str) -> Iterator[Reading]:
    """Yield each duration of a text."""
    for match in _DURATION_PATTERN.finditer(text):
        if match["hours"] or match["minutes"] or match["days"]:
            minutes = _amount(match["days"]) * 1440 + _amount(match["hours"]) * 60
            minutes += _amount(match["minutes"] or match["bare"])
            end = match.start() + len(match[0].rstrip(" ,\n"))
            values = frozenset({timedelta(seconds=int(minutes * 60))})
            yield Reading(match.start(), end, values)


def parse_duration(text: str) -> timedelta | None:
    """Return a duration of ISO 8601, or the only one that a text names; zero is none.

    >>> parse_duration("PT1H20M"), parse_duration("1 h 20"), parse_duration("PT0M")
    (datetime.timedelta(seconds=4800), datetime.timedelta(seconds=4800), None)
    """
    match = _ISO_DURATION_PATTERN.fullmatch(text.strip().upper().replace(" ", ""))
    if match is None:
        read = [reading.values for reading in duration_readings(text)]
        (only,) = read[0] if len(read) == 1 else (None,)
        return only if isinstance(only, timedelta) else None
    parts = match.groupdict()
    try:
        amounts = {name: float(amount or 0) for name, amount in parts.items()}
    except ValueError:  # "PT1.2.3H"
        return None
    return timedelta(**amounts) or None
