"""What a thing costs, kept with what it is called; of prices in one place only those shown."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .duplicate_text import HEADINGS, MAX_CARD_RUNS, common_box_runs
from .page_segments import BlockBox, PageSegments, TextRun

# The name of the product that a page is about, unless it is most unlikely; cross-checked on WCXB.
_MIN_NAME_CHANCE: Final = 0.3
_PRICE: Final = re.compile(
    r"(?:[$£€¥₹]|\b(?:USD|EUR|GBP|AUD|CAD|CHF|Rs\.?))\s?\d"
    r"|\d\s?(?:[€£₽₴]|(?:EUR|USD|GBP|CHF|kr|zł|Kč|Ft|lei)\b)",
    re.IGNORECASE,
)
_WORDS: Final = 8
# How far behind its name a price stands, and how many runs the page of a product may have for it.
_REACH: Final = 6
_PAGE: Final = 60
_LINKED: Final = 0.8
# Themes of Shopify write both prices and hide one of them by style sheets of their own.
_REGULAR, _SALE, _ON_SALE = "price__regular", "price__sale", "price--on-sale"
_PRICE_NAMES: Final = "price__"
_MAX_ANCESTOR_STEPS: Final = 3


def settle_prices(
    segments: PageSegments, chances: Sequence[float], kept: list[bool], *, is_product: bool
) -> None:
    """Keep the price of what is kept, on a page that sells or lists things."""
    if is_product:
        _keep_name(segments.runs, chances, kept)
    unshown = _unshown(segments.boxes)
    for place in unshown:
        kept[place] = False
    for place, run in enumerate(segments.runs):
        if not kept[place] and place not in unshown and _is_price(run):
            kept[place] = _follows_name(segments, place, kept, unshown)


def _keep_name(runs: list[TextRun], likely: Sequence[float], kept: list[bool]) -> None:
    headings = [place for place, run in enumerate(runs) if run.tag == "h1"]
    if len(headings) == 1 and likely[headings[0]] >= _MIN_NAME_CHANCE:
        kept[headings[0]] = True


def _unshown(boxes: list[BlockBox]) -> set[int]:
    """Return the runs of prices that are not the one in force."""
    places: set[int] = set()
    for number, box in enumerate(boxes):
        if _PRICE_NAMES in box.names and (_REGULAR in box.names or _SALE in box.names):
            on_sale = any(_ON_SALE in names for names in _names_above(boxes, number))
            if on_sale == (_REGULAR in box.names):
                places.update(range(box.first, box.last))
    return places


def _names_above(boxes: list[BlockBox], number: int) -> Iterator[str]:
    for _ in range(_MAX_ANCESTOR_STEPS):
        number = boxes[number].parent
        if number < 0:
            return
        yield boxes[number].names


def _is_price(run: TextRun) -> bool:
    return run.words <= _WORDS and _PRICE.search(run.text) is not None


def _is_name(run: TextRun) -> bool:
    return run.tag in HEADINGS or run.linked >= _LINKED * len(run.text)


def _follows_name(cut: PageSegments, place: int, kept: list[bool], unshown: set[int]) -> bool:
    """Tell whether the nearest thing that is kept is a name, in the card of this price.

    Where another name stands between them, the price is of that.
    """
    for before in range(place - 1, max(place - _REACH, 0) - 1, -1):
        run = cut.runs[before]
        if kept[before]:
            return _is_name(run) and not _is_price(run) and _share_card(cut, before, place)
        if before not in unshown and _is_name(run) and run.words > 1:
            return False
    return False


def _share_card(cut: PageSegments, name: int, price: int) -> bool:
    return common_box_runs(cut, name, price) <= (
        _PAGE if cut.runs[name].tag == "h1" else MAX_CARD_RUNS
    )
