"""What is said twice, once to those who look and once to those who listen."""

import re
from itertools import islice
from typing import Final

from turbohtml import Element

_SEEN: Final = ":is(span,del,ins)[aria-hidden=true]"
_HEARD: Final = re.compile(r"off-?screen|visually-?hidden|screen-?reader|\bsr\b", re.IGNORECASE)
_MAX_COPIES: Final = 2_000
_MAX_PRICE_CHARS: Final = 60
_MAX_SIBLING_STEPS: Final = 3


def drop_screen_reader_copies(root: Element) -> None:
    """Take out a price for those who listen beside the same one for those who look, in place."""
    for seen in root.select(_SEEN)[:_MAX_COPIES]:
        if amount := _amount(seen):
            heard = _heard(seen)
            if heard is not None and _amount(heard) == amount:
                heard.decompose()


def _amount(element: Element) -> str:
    """Return the digits of a short text."""
    text = element.text
    return "".join(filter(str.isdigit, text)) if len(text) <= _MAX_PRICE_CHARS else ""


def _heard(seen: Element) -> Element | None:
    """Return what stands right behind for those who listen, or else right before."""
    for beside in (seen.next_siblings, seen.previous_siblings):
        first = next(
            (one for one in islice(beside, _MAX_SIBLING_STEPS) if isinstance(one, Element)), None
        )
        if first is not None and _HEARD.search(first.attr("class") or ""):
            return first
    return None
