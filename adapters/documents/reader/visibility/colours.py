"""Text in the colour of what is behind it: there for a machine, and for nobody else. Pure.

Only what an element and those around it say themselves is looked at. A style sheet may put anything
behind a class; what is there can be guessed from the text beside it, which somebody is to read: a
white word among many that are not white is on a white page.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias

from turbohtml import Element

from .css_blocks import strip_blanks
from .sheets import Sheets

Colour: TypeAlias = tuple[int, int, int]

# They begin with the colon, which is found at once.
_TEXT: Final = re.compile(r":(?<=color:)(?<![\w-]color:)([^;!]+)", re.IGNORECASE)
_BEHIND: Final = re.compile(
    r":(?:(?<=background:)(?<![\w-]background:)"
    r"|(?<=background-color:)(?<![\w-]background-color:))([^;!]+)",
    re.IGNORECASE,
)
# Where the value of a colour begins that may be white, or none.
FAINT_COLOURS: Final = (
    "(?<=color:)(?<!-color:)(?:#f|white|snow|ivory|ghostwhite|rgb|transparent)",
)
_HEX: Final = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![0-9a-f])")
_RGB: Final = re.compile(r"rgba?\(([^)]*)\)")
_NUMBER: Final = re.compile(r"[\d.]+%?")
_NAMES: Final[dict[str, Colour]] = {
    "white": (255, 255, 255),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "whitesmoke": (245, 245, 245),
    "ghostwhite": (248, 248, 255),
    "black": (0, 0, 0),
}
_WHITE: Final = _NAMES["white"]
_MAX_SHORT_HEX_DIGITS: Final = 4
# Nobody tells apart what is closer than this: a fiftieth of each channel.
_MAX_CHANNEL_DIFFERENCE: Final = 5
_CHANNELS: Final = 3
_MUCH: Final = 4
_MAX_BACKDROP_LOOKUPS: Final = 40


class Backdrops:
    """What is behind the elements of one page."""

    def __init__(self) -> None:
        """Begin with all looks left: each costs a walk through a part of the page."""
        self._looks = _MAX_BACKDROP_LOOKUPS
        # The same few styles come again and again on a page.
        self._ink = cache(_ink)

    def hides(self, element: Element) -> bool:
        """Tell whether the text of an element has the colour of what is behind it."""
        ink = self._ink(element.attr("style") or "", element.attr("color") or "")
        if ink.transparent:
            # A picture may shine through letters that have no colour of their own.
            return not ink.clipped
        return ink.colour is not None and self._is_behind(element, ink.colour)

    def _is_behind(self, element: Element, ink: Colour) -> bool:
        """Tell whether a colour is behind an element, as far as that can be known."""
        white = _are_near(ink, _WHITE)
        for around in _with_parents(element):
            stated = _stated_background(around)
            if stated:
                behind = parse_colour(stated)
                return behind is not None and _are_near(ink, behind)
            if around.tag == "body":
                break
            if around.attr("class") or around.attr("id") or around.attr("background"):
                self._looks -= 1
                return white and self._looks >= 0 and _is_on_white(element, around)
        return white


def hides_itself(style: str) -> bool:
    """Tell whether a style gives a text the colour that it puts behind it, or none at all.

    >>> hides_itself("color: #fff; background: white"), hides_itself("color: #fff")
    (True, False)
    """
    match = _TEXT.search(style)
    if match is None:
        return False
    if _is_transparent(match[1]):
        return "background-clip" not in style.lower()
    behind = _BEHIND.search(style)
    text, back = (parse_colour(match[1]), parse_colour(behind[1])) if behind else (None, None)
    return text is not None and back is not None and _are_near(text, back)


def hides_declared(element: Element, declared: str, sheets: Sheets) -> bool:
    """Tell whether a text has the colour that is behind it, by what rules of a sheet declare.

    Where rules may come from elsewhere, or put something behind, it is not known what is there.
    """
    if hides_itself(declared):
        return True
    if _BEHIND.search(declared) or not is_white(declared) or not sheets.is_all:
        return False
    around = tuple(_with_parents(element))
    behind = (parse_colour(stated) for each in around if (stated := _stated_background(each)))
    return not any(map(sheets.paints, around)) and next(behind, _WHITE) == _WHITE


def is_white(style: str) -> bool:
    """Tell whether a style gives a text the colour of a page that has none of its own."""
    match = _TEXT.search(style)
    text = parse_colour(match[1]) if match else None
    return text is not None and _are_near(text, _WHITE)


def _is_on_white(element: Element, around: Element) -> bool:
    """Guess that it is white behind a text if there is much beside it in the usual colour."""
    if around is element:
        return False
    usual = (p for p in around.select("p") if "color" not in (p.attr("style") or "").lower())
    lengths = accumulate((len(p.text) for p in usual), initial=0)
    much = _MUCH * len(element.text)
    return any(length >= much for length in lengths)


class _Ink(NamedTuple):
    """What letters are drawn in."""

    colour: Colour | None
    transparent: bool
    # Whether what is behind is drawn only where they are.
    clipped: bool


def _ink(style: str, attribute: str) -> _Ink:
    """Return the ink of a style, or else of an attribute that names a colour."""
    plain = strip_blanks(style)
    match = _TEXT.search(plain)
    value = match[1] if match else attribute
    return _Ink(parse_colour(value), _is_transparent(value), "background-clip" in plain.lower())


def _stated_background(element: Element) -> str:
    style = element.attr("style")
    match = _BEHIND.search(strip_blanks(style)) if style else None
    value = match[1] if match else element.attr("bgcolor") or ""
    return value if value and not _is_transparent(value) else ""


def parse_colour(text: str) -> Colour | None:
    """Read a colour as CSS and HTML write it; None for those that we do not know.

    >>> parse_colour("#FFF"), parse_colour("rgb(0 0 0 / 50%)"), parse_colour("var(--ink)")
    ((255, 255, 255), (0, 0, 0), None)
    """
    plain = text.strip().lower()
    if match := _HEX.match(plain):
        digits = match[1]
        if len(digits) <= _MAX_SHORT_HEX_DIGITS:
            return int(digits[0], 16) * 17, int(digits[1], 16) * 17, int(digits[2], 16) * 17
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if parts := _RGB.match(plain):
        channels = [_channel(number) for number in _NUMBER.findall(parts[1])[:_CHANNELS]]
        return (channels[0], channels[1], channels[2]) if len(channels) == _CHANNELS else None
    return _NAMES.get(plain.split(" ")[0]) if plain else None


def _channel(number: str) -> int:
    try:
        value = float(number.rstrip("%"))
    except ValueError:
        return 0
    # A number of hundreds of digits is infinite, which nobody can round.
    return round(min(255.0, value * 2.55 if number.endswith("%") else value))


def _is_transparent(text: str) -> bool:
    plain = text.strip().lower()
    if plain == "transparent":
        return True
    parts = _RGB.match(plain)
    numbers = _NUMBER.findall(parts[1]) if parts else []
    return len(numbers) > _CHANNELS and not numbers[_CHANNELS].strip("0.%")


def _with_parents(element: Element) -> Iterator[Element]:
    around = element
    while isinstance(around, Element):
        yield around
        parent = around.parent
        if not isinstance(parent, Element):
            return
        around = parent


def _are_near(one: Colour, other: Colour) -> bool:
    (r, g, b), (x, y, z) = one, other
    return max(abs(r - x), abs(g - y), abs(b - z)) <= _MAX_CHANNEL_DIFFERENCE
