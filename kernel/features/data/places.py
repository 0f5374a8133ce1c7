"""Places in the template of a site: where a value stands, and what stands there on another page.

A place is the same if its element and those around it have the same tags and classes, and the
words beside the value are the same. So a template that was made anew has none of its old places.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from webseam.ports.data import DataField, PlainValue, Quote
from webseam.ports.data_rules import BoxPath, FieldRule, LineBeside, ListPlace, Place

from .money_forms import currencies, format_money
from .page_index import PageIndex, has_words
from .plain_values import is_same_value, parse_text
from .text_forms import squeeze

SOURCE: Final = "rule"
_MIN_LEVELS: Final = 3
_MIN_CLASSED_LEVELS: Final = 2
_MAX_LEVELS: Final = 24
_MAX_ANCHOR_CHARS: Final = 40
_NEAR_CHARS: Final = 60
# At a place of one value, a page may repeat it, for small screens and for large ones.
_MAX_REPEATS: Final = 20
_MAX_ITEMS: Final = 500
_WORD_PATTERN: Final = re.compile(r"[^\W\d_]+")
_BULLET_PATTERN: Final = re.compile(r"[^\w(\"'“„«¡¿]+")
_SIGN_CHARS: Final = 5


def describe_place(index: PageIndex, quote: Quote) -> Place:
    """Return where a quote stands."""
    before, after = index.rest_of_lines(quote)
    words_before = _WORD_PATTERN.findall(before[-_NEAR_CHARS:])
    words_after = _WORD_PATTERN.findall(after[:_NEAR_CHARS])
    above = below = ""
    if not words_before and not words_after:
        above = _anchor(index.line_before(quote.start).text)
        below = _anchor(index.line_after(quote.end - 1).text)
    return Place(
        path=_path(index, index.box_at(quote.start, quote.end)),
        before=words_before[-1].casefold() if words_before else "",
        after=words_after[0].casefold() if words_after else "",
        above=above,
        below=below,
    )


def describe_list(index: PageIndex, quotes: Sequence[Quote]) -> ListPlace:
    """Return where the items of a list stand."""
    paths = [_path(index, index.item_at(quote.start, quote.end)) for quote in quotes]
    above, below = _lines_beside(index, quotes[0].start, quotes[-1].end)
    return ListPlace(paths=tuple(dict.fromkeys(paths)), above=(above,), below=(below,))


def read_rule(index: PageIndex, field: DataField, rule: FieldRule) -> PlainValue | None:
    """Return the one value at the places of a rule; None if there is none, or are several."""
    if rule.items is not None:
        return _read_list(index, rule.items)
    values: list[str] = []
    for place in rule.places:
        for value in _read_place(index, field, place, rule.currency):
            if values and not is_same_value(field, value, values[0]):
                return None
            values.append(value)
            if len(values) > _MAX_REPEATS:
                return None
    if not values:
        return None
    return (values[0],) if field.many else values[0]


def describe_rule(rule: FieldRule) -> str:
    """Return where a rule expects its value, for a reader.

    >>> describe_rule(FieldRule(places=(Place(path=("p.time", "div.card"), before="total"),)))
    'div.card > p.time after "total"'
    """
    if rule.items is not None:
        return _path_text(rule.items.paths[0])
    place = rule.places[0]
    words = {
        "after": place.before or place.above,
        "before": "" if place.before else place.after or place.below,
    }
    beside = [f' {name} "{text}"' for name, text in words.items() if text]
    return _path_text(place.path) + "".join(beside)


def _path_text(path: Sequence[str]) -> str:
    return " > ".join(reversed(path))


def _path(index: PageIndex, number: int) -> BoxPath:
    """Return the makes of a box and of those around it, until two of them have classes."""
    makes: list[str] = []
    classed = 0
    while number > 0 and len(makes) < _MAX_LEVELS:
        if len(makes) >= _MIN_LEVELS and classed >= _MIN_CLASSED_LEVELS:
            break
        box = index.page.boxes[number]
        makes.append(box.make)
        # A class that a tool made, such as "x1", says nothing without its figures.
        classed += any(len(name) > 1 for name in box.make.split(".")[1:])
        number = box.parent
    return tuple(makes)


def _anchor(line: str) -> str:
    """Return a line that can mark a place: a short one without figures; else a blank."""
    is_short = len(line) <= _MAX_ANCHOR_CHARS and not any(map(str.isdigit, line))
    return squeeze(line) if is_short else ""


def _boxes_at(index: PageIndex, path: BoxPath) -> Iterator[int]:
    numbers = index.boxes_made(path[0]) if path else []
    return (number for number in numbers if _path(index, number) == path)


def _read_place(index: PageIndex, field: DataField, place: Place, currency: str) -> Iterator[str]:
    for number in _boxes_at(index, place.path):
        for quote, value in _values_in(index, field, place, number, currency):
            if _is_same_place(place, describe_place(index, quote)):
                yield value


def _is_same_place(learned: Place, seen: Place) -> bool:
    """Tell whether the words beside a value are the learned ones.

    Words before the value say what it is, so those behind it are free: "Serves 4", "Serves 4 to".
    """
    if learned.path != seen.path or not _is_same_word(learned.before, seen.before):
        return False
    if learned.before:
        return True
    if not _is_same_word(learned.after, seen.after):
        return False
    if learned.above:
        return learned.above == seen.above
    return not learned.below or learned.below == seen.below


def _is_same_word(one: str, other: str) -> bool:
    """Tell whether two words are one, or one in the plural."""
    if not one or not other:
        return one == other
    return one.startswith(other) or other.startswith(one)


def _values_in(
    index: PageIndex, field: DataField, place: Place, number: int, currency: str
) -> Iterator[tuple[Quote, str]]:
    """Yield what may be meant in a box: its text, or each figure of the field's kind."""
    box = index.page.boxes[number]
    if field.kind in {"text", "choice"}:
        start = box.start
        first = _WORD_PATTERN.match(index.text, start, box.end)
        if first is not None and first[0].casefold() == place.before:
            start = first.end()
            bullet = _BULLET_PATTERN.match(index.text, start, box.end)
            start = start if bullet is None else bullet.end()
        quote = index.quote(start, box.end)
        value = parse_text(field, " ".join(quote.text.split()))
        if value is not None and has_words(quote.text):
            yield quote, value
        return
    if field.kind == "day":
        for day in index.days_in(box):
            if len(day.days) == 1:
                yield index.quote(day.start, day.end), next(iter(day.days)).isoformat()
        return
    for reading in index.readings_in(field.kind, box):
        texts = [str(msgspec.to_builtins(it)) for it in reading.values]
        if field.kind == "money":
            start = max(box.start, reading.start - _SIGN_CHARS)
            has_sign = currency in currencies(index.text[start : reading.end + _SIGN_CHARS])
            plain = [format_money(text, currency) for text in texts if has_sign]
        else:
            plain = [parse_text(field, text) for text in texts]
        # "1.299" is one value only where a whole number is wanted.
        values = [value for value in plain if value]
        if len(values) == 1:
            yield index.quote(reading.start, reading.end), values[0]


