"""A list is whole, or it is no proof.

Each item has lines of its own, in order. Between the items stand only headings and numbers, beside
the ends nothing that is made like an item, and an item that is made like a heading is none.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Final

from webseam.ports.data import Quote, RefusalReason

from .page_index import PageIndex, has_words

_MIN_ITEMS: Final = 2
_MAX_STARTS: Final = 4
_MAX_ITEM_LINES: Final = 4
_MAX_HEADING_WORDS: Final = 4
_LONG_ITEM_CHARS: Final = 60
_MAX_GAP_CHARS: Final = 2_000
_GROUP_PATTERN: Final = re.compile(
    r"(?:for (?:the|your)|f[üu]r (?:die|den|das)|pour (?:la|le|les|l')|per (?:la|il|le|i)"
    r"|para (?:la|el|los|las|o|a)|voor (?:de|het)|till?)\s[^\d]{1,40}\Z",
    re.IGNORECASE,
)
# A bare word for a part of a dish is the heading of a group; nobody buys "sauce" without an amount.
_GROUP_NAMES: Final = """
sauce dressing seasoning seasonings marinade topping toppings filling dough batter glaze crust
frosting icing garnish garnishes streusel teig füllung soße sosse glasur belag guss dekoration
pâte garniture glaçage salsa relleno masa aderezo recheio massa cobertura molho ripieno impasto
condimento vulling deeg saus garnering fyllning deg sås garnering fyld dej fyll deig nadzienie
ciasto sos polewa
"""
_GROUPS: Final = frozenset(_GROUP_NAMES.split())
_STEP_PATTERN: Final = re.compile(
    r"(?:step|schritt|stap|étape|paso|passo|steg|trin|krok|шаг)?\s*\d{1,2}\s?[.):]?", re.IGNORECASE
)
_MARKS: Final = " .*-–▢•"
_BOLD_TAGS: Final = frozenset({"b", "strong", "th", "dt"})


def check_list(index: PageIndex, values: Sequence[str]) -> tuple[Quote, ...] | RefusalReason:
    """Return a quote for each item, or why they are no whole list.

    Where a long first item stands in several places, each of them must begin the whole list.
    """
    if len(values) < _MIN_ITEMS:
        return "ambiguous"
    starts = list(index.find(values[0], is_loose=True))
    # Prose may say the words of an item before the list does.
    starts = [it for it in starts if index.fills_lines(it)] or starts
    outcomes = [_quote_items(index, values, first) for first in starts[:_MAX_STARTS]]
    proofs = [it for it in outcomes if isinstance(it, tuple)]
    if not proofs:
        reasons = [it for it in outcomes if isinstance(it, str)]
        return reasons[0] if reasons else "not_visible"
    is_repeated = len(values[0]) > _LONG_ITEM_CHARS and len(proofs) < len(outcomes)
    return "ambiguous" if is_repeated else proofs[0]


def _quote_items(
    index: PageIndex, values: Sequence[str], first: Quote
) -> tuple[Quote, ...] | RefusalReason:
    quotes = [first]
    for value in values[1:]:
        places = index.find(value, quotes[-1].end, is_loose=True)
        nearest = list(islice(places, _MAX_STARTS))
        if not nearest:
            return "not_visible"
        quotes.append(next(filter(index.fills_lines, nearest), nearest[0]))
    if any(not _is_item(index, quote) for quote in quotes):
        return "ambiguous"
    if _has_bare_heading(index, quotes):
        return "ambiguous"
    makes = [_make(index, quote) for quote in quotes]
    counts = Counter(makes)
    # Not most_common: it imports heapq late, which a confined worker cannot.
    usual = max(counts, key=lambda make: counts[make])
    if 1 < len(counts) < len(quotes):
        pairs = zip(quotes, makes, strict=True)
        if any(make != usual and _is_like_heading(quote.text) for quote, make in pairs):
            return "ambiguous"
    for before, after in pairwise(quotes):
        if not _is_explained(index, before.end, after.start, makes):
            return "ambiguous"
    return "ambiguous" if _goes_on(index, quotes) else tuple(quotes)


def _is_item(index: PageIndex, quote: Quote) -> bool:
    """Tell whether a quote has lines of its own and is neither a heading nor in a menu."""
    has_colon = index.text[quote.end - 1 : quote.end + 2].replace(" ", "").rstrip().endswith(":")
    return (
        index.fills_lines(quote)
        and not has_colon
        and quote.text.count("\n") < _MAX_ITEM_LINES
        and not index.is_in_heading(quote)
        and not index.is_in_menu(quote)
        and _GROUP_PATTERN.match(quote.text) is None
        and quote.text.strip(_MARKS).casefold() not in _GROUPS
    )


def _make(index: PageIndex, quote: Quote) -> str:
    """Return how the element of an item is made, and whether its words are bold."""
    number = index.item_at(quote.start, quote.end)
    bold = any(box.tag in _BOLD_TAGS for box in index.boxes_around(quote.start, quote.end))
    return index.page.boxes[number].make + ("!" if bold else "")


def _kind(make: str) -> tuple[str, bool]:
    """Return the tag of an element that is made so, and whether its words are bold."""
    return make.partition(".")[0].rstrip("!"), make.endswith("!")


def _is_like_heading(text: str) -> bool:
    is_short = len(text.split()) <= _MAX_HEADING_WORDS
    return (
        is_short and not any(map(str.isnumeric, text)) and not text.endswith((".", "!", "?", "。"))
    )


def _has_bare_heading(index: PageIndex, quotes: Sequence[Quote]) -> bool:
    """Tell whether a word without a figure may be the heading of a group among the items.

    In a list whose items have no boxes of their own, nothing else tells "Sauce" from "Salt".
    """
    with_figures = sum(any(map(str.isnumeric, quote.text)) for quote in quotes)
    if 2 * with_figures < len(quotes):
        return False
    box = index.page.boxes[max(0, index.box_at(quotes[0].start, quotes[0].end))]
    is_bare = box.end > quotes[1].start
    heads = quotes[:-1] if is_bare else quotes[:1]
    return any(_is_like_heading(quote.text) for quote in heads)


def _is_explained(index: PageIndex, start: int, end: int, makes: Sequence[str]) -> bool:
    """Tell whether a gap between two items has only headings and numbers of items.

    A heading may be a short line in an element of another kind than those of the items.
    """
    kinds = {_kind(make) for make in makes}
    before = start - 1
    if end - start > _MAX_GAP_CHARS:
        return False
    for line in index.text[start:end].split("\n"):
        words = line.strip()
        offset = start + len(line) - len(line.lstrip())
        start += len(line) + 1
        if not has_words(words) or _STEP_PATTERN.fullmatch(words) or words.endswith(":"):
            continue
        line_quote = index.quote(offset, offset + len(words))
        is_other_kind = _kind(_make(index, line_quote)) not in kinds
        if index.is_in_heading(line_quote):
            continue
        if not is_other_kind or not _is_like_heading(words):
            return False
        if offset < index.list_element_end(before):
            # A line of the item itself, which the value does not have.
            return False
    return True


def _goes_on(index: PageIndex, quotes: Sequence[Quote]) -> bool:
    """Tell whether the box beside the first or the last item is made like it."""
    for quote, step in ((quotes[0], -1), (quotes[-1], 1)):
        number = index.item_at(quote.start, quote.end)
        box = index.page.boxes[number]
        siblings = index.children(box.parent)
        position = index.position_in_parent(number) + step
        while 0 <= position < len(siblings):
            beside = index.page.boxes[siblings[position]]
            if has_words(index.text[beside.start : beside.end]):
                if beside.make == box.make and beside.tag != "div":
                    return True
                break
            position += step
    return False
