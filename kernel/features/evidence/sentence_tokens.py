"""Write a sentence as tokens that are equal for two sentences which say the same.

These differences are dropped, and no others: the case of the first letter, markup, citation marks,
the kinds of quotation marks and dashes, contractions, the number words two to twelve, marks between
thousands, scale words, names of units behind a figure, and the order of full dates.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from .normalisation import normalise_text

Tokens = tuple[str, ...]

PAUSE = ","
_DASH_PATTERN = re.compile(r"(?<!\s)\s++[-\u2012-\u2015]+\s+|[\u2014\u2015]\s*")
_CONTRACTIONS = (
    (re.compile(r"\b(?:can't|cannot)\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"(?<=\w)'re\b", re.IGNORECASE), " are"),
    (re.compile(r"(?<=\w)'ve\b", re.IGNORECASE), " have"),
    (re.compile(r"(?<=\w)'ll\b", re.IGNORECASE), " will"),
    (re.compile(r"(?<=\bI)'m\b"), " am"),
    (re.compile(r"\b(it|that|what|there|here|he|she|who)'s\b", re.IGNORECASE), r"\1 is"),
)  # fmt: skip
_SMALL_NUMBERS = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_NUMBER_WORDS = MappingProxyType({word: str(at) for at, word in enumerate(_SMALL_NUMBERS, 2)})
_NUMBER_WORD_PATTERN = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_MONTH_PREFIXES = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DATE_PATTERNS = tuple(
    re.compile(rf"\b{date},? (?P<year>\d{{4}})\b", re.IGNORECASE)
    for date in (
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})",
        rf"(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?",
    )
)
# Names of units that mean the same; m and min stay as written, because m may mean million.
_UNIT_NAMES: Mapping[str, str] = MappingProxyType({
    **dict.fromkeys(("percent", "per cent", "prozent"), "%"),
    **dict.fromkeys(("percentage point", "percentage points"), "points"),
    **dict.fromkeys(("kilometre", "kilometer"), "km"),
    **dict.fromkeys(("centimetre", "centimeter"), "cm"),
    **dict.fromkeys(("millimetre", "millimeter"), "mm"),
    **dict.fromkeys(("millilitre", "milliliter"), "ml"),
    **dict.fromkeys(("foot", "feet"), "ft"),
    **dict.fromkeys(("square metre", "square meter"), "m\u00b2"),
    **dict.fromkeys(("square kilometre", "square kilometer"), "km\u00b2"),
    "meter": "metre", "liter": "litre", "kilogram": "kg", "milligram": "mg",
})  # fmt: skip
_OTHER_UNITS = (
    r"%|\u2030|\u00b0[cf]?|usd|eur|gbp|dollar|euro|pound|yen|[kcm]?m\u00b2?|metre|mile|mi|inche?|ft"
    r"|lbs?|oz|degree|[km]?g|kilo|gram|t|tonne|ton|m?l|litre|h|hour|min|minute|second|sec|[kmgt]b"
    r"|[kmg]?w|[km]wh|[kmg]?hz|acre|hectare|times|day|week|month|year|decade|century|watt|kilowatt"
    r"|megawatt|gigawatt|volt|amp|gallon|yard|ounce|calorie|kcal|mph|terabyte|gigabyte|megabyte"
    r"|kilobyte"
)
_UNIT = f"{'|'.join(_UNIT_NAMES)}|{_OTHER_UNITS}"
# The name of a unit right after a figure.
UNIT_BEHIND_PATTERN = re.compile(rf"[\s-]?(?:{_UNIT})s?(?![\w\u00b2\u00b3])", re.IGNORECASE)
_SCALE_DIGITS = MappingProxyType(
    {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
)
_MONEY_SIGNS = r"[$\u20ac\u00a3\u00a5\u20b9\u20a9]"
_TOKEN_PATTERN = re.compile(
    r"(?P<date>\b\d{4}-\d\d-\d\d\b)"
    rf"|(?P<figure>(?P<sign>(?<![\w)])[-+\u00b1~\u2248<>]\ ?)?(?P<money>{_MONEY_SIGNS}\ ?)?"
    r"(?P<number>\d+(?:,\d{3})+(?!\d)|\d+)(?P<rest>(?:[.,:/]\d+)*+)"
    rf"(?:[\ -]?(?P<scale>{'|'.join(_SCALE_DIGITS)})\b)?(?:\ ?(?P<behind>{_MONEY_SIGNS}))?"
    rf"(?:[\ -]?(?P<unit>{_UNIT})s?(?![\w\u00b2\u00b3]))?)"
    r"|(?P<word>[^\W_]+(?:['.&/-][^\W_]+)*+)"
    r"|(?P<quotation>'|\")|(?P<pause>[,;:()])|(?P<stop>[.!])|(?P<mark>[^\s\w]|_)",
    re.IGNORECASE,
)
_FIGURE_MARK = "#"
_DATE_TOKEN_PATTERN = re.compile(r"#\d{4}-\d\d-\d\d")
_FIXED_TOKENS: Mapping[str, str] = MappingProxyType({"quotation": "'", "pause": PAUSE})
_MAX_FIGURE_DIGITS = 40


def sentence_tokens(text: str) -> Tokens:
    """Return a sentence as comparable tokens; a figure is one token with sign, money and unit.

    >>> sentence_tokens("Sales **rose** by 5 percent[3], and it isn't $2.5 million.")
    ('sales', 'rose', 'by', '#5%', ',', 'and', 'it', 'is', 'not', '#$2500000')
    """
    plain = normalise_text(_DASH_PATTERN.sub(" , ", text)).text.strip()
    for pattern, full_form in _CONTRACTIONS:
        plain = pattern.sub(full_form, plain)
    plain = _NUMBER_WORD_PATTERN.sub(lambda word: _NUMBER_WORDS[word[0].lower()], plain)
    for pattern in _DATE_PATTERNS:
        plain = pattern.sub(_iso_date, plain)
    tokens = list(_read_tokens(plain))
    # A claim may lack the mark that closes a quotation at the end of its sentence.
    if tokens[-1:] == ["'"] and tokens.count("'") % 2 == 0:
        tokens.pop()
    while tokens and tokens[-1] == PAUSE:
        tokens.pop()
    return fold_claim(
        tuple(
            token
            for number, token in enumerate(tokens)
            if token != PAUSE or (number and tokens[number - 1] != PAUSE)
        )
    )


def fold_claim(tokens: Tokens) -> Tokens:
    """Return tokens whose first word is in lower case, unless it is written in capitals."""
    for number, token in enumerate(tokens):
        if token[0].isalpha():
            folded = token if token[1:2].isupper() else token[0].lower() + token[1:]
            return (*tokens[:number], folded, *tokens[number + 1 :])
    return tokens


def is_figure(token: str) -> bool:
    """Tell whether a token is a figure or a date."""
    return token.startswith(_FIGURE_MARK) and len(token) > 1


def token_figures(tokens: Iterable[str]) -> Iterator[str]:
    """Yield the figures among tokens; of a full date also its day and its year."""
    for token in filter(is_figure, tokens):
        yield token
        if _DATE_TOKEN_PATTERN.fullmatch(token):
            yield f"{_FIGURE_MARK}{token[1:5]}"
            yield f"{_FIGURE_MARK}{int(token[-2:])}"


def _read_tokens(text: str) -> Iterator[str]:
    for match in _TOKEN_PATTERN.finditer(text):
        kind = str(match.lastgroup)
        if kind in _FIXED_TOKENS:
            yield _FIXED_TOKENS[kind]
        elif kind in ("word", "mark"):
            yield match[0]
        elif kind != "stop":
            yield f"{_FIGURE_MARK}{match[0]}" if kind == "date" else _figure_token(match)


def _figure_token(match: re.Match[str]) -> str:
    number = match["number"].replace(",", "") + match["rest"]
    scale = (match["scale"] or "").lower()
    if scale:
        whole, _, part = number.partition(".")
        digits = _SCALE_DIGITS[scale]
        is_decimal = whole.isdigit() and (not part or part.isdigit()) and len(part) <= digits
        if is_decimal and len(number) <= _MAX_FIGURE_DIGITS:
            number = (whole + part.ljust(digits, "0")).lstrip("0")
        else:
            number += scale
    written_unit = (match["unit"] or "").lower()
    unit = _UNIT_NAMES.get(written_unit, written_unit)
    money = match["money"] or match["behind"] or ""
    return f"{_FIGURE_MARK}{(match['sign'] or '').strip()}{money.strip()}{number}{unit}"


def _iso_date(date: re.Match[str]) -> str:
    month = 1 + _MONTH_PREFIXES.index(date["month"][:3].lower())
    return f"{date['year']}-{month:02}-{int(date['day']):02}"
