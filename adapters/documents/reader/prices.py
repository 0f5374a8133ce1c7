"""Keep the prices of kept products, and drop price variants that the page hides."""

import re
from itertools import islice
from typing import Final

from .duplicate_text import HEADINGS, MAX_CARD_RUNS, common_box_runs
from .page_segments import BlockBox, PageSegments, TextRun, ancestor_boxes

_PRICE_PATTERN: Final = re.compile(
    r"(?:[$£€¥₹]|\b(?:USD|EUR|GBP|AUD|CAD|CHF|Rs\.?))\s?\d"
    r"|\d\s?(?:[€£₽₴]|(?:EUR|USD|GBP|CHF|kr|zł|Kč|Ft|lei)\b)",
    re.IGNORECASE,
)
_MAX_PRICE_WORDS: Final = 8
# A price stands at most so many runs after its name, and a product page's box with both has at
# most so many runs.
_MAX_NAME_DISTANCE_RUNS: Final = 6
_MAX_PRODUCT_RUNS: Final = 60
_MIN_NAME_LINK_SHARE: Final = 0.8
# Shopify themes write both prices and hide one of them in an external style sheet.
_REGULAR_CLASS, _SALE_CLASS, _ON_SALE_CLASS = ("price__regular", "price__sale", "price--on-sale")
_PRICE_CLASS_PREFIX: Final = "price__"
_MAX_ANCESTOR_STEPS: Final = 3


def settle_prices(segments: PageSegments, kept: list[bool]) -> None:
    """Keep the prices of kept names on a page that sells or lists products."""
    hidden = _hidden_price_runs(segments.boxes)
    for index in hidden:
        kept[index] = False
    for index, run in enumerate(segments.runs):
        if not kept[index] and index not in hidden and _is_price_run(run):
            kept[index] = _follows_name(segments, index, kept, hidden)


def _hidden_price_runs(boxes: list[BlockBox]) -> set[int]:
    """Return the indexes of runs with a price that the page hides."""
    indexes: set[int] = set()
    for number, box in enumerate(boxes):
        if _PRICE_CLASS_PREFIX in box.names and (
            _REGULAR_CLASS in box.names or _SALE_CLASS in box.names
        ):
            on_sale = any(
                _ON_SALE_CLASS in above.names
                for above in islice(ancestor_boxes(boxes, number), _MAX_ANCESTOR_STEPS)
            )
            if on_sale == (_REGULAR_CLASS in box.names):
                indexes.update(range(box.first, box.last))
    return indexes


def _is_price_run(run: TextRun) -> bool:
    return run.words <= _MAX_PRICE_WORDS and _PRICE_PATTERN.search(run.text) is not None


def _is_name_run(run: TextRun) -> bool:
    return run.tag in HEADINGS or run.linked >= _MIN_NAME_LINK_SHARE * len(run.text)


def _follows_name(segments: PageSegments, index: int, kept: list[bool], hidden: set[int]) -> bool:
    """Tell whether the nearest kept run before a price is the name in the same card.

    A dropped name in between means that the price belongs to that name.
    """
    for before in range(index - 1, max(index - _MAX_NAME_DISTANCE_RUNS, 0) - 1, -1):
        run = segments.runs[before]
        if kept[before]:
            max_runs = _MAX_PRODUCT_RUNS if run.tag == "h1" else MAX_CARD_RUNS
            is_in_card = common_box_runs(segments, before, index) <= max_runs
            return _is_name_run(run) and not _is_price_run(run) and is_in_card
        if before not in hidden and _is_name_run(run) and run.words > 1:
            return False
    return False
