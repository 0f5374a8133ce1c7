"""What a style does to a text: takes it away, makes it pale, gives it a colour. Pure."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from turbohtml import Element

from .colours import FAINT_COLOURS, hides_itself, is_white
from .css_blocks import strip_blanks


def _of(value: str, *names: str) -> str:
    """Return a pattern for a value of these properties, and of any whose names end so."""
    return f"{value}(?:{'|'.join(f'(?<={name}:{value})' for name in names)})"


def _of_just(value: str, name: str) -> str:
    """Return a pattern for a value of a property of just this name."""
    return rf"{_of(value, name)}(?<![\w-]{name}:{value})"


def _any_of(values: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of these values.

    It begins with the colon, which is found at once, and not with the name before.
    """
    return re.compile(f":(?:{'|'.join(values)})", re.IGNORECASE)


_NOT_MORE: Final = r"(?![.\d]*[1-9])"
_AWAY: Final = (
    _of("none", "display"),
    _of("0", "font-size") + rf"(?:\.0|{_NOT_MORE})",
    _of(r"\.0", "font-size"),
    _of("1px", "font-size"),
    # Off the screen, on any side.
    _of(r"-\d{3}", "left", "top", "right", "bottom", "text-indent"),
    _of(r"\d{4}", "left", "top") + r"(?:(?<=9{4})|\d)\d*px",
    # Cut away.
    _of(r"rect\(", "clip") + r"\s*(?:0|1px)",
    _of(r"inset\(", "clip-path") + r"\s*(?:50|100)%",
    _of(r"circle\(", "clip-path") + r"\s*0",
    _of(r"polygon\(", "clip-path") + r"\s*0(?:px)?\s+0(?:px)?\s*,\s*0(?:px)?\s+0",
)
_FAINT: Final = (_of("hidden", "visibility"), _of("0", "opacity") + _NOT_MORE)
_LOW: Final = tuple(
    _of_just("0", name) + _NOT_MORE for name in ("height", "width", "max-height", "max-width")
)
_CUT: Final = tuple(
    _of(value, "overflow", "overflow-x", "overflow-y") for value in ("hidden", "clip")
)
_MOVE: Final = ("(?<=transform:)(?<!text-transform:)",)
_GONE, _PALE, _FLAT, _CUT_OFF = map(_any_of, (_AWAY, _FAINT, _LOW, _CUT))
# One of these is in whatever may hide.
_MARK: Final = _any_of(_AWAY + _FAINT + _LOW + _MOVE + FAINT_COLOURS)
_MOVED: Final = re.compile(
    r"\((?:(?<=scale\()\s*0\s*\)"
    r"|(?:(?<=translate\()|(?<=translate[xy]\()|(?<=translate3d\())"
    r"\s*(?:0(?:px)?\s*,\s*)?-\d{4})",
    re.IGNORECASE,
)
# A row of slides, several times as wide as what shows one of them, is moved to the side.
_SLIDES: Final = re.compile(r"width:[2-9]\d\d\d*(?:\.\d+)?%.*left:-\d+00%", re.IGNORECASE)


class StyleTraits(NamedTuple):
    """What a style does to a text."""

    nowhere: bool
    pale: bool
    coloured: bool

    def hide(self, element: Element) -> bool:
        """Tell whether nothing of an element is seen, and nothing says that this will change."""
        return self.nowhere or (self.pale and element.attr("aria-hidden") == "true")


# The same few styles come again and again on a page.
@lru_cache(maxsize=2_000)
def style_traits(style: str) -> StyleTraits:
    """Return what a style does to a text."""
    plain = strip_blanks(style)
    return StyleTraits(
        _is_nowhere(plain), _PALE.search(plain) is not None, "color" in plain.lower()
    )


def may_hide(style: str) -> bool:
    """Tell whether a style of a sheet may hide what it is for; most can be seen not to at once."""
    if _MARK.search(style) is None:
        return "background" in style and hides_itself(style)
    faint = _PALE.search(style) is not None or _is_nowhere(style)
    return faint or is_white(style) or hides_itself(style)


def _is_nowhere(style: str) -> bool:
    if _FLAT.search(style) is not None and _CUT_OFF.search(style) is not None:
        return True
    if _GONE.search(style) is None and _MOVED.search(style) is None:
        return False
    return _SLIDES.fullmatch(" ".join(style.split()).strip(" ;")) is None
