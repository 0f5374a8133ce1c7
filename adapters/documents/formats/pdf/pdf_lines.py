"""The lines of a page with their places, sizes and fonts, as PDFium tells them."""

import ctypes
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from math import hypot
from typing import Any, Final

import msgspec

from ....pages.safe_text import superscript
from ..markdown_writing import disarm_pictures, markdown_link
from .ligatures import Ligatures

# What an item of a list begins with; the common signs only with a blank after them.
BULLET: Final = re.compile(
    r"[•◦▪▫‣●○■□▸►➢✓\u2219\u2043\uf0b7\uf0a7\uf0d8]\s*(?=\S)|[\u2013—·*-]\s+(?=\S)"
)
_WORD: Final = re.compile(r"\S+")
_BOLD: Final = re.compile(r"bold|black|heavy|demi|cmbx|cmssbx", re.IGNORECASE)
_MONO: Final = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|code", re.IGNORECASE)
_BOLD_WEIGHT: Final = 600
_NAME: Final = 80
# A gap as wide as the letters are high is between columns, not between words.
_GAP: Final = 1.0
# So wide is no letter on average: there are gaps inside of what was written as one piece.
_LOOSE: Final = 0.75
# A letter by itself: some are torn off their word by PDFium, which sets a blank where a piece of
# text ends that is spaced out. So narrow a gap is no blank, in sizes of the letters.
_LONE: Final = re.compile(r"\S [b-zB-HJ-Z](?![\w.])")
_NO_BLANK: Final = 0.2
_MAX_LINKS: Final = 200
_FARTHEST: Final = 1e7
# A number right behind something else may stand above the line.
_BEHIND: Final = re.compile(r"(?<=\S)[0-9]{1,4}(?![0-9])")
_RAISABLE: Final = frozenset("0123456789+-\u2212")
# So far above it, and so small, in sizes of the line's letters.
_ABOVE: Final = (0.15, 0.8)
_RAISED_SIZE_SHARE: Final = 0.85


# Behind a number above the line PDFium begins a new one; before these there is no blank.
_CLOSING: Final = re.compile(r"[,;:)\]]|\.(?:\s|$)")


def join_line_pieces(left: str, right: str) -> str:
    """Return two pieces of one line, with a blank where there is one."""
    return f"{left}{'' if _CLOSING.match(right) else ' '}{right}"


class LineCell(msgspec.Struct, frozen=True, gc=False):
    """A part of a line that stands by itself, and where; ``words`` are its own, a word has none."""

    text: str
    left: float
    right: float
    words: tuple["LineCell", ...] = ()


