"""Extract figures, units and dates of a text in canonical form, for comparison."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType

import msgspec

_ASCII_SIGNS = str.maketrans(
    {"\u2212": "-", "\u2013": "-", "\u2014": "-", "\u00a0": " ", "\u202f": " "}
)
_CITATION_PATTERN = re.compile(r"\s?\[\d{1,3}\]")
_THOUSANDS_PATTERN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN_NUMBER_PATTERN = re.compile(r"\d+(?:\.\d+)?")
_CURRENCY_NAMES: Mapping[str, str] = MappingProxyType(
    {"$": "dollar", "\u20ac": "euro", "\u00a3": "pound", "\u00a5": "yen"}
)
_FIGURE_PATTERN = re.compile(
    r"(?P<sign>(?<![\w.,)-])[-+\u00b1]\s?)?(?P<money>[$\u20ac\u00a3\u00a5]\s?)?"
    r"(?P<number>\d[\d,]*(?:\.\d+)*(?:[:/]\d+)*)(?P<tail>[A-Za-z]{1,12}\b)?"
    r"|(?P<code>\b[A-Za-z]+-?\d[\w.-]*)"
)
# Python refuses to parse numbers of thousands of digits, such as the largest known prime.
_MAX_NUMBER_DIGITS = 100
_SCALE_FACTORS: Mapping[str, int] = MappingProxyType(
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
_SCALE_PATTERN = re.compile(
    r"[\s-]?(hundred|thousand|million|billion|trillion|mn|bn)\b", re.IGNORECASE
)
_PLAIN_UNITS = (
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
        **{name: name for name in _PLAIN_UNITS},
    }
)
# The name of a unit right after a figure.
UNIT_BEHIND = re.compile(
    r"[\s-]?("
    + "|".join(sorted((re.escape(name) for name in _UNIT_NAMES), key=len, reverse=True))
    + r")s?(?![\w\u00b2\u00b3])",
    re.IGNORECASE,
)
_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join((*_MONTH_NAMES, *(rf"{month[:3]}\.?" for month in _MONTH_NAMES), r"sept\.?"))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(\d{4})"
_DATE_PATTERNS = (
    (re.compile(rf"\b{_YEAR}-(\d\d)-(\d\d)\b"), "ymd"),
    (re.compile(rf"\b{_DAY}\s(?:of\s)?({_MONTH}),?\s{_YEAR}\b", re.IGNORECASE), "dmy"),
    (re.compile(rf"\b({_MONTH})\s{_DAY},?\s{_YEAR}\b", re.IGNORECASE), "mdy"),
    (re.compile(rf"\b({_MONTH})(?:\sof)?,?\s{_YEAR}\b", re.IGNORECASE), "my"),
    (re.compile(rf"\b{_DAY}\s(?:of\s)?({_MONTH})\b", re.IGNORECASE), "dm"),
    (re.compile(rf"\b({_MONTH})\s{_DAY}\b", re.IGNORECASE), "md"),
)


class Figure(msgspec.Struct, frozen=True, gc=False):
    """A number or a code in canonical form, and its unit, empty if unknown."""

    value: str
    unit: str = ""


class Date(msgspec.Struct, frozen=True, gc=False):
    """A date, as far as the text gives it."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def is_within(self, other: "Date") -> bool:
        """Tell whether ``other`` has every part that this date has."""
        pairs = (
            (self.year, other.year),
            (self.month, other.month),
            (self.day, other.day),
        )
        return all(mine is None or mine == its for mine, its in pairs)


class TextFigures(msgspec.Struct, frozen=True):
    """The figures and dates of a text; ``rest`` is the text without its dates."""

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
    cleaned = _CITATION_PATTERN.sub("", text.translate(_ASCII_SIGNS))
    dates, rest = _extract_dates(cleaned)
    return TextFigures(figures=frozenset(_extract_figures(rest)), dates=frozenset(dates), rest=rest)


def all_figures(text: str) -> tuple[Figure, ...]:
    """Return every figure of a text in order, with repeats and those of dates."""
    return tuple(_extract_figures(_CITATION_PATTERN.sub("", text.translate(_ASCII_SIGNS))))


def is_unit(word: str) -> bool:
    """Tell whether a word is the name of a unit, in the singular or plural.

    >>> is_unit("kilometres"), is_unit("houses")
    (True, False)
    """
    return word in _UNIT_NAMES or word.removesuffix("s") in _UNIT_NAMES


def _extract_dates(text: str) -> tuple[set[Date], str]:
    dates: set[Date] = set()
    for pattern, order in _DATE_PATTERNS:
        for match in pattern.finditer(text):
            parts = dict(zip(order, match.groups(), strict=True))
            dates.add(
                Date(
                    year=int(parts["y"]) if "y" in parts else None,
                    month=_month_number(parts["m"]),
                    day=int(parts["d"]) if "d" in parts else None,
                )
            )
        # Insert a bracket, so that the hyphen in "May 18-19" is not read as a sign.
        text = pattern.sub(" )", text)
    return dates, text


def _month_number(month: str) -> int:
    if month.isdigit():
        return int(month)
    return next(i for i, name in enumerate(_MONTH_NAMES, 1) if name.startswith(month[:3].lower()))


def _extract_figures(text: str) -> Iterator[Figure]:
    for token in _FIGURE_PATTERN.finditer(text):
        if token["code"]:
            yield Figure(token["code"].lower().rstrip(".-"))
        else:
            yield _make_figure(token, text)


def _make_figure(token: re.Match[str], text: str) -> Figure:
    written, end = token["number"].rstrip(","), token.end()
    tail = (token["tail"] or "").lower()
    scale = _SCALE_FACTORS.get(tail, 1)
    if tail and scale == 1:
        end -= len(tail)
    scale_word = _SCALE_PATTERN.match(text, end)
    if scale_word is not None:
        scale, end = _SCALE_FACTORS[scale_word[1].lower()], scale_word.end()
    unit = UNIT_BEHIND.match(text, end)
    unit_name = _UNIT_NAMES[unit[1].lower()] if unit is not None else ""
    money = _CURRENCY_NAMES.get((token["money"] or "").strip(), "")
    suffix = tail if tail and not unit_name and token["tail"] and scale == 1 else ""
    sign = "-" if (token["sign"] or "").strip() == "-" else ""
    return Figure(f"{sign}{_canonical_number(written, scale)}{suffix}", money or unit_name)


def _canonical_number(written: str, scale: int) -> str:
    """Return a number as plain digits; text such as 10:30 or 2.4.1 stays as written."""
    if _THOUSANDS_PATTERN.fullmatch(written):
        written = written.replace(",", "")
    if not _PLAIN_NUMBER_PATTERN.fullmatch(written) or len(written) > _MAX_NUMBER_DIGITS:
        return written
    return (
        f"{Decimal(written) * scale:f}".rstrip("0").rstrip(".")
        if "." in written
        else (str(int(written) * scale))
    )
