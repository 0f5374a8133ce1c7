"""The one checker: whether the words that a visitor sees say this value in a place of this field.

It hears every witness and does not know which one speaks. It returns the quotes that prove a
value, or the reason why nothing does. A value that a visitor may meet on any page, such as a
small number, counts only beside a label of its field.
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Final

from webseam.ports.data import DataField, PlainValue, Quote, RefusalReason

from .labels import has_label
from .list_checker import check_list
from .money_forms import currencies, split_money
from .number_forms import Reading, number_readings
from .page_index import PageIndex, has_words
from .plain_values import Comparable, comparable
from .text_forms import is_same_text, squeeze

_COMMON_DIGITS: Final = 3
_RANGE_WORDS: Final = r"(?:-|–|—|to|or|bis|oder|à|a|ou|o|e|and|tot|til|till|do|до)"
_RANGE_AFTER_PATTERN: Final = re.compile(rf"\s?{_RANGE_WORDS}\s?\d")
_RANGE_BEFORE_PATTERN: Final = re.compile(rf"\d\s?{_RANGE_WORDS}\s?\Z")
_RANGE_CHARS: Final = 12
_SIGN_CHARS: Final = 5
_BESIDE_CHARS: Final = 40
_STRUCK_TAGS: Final = frozenset({"del", "s", "strike"})


class Checker:
    """Checks values against one page; ``site_names`` are the names of the site itself."""

    def __init__(self, index: PageIndex, site_names: frozenset[str] = frozenset()) -> None:
        self._index = index
        self._site_names = site_names

    def check(self, field: DataField, value: PlainValue) -> tuple[Quote, ...] | RefusalReason:
        """Return the quotes that prove a value; none for a value that nobody needs to see."""
        if field.unseen:
            return ()
        if isinstance(value, tuple):
            if field.role in {"name", "brand"}:
                return self._check_names(field, value)
            return check_list(self._index, value)
        proof = self._check_one(field, value)
        return (proof,) if isinstance(proof, Quote) else proof

    def has_labels(self, field: DataField, quotes: Sequence[Quote]) -> bool:
        """Tell whether each quote stands beside a label of its field."""
        return all(has_label(self._index, field, quote) for quote in quotes)

    def _check_one(self, field: DataField, value: str) -> Quote | RefusalReason:
        if field.kind == "money":
            return self._check_money(value)
        if field.kind in {"text", "choice"}:
            return self._check_text(field, value)
        return self._check_figure(field, comparable(field.kind, value))

    def _check_text(self, field: DataField, value: str) -> Quote | RefusalReason:
        match field.role:
            case "heading":
                return check_heading(self._index, value)
            case "name" | "brand":
                return self._check_name(field, value, (value,))
            case "identifier":
                if " " in value.strip() or not any(map(str.isdigit, value)):
                    return "ambiguous"
                return next(self._index.find(value), "not_visible")
        quotes = list(self._index.find(value, is_loose=True))
        for quote in quotes:
            if self._is_own_text(field, quote):
                return quote
        return "not_labelled" if quotes else "not_visible"

    def _is_own_text(self, field: DataField, quote: Quote) -> bool:
        """Tell whether a text has its lines for itself, or follows a label of the field."""
        if self._index.is_in_menu(quote):
            return False
        before, after = self._index.rest_of_lines(quote)
        if has_words(after):
            return False
        return not has_words(before) or (
            before.rstrip().endswith((":", "：")) and has_label(self._index, field, quote)
        )

    def _check_names(
        self, field: DataField, values: tuple[str, ...]
    ) -> tuple[Quote, ...] | RefusalReason:
        quotes: list[Quote] = []
        for value in values:
            proof = self._check_name(field, value, values)
            if not isinstance(proof, Quote):
                return proof
            quotes.append(proof)
        return tuple(quotes)

    def _check_name(
        self, field: DataField, value: str, names: tuple[str, ...]
    ) -> Quote | RefusalReason:
        """Check a name: it is one, and stands alone, beside a date, or after a word such as "by".

        A maker's name may also begin the heading of the page. ``names`` may stand in one line.
        """
        is_person = field.role == "name"
        if is_person and _SEVERAL_NAMES_PATTERN.search(value):
            return "ambiguous"
        if _OFFICE_PATTERN.search(value):
            return "ambiguous"
        is_site = self._is_site_name(value)
        quotes = list(self._index.find(value))
        for quote in quotes:
            if is_site:
                # The site's own name is no author, unless the page says so in words.
                if is_person and " " in value and self._follows_by(quote):
                    return quote
            elif self._stands_alone(quote, names) or (not is_person and self._begins_top(quote)):
                return quote
        if is_site:
            return "ambiguous"
        return "not_labelled" if quotes else "not_visible"

    def _is_site_name(self, value: str) -> bool:
        """Tell whether a name begins like a name of the site, or one of the site like it."""
        name, first = squeeze(value), squeeze(value.split(maxsplit=1)[0])
        is_long = len(first) >= _MIN_SITE_NAME_CHARS
        return any(
            name.startswith(it) or (is_long and it.startswith(first))
            for it in self._site_names
            if len(it) >= _MIN_SITE_NAME_CHARS
        )

    def _begins_top(self, quote: Quote) -> bool:
        return any(top.start == quote.start for top in self._index.top_headings)

    def _follows_by(self, quote: Quote) -> bool:
        before, after = self._index.rest_of_lines(quote)
        return bool(_WRITTEN_BY_PATTERN.search(before[-_BESIDE_CHARS:])) and not has_words(after)

    def _stands_alone(self, quote: Quote, names: tuple[str, ...]) -> bool:
        before, after = self._index.rest_of_lines(quote)
        start, end = quote.start - len(before), quote.end + len(after)
        dates = [it for it in self._index.page.days if start <= it.start and it.end <= end]
        for date in reversed(dates):
            if date.start >= quote.end:
                after = after[: date.start - quote.end] + after[date.end - quote.end :]
            elif date.end <= quote.start:
                before = before[: date.start - start] + before[date.end - start :]
        if dates or after.rstrip().endswith(" ago"):
            before, after = (_BESIDE_DATE_PATTERN.sub("", part) for part in (before, after))
        if not has_words(before) and not has_words(after):
            return True
        if len(names) > 1:
            rest = f"{before} {after}"
            for name in names:
                rest = rest.replace(name, " ")
            if not has_words(_BETWEEN_NAMES_PATTERN.sub(" ", rest)):
                return True
        return bool(_BY_PATTERN.search(before[-_BESIDE_CHARS:])) and not _MORE_NAME_PATTERN.match(
            after
        )

    def _check_figure(self, field: DataField, value: Comparable) -> Quote | RefusalReason:
        readings: list[Reading] = []
        if isinstance(value, datetime):
            quotes = self._moment_quotes(value)
        elif field.kind == "day":
            days = (it for it in self._index.page.days if value in it.days)
            quotes = [self._index.quote(it.start, it.end) for it in days]
        else:
            readings = self._index.readings(field.kind)
            found = (it for it in readings if value in it.values)
            quotes = [self._index.quote(it.start, it.end) for it in found]
            quotes = [quote for quote in quotes if not self._is_end_of_range(quote)]
        is_price = field.role == "price"
        has_sign: Callable[[Quote], bool] = (
            self._is_price if is_price else lambda it: has_label(self._index, field, it)
        )
        labelled = next(filter(has_sign, quotes), None)
        if labelled is not None:
            return labelled
        if not quotes and isinstance(value, Decimal) and _is_average(field):
            # A page shows an average with one place: 4.88 as 4.9.
            shown = frozenset({value.quantize(_TENTH, rounding) for rounding in _ROUNDINGS})
            for reading in readings:
                quote = self._index.quote(reading.start, reading.end)
                if shown & reading.values and has_sign(quote):
                    return quote
        if not quotes:
            rivals = (self._index.quote(it.start, it.end) for it in readings)
            return "disagrees" if any(map(has_sign, rivals)) else "not_visible"
        return "not_labelled" if is_price or _is_common(value) else quotes[0]

    def _moment_quotes(self, moment: datetime) -> list[Quote]:
        """Return the places that show the day and, in the same line, the hour and the minute."""
        quotes = []
        for day in self._index.page.days:
            if moment.date() in day.days:
                after = self._index.text[day.end : day.end + _BESIDE_CHARS].split("\n")[0]
                for match in _CLOCK_PATTERN.finditer(after):
                    hour = int(match["hour"]) % 12 if match["half"] else int(match["hour"])
                    hour += 12 if (match["half"] or "").lower() == "p" else 0
                    if (hour, int(match["minute"] or 0)) == (moment.hour, moment.minute):
                        quotes.append(self._index.quote(day.start, day.end + match.end()))
        return quotes

    def _is_end_of_range(self, quote: Quote) -> bool:
        """Tell whether a number is one end of a range: ``3| to 5``."""
        before, after = self._index.rest_of_lines(quote)
        return bool(
            _RANGE_AFTER_PATTERN.match(after)
            or _RANGE_BEFORE_PATTERN.search(before[-_RANGE_CHARS:])
        )

    def _check_money(self, value: str) -> Quote | RefusalReason:
        amount, code = split_money(value)
        found = (it for it in self._index.readings("money") if amount in it.values)
        quotes = [self._index.quote(it.start, it.end) for it in found]
        priced = next(filter(self._is_price, quotes), None)
        if priced is None:
            return "not_labelled" if quotes else "not_visible"
        around = self._around(priced)
        if code not in currencies(around):
            return "disagrees"
        return priced

    def _around(self, quote: Quote) -> str:
        text = self._index.text
        before = text[max(0, quote.start - _SIGN_CHARS) : quote.start]
        return f"{before}#{text[quote.end : quote.end + _SIGN_CHARS]}"

    def _is_price(self, quote: Quote) -> bool:
        """Tell whether an amount has a currency, is not struck and not the higher of two."""
        if not currencies(self._around(quote)) or self._is_end_of_range(quote):
            return False
        boxes = list(self._index.boxes_around(quote.start, quote.end))
        if any(box.tag in _STRUCK_TAGS or box.menu for box in boxes):
            return False
        return not self._has_lower_price(quote)

    def _has_lower_price(self, quote: Quote) -> bool:
        """Tell whether a lower price stands beside a price, which may be the old one."""
        text = self._index.text
        amounts = [value for it in number_readings(quote.text) for value in it.values]
        own = min((it for it in amounts if isinstance(it, Decimal)), default=Decimal(0))
        before = text[max(0, quote.start - _BESIDE_CHARS) : quote.start]
        for beside in (text[quote.end : quote.end + _BESIDE_CHARS], before):
            for reading in number_readings(beside):
                lowest = min((it for it in reading.values if isinstance(it, Decimal)), default=own)
                around = beside[max(0, reading.start - _SIGN_CHARS) : reading.end + _SIGN_CHARS]
                if own / 4 < lowest < own and currencies(around):
                    return True
        return False


_MIN_SITE_NAME_CHARS: Final = 4
_SEVERAL_NAMES_PATTERN: Final = re.compile(
    r"[;,|/&+]|\s(?:and|und|et|y|e|og|och|en|i|και|и|și|ve|with|mit)\s", re.IGNORECASE
)
_OFFICE_PATTERN: Final = re.compile(
    r"redaz|redak|redac|rédac|\b(?:staff|admin|team|editors?|desk|www)\b|\.(?:com|net|org)\b",
    re.IGNORECASE,
)
_BY_PATTERN: Final = re.compile(
    r"(?:\b(?:by|von|por|par|di|da|door|av|af|od|autor[ae]?|auteur|author|oleh|text|recipe|rezept"
    r"|recette|ricetta|receta|skribent|tekst|autore|yazar|автор|szerző|written|opskrift|przepis"
    r"|brand|marke|marque|marca|merk)\b\s?:?|[@|•·])\s*\Z",
    re.IGNORECASE,
)
_WRITTEN_BY_PATTERN: Final = re.compile(
    r"\b(?:by|von|por|par|di|da|door|av|af|autor[ae]?|auteur|author|autore|yazar|автор)\b\s?:?\s*\Z",
    re.IGNORECASE,
)
_BETWEEN_NAMES_PATTERN: Final = re.compile(
    r"\b(?:by|von|por|par|di|da|door|av|af|and|und|et|y|e|og|och|en|with|mit)\b", re.IGNORECASE
)
# The name goes on, or another name follows. One word after a comma is an office or a town:
# "Ann Mason, Editor at large".
_MORE_NAME_PATTERN: Final = re.compile(
    r"\s?[A-ZÀ-Þ]|[-'’][A-ZÀ-Þ]|\s?(?:and|und|et|y|e|og|och|en|&|и)\s+[A-ZÀ-Þ]"
    r"|\s?,\s+[A-ZÀ-Þ][\w'’.-]*\s+(?:\w{1,3}\s+)?[A-ZÀ-Þ]"
)
_BESIDE_DATE_PATTERN: Final = re.compile(
    r"\b(?:published|updated|posted|modified|written|on|at|by|am|um|von|le|à|par|el|por|il|alle"
    r"|\d{1,3} (?:minutes?|hours?|days?|weeks?|months?|years?) ago"
    r"|\d{1,2}[:.h]\d{2}(?:\s?[ap]\.?m\.?)?|\d{1,2} min(?:ute)?s? read|a\.?m\.?|p\.?m\.?|uhr"
    r"|[A-Z]{2,4}T)\b",
    re.IGNORECASE,
)
_CLOCK_PATTERN: Final = re.compile(
    r"(?<!\d)(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?\s?(?:(?P<half>[ap])\.?m\b|h\b|uhr)?",
    re.IGNORECASE,
)


def check_heading(index: PageIndex, value: str) -> Quote | RefusalReason:
    """Check a title: it is the whole text of a top heading, and no top heading says more."""
    quotes = [it for it in index.find(value, is_loose=True) if index.fills_lines(it)]
    tops = index.top_headings
    if not quotes:
        return "disagrees" if tops else "not_visible"
    if any(not is_same_text(top.text, tops[0].text) for top in tops[1:]):
        return "ambiguous"
    if not tops:
        return _first_in_heading(index, quotes) or "not_labelled"
    for quote in quotes:
        for top in tops:
            if top.start <= quote.start and quote.end <= top.end:
                is_whole = is_same_text(top.text, quote.text)
                return quote if is_whole and not _has_parts(index, top) else "ambiguous"
    # The card of a recipe may have a shorter name than the page, but no other one.
    lower = _first_in_heading(index, quotes)
    if lower is None or all(is_other_title(value, top.text) for top in tops):
        return "disagrees"
    return lower


def _first_in_heading(index: PageIndex, quotes: Sequence[Quote]) -> Quote | None:
    return next(filter(index.is_in_heading, quotes), None)


def is_other_title(one: str, other: str) -> bool:
    """Tell whether neither title is the other with more words, such as the site's name."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return not first <= second and not second <= first


_EMPHASIS_TAG_NAMES: Final = """
abbr b br em i mark q s small strong sub sup u wbr
"""
_EMPHASIS_TAGS: Final = frozenset(_EMPHASIS_TAG_NAMES.split())


def _has_parts(index: PageIndex, heading: Quote) -> bool:
    """Tell whether a heading consists of boxes with words, as a kicker and a title do."""
    waiting = index.children(index.box_at(heading.start, heading.end))[:_MAX_PARTS]
    for number in waiting:
        box = index.page.boxes[number]
        if box.tag not in _EMPHASIS_TAGS and has_words(index.text[box.start : box.end]):
            return True
    return False


_MAX_PARTS: Final = 50


_TENTH: Final = Decimal("0.1")
_ROUNDINGS: Final = (ROUND_HALF_UP, ROUND_HALF_EVEN)


def _is_average(field: DataField) -> bool:
    return any(path.endswith("ratingValue") for path in field.paths)


def _is_common(value: Comparable) -> bool:
    """Tell whether a value is so common that its mere presence proves nothing."""
    if isinstance(value, Decimal):
        return len(value.normalize().as_tuple().digits) <= _COMMON_DIGITS
    return not hasattr(value, "year")
