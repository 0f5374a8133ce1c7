"""Text in the colour of what is behind it: there for a machine, and for nobody else. Pure.

Only what an element and those around it say themselves is looked at. A style sheet may put anything
behind a class; what is there can be guessed from the text beside it, which somebody is to read: a
white word among many that are not white is on a white page.
"""

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from turbohtml import Element

from .sheets import Sheets

Colour: TypeAlias = tuple[int, int, int]

_TEXT: Final = re.compile(r"(?<![\w-])color\s*:\s*([^;!]+)", re.IGNORECASE)
_BEHIND: Final = re.compile(r"(?<![\w-])background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
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
_SHORT: Final = 4
# Nobody tells apart what is closer than this: a fiftieth of each channel.
_NEAR: Final = 5
_CHANNELS: Final = 3
_MUCH: Final = 4
_MOST_LOOKS: Final = 40


class Backdrops:
    """What is behind the elements of one page."""

    def __init__(self) -> None:
        """Begin with all looks left: each costs a walk through a part of the page."""
        self._looks = _MOST_LOOKS

    def hides(self, element: Element) -> bool:
        """Tell whether the text of an element has the colour of what is behind it."""
        value, clipped = _text_colour(element)
        if _is_transparent(value):
            # A picture may shine through letters that have no colour of their own.
            return not clipped
        text = colour(value)
        behind = self._behind(element) if text is not None else None
        return text is not None and behind is not None and _are_near(text, behind)

    def _behind(self, element: Element) -> Colour | None:
        """Return the colour behind an element; None where it cannot be known."""
        for around in _with_parents(element):
            stated = _stated_background(around)
            if stated:
                return colour(stated)
            if around.tag == "body":
                break
            if around.attr("class") or around.attr("id") or around.attr("background"):
                return self._guess(element, around)
        return _WHITE

    def _guess(self, element: Element, around: Element) -> Colour | None:
        """Guess that it is white behind a text if there is much beside it in the usual colour."""
        self._looks -= 1
        if self._looks < 0 or around is element:
            return None
        usual = (p for p in around.select("p") if "color" not in (p.attr("style") or "").lower())
        return _WHITE if sum(len(p.text) for p in usual) >= _MUCH * len(element.text) else None


def hides_itself(style: str) -> bool:
    """Tell whether a style gives a text the colour that it puts behind it, or none at all.

    >>> hides_itself("color: #fff; background: white"), hides_itself("color: #fff")
    (True, False)
    """
    match, behind = _TEXT.search(style), _BEHIND.search(style)
    if match is None:
        return False
    if _is_transparent(match[1]):
        return "background-clip" not in style.lower()
    text, back = colour(match[1]), colour(behind[1]) if behind else None
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
    behind = (colour(stated) for each in around if (stated := _stated_background(each)))
    return not any(map(sheets.paints, around)) and next(behind, _WHITE) == _WHITE


def is_white(style: str) -> bool:
    """Tell whether a style gives a text the colour of a page that has none of its own."""
    match = _TEXT.search(style)
    text = colour(match[1]) if match else None
    return text is not None and _are_near(text, _WHITE)


def _text_colour(element: Element) -> tuple[str, bool]:
    style = element.attr("style") or ""
    match = _TEXT.search(style)
    value = match[1] if match else element.attr("color") or ""
    return value, "background-clip" in style.lower()


def _stated_background(element: Element) -> str:
    match = _BEHIND.search(element.attr("style") or "")
    value = match[1] if match else element.attr("bgcolor") or ""
    return "" if _is_transparent(value) else value


def colour(text: str) -> Colour | None:
    """Read a colour as CSS and HTML write it; None for those that we do not know.

    >>> colour("#FFF"), colour("rgb(0 0 0 / 50%)"), colour("var(--ink)")
    ((255, 255, 255), (0, 0, 0), None)
    """
    plain = text.strip().lower()
    if digits := _HEX.match(plain):
        wide = digits[1] if len(digits[1]) > _SHORT else "".join(d * 2 for d in digits[1])
        return int(wide[:2], 16), int(wide[2:4], 16), int(wide[4:6], 16)
    if parts := _RGB.match(plain):
        channels = [_channel(number) for number in _NUMBER.findall(parts[1])[:_CHANNELS]]
        return (channels[0], channels[1], channels[2]) if len(channels) == _CHANNELS else None
    return _NAMES.get(plain.split(" ")[0]) if plain else None


def _channel(number: str) -> int:
    try:
        value = float(number.rstrip("%"))
    except ValueError:
        return 0
    return min(255, round(value * 2.55 if number.endswith("%") else value))


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
    return all(abs(a - b) <= _NEAR for a, b in zip(one, other, strict=True))
