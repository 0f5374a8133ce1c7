"""Remove the parts of a parsed page that a person would not read.

Scripts, form fields and drawings go. Hidden text goes too: it may be instructions to a model. Parts
that a click or a script would show stay: a panel that a control names, a streamed part, a page that
is hidden until its script has run.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import msgspec
from turbohtml import Document, Element

from webseam.ports.pages import LeftOutKind

from ..removals import Removals, text_nodes
from ..rendering.formula_rendering import mark_formulas
from . import colours
from .css_rules import SHOWN_PATTERN, SIZE_PATTERN, strip_css_blanks
from .panels import is_text_continuation, unreachable_hidden_parts
from .sheets import Sheets, unsized_parts
from .stated import StatedText


def _css_value(value: str, *names: str) -> str:
    """Return a pattern for a value of properties whose names end like this."""
    return f"{value}(?:{'|'.join(f'(?<={name}:{value})' for name in names)})"


def _compile_css_values(values: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for any of these values; it begins with the colon, which is fast."""
    return re.compile(f":(?:{'|'.join(values)})", re.IGNORECASE)


_ZERO_LOOKAHEAD: Final = r"(?![.\d]*[1-9])"
_AWAY_VALUES: Final = (
    _css_value("none", "display"),
    _css_value("0", "font-size") + rf"(?:\.0|{_ZERO_LOOKAHEAD})",
    _css_value(r"\.0", "font-size"),
    _css_value("1px", "font-size"),
    # Off the screen, on any side.
    _css_value(r"-\d{3}", "left", "top", "right", "bottom", "text-indent"),
    _css_value(r"\d{4}", "left", "top") + r"(?:(?<=9{4})|\d)\d*px",
    # Cut away.
    _css_value(r"rect\(", "clip") + r"\s*(?:0|1px)",
    _css_value(r"inset\(", "clip-path") + r"\s*(?:50|100)%",
    _css_value(r"circle\(", "clip-path") + r"\s*0",
    _css_value(r"polygon\(", "clip-path") + r"\s*0(?:px)?\s+0(?:px)?\s*,\s*0(?:px)?\s+0",
)
_FAINT_VALUES: Final = (
    _css_value("hidden", "visibility"),
    _css_value("0", "opacity") + _ZERO_LOOKAHEAD,
)
_FLAT_VALUES: Final = tuple(
    rf"{_css_value('0', name)}(?<![\w-]{name}:0){_ZERO_LOOKAHEAD}"
    for name in ("height", "width", "max-height", "max-width")
)
_OVERFLOW_VALUES: Final = tuple(
    _css_value(value, "overflow", "overflow-x", "overflow-y") for value in ("hidden", "clip")
)
_TRANSFORM_VALUES: Final = ("(?<=transform:)(?<!text-transform:)",)
_AWAY_PATTERN, _FAINT_PATTERN, _FLAT_PATTERN, _OVERFLOW_PATTERN = map(
    _compile_css_values, (_AWAY_VALUES, _FAINT_VALUES, _FLAT_VALUES, _OVERFLOW_VALUES)
)
# Every hiding style contains one of these.
_MAY_HIDE_PATTERN: Final = _compile_css_values(
    _AWAY_VALUES + _FAINT_VALUES + _FLAT_VALUES + _TRANSFORM_VALUES + colours.FAINT_COLOURS
)
_MOVED_PATTERN: Final = re.compile(
    r"\((?:(?<=scale\()\s*0\s*\)"
    r"|(?:(?<=translate\()|(?<=translate[xy]\()|(?<=translate3d\())"
    r"\s*(?:0(?:px)?\s*,\s*)?-\d{4})",
    re.IGNORECASE,
)
# A row of slides, several times as wide as its frame, is moved to the side.
_SLIDES_PATTERN: Final = re.compile(r"width:[2-9]\d\d\d*(?:\.\d+)?%.*left:-\d+00%", re.IGNORECASE)


_Hiding: TypeAlias = Literal["gone", "faint", "tiny"]


# A page repeats a few styles.
@lru_cache(maxsize=2_000)
def css_hiding(style: str, *, is_unspoken: bool) -> _Hiding | None:
    """Tell how a style hides text; tiny text may get a size again inside, faint text may fade in.

    ``is_unspoken`` tells that screen readers leave the text out too.
    """
    css = strip_css_blanks(style)
    if _is_out_of_view(css):
        return "gone" if _is_out_of_view(SIZE_PATTERN.sub("", css)) else "tiny"
    if _FAINT_PATTERN.search(css) is None:
        return None
    return "gone" if is_unspoken else "faint"


