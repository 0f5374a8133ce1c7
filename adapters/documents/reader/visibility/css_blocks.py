"""The blocks of style sheets that hold on the screen that a page is made for. Pure.

Every step is linear in the length of the sheets, whatever is in them.
"""

import re
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

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


# The blocks of style sheets that hold on the screen that a page is made for. Pure.

_ALWAYS: Final = re.compile(r"@(?:layer\b.*|media\s+(?:only\s+)?(?:all|screen))", re.IGNORECASE)
# What a block depends on, the worst last.
_NONE, _SCREEN, _OTHER = range(3)
# What it is for, what it declares, with no blank beside a colon, and its place among the others. A
# plain tuple: there are thousands of them, and the collector of garbage leaves these alone.
Block: TypeAlias = tuple[str, str, int]


class CssBlocks(NamedTuple):
    """The innermost blocks of the style sheets of a page."""

    always: list[Block]
    # Those, and the ones that hold on screens of a usual width.
    screened: list[Block]


def parse_css_blocks(css: str) -> CssBlocks:
    """Return the blocks that always hold, or on a usual screen."""
    always: list[Block] = []
    screened: list[Block] = []
    # The worst on which anything depends in what is open, from the outside in.
    conditions = [_NONE]
    pieces = _pieces(css)
    for place, piece in enumerate(pieces, 1):
        head, brace, text = piece.rpartition("{")
        if not brace:
            del conditions[max(1, len(conditions) - 1) :]
            continue
        if "{" in head:
            *around, head = head.split("{")
            conditions += accumulate(map(_condition, around), max, initial=conditions.pop())
        if conditions[-1] == _OTHER:
            continue
        block = (_last(head) if ";" in head else head.strip(), text, place)
        screened.append(block)
        # One that breaks off may show something, and hides nothing.
        if conditions[-1] == _NONE and place < len(pieces):
            always.append(block)
    return CssBlocks(always, screened)


def split_selectors(head: str) -> list[str]:
    """Return what a block is for, each by itself."""
    return [selector.strip() for selector in head.split(",")]


def strip_blanks(style: str) -> str:
    """Return a style, or a whole sheet, without the blanks around colons.

    >>> strip_blanks("color : red; top: 0")
    'color:red; top:0'
    """
    return ":".join(map(str.strip, style.split(":")))


def _pieces(css: str) -> list[str]:
    """Return what is between closing braces, without comments and texts with braces in them."""
    first, *rest = css.split("/*")
    bare = strip_blanks(first + "".join(part.partition("*/")[2] for part in rest))
    pieces = bare.split("}")
    if any(_is_torn(piece) for piece in pieces if '"' in piece or "'" in piece):
        return _without_texts(bare).split("}")
    return pieces


def _without_texts(css: str) -> str:
    """Return a sheet with nothing in its texts; one that never ends is none."""
    kept: list[str] = []
    start = 0
    double, single = css.find('"'), css.find("'")
    while double >= 0 or single >= 0:
        opening = single if double < 0 or 0 <= single < double else double
        closing = css.find(css[opening], opening + 1)
        if closing > 0:
            kept.append(css[start:opening])
            start = closing + 1
        after = max(start, opening + 1)
        double = css.find('"', after) if 0 <= double < after else double
        single = css.find("'", after) if 0 <= single < after else single
    return '""'.join([*kept, css[start:]])


def _is_torn(piece: str) -> bool:
    quotes = piece.count('"')
    return bool(quotes % 2 or piece.count("'") % 2 or (quotes and piece.count("{") > 1))


def _condition(head: str) -> int:
    line = " ".join(_last(head).split())
    if _ALWAYS.fullmatch(line) is not None:
        return _NONE
    return _SCREEN if holds_on_a_screen(line) else _OTHER


def _last(head: str) -> str:
    return head.rpartition(";")[2].strip()
