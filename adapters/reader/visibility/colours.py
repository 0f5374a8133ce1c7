"""Find text in the colour of its background: only a machine reads it. Pure.

Only the styles of an element and its ancestors are read. A style sheet may give a class any
background; then the visible text beside it decides: a white word among much text in the default
colour is on a white page.
"""

import re
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import Final, TypeAlias

from turbohtml import Element

from .css_rules import strip_css_blanks
from .sheets import Sheets

Colour: TypeAlias = tuple[int, int, int]

# The patterns begin with the colon, for which the search is fast.
_TEXT_COLOUR_PATTERN: Final = re.compile(r":(?<=color:)(?<![\w-]color:)([^;!]+)", re.IGNORECASE)
_BACKGROUND_PATTERN: Final = re.compile(
    r":(?:(?<=background:)(?<![\w-]background:)"
    r"|(?<=background-color:)(?<![\w-]background-color:))([^;!]+)",
    re.IGNORECASE,
)
# Starts of colour values that may be white or transparent.
FAINT_COLOURS: Final = (
    "(?<=color:)(?<!-color:)(?:#f|white|snow|ivory|ghostwhite|rgb|transparent)",
)
_HEX_PATTERN: Final = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![0-9a-f])")
_RGB_PATTERN: Final = re.compile(r"rgba?\(([^)]*)\)")
_NUMBER_PATTERN: Final = re.compile(r"[\d.]+%?")
_COLOUR_NAMES: Final[dict[str, Colour]] = {
    "white": (255, 255, 255), "snow": (255, 250, 250), "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245), "ghostwhite": (248, 248, 255), "black": (0, 0, 0),
}  # fmt: skip
WHITE: Final = _COLOUR_NAMES["white"]
_MAX_SHORT_HEX_DIGITS: Final = 4
# People cannot distinguish colours within a fiftieth of each channel.
_MAX_CHANNEL_DIFFERENCE: Final = 5
_CHANNEL_COUNT: Final = 3
_MIN_DEFAULT_TEXT_RATIO: Final = 4
_MAX_BACKGROUND_LOOKUPS: Final = 40


class Backgrounds:
    """The backgrounds of the elements of one page."""

    def __init__(self) -> None:
        """Start with the full budget: each lookup walks through a part of the page."""
        self._lookups_left = _MAX_BACKGROUND_LOOKUPS

    def is_hidden(self, element: Element) -> bool:
        """Tell whether the text of an element has the colour of its background."""
        style = strip_css_blanks(element.attr("style") or "")
        match = _TEXT_COLOUR_PATTERN.search(style)
        value = match[1] if match else element.attr("color") or ""
        if _is_transparent_colour(value):
            # A background clipped to the text shows through transparent letters.
            return "background-clip" not in style.lower()
        colour = parse_colour(value)
        return colour is not None and self._has_background(element, colour)

    def _has_background(self, element: Element, colour: Colour) -> bool:
        """Tell whether an element's background has this colour, as far as that can be known."""
        is_white_text = are_similar_colours(colour, WHITE)
        for ancestor in _inclusive_ancestors(element):
            stated = _stated_background(ancestor)
            if stated:
                background = parse_colour(stated)
                return background is not None and are_similar_colours(colour, background)
            if ancestor.tag == "body":
                break
            if ancestor.attr("class") or ancestor.attr("id") or ancestor.attr("background"):
                self._lookups_left -= 1
                return is_white_text and self._lookups_left >= 0 and _is_on_white(element, ancestor)
        return is_white_text


def is_hidden_by_colour(style: str) -> bool:
    """Tell whether a style gives text the colour of its background, or makes it transparent.

    >>> is_hidden_by_colour("color: #fff; background: white"), is_hidden_by_colour("color: #fff")
    (True, False)
    """
    match = _TEXT_COLOUR_PATTERN.search(style)
    if match is None:
        return False
    if _is_transparent_colour(match[1]):
        return "background-clip" not in style.lower()
    behind = _BACKGROUND_PATTERN.search(style)
    text, back = (parse_colour(match[1]), parse_colour(behind[1])) if behind else (None, None)
    return text is not None and back is not None and are_similar_colours(text, back)


