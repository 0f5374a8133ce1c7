"""Which conditions of a style sheet hold on the screen that a page is made for. Pure."""

import re
from functools import lru_cache
from typing import Final

# A usual window on a desk, in pixels.
_SCREEN_WIDTH_PIXELS: Final = 1_280.0
_PIXELS: Final = {"px": 1.0, "em": 16.0, "rem": 16.0}
_MEDIA: Final = re.compile(r"@media\b(.{1,400})", re.IGNORECASE)
_BOUND: Final = re.compile(
    r"\(\s*(?:(min|max)-width\s*:|width\s*([<>])=?)\s*(\d{1,6}(?:\.\d{1,6})?)(px|r?em)\s*\)",
    re.IGNORECASE,
)
_REST: Final = re.compile(r"(?:\s|\b(?:only|all|screen|and)\b)*", re.IGNORECASE)


@lru_cache(maxsize=2_000)
def holds_on_a_screen(head: str) -> bool:
    """Tell whether an ``@media`` of nothing but widths holds on a usual screen.

    >>> holds_on_a_screen("@media (min-width:960px)"), holds_on_a_screen("@media print")
    (True, False)
    """
    media = _MEDIA.fullmatch(head)
    return media is not None and any(map(_holds, media[1].split(",")))


def _holds(query: str) -> bool:
    return _REST.fullmatch(_BOUND.sub(" ", query)) is not None and all(
        _fits(bound) for bound in _BOUND.finditer(query)
    )


def _fits(bound: re.Match[str]) -> bool:
    edge, sign, number, unit = bound.groups()
    width = float(number) * _PIXELS[unit.lower()]
    least = (edge or "").lower() == "min" or sign == ">"
    return width <= _SCREEN_WIDTH_PIXELS if least else width >= _SCREEN_WIDTH_PIXELS