def css_may_hide(style: str) -> bool:
    """Tell whether the declarations of a sheet may hide elements; the first test rules out most."""
    if _MAY_HIDE_PATTERN.search(style) is None:
        return "background" in style and colours.is_hidden_by_colour(style)
    is_faint = _FAINT_PATTERN.search(style) is not None or _is_out_of_view(style)
    return is_faint or colours.is_white_text(style) or colours.is_hidden_by_colour(style)


def _is_out_of_view(style: str) -> bool:
    if _FLAT_PATTERN.search(style) is not None and _OVERFLOW_PATTERN.search(style) is not None:
        return True
    if _AWAY_PATTERN.search(style) is None and _MOVED_PATTERN.search(style) is None:
        return False
    return _SLIDES_PATTERN.fullmatch(" ".join(style.split()).strip(" ;")) is None


# What is no text of a page; the title of the page is returned beside the content.
_SILENT_TAGS: Final = ("script", "style", "template", "link", "meta", "embed")
# Elements without content: what stands in most of them is shown where the element itself is not.
_UNREAD_SELECTORS: Final[tuple[tuple[str, LeftOutKind], ...]] = (
    *(
        (selector, "hidden")
        for selector in (
            "math annotation", "iframe", "object", "canvas", "audio", "video", "map", "frameset",
            "noframes", "noembed", "progress", "meter",
            # MDN's examples run this code beside the code that they show.
            "pre.hidden[class*=brush]",
        )
    ),
    # Readings beside the characters of a word.
    *((selector, "copies") for selector in ("rt", "rp", "rtc")),
)  # fmt: skip
_CONTROL_TAGS: Final = ("input", "select", "textarea", "datalist")
# The values of these types stand nowhere on the screen.
_UNSHOWN_INPUT_TYPES: Final = frozenset(
    {"checkbox", "color", "file", "hidden", "image", "password", "radio", "range"}
)
# Of a drawing, these are not drawn.
_UNDRAWN_SELECTOR: Final = "clippath,defs,desc,mask,metadata,symbol,title"
_MENU_SELECTOR: Final = (
    "nav,footer:not(blockquote footer),[role=navigation],[role=contentinfo],[role=dialog],dialog,"
    # The line between parts of Texinfo's manuals.
    "div:is(.header,.nav-panel):has(a[rel~=up][accesskey])"
)
_FRAME_TAGS: Final = frozenset({"html", "body", "main", "article"})
# A longer page with this share of its text in one hidden part is hidden until its script has run.
# On a short page, hidden text may simply be longer than the visible text.
_MAX_HIDDEN_SHARE: Final = 0.6
_MIN_LONG_PAGE_CHARS: Final = 1_500
_MIN_FADED_PARTS: Final = 4
_MIN_FADED_SHARE: Final = 0.2
_MIN_NOSCRIPT_WORDS: Final = 80
_MIN_CONTENT_SHARE: Final = 0.2
_MAX_MEASURE_PASSES: Final = 4


class PrunedPage(msgspec.Struct, frozen=True):
    """The remaining body and the number of removed hidden parts.

    ``waiting`` tells that text was kept which the page hides until its script has run; ``rest``
    counts the words of hidden parts that continue a visible text, ``hidden_chars`` is the length of
    the hidden text. ``stated`` counts the hidden parts of which text was kept that the page states
    in linked data. ``removals`` has all text that was removed.
    """

    body: Element
    hidden: int
    waiting: bool
    removals: Removals
    rest: int = 0
    hidden_chars: int = 0
    stated: int = 0


def prune_page(
    document: Document,
    *,
    walled: bool = False,
    menus: bool = False,
    stated: StatedText | None = None,
    parts: bool = False,
) -> PrunedPage | None:
    """Prune ``document`` in place; return None when it has no body.

    ``walled`` keeps hidden parts that continue a visible text, as they stand behind a wall;
    ``menus`` keeps navigation, footers and dialogs; hidden text that ``stated`` states stays;
    ``parts`` keeps the order of what is removed.
    """
    sheets = Sheets(document, css_may_hide)
    removals = Removals(keeps_order=parts)
    mark_formulas(document, removals)
    _remove_unread_elements(document, sheets, removals)
    body = document.find("body")
    if body is None:
        return None
    _keep_needed_noscript(document, body, sheets, removals)
    length = len(body.text)
    removed = _remove_hidden_parts(
        document, body, sheets, removals, walled=walled, stated=stated or StatedText(())
    )
    removals.settle(body)
    left = len(body.text)
    hidden_chars = length - left if removed.hidden else 0
    if not menus:
        _remove_navigation(body, left, removals)
    return PrunedPage(
        body, removed.hidden, removed.waiting, removals, removed.rest, hidden_chars, removed.stated
    )