def _read_list(index: PageIndex, place: ListPlace) -> tuple[str, ...] | None:
    numbers = {number for path in place.paths for number in _boxes_at(index, path)}
    items: list[Quote] = []
    for number in sorted(numbers):
        box = index.page.boxes[number]
        is_inside = bool(items) and box.start < items[-1].end
        if not is_inside and has_words(index.text[box.start : box.end]):
            items.append(index.quote(box.start, box.end))
    if not items or len(items) > _MAX_ITEMS or any("\n" in item.text for item in items):
        # An item of several lines may have a note below it, or a list of its own.
        return None
    above, below = _lines_beside(index, items[0].start, items[-1].end)
    ends = ((above, place.above), (below, place.below))
    if any(end.path not in {it.path for it in learned} for end, learned in ends):
        return None
    if not any(end.words and end.words in {it.words for it in learned} for end, learned in ends):
        return None
    return tuple(_without_bullet(" ".join(item.text.split())) for item in items)


def _without_bullet(text: str) -> str:
    bullet = _BULLET_PATTERN.match(text)
    return text if bullet is None else text[bullet.end() :]


def _lines_beside(index: PageIndex, start: int, end: int) -> tuple[LineBeside, LineBeside]:
    above, below = (
        LineBeside(
            path=_path(index, index.box_at(line.start, line.end)) if line.text else (),
            words=_anchor(line.text),
        )
        for line in (index.line_before(start), index.line_after(end - 1))
    )
    return above, below