def is_hidden_by_sheet_colour(element: Element, declared: str, sheets: Sheets) -> bool:
    """Tell whether rules of a style sheet give text the colour of its background.

    Answer no where external sheets or other rules may set the background.
    """
    if is_hidden_by_colour(declared):
        return True
    if _BACKGROUND_PATTERN.search(declared) or not is_white_text(declared) or not sheets.is_all:
        return False
    ancestors = tuple(_inclusive_ancestors(element))
    backgrounds = (
        parse_colour(stated) for ancestor in ancestors if (stated := _stated_background(ancestor))
    )
    return not any(map(sheets.may_have_background, ancestors)) and next(backgrounds, WHITE) == WHITE


def is_white_text(style: str) -> bool:
    """Tell whether a style makes text white, the default background of a page."""
    match = _TEXT_COLOUR_PATTERN.search(style)
    text = parse_colour(match[1]) if match else None
    return text is not None and are_similar_colours(text, WHITE)


def _is_on_white(element: Element, ancestor: Element) -> bool:
    """Guess a white background if there is much text beside it in the default colour."""
    if ancestor is element:
        return False
    paragraphs = (p for p in ancestor.select("p") if "color" not in (p.attr("style") or "").lower())
    lengths = accumulate((len(p.text) for p in paragraphs), initial=0)
    min_chars = _MIN_DEFAULT_TEXT_RATIO * len(element.text)
    return any(length >= min_chars for length in lengths)


def _stated_background(element: Element) -> str:
    style = element.attr("style")
    match = _BACKGROUND_PATTERN.search(strip_css_blanks(style)) if style else None
    value = match[1] if match else element.attr("bgcolor") or ""
    return value if value and not _is_transparent_colour(value) else ""


def parse_colour(text: str) -> Colour | None:
    """Parse a colour of CSS or HTML; None for unsupported forms.

    >>> parse_colour("#FFF"), parse_colour("rgb(0 0 0 / 50%)"), parse_colour("var(--ink)")
    ((255, 255, 255), (0, 0, 0), None)
    """
    value = text.strip().lower()
    if match := _HEX_PATTERN.match(value):
        digits = match[1]
        if len(digits) <= _MAX_SHORT_HEX_DIGITS:
            return int(digits[0], 16) * 17, int(digits[1], 16) * 17, int(digits[2], 16) * 17
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if parts := _RGB_PATTERN.match(value):
        channels = [
            _colour_channel(part) for part in _NUMBER_PATTERN.findall(parts[1])[:_CHANNEL_COUNT]
        ]
        return (channels[0], channels[1], channels[2]) if len(channels) == _CHANNEL_COUNT else None
    return _COLOUR_NAMES.get(value.split(" ")[0]) if value else None


def _colour_channel(number: str) -> int:
    try:
        value = float(number.rstrip("%"))
    except ValueError:
        return 0
    # float() of hundreds of digits is infinite, which round() rejects; min() comes first.
    return round(min(255.0, value * 2.55 if number.endswith("%") else value))


def _is_transparent_colour(text: str) -> bool:
    value = text.strip().lower()
    if value == "transparent":
        return True
    parts = _RGB_PATTERN.match(value)
    numbers = _NUMBER_PATTERN.findall(parts[1]) if parts else []
    return len(numbers) > _CHANNEL_COUNT and not numbers[_CHANNEL_COUNT].strip("0.%")


def _inclusive_ancestors(element: Element) -> Iterator[Element]:
    return (node for node in chain((element,), element.ancestors) if isinstance(node, Element))


def are_similar_colours(first: Colour, second: Colour) -> bool:
    """Tell whether people cannot distinguish two colours."""
    (r, g, b), (x, y, z) = first, second
    return max(abs(r - x), abs(g - y), abs(b - z)) <= _MAX_CHANNEL_DIFFERENCE