def _remove_unread_elements(document: Document, sheets: Sheets, removals: Removals) -> None:
    # The parser looks up a tag alone in an index; it compares a list with every element.
    for tag in _SILENT_TAGS:
        for element in document.select(tag):
            element.decompose()
    for drawing in document.select("svg"):
        _hold_drawing(drawing, sheets, removals)
        drawing.decompose()
    for title in document.select("title"):
        title.decompose()
    for selector, kind in _UNREAD_SELECTORS:
        for element in document.select(selector):
            removals.take(kind, element)
            element.decompose()
    present_tags = [tag for tag in _CONTROL_TAGS if document.find(tag) is not None]
    controls = document.select(",".join(present_tags)) if present_tags else []
    for control in controls:
        _hold_control(control, sheets, removals)
    for control in controls:
        control.decompose()


def _hold_drawing(drawing: Element, sheets: Sheets, removals: Removals) -> None:
    nodes = [node for node in text_nodes(drawing) if not node.data.isspace()]
    if nodes:
        for undrawn in drawing.select(_UNDRAWN_SELECTOR):
            removals.take("hidden", undrawn)
        kind: LeftOutKind = "hidden" if _is_hidden_itself(drawing, sheets) else "unlikely"
        removals.hold(kind, drawing, nodes, [])


def _hold_control(control: Element, sheets: Sheets, removals: Removals) -> None:
    """Hold the options or the value of a field; the text of a hidden one may speak to a model."""
    value = (control.attr("value") or "").strip() if control.tag == "input" else ""
    nodes = [] if control.tag == "input" else text_nodes(control)
    if value or nodes:
        is_unshown = (control.attr("type") or "").strip().lower() in _UNSHOWN_INPUT_TYPES
        is_hidden = (is_unshown and control.tag == "input") or _is_hidden_itself(control, sheets)
        removals.hold(
            "hidden" if is_hidden else "controls", control, nodes, [value] if value else []
        )


def _is_hidden_itself(element: Element, sheets: Sheets) -> bool:
    if element.attr("hidden") is not None or sheets.may_hide(element):
        return True
    style = element.attr("style")
    return bool(style) and _element_hiding(style or "", element) is not None


def _keep_needed_noscript(
    document: Document, body: Element, sheets: Sheets, removals: Removals
) -> None:
    """Keep the ``noscript`` parts only where there is little else to read.

    They are raw text until here, as in a browser with scripts: an unclosed ``iframe`` in them
    would swallow the rest of the page.
    """
    parts = [(element, element.text) for element in body.find_all("noscript")]
    # A blank between words may be written as a character reference.
    max_words = sum(len(markup.split()) + markup.count("&") for _, markup in parts)
    if max_words < _MIN_NOSCRIPT_WORDS:
        for element, markup in parts:
            removals.take_markup("hidden", markup)
            element.decompose()
        return
    for element, markup in parts:
        element.tag = "div"
        element.set_inner_html(markup)
    _remove_unread_elements(document, sheets, removals)
    words = sum(len(element.text.split()) for element, _ in parts)
    if words < _MIN_NOSCRIPT_WORDS or words <= 0.6 * len(body.text.split()):
        for element, _ in parts:
            # A browser does not read markup inside markup.
            element.remove("noscript")
            removals.take("hidden", element)
            element.decompose()


