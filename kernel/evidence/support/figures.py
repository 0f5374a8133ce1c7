"""The figures, units and dates of a text, each in one form, so that two texts can be compared."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType

import msgspec

_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u2014": "-", "\u00a0": " ", "\u202f": " "})
_CITATION = re.compile(r"\s?\[\d{1,3}\]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CURRENCIES: Mapping[str, str] = MappingProxyType(
    {"$": "dollar", "\u20ac": "euro", "\u00a3": "pound", "\u00a5": "yen"}
)
_TOKEN = re.compile(
    r"(?P<sign>(?<![\w.,)-])[-+\u00b1]\s?)?(?P<money>[$\u20ac\u00a3\u00a5]\s?)?"
    r"(?P<number>\d[\d,]*(?:\.\d+)*(?:[:/]\d+)*)(?P<tail>[A-Za-z]{1,12}\b)?"
    r"|(?P<code>\b[A-Za-z]+-?\d[\w.-]*)"
)
# Python refuses to read numbers of thousands of digits, as that of the largest prime.
_MAX_NUMBER_DIGITS = 100
_SCALES: Mapping[str, int] = MappingProxyType(
    {
        "hundred": 100,
        "thousand": 1000,
        "k": 1000,
        "million": 10**6,
        "mn": 10**6,
        "billion": 10**9,
        "bn": 10**9,
        "trillion": 10**12,
    }
)
_SCALE = re.compile(r"[\s-]?(hundred|thousand|million|billion|trillion|mn|bn)\b", re.IGNORECASE)
_OWN_NAMES = (
    "gb", "mb", "kb", "tb", "w", "kw", "mw", "gw", "kwh", "mwh", "hz", "khz", "mhz", "ghz", "acre",
    "hectare", "times", "day", "week", "month", "year", "decade", "century", "watt", "kilowatt",
    "megawatt", "gigawatt", "volt", "amp", "gallon", "yard", "ounce", "calorie", "kcal", "mph",
    "terabyte", "gigabyte", "megabyte", "kilobyte",
)  # fmt: skip
_UNIT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "%": "%",
        "percent": "%",
        "per cent": "%",
        "percentage points": "points",
        "percentage point": "points",
        "\u2030": "permille",
        "\u00b0": "degree",
        "\u00b0c": "celsius",
        "\u00b0f": "fahrenheit",
        "usd": "dollar",
        "dollar": "dollar",
        "eur": "euro",
        "euro": "euro",
        "gbp": "pound",
        "pound": "pound",
        "yen": "yen",
        **dict.fromkeys(("km", "kilometre", "kilometer"), "km"),
        **dict.fromkeys(("m", "metre", "meter"), "m"),
        **dict.fromkeys(("cm", "centimetre", "centimeter"), "cm"),
        **dict.fromkeys(("mm", "millimetre", "millimeter"), "mm"),
        **dict.fromkeys(("mile", "mi"), "mile"),
        **dict.fromkeys(("ft", "foot", "feet"), "foot"),
        **dict.fromkeys(("inch", "inche"), "inch"),
        **dict.fromkeys(("lb", "lbs"), "pound"),
        "oz": "ounce",
        "degree": "degree",
        **dict.fromkeys(("kg", "kilogram", "kilo"), "kg"),
        **dict.fromkeys(("g", "gram"), "g"),
        **dict.fromkeys(("mg", "milligram"), "mg"),
        **dict.fromkeys(("t", "tonne", "ton"), "tonne"),
        **dict.fromkeys(("l", "litre", "liter"), "litre"),
        **dict.fromkeys(("ml", "millilitre", "milliliter"), "ml"),
        **dict.fromkeys(("h", "hour"), "hour"),
        **dict.fromkeys(("min", "minute"), "minute"),
        **dict.fromkeys(("second", "sec"), "second"),
        **dict.fromkeys(("m\u00b2", "square metre", "square meter"), "m2"),
        **dict.fromkeys(("km\u00b2", "square kilometre", "square kilometer"), "km2"),
        **{name: name for name in _OWN_NAMES},
    }
)
# The name of a unit right behind a figure.
UNIT_BEHIND = re.compile(
    r"[\s-]?("
    + "|".join(sorted((re.escape(name) for name in _UNIT_NAMES), key=len, reverse=True))
    + r")s?(?![\w\u00b2\u00b3])",
    re.IGNORECASE,
)
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join((*_MONTHS, *(rf"{month[:3]}\.?" for month in _MONTHS), r"sept\.?"))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(\d{4})"
_DATES = (
    (re.compile(rf"\b{_YEAR}-(\d\d)-(\d\d)\b"), "ymd"),
    (re.compile(rf"\b{_DAY}\s(?:of\s)?({_MONTH}),?\s{_YEAR}\b", re.IGNORECASE), "dmy"),
    (re.compile(rf"\b({_MONTH})\s{_DAY},?\s{_YEAR}\b", re.IGNORECASE), "mdy"),
    (re.compile(rf"\b({_MONTH})(?:\sof)?,?\s{_YEAR}\b", re.IGNORECASE), "my"),
    (re.compile(rf"\b{_DAY}\s(?:of\s)?({_MONTH})\b", re.IGNORECASE), "dm"),
    (re.compile(rf"\b({_MONTH})\s{_DAY}\b", re.IGNORECASE), "md"),
)


class Figure(msgspec.Struct, frozen=True, gc=False):
    """A number or a code in one form, and its unit, empty for none that is known."""

    value: str
    unit: str = ""


class Date(msgspec.Struct, frozen=True, gc=False):
    """As much of a date as is said."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def within(self, other: "Date") -> bool:
        """Tell whether the other date says all that this one says."""
        pairs = (
            (self.year, other.year),
            (self.month, other.month),
            (self.day, other.day),
        )
        return all(mine is None or mine == its for mine, its in pairs)


