# ruff: noqa: ANN401  PDFium's names have no types
"""The lines of a page with their coordinates, sizes and fonts, from PDFium."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from math import hypot
from typing import Any, Final, NamedTuple

import msgspec

from webseam.adapters.values.superscripts import superscript
from webseam.ports.text import disarm_pictures

from ..draft import missing_words
from ..markdown_writing import markdown_link
from .character_index import CharacterIndex
from .ligatures import Ligatures
from .pdf_visibility import PageVisibility

# The bullets of list items; common characters only count with a blank after them.
BULLET_PATTERN: Final = re.compile(
    r"[•◦▪▫‣●○■□▸►➢✓\u2219\u2043\uf0b7\uf0a7\uf0d8]\s*(?=\S)|[\u2013—·*-]\s+(?=\S)"
)
_WORD_PATTERN: Final = re.compile(r"\S+")
_BOLD_PATTERN: Final = re.compile(r"bold|black|heavy|demi|cmbx|cmssbx", re.IGNORECASE)
_MONO_PATTERN: Final = re.compile(r"mono|courier|consol|menlo|typewriter|cmtt|code", re.IGNORECASE)
_ITALIC_PATTERN: Final = re.compile(r"ital|obli|slant|cmti|cmsl|-it\b", re.IGNORECASE)
_ITALIC_FLAG: Final = 64  # ISO 32000-1, table 123
_BOLD_WEIGHT: Final = 600
LINE_NUMBER_PATTERN: Final = re.compile(r"(\d{1,5})\s+(?=\S)")
# A heading that its paragraph follows on the same line: "Abstract—We address", "Data. All".
_RUN_IN_PATTERN: Final = re.compile(
    r"((?:[\dA-Z]{1,3}(?:\.\d{1,2}){0,3}\.?\s+)?[^\W\d_][^.:\u2013\u2014]{2,80}?)"
    r"\s?[.:\u2013\u2014]+\s*(?=\S)"
)
_FONT_NAME_BYTES: Final = 80
# A gap as wide as the letters are high is between columns, not between words.
_MIN_COLUMN_GAP: Final = 1.0
# Letters are narrower than this on average; wider means gaps inside a piece of text.
_LOOSE_LETTER_WIDTH: Final = 0.75
# PDFium tears some single letters off their words: it adds a blank where a piece of spaced text
# ends. A gap below this share of the letters' size is no blank.
_LONE_LETTER_PATTERN: Final = re.compile(r"\S [b-zB-HJ-Z](?![\w.])")
_MIN_BLANK_SHARE: Final = 0.2
# The direction of a page is that of most of these letters, spread over it.
_SAMPLED_LETTERS: Final = 32
_MAX_LINKS: Final = 200
_MAX_COORDINATE: Final = 1e7
# A number directly after other text may be superscript.
_TRAILING_NUMBER_PATTERN: Final = re.compile(r"(?<=\S)[0-9]{1,4}(?![0-9])")
_RAISABLE_CHARS: Final = frozenset("0123456789+-\u2212")
# How far above the line, and how small, as shares of the line's letters.
_RAISED_RANGE: Final = (0.15, 0.8)
_RAISED_SIZE_SHARE: Final = 0.85
# PDFium begins a new line after a superscript; before these characters there is no blank.
_CLOSING_PATTERN: Final = re.compile(r"[,;:)\]]|\.(?:\s|$)")


def join_line_pieces(left: str, right: str) -> str:
    """Return two pieces of one line, with a blank where there is one."""
    return f"{left}{'' if _CLOSING_PATTERN.match(right) else ' '}{right}"


class LineCell(msgspec.Struct, frozen=True, gc=False):
    """A separate part of a line with its edges; ``words`` are its words, empty for a word."""

    text: str
    left: float
    right: float
    words: tuple["LineCell", ...] = ()


class PdfLine(msgspec.Struct, frozen=True, gc=False):
    """A line: its text, position, letter size, font and separate parts.

    ``base`` is the height of its baseline above the bottom of the page. ``font`` and ``end_font``
    are the names of its first and its last letter's fonts. A line is ``bold`` by the name of its
    font, or by the thickness of its letters: then it is ``heavy``, too. A ``turned`` line runs
    across most others. ``run_in`` are words in a font of their own at its start, up to a stop, a
    colon or a dash; ``code_left`` is the left edge of code after a number.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool = False
    mono: bool = False
    cells: tuple[LineCell, ...] = ()
    heavy: bool = False
    italic: bool = False
    turned: bool = False
    font: str = ""
    end_font: str = ""
    run_in: str = ""
    code_left: float | None = None