class _RemovedParts(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of ``PrunedPage`` with these names."""

    hidden: int = 0
    waiting: bool = False
    rest: int = 0
    stated: int = 0


def _remove_hidden_parts(
    document: Document,
    body: Element,
    sheets: Sheets,
    removals: Removals,
    *,
    walled: bool,
    stated: StatedText,
) -> _RemovedParts:
    gone = document.select("[hidden]:not([hidden=until-found])")
    faint: list[Element] = []
    tiny: list[Element] = []
    lists = {"gone": gone, "faint": faint, "tiny": tiny}
    for element, hiding in (
        *_hidden_by_sheets(document, sheets),
        *_hidden_by_styles(document, colours.Backgrounds()),
    ):
        lists[hiding].append(element)
    if not gone and not faint and not tiny:
        return _RemovedParts()
    removals.remember_order(body)
    length = len(body.text)
    gone += unsized_parts(tiny, sheets, length, removals) if tiny else ()
    max_chars = _MAX_HIDDEN_SHARE * length if length >= _MIN_LONG_PAGE_CHARS else length
    parts = unreachable_hidden_parts(document, gone)
    walled_parts = [part for part in parts if is_text_continuation(part)]
    if walled:
        parts = [part for part in parts if part not in walled_parts]
    stated_parts = {part for part in parts if stated.keep_stated_blocks(part, body, removals)}
    parts = [part for part in parts if part not in stated_parts]
    rest = sum(
        len(text.split())
        for part in walled_parts
        if part not in stated_parts
        for text in part.strings
    )
    removed, gone_stayed = _remove_small_parts(
        parts, max_chars, length, removals, set(walled_parts)
    )
    if _is_fading_page(faint, length):
        return _RemovedParts(hidden=removed, waiting=True, rest=rest, stated=len(stated_parts))
    faded, faded_stayed = _remove_small_parts(faint, max_chars, length, removals, set())
    return _RemovedParts(
        hidden=removed + faded,
        waiting=gone_stayed or faded_stayed,
        rest=rest,
        stated=len(stated_parts),
    )


def _hidden_by_styles(
    document: Document, backdrops: colours.Backgrounds
) -> Iterator[tuple[Element, _Hiding]]:
    """Yield elements that attributes hide; faint ones may fade in."""
    for element in document.select("[style],font[color]"):
        style = element.attr("style") or ""
        has_colour = "color" in style.lower() or element.attr("color")
        if has_colour and backdrops.is_hidden(element):
            yield element, "gone"
        elif hiding := _element_hiding(style, element):
            yield element, hiding


def _hidden_by_sheets(document: Document, sheets: Sheets) -> Iterator[tuple[Element, _Hiding]]:
    """Yield elements that style sheets hide, likewise, unless their attributes show them."""
    for element, declared in sheets.hidden_elements(document):
        if SHOWN_PATTERN.search(strip_css_blanks(element.attr("style") or "")):
            continue
        if colours.is_hidden_by_sheet_colour(element, declared, sheets):
            yield element, "gone"
        elif hiding := _element_hiding(declared, element):
            yield element, hiding


def _element_hiding(style: str, element: Element) -> _Hiding | None:
    return css_hiding(style, is_unspoken=element.attr("aria-hidden") == "true")


def _is_fading_page(faint: list[Element], length: int) -> bool:
    """Tell whether faint parts are many and long enough to be a page that fades in."""
    if length < _MIN_LONG_PAGE_CHARS or len(faint) < _MIN_FADED_PARTS:
        return False
    chars = 0
    for element in faint:
        chars += len(element.text)
        if chars > _MAX_MEASURE_PASSES * length:
            break
    return chars >= _MIN_FADED_SHARE * length


def _remove_small_parts(
    hidden: list[Element],
    max_chars: float,
    length: int,
    removals: Removals,
    walled_parts: set[Element],
) -> tuple[int, bool]:
    """Remove parts of at most ``max_chars``; return their number, and whether any stayed."""
    removed, stayed = 0, False
    # Measuring nested parts repeatedly is quadratic, so limit it.
    budget = _MAX_MEASURE_PASSES * length
    for element in hidden:
        if element.tag in _FRAME_TAGS or element.parent is None:
            continue
        size = len(element.text) if budget > 0 else 0
        budget -= size
        if size <= max_chars:
            removals.take("walled" if element in walled_parts else "hidden", element)
            element.decompose()
            removed += 1
        else:
            stayed = True
    return removed, stayed


def _remove_navigation(body: Element, total: int, removals: Removals) -> None:
    """Remove navigation and footers, unless they hold most of the page."""
    # The source line of a quotation is no footer of the page.
    spent = 0
    for element in body.select(_MENU_SELECTOR):
        text = element.text if spent < _MAX_MEASURE_PASSES * total else ""
        spent += len(text)
        if len(text) <= (1 - _MIN_CONTENT_SHARE) * total:
            removals.take("menus", element)
            element.decompose()
