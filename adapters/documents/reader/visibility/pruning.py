"""Take out of a parsed page what a person looking at it would not read.

Scripts, forms' fields and drawings go. Hidden text goes too: it is where instructions to a model
are planted. What a click or a script would show stays: a panel that some control on the page names,
a part that was streamed in hidden, a page that is hidden as a whole until its script has run.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from turbohtml import Document, Element

from ..rendering.formula_rendering import set_formulas
from .colours import FAINT_COLOURS, Backdrops, hides_declared, hides_itself, is_white
from .css_blocks import strip_blanks
from .css_rules import SHOWN
from .panels import unreachable_parts
from .sheets import Sheets


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


# Take out of a parsed page what a person looking at it would not read.

_NEVER_READ: Final = (
    "script,style,template,svg,math annotation,iframe,object,embed,canvas,audio,video,map,input,"
    "select,textarea,link,meta,datalist,title,frameset,noframes,noembed,progress,meter,"
    # What an example of MDN runs beside the code that it shows.
    "pre.hidden[class*=brush]"
)
_CHROME: Final = "nav,footer,[role=navigation],[role=contentinfo],[role=dialog],dialog"
# In the line that leads from one part of a manual of Texinfo to the next.
_STEP_UP: Final = "a[rel~=up][accesskey]"
_FRAME: Final = frozenset({"html", "body", "main", "article"})
# A page of some length with so much of its text in one hidden part is hidden as a whole until its
# script has run. On a short page the hidden text may just be longer than what is shown.
_TOO_MUCH: Final = 0.6
_REAL_PAGE: Final = 1_500
_FADED_PARTS: Final = 4
_FADED_SHARE: Final = 0.2
_WORTH_READING: Final = 80
_MIN_CONTENT_SHARE: Final = 0.2
_MEASURES: Final = 4


class PrunedPage(msgspec.Struct, frozen=True):
    """The body that is left, how many hidden parts went, and whether some were kept.

    ``waiting`` says that the page hides text until its script has run, and that it was kept;
    ``menus`` is how many words of navigation, footers and dialogs went.
    """

    body: Element
    hidden: int
    waiting: bool
    menus: int = 0


def prune_hidden(document: Document) -> PrunedPage | None:
    """Prune ``document`` in place; nothing when it has no body."""
    sheets = Sheets(document, may_hide)
    set_formulas(document)
    document.remove(_NEVER_READ)
    body = document.find("body")
    if body is None:
        return None
    _open_noscript(document, body)
    hidden, waiting = _remove_hidden(document, body, sheets)
    return PrunedPage(body, hidden, waiting, _remove_chrome(body))


def _open_noscript(document: Document, body: Element) -> None:
    """Keep what a page without scripts would show only where there is little else to read.

    It is raw text until then, as in a browser that runs scripts: an ``iframe`` in there that is
    never closed would swallow the rest of the page.
    """
    parts = [(element, element.text) for element in body.find_all("noscript")]
    # A word ends with a blank, which may be spelt as a reference.
    most = sum(len(markup.split()) + markup.count("&") for _, markup in parts)
    if most < _WORTH_READING:
        for element, _ in parts:
            element.decompose()
        return
    for element, markup in parts:
        element.tag = "div"
        element.set_inner_html(markup)
    document.remove(_NEVER_READ)
    words = sum(len(element.text.split()) for element, _ in parts)
    if words < _WORTH_READING or words <= 0.6 * len(body.text.split()):
        for element, _ in parts:
            element.decompose()


def _remove_hidden(document: Document, body: Element, sheets: Sheets) -> tuple[int, bool]:
    gone = document.select("[hidden]:not([hidden=until-found])")
    pale: list[Element] = []
    backdrops = Backdrops()
    for element, is_gone in (*_by_sheets(document, sheets), *_by_attributes(document, backdrops)):
        (gone if is_gone else pale).append(element)
    if not gone and not pale:
        return 0, False
    length = len(body.text)
    most = _TOO_MUCH * length if length >= _REAL_PAGE else length
    removed, gone_stayed = _remove_all(unreachable_parts(document, gone), most, length)
    if _fades_in(pale, length):
        return removed, True
    faded, faded_stayed = _remove_all(pale, most, length)
    return removed + faded, gone_stayed or faded_stayed


def _by_attributes(document: Document, backdrops: Backdrops) -> Iterator[tuple[Element, bool]]:
    """Yield what attributes hide; False for what is only pale, and may fade in."""
    for element in document.select("[style],font[color]"):
        found = style_traits(element.attr("style") or "")
        coloured = found.coloured or element.attr("color")
        if found.hide(element) or (coloured and backdrops.hides(element)):
            yield element, True
        elif found.pale:
            yield element, False


def _by_sheets(document: Document, sheets: Sheets) -> Iterator[tuple[Element, bool]]:
    """Yield what the page's own style sheets hide, likewise; an attribute may show it again."""
    for element, declared in sheets.declared(document):
        if SHOWN.search(strip_blanks(element.attr("style") or "")):
            continue
        found = style_traits(declared)
        if found.hide(element) or hides_declared(element, declared, sheets):
            yield element, True
        elif found.pale:
            yield element, False


def _fades_in(pale: list[Element], length: int) -> bool:
    """Tell whether pale parts are many and long enough to be a page that fades in."""
    if length < _REAL_PAGE or len(pale) < _FADED_PARTS:
        return False
    held = 0
    for element in pale:
        held += len(element.text)
        if held > _MEASURES * length:
            break
    return held >= _FADED_SHARE * length


def _remove_all(hidden: list[Element], most: float, length: int) -> tuple[int, bool]:
    """Remove each part of at most so many characters; return how many went, and if any stayed."""
    removed, stayed = 0, False
    # Measuring nested parts again and again is quadratic, so there is only so much of it.
    budget = _MEASURES * length
    for element in hidden:
        if element.tag in _FRAME or element.parent is None:
            continue
        size = len(element.text) if budget > 0 else 0
        budget -= size
        if size <= most:
            element.decompose()
            removed += 1
        else:
            stayed = True
    return removed, stayed


def _is_source(element: Element) -> bool:
    """Tell what names who is quoted."""
    return element.tag == "footer" and element.closest("blockquote") is not None


def _steps(body: Element) -> Iterator[Element]:
    """Yield the lines that hold nothing but steps to other parts of a manual."""
    for line in dict.fromkeys(link.parent for link in body.select(_STEP_UP)):
        if isinstance(line, Element) and all(node.tag == "a" for node in _elements(line)):
            yield line


def _elements(element: Element) -> Iterator[Element]:
    return (node for node in element.children if isinstance(node, Element))


def _remove_chrome(body: Element) -> int:
    """Take out navigation and footers, unless the page lives in them; return their words."""
    chrome = [element for element in body.select(_CHROME) if not _is_source(element)]
    chrome += _steps(body)
    if not chrome:
        return 0
    total = len(body.text)
    spent = words = 0
    for element in chrome:
        text = element.text if spent < _MEASURES * total else ""
        spent += len(text)
        if len(text) <= (1 - _MIN_CONTENT_SHARE) * total:
            words += len(text.split())
            element.decompose()
    return words