class LetterFont(msgspec.Struct, frozen=True, gc=False):
    """What is known of a font: it is ``heavy`` where only its thickness says that it is bold."""

    name: str
    bold: bool
    heavy: bool
    mono: bool
    italic: bool


class PageText:
    """The text of one page; an offset is one in it, an index one of PDFium's characters."""

    def __init__(self, text: Any, raw: Any) -> None:
        """Read a text page of PDFium with its functions."""
        self._page, self._raw = text.raw, raw
        self.text: str = text.get_text_range()
        self.characters = CharacterIndex(self.text, text.raw, raw)
        self._box = tuple(ctypes.c_double() for _ in range(4))
        self._box_pointers = tuple(ctypes.byref(side) for side in self._box)
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        self._flags = ctypes.c_int()
        self._fonts: dict[tuple[bytes, int, bool], LetterFont] = {}
        self.turn = self._main_turn()

    def _main_turn(self) -> int:
        """Return the direction of most letters: 1 where they run up the page, -1 down, else 0."""
        turns: Counter[int] = Counter()
        for offset in range(0, len(self.text), max(1, len(self.text) // _SAMPLED_LETTERS)):
            turns[self._character_turn(self.characters.find(offset))] += 1
        return max(turns, key=turns.__getitem__, default=0)

    def _character_turn(self, index: int) -> int:
        if not self._raw.FPDFText_GetMatrix(self._page, index, ctypes.byref(self._matrix)):
            return 0
        if abs(self._matrix.b) <= abs(self._matrix.a):
            return 0
        return 1 if self._matrix.b > 0 else -1

    def read_text_lines(self, links: list["LinkTarget"]) -> Iterator[PdfLine]:
        """Yield the lines in the order of the file, without blank ones."""
        start = 0
        links = [link.turned(self.turn) for link in links] if self.turn else links
        for raw_line in self.text.split("\n"):
            if text := raw_line.strip():
                yield self._read_line(start + raw_line.index(text), text, links)
            start += len(raw_line) + 1

    def _read_line(self, start: int, text: str, links: list["LinkTarget"]) -> PdfLine:
        first, last = self.characters.find(start), self.characters.find(start + len(text) - 1)
        boxes = self._text_boxes(first, last - first + 1)
        # A bullet often has another font and size.
        mark = BULLET_PATTERN.match(text)
        letter = self.characters.find(start + mark.end()) if mark else first
        size, turned = self._character_size(letter)
        font, end_font = self._character_font(letter), self._character_font(last)
        # A line may begin with a small number or sign.
        if font is not end_font or not text[0].isalpha():
            size = max(size, self._character_size(last)[0])
        code_left, run_in = None, ""
        if font is not end_font and not mark:
            code_left = self._code_left(start, text, end_font)
            run_in = self._run_in_heading(start, text, font)
        mono = font.mono and end_font.mono
        base = self._character_baseline(first)
        # Text of another size is a separate piece; skip rotated lines.
        if len(boxes) > 1 and not turned:
            text = self._raise_numbers(start, text, base, size)
        left, right, bottom, top = boxes[0]
        for box in boxes[1:]:
            left, right = min(left, box[0]), max(right, box[1])
            bottom, top = min(bottom, box[2]), max(top, box[3])
        middle = (bottom + top) / 2
        line_links = [link for link in links if link.has_line(left, right, middle)]
        torn = _MIN_BLANK_SHARE * size if not mono and _LONE_LETTER_PATTERN.search(text) else 0.0
        has_parts = bool(line_links) or _has_gaps(boxes, size, len(text))
        words = self._line_words(start, text, torn) if has_parts or torn else []
        is_split = line_links or torn
        shown = _link_words(words, line_links) if is_split else disarm_pictures(text)
        cells = _line_cells(words, size, line_links) if has_parts else ()
        return PdfLine(
            shown,
            left,
            right,
            base,
            size,
            font.bold and end_font.bold,
            mono,
            cells,
            font.heavy or end_font.heavy,
            font.italic and end_font.italic,
            turned,
            font.name,
            end_font.name,
            run_in,
            code_left,
        )

    def _code_left(self, start: int, text: str, end_font: LetterFont) -> float | None:
        """Return where code begins behind a number in another font; None where it does not."""
        number = LINE_NUMBER_PATTERN.match(text) if end_font.mono else None
        if number is None:
            return None
        index = self.characters.find(start + number.end())
        if not self._character_font(index).mono:
            return None
        self._raw.FPDFText_GetCharBox(self._page, index, *self._box_pointers)
        return self._box_corners()[0]

    def _run_in_heading(self, start: int, text: str, font: LetterFont) -> str:
        """Return the words at the start of a line that have a font of their own, with the mark."""
        words = _RUN_IN_PATTERN.match(text)
        if words is None:
            return ""
        last, after = (self.characters.find(start + end) for end in (words.end(1) - 1, words.end()))
        is_apart = self._character_font(last) is font is not self._character_font(after)
        return words[0] if is_apart else ""

    def _raise_numbers(self, start: int, text: str, base: float, size: float) -> str:
        """Return a line with superscript numbers raised; its length stays the same."""
        for number in _TRAILING_NUMBER_PATTERN.finditer(text):
            first = end = number.end()
            while first and text[first - 1] in _RAISABLE_CHARS:
                index = self.characters.find(start + first - 1)
                if not self._is_raised_character(index, base, size):
                    break
                first -= 1
            above = superscript(text[first:end])
            if len(above) == end - first and not text[:first][-1:].isspace():
                text = f"{text[:first]}{above}{text[end:]}"
        return text

    def _is_raised_character(self, index: int, base: float, size: float) -> bool:
        min_share, max_share = _RAISED_RANGE
        if not min_share * size < self._character_baseline(index) - base < max_share * size:
            return False
        return self._character_size(index)[0] < _RAISED_SIZE_SHARE * size

    def _character_baseline(self, index: int) -> float:
        along, height, *_ = self._box_pointers
        self._raw.FPDFText_GetCharOrigin(self._page, index, along, height)
        across, up = _valid_coordinate(self._box[0].value), _valid_coordinate(self._box[1].value)
        return -across * self.turn if self.turn else up

    def _text_boxes(self, first: int, count: int) -> list[tuple[float, float, float, float]]:
        """Return left, right, bottom and top of each piece of text."""
        pieces = self._raw.FPDFText_CountRects(self._page, first, count)
        left, right, bottom, top = self._box_pointers
        boxes = []
        for piece in range(max(pieces, 0)):
            self._raw.FPDFText_GetRect(self._page, piece, left, top, right, bottom)
            boxes.append(self._box_corners())
        return boxes or [(0.0, 0.0, 0.0, 0.0)]

    def _box_corners(self) -> tuple[float, float, float, float]:
        sides = self._box
        corners = sides[0].value, sides[1].value, sides[2].value, sides[3].value
        left, right, bottom, top = corners
        if abs(left) + abs(right) + abs(bottom) + abs(top) < _MAX_COORDINATE:
            return turn_box(corners, self.turn) if self.turn else corners
        # A broken file has some outside all pages, or no number.
        left, right, bottom, top = map(_valid_coordinate, corners)
        return turn_box((left, right, bottom, top), self.turn)

    def _character_size(self, index: int) -> tuple[float, bool]:
        """Return the size of a character, and whether it runs across the other letters."""
        size, turned = self._raw.FPDFText_GetFontSize(self._page, index), False
        if self._raw.FPDFText_GetMatrix(self._page, index, ctypes.byref(self._matrix)):
            size *= hypot(self._matrix.c, self._matrix.d) or 1.0
            turned = (abs(self._matrix.b) > abs(self._matrix.a)) != bool(self.turn)
        return _valid_coordinate(size), turned

    def _character_font(self, index: int) -> LetterFont:
        raw, page = self._raw, self._page
        raw.FPDFText_GetFontInfo(
            page, index, self._name, _FONT_NAME_BYTES, ctypes.byref(self._flags)
        )
        heavy = raw.FPDFText_GetFontWeight(page, index) >= _BOLD_WEIGHT
        key = self._name.value, self._flags.value, heavy
        if key not in self._fonts:
            name = key[0].decode("utf-8", "replace")
            is_named = _BOLD_PATTERN.search(name) is not None
            self._fonts[key] = LetterFont(
                name=name,
                bold=is_named or heavy,
                heavy=heavy and not is_named,
                mono=_MONO_PATTERN.search(name) is not None,
                italic=bool(key[1] & _ITALIC_FLAG) or _ITALIC_PATTERN.search(name) is not None,
            )
        return self._fonts[key]

    def _line_words(self, start: int, text: str, torn: float) -> list[LineCell]:
        """Return the words with their edges; join torn letters to the word before."""
        raw, page = self._raw, self._page
        words: list[LineCell] = []
        for word in _WORD_PATTERN.finditer(text):
            ends = []
            for offset in (start + word.start(), start + word.end() - 1):
                character = self.characters.find(offset)
                raw.FPDFText_GetCharBox(page, character, *self._box_pointers)
                ends.append(self._box_corners())
            left, right = ends[0][0], ends[1][1]
            is_behind = len(word[0]) == 1 and bool(words) and words[-1].text[-1].isalnum()
            if is_behind and torn and self._is_torn_letter(start + word.start() - 1, torn):
                words[-1] = LineCell(words[-1].text + word[0], words[-1].left, right)
            else:
                words.append(LineCell(word[0], left, right))
        return words

    def _is_torn_letter(self, offset: int, max_gap: float) -> bool:
        """Tell whether PDFium added a blank between letters that stand together."""
        raw, page = self._raw, self._page
        blank = self.characters.find(offset)
        if raw.FPDFText_IsGenerated(page, blank) != 1:
            return False
        before, after = raw.FS_RECTF(), raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(page, blank - 1, ctypes.byref(before))
        raw.FPDFText_GetLooseCharBox(page, blank + 1, ctypes.byref(after))
        is_level = abs(after.bottom - before.bottom) <= max_gap
        return bool(is_level and abs(after.left - before.right) <= max_gap)


def turn_box(
    box: tuple[float, float, float, float], turn: int
) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top of a box, seen in the direction of the letters."""
    left, right, bottom, top = box
    if turn > 0:
        return bottom, top, -right, -left
    return (-top, -bottom, left, right) if turn else box


def _valid_coordinate(coordinate: float) -> float:
    """Return a coordinate; 0 where a broken file has it outside all pages."""
    return coordinate if abs(coordinate) < _MAX_COORDINATE else 0.0


def _has_gaps(boxes: list[tuple[float, float, float, float]], size: float, count: int) -> bool:
    ordered = sorted(boxes)
    if any(after[0] - before[1] > _MIN_COLUMN_GAP * size for before, after in pairwise(ordered)):
        return True
    return ordered[-1][1] - ordered[0][0] > _LOOSE_LETTER_WIDTH * size * count


def _line_cells(
    words: list[LineCell], size: float, links: list["LinkTarget"]
) -> tuple[LineCell, ...]:
    """Join words into the separate parts of a line; none where it is one piece."""
    groups: list[list[LineCell]] = []
    for word in words:
        if groups and abs(word.left - groups[-1][-1].right) <= _MIN_COLUMN_GAP * size:
            groups[-1].append(word)
        else:
            groups.append([word])
    if len(groups) == 1:
        return ()
    return tuple(
        LineCell(_link_words(group, links), group[0].left, group[-1].right, tuple(group))
        for group in groups
    )


class LinkTarget(msgspec.Struct, frozen=True, gc=False):
    """The URL of a link, and its box on the page."""

    url: str
    left: float
    right: float
    bottom: float
    top: float

    def turned(self, turn: int) -> "LinkTarget":
        """Return the link, seen in the direction of the letters."""
        box = turn_box((self.left, self.right, self.bottom, self.top), turn)
        return LinkTarget(self.url, *box)

    def has_line(self, left: float, right: float, middle: float) -> bool:
        """Tell whether a line crosses the box, by its ends and the middle of its height."""
        return self.bottom <= middle <= self.top and left < self.right and self.left < right

    def has_word(self, word: LineCell) -> bool:
        """Tell whether the middle of a word is in the box."""
        return self.left <= (word.left + word.right) / 2 <= self.right


def _link_words(words: list[LineCell], links: list[LinkTarget]) -> str:
    """Return the words, with links where they are in a link's box."""
    pieces: list[str] = []
    waiting: list[str] = []
    current_url = ""
    for word in (*words, None):
        target = next((link.url for link in links if word and link.has_word(word)), "")
        if waiting and (target != current_url or word is None):
            pieces.append(markdown_link(" ".join(waiting), current_url))
            waiting = []
        current_url = target
        waiting += [word.text] if word is not None else []
    return " ".join(pieces)


def link_targets(page: Any, raw: Any) -> list[LinkTarget]:
    """Return the external links of a page."""
    position, annotation, box = ctypes.c_int(0), raw.FPDF_LINK(), raw.FS_RECTF()
    targets: list[LinkTarget] = []
    for _ in range(_MAX_LINKS):
        if not raw.FPDFLink_Enumerate(page.raw, ctypes.byref(position), ctypes.byref(annotation)):
            break
        url = _link_url(page, annotation, raw)
        if url and raw.FPDFLink_GetAnnotRect(annotation, ctypes.byref(box)):
            targets.append(LinkTarget(url, box.left, box.right, box.bottom, box.top))
    return targets


def _link_url(page: Any, annotation: Any, raw: Any) -> str:
    action = raw.FPDFLink_GetAction(annotation)
    if not action:
        return ""
    document = page.pdf.raw
    length = raw.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(length or 1)
    raw.FPDFAction_GetURIPath(document, action, buffer, length)
    return buffer.value.decode("utf-8", "replace")


class PageLines(NamedTuple):
    """The lines of a page, how many characters it has, its hidden text, and its direction."""

    lines: list[PdfLine]
    characters: int
    hidden: str
    turn: int


def read_lines(
    page: Any, raw: Any, links: list[LinkTarget], ligatures: Ligatures, visibility: PageVisibility
) -> PageLines:
    """Return the visible lines of a page."""
    all_text = ""
    if visibility.hidden:
        with closing(page.get_textpage()) as text:
            all_text = text.get_text_range()
        visibility.hide_texts()
    with closing(page.get_textpage()) as text:
        page_text = PageText(text, raw)
        hidden = missing_words(all_text, page_text.text)
        page_text.text = ligatures.mark_ligatures(page_text.text, text.raw, page_text.characters)
        lines = list(page_text.read_text_lines(links))
        return PageLines(lines, len(page_text.text), hidden, page_text.turn)