class PdfLine(msgspec.Struct, frozen=True, gc=False):
    """A line: its text, where it stands, its letters' size, its font, the parts it falls into.

    ``base`` is the height that its letters stand on, counted from the foot of the page.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool = False
    mono: bool = False
    cells: tuple[LineCell, ...] = ()


class PageText:
    """The text of one page; every index is one of a character on it."""

    def __init__(self, text: Any, raw: Any) -> None:  # noqa: ANN401  PDFium's names have no types
        """Read a text page of PDFium with its functions."""
        self._page, self._raw = text.raw, raw
        self.text: str = text.get_text_range()
        self._box = tuple(ctypes.c_double() for _ in range(4))
        self._places = tuple(ctypes.byref(side) for side in self._box)
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_NAME)

    def lines(self, links: list["LinkTarget"]) -> Iterator[PdfLine]:
        """Yield the lines in the order of the file, without blank ones."""
        start = 0
        for raw_line in self.text.split("\n"):
            text = raw_line.rstrip()
            if text:
                yield self._line(start + len(text) - len(text.lstrip()), text.lstrip(), links)
            start += len(raw_line) + 1

    def _line(self, start: int, text: str, links: list["LinkTarget"]) -> PdfLine:
        first = max(self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, start), 0)
        boxes = self._boxes(first, len(text))
        # The dot before an item is often of another font and size.
        mark = BULLET.match(text)
        size, bold, mono = self._font(first + (mark.end() if mark else 0))
        if bold or mono:
            _, still_bold, still_mono = self._font(first + len(text) - 1)
            bold, mono = bold and still_bold, mono and still_mono
        base = self._base(first)
        # What is of another size is a piece of its own; on a line that is turned nothing is above.
        if len(boxes) > 1 and not self._matrix.b:
            text = self._raised(start, text, base, size)
        left, right = min(box[0] for box in boxes), max(box[1] for box in boxes)
        middle = (min(box[2] for box in boxes) + max(box[3] for box in boxes)) / 2
        own = [one for one in links if one.is_on(left, right, middle)]
        torn = _NO_BLANK * size if not mono and _LONE.search(text) else 0.0
        has_parts = bool(own) or _has_gaps(boxes, size, len(text))
        words = self._words(start, text, torn) if has_parts or torn else []
        return PdfLine(
            text=_linked(words, own) if own or torn else disarm_pictures(text),
            left=left,
            right=right,
            base=base,
            size=size,
            bold=bold,
            mono=mono,
            cells=_cells(words, size, own) if has_parts else (),
        )

    def _raised(self, start: int, text: str, base: float, size: float) -> str:
        """Return a line with the numbers above it raised; there are as many letters as before."""
        for number in _BEHIND.finditer(text):
            first = end = number.end()
            while first and text[first - 1] in _RAISABLE:
                if not self._is_above(start + first - 1, base, size):
                    break
                first -= 1
            above = superscript(text[first:end])
            if len(above) == end - first and not text[:first][-1:].isspace():
                text = f"{text[:first]}{above}{text[end:]}"
        return text

    def _is_above(self, place: int, base: float, size: float) -> bool:
        character = self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, place)
        least, most = _ABOVE
        if not least * size < self._base(character) - base < most * size:
            return False
        return self._font(character)[0] < _RAISED_SIZE_SHARE * size

    def _base(self, place: int) -> float:
        along, height, *_ = self._places
        self._raw.FPDFText_GetCharOrigin(self._page, place, along, height)
        return _told(self._box[1].value)

    def _boxes(self, first: int, count: int) -> list[tuple[float, float, float, float]]:
        """Return left, right, bottom and top of each piece of text."""
        pieces = self._raw.FPDFText_CountRects(self._page, first, count)
        left, right, bottom, top = self._places
        boxes = []
        for piece in range(max(pieces, 0)):
            self._raw.FPDFText_GetRect(self._page, piece, left, top, right, bottom)
            boxes.append(self._corners())
        return boxes or [(0.0, 0.0, 0.0, 0.0)]

    def _corners(self) -> tuple[float, float, float, float]:
        left, right, bottom, top = self._box
        return _told(left.value), _told(right.value), _told(bottom.value), _told(top.value)

    def _font(self, place: int) -> tuple[float, bool, bool]:
        """Return how large a character is on the page, and whether it is bold or of one width."""
        raw, page = self._raw, self._page
        size = raw.FPDFText_GetFontSize(page, place)
        if raw.FPDFText_GetMatrix(page, place, ctypes.byref(self._matrix)):
            size *= hypot(self._matrix.c, self._matrix.d) or 1.0
        raw.FPDFText_GetFontInfo(page, place, self._name, _NAME, None)
        name = self._name.value.decode("utf-8", "replace")
        weight = raw.FPDFText_GetFontWeight(page, place)
        bold = weight >= _BOLD_WEIGHT or _BOLD.search(name) is not None
        return _told(size), bold, _MONO.search(name) is not None

    def _words(self, start: int, text: str, torn: float) -> list[LineCell]:
        """Return the words with their places; one letter so near the word before is torn off it."""
        raw, page = self._raw, self._page
        words: list[LineCell] = []
        for word in _WORD.finditer(text):
            ends = []
            for place in (start + word.start(), start + word.end() - 1):
                character = raw.FPDFText_GetCharIndexFromTextIndex(page, place)
                raw.FPDFText_GetCharBox(page, character, *self._places)
                ends.append(self._corners())
            left, right = ends[0][0], ends[1][1]
            is_behind = len(word[0]) == 1 and bool(words) and words[-1].text[-1].isalnum()
            if is_behind and torn and self._is_torn(start + word.start() - 1, torn):
                words[-1] = LineCell(words[-1].text + word[0], words[-1].left, right)
            else:
                words.append(LineCell(word[0], left, right))
        return words

    def _is_torn(self, place: int, most: float) -> bool:
        """Tell whether a blank is PDFium's own, and the letters beside it stand together."""
        raw, page = self._raw, self._page
        blank = raw.FPDFText_GetCharIndexFromTextIndex(page, place)
        if raw.FPDFText_IsGenerated(page, blank) != 1:
            return False
        before, after = raw.FS_RECTF(), raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(page, blank - 1, ctypes.byref(before))
        raw.FPDFText_GetLooseCharBox(page, blank + 1, ctypes.byref(after))
        is_level = abs(after.bottom - before.bottom) <= most
        return bool(is_level and abs(after.left - before.right) <= most)


