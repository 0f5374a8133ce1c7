"""Parse the blocks of style sheets that apply on a desktop screen. Pure.

Every step is linear in the length of the sheets.
"""

import re
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

# A common width of a desktop window.
_SCREEN_WIDTH_PIXELS: Final = 1_280.0
_UNIT_PIXELS: Final = {"px": 1.0, "em": 16.0, "rem": 16.0}
_MEDIA_PATTERN: Final = re.compile(r"@media\b(.{1,400})", re.IGNORECASE)
_WIDTH_BOUND_PATTERN: Final = re.compile(
    r"\(\s*(?:(min|max)-width\s*:|width\s*([<>])=?)\s*(\d{1,6}(?:\.\d{1,6})?)(px|r?em)\s*\)",
    re.IGNORECASE,
)
_MEDIA_FILLER_PATTERN: Final = re.compile(r"(?:\s|\b(?:only|all|screen|and)\b)*", re.IGNORECASE)


@lru_cache(maxsize=2_000)
def applies_on_screen(head: str) -> bool:
    """Tell whether an ``@media`` rule with only widths applies on a desktop screen.

    >>> applies_on_screen("@media (min-width:960px)"), applies_on_screen("@media print")
    (True, False)
    """
    media = _MEDIA_PATTERN.fullmatch(head)
    return media is not None and any(map(_media_query_applies, media[1].split(",")))


def _media_query_applies(query: str) -> bool:
    return _MEDIA_FILLER_PATTERN.fullmatch(
        _WIDTH_BOUND_PATTERN.sub(" ", query)
    ) is not None and all(
        _fits_css_screen_width(bound) for bound in _WIDTH_BOUND_PATTERN.finditer(query)
    )


def _fits_css_screen_width(bound: re.Match[str]) -> bool:
    edge, sign, number, unit = bound.groups()
    width = float(number) * _UNIT_PIXELS[unit.lower()]
    is_minimum = (edge or "").lower() == "min" or sign == ">"
    return width <= _SCREEN_WIDTH_PIXELS if is_minimum else width >= _SCREEN_WIDTH_PIXELS


_ALWAYS: Final = re.compile(r"@(?:layer\b.*|media\s+(?:only\s+)?(?:all|screen))", re.IGNORECASE)
# The condition of a block, the strictest last.
_NO_CONDITION, _SCREEN_CONDITION, _OTHER_CONDITION = range(3)
# Selectors, declarations without blanks beside colons, and position. A plain tuple, because there
# are thousands and the garbage collector does not track tuples of plain values.
Block: TypeAlias = tuple[str, str, int]


class CssBlocks(NamedTuple):
    """The innermost blocks of the style sheets of a page."""

    always: list[Block]
    # All of those, and the blocks that apply on a desktop screen.
    screened: list[Block]


def parse_css_blocks(css: str) -> CssBlocks:
    """Return the blocks that always apply, and those that apply on a desktop screen."""
    always: list[Block] = []
    screened: list[Block] = []
    # The strictest condition of each open block, from the outside in.
    conditions = [_NO_CONDITION]
    pieces = _split_css_pieces(css)
    for position, piece in enumerate(pieces, 1):
        head, brace, text = piece.rpartition("{")
        if not brace:
            del conditions[max(1, len(conditions) - 1) :]
            continue
        if "{" in head:
            *outer, head = head.split("{")
            conditions += accumulate(
                map(_css_block_condition, outer), max, initial=conditions.pop()
            )
        if conditions[-1] == _OTHER_CONDITION:
            continue
        block = (_last_css_statement(head) if ";" in head else head.strip(), text, position)
        screened.append(block)
        # An unfinished block may show elements but never hides any.
        if conditions[-1] == _NO_CONDITION and position < len(pieces):
            always.append(block)
    return CssBlocks(always, screened)


def split_css_selectors(head: str) -> list[str]:
    """Return the selectors of a block, one by one."""
    return [selector.strip() for selector in head.split(",")]


def strip_css_blanks(style: str) -> str:
    """Return a style or a sheet without the blanks around colons.

    >>> strip_css_blanks("color : red; top: 0")
    'color:red; top:0'
    """
    return ":".join(map(str.strip, style.split(":")))


def _split_css_pieces(css: str) -> list[str]:
    """Return the parts between closing braces, without comments and strings with braces."""
    first, *rest = css.split("/*")
    uncommented = strip_css_blanks(first + "".join(part.partition("*/")[2] for part in rest))
    pieces = uncommented.split("}")
    if any(_has_torn_css_string(piece) for piece in pieces if '"' in piece or "'" in piece):
        return _empty_css_strings(uncommented).split("}")
    return pieces


def _empty_css_strings(css: str) -> str:
    """Return a sheet with empty strings; an unclosed quote is not a string."""
    parts: list[str] = []
    start = 0
    double, single = css.find('"'), css.find("'")
    while double >= 0 or single >= 0:
        opening = single if double < 0 or 0 <= single < double else double
        closing = css.find(css[opening], opening + 1)
        if closing > 0:
            parts.append(css[start:opening])
            start = closing + 1
        after = max(start, opening + 1)
        double = css.find('"', after) if 0 <= double < after else double
        single = css.find("'", after) if 0 <= single < after else single
    return '""'.join([*parts, css[start:]])


def _has_torn_css_string(piece: str) -> bool:
    quotes = piece.count('"')
    return bool(quotes % 2 or piece.count("'") % 2 or (quotes and piece.count("{") > 1))


def _css_block_condition(head: str) -> int:
    line = " ".join(_last_css_statement(head).split())
    if _ALWAYS.fullmatch(line) is not None:
        return _NO_CONDITION
    return _SCREEN_CONDITION if applies_on_screen(line) else _OTHER_CONDITION


def _last_css_statement(head: str) -> str:
    return head.rpartition(";")[2].strip()
