"""Keep the price of what a page sells: an amount of money after the title is the page's own.

The model sees a short run among buttons, and half of the prices on shop pages are lost. The prices
of other products are of one make, card by card, or stand under a heading for other pages.
"""

import re
from collections.abc import Sequence
from typing import Final

from .page_segments import PageSegments

_SIGNS: Final = "[$€£¥₹₽₪₩₺₫₴₦฿₱]"
_CODES: Final = (
    r"(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|RON|AUD|NZD|CAD|SGD|HKD|INR|JPY|CNY|KRW|BRL|MXN|ZAR"
    r"|TRY|AED|SAR|ILS|Lei|Rs\.?|Kn|kr\.?|zł|Kč|Ft|лв\.?|тг|руб|грн|RM|元|円|원)"
)
_MONEY_PATTERN: Final = re.compile(
    rf"(?:{_SIGNS}|\b{_CODES})\s?\d|\d\s?(?:{_SIGNS}|{_CODES}(?!\w))", re.IGNORECASE
)
_MAX_PRICE_WORDS: Final = 12
# The own price and the one before the discount, and the pair again in a bar that stays in view.
_MAX_TWINS: Final = 4
_MAX_REACH_RUNS: Final = 60
_MAX_PRICES: Final = 3
_MAX_LINK_SHARE: Final = 0.5


def keep_own_price(segments: PageSegments, is_related: Sequence[bool], kept: list[bool]) -> None:
    """Keep the first amounts of money after the first ``h1``, each text once."""
    runs = segments.runs
    title = next((index for index, run in enumerate(runs) if run.tag == "h1"), None)
    if title is None:
        return
    many = {index for indexes in segments.makes if len(indexes) > _MAX_TWINS for index in indexes}
    prices: set[str] = set()
    for index in range(title, min(title + _MAX_REACH_RUNS, len(runs))):
        run = runs[index]
        is_other = is_related[index] or index in many
        is_link = run.linked > _MAX_LINK_SHARE * len(run.text)
        if is_other or is_link or run.words > _MAX_PRICE_WORDS:
            continue
        if _MONEY_PATTERN.search(run.text):
            kept[index] = kept[index] or run.text not in prices
            prices.add(run.text)
        if len(prices) == _MAX_PRICES:
            break