def _told(place: float) -> float:
    """Return where something is; a broken file puts it nowhere, or beyond all pages."""
    return place if abs(place) < _FARTHEST else 0.0


def _has_gaps(boxes: list[tuple[float, float, float, float]], size: float, count: int) -> bool:
    ordered = sorted(boxes)
    if any(after[0] - before[1] > _GAP * size for before, after in pairwise(ordered)):
        return True
    return ordered[-1][1] - ordered[0][0] > _LOOSE * size * count


def _cells(words: list[LineCell], size: float, links: list["LinkTarget"]) -> tuple[LineCell, ...]:
    """Join words into the parts of a line; none where it is one piece."""
    groups: list[list[LineCell]] = []
    for word in words:
        if groups and abs(word.left - groups[-1][-1].right) <= _GAP * size:
            groups[-1].append(word)
        else:
            groups.append([word])
    if len(groups) == 1:
        return ()
    return tuple(
        LineCell(_linked(group, links), group[0].left, group[-1].right, tuple(group))
        for group in groups
    )


class LinkTarget(msgspec.Struct, frozen=True, gc=False):
    """Where a link leads, and the box on the page that is to be pressed."""

    url: str
    left: float
    right: float
    bottom: float
    top: float

    def is_on(self, left: float, right: float, middle: float) -> bool:
        """Tell whether a line goes through the box, by its ends and the middle of its height."""
        return self.bottom <= middle <= self.top and left < self.right and self.left < right

    def holds(self, word: LineCell) -> bool:
        """Tell whether the middle of a word is in the box."""
        return self.left <= (word.left + word.right) / 2 <= self.right


def _linked(words: list[LineCell], links: list[LinkTarget]) -> str:
    """Return the words, those that are links as links."""
    pieces: list[str] = []
    waiting: list[str] = []
    aim = ""
    for word in (*words, None):
        target = "" if word is None else next((one.url for one in links if one.holds(word)), "")
        if waiting and (target != aim or word is None):
            text = " ".join(waiting)
            pieces.append(markdown_link(text, aim) if aim else disarm_pictures(text))
            waiting = []
        aim = target
        waiting += [word.text] if word is not None else []
    return " ".join(pieces)


def link_targets(page: Any, raw: Any) -> list[LinkTarget]:  # noqa: ANN401
    """Return the links of a page that lead out of the document."""
    place, annotation, box = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    found: list[LinkTarget] = []
    for _ in range(_MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, ctypes.byref(place), ctypes.byref(annotation)):
            break
        url = _url(page, annotation, raw)
        if url and raw.FPDFLink_GetAnnotRect(annotation, ctypes.byref(box)):
            found.append(LinkTarget(url, box.left, box.right, box.bottom, box.top))
    return found


def _url(page: Any, annotation: Any, raw: Any) -> str:  # noqa: ANN401
    action = raw.FPDFLink_GetAction(annotation)
    if not action:
        return ""
    document = page.pdf.raw
    length = raw.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(length or 1)
    raw.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace")


def page_lines(
    page: Any,  # noqa: ANN401
    raw: Any,  # noqa: ANN401
    links: list[LinkTarget],
    ligatures: Ligatures,
) -> tuple[list[PdfLine], int]:
    """Return the lines of a page, and how many characters it has."""
    with closing(page.get_textpage()) as text:
        whole = PageText(text, raw)
        whole.text = ligatures.told(whole.text, text.raw)
        return list(whole.lines(links)), len(whole.text)