class TextFigures(msgspec.Struct, frozen=True):
    """What is written with digits. ``rest`` is the text without its dates."""

    figures: frozenset[Figure]
    dates: frozenset[Date]
    rest: str


def read_figures(text: str) -> TextFigures:
    """Return the figures and dates of a text.

    >>> sorted(figure.value for figure in read_figures("1,200 people paid $5.0 million").figures)
    ['1200', '5000000']
    >>> read_figures("on 3 March 2021").dates == read_figures("2021-03-03").dates
    True
    """
    plain = _CITATION.sub("", text.translate(_SIGNS))
    dates, rest = _dates(plain)
    return TextFigures(figures=frozenset(_figures(rest)), dates=frozenset(dates), rest=rest)


def all_figures(text: str) -> tuple[Figure, ...]:
    """Return every figure of a text as often as it stands there, those of its dates as well."""
    return tuple(_figures(_CITATION.sub("", text.translate(_SIGNS))))


def is_unit(word: str) -> bool:
    """Tell whether a word is the name of a unit, in the singular or plural.

    >>> is_unit("kilometres"), is_unit("houses")
    (True, False)
    """
    return word in _UNIT_NAMES or word.removesuffix("s") in _UNIT_NAMES


def _dates(text: str) -> tuple[set[Date], str]:
    dates: set[Date] = set()
    for pattern, order in _DATES:
        for place in pattern.finditer(text):
            parts = dict(zip(order, place.groups(), strict=True))
            dates.add(
                Date(
                    year=int(parts["y"]) if "y" in parts else None,
                    month=_month(parts["m"]),
                    day=int(parts["d"]) if "d" in parts else None,
                )
            )
        # A bracket: what follows a date, as in May 18-19, has no sign.
        text = pattern.sub(" )", text)
    return dates, text


def _month(word: str) -> int:
    if word.isdigit():
        return int(word)
    return next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(word[:3].lower()))


def _figures(text: str) -> Iterator[Figure]:
    for token in _TOKEN.finditer(text):
        if token["code"]:
            yield Figure(token["code"].lower().rstrip(".-"))
        else:
            yield _figure(token, text)


def _figure(token: re.Match[str], text: str) -> Figure:
    written, end = token["number"].rstrip(","), token.end()
    tail = (token["tail"] or "").lower()
    scale = _SCALES.get(tail, 1)
    if tail and scale == 1:
        end -= len(tail)
    spoken = _SCALE.match(text, end)
    if spoken is not None:
        scale, end = _SCALES[spoken[1].lower()], spoken.end()
    unit = UNIT_BEHIND.match(text, end)
    named = _UNIT_NAMES[unit[1].lower()] if unit is not None else ""
    money = _CURRENCIES.get((token["money"] or "").strip(), "")
    loose = tail if tail and not named and token["tail"] and scale == 1 else ""
    sign = "-" if (token["sign"] or "").strip() == "-" else ""
    return Figure(f"{sign}{_value(written, scale)}{loose}", money or named)


def _value(written: str, scale: int) -> str:
    """Return a number as plain digits; what is none, such as 10:30 or 2.4.1, as it is written."""
    if _THOUSANDS.fullmatch(written):
        written = written.replace(",", "")
    if not _PLAIN_NUMBER.fullmatch(written) or len(written) > _MAX_NUMBER_DIGITS:
        return written
    return (
        f"{Decimal(written) * scale:f}".rstrip("0").rstrip(".")
        if "." in written
        else (str(int(written) * scale))
    )
