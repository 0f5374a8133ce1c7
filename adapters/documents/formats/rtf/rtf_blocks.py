"""What is written, block by block; a table is written when it is over."""

from typing import Any, Final

import msgspec

from ..markdown_writing import Cell, disarm_pictures, emphasised_table, join_emphasised, make_cell
from ..numbering import (
    BULLET,
    NUMBER_FORMS,
    Level,
    ListCounts,
    ListMark,
    Numbering,
    marked_item,
    numbered_heading,
)
from .control_words import written_label

Span = tuple[str, str]


class RtfFlow:
    """What is under way; a box or a note in the middle of a paragraph has one of its own.

    ``in_line`` are those that are told in one line. ``label`` is what a list writes before the
    paragraph, ``list`` its number and ``depth`` its level; ``paragraphs`` are those of a cell.
    """

    def __init__(self, *, in_line: bool = False) -> None:
        """Begin a text."""
        self.in_line = in_line
        self.words: list[Span] = []
        self.labels: list[int] = []
        self.label: str | None = None
        self.in_row = False
        self.paragraphs: list[list[Span]] = []
        self.cells: list[Cell] = []
        self.rows: list[list[Cell]] = []
        self.reset()

    def reset(self) -> None:
        """Have the paragraph be of no style; a label that stands before it stays."""
        self.level = self.list = self.depth = 0
        self.in_row = False

    def take_words(self) -> list[Span]:
        """Return the words of the paragraph, each with the marks of its emphasis, and go on."""
        words, self.words = self.words, []
        self.labels.clear()
        return words

    @property
    def line(self) -> str:
        """All words in a line."""
        return strip_emphasis(self.words)


def strip_emphasis(words: list[Span]) -> str:
    """Return words without the marks of their emphasis."""
    return "".join(text for text, _ in words).strip()


# The lists of a document: what their levels write before items, and where they begin anew.

_LEVELS: Final = 9
_MAX_LISTS: Final = 4096
_MAX_LABEL_CHARS: Final = 60
# In what a level writes, these stand for the numbers of the levels.
_PLACES: Final = {place: f"%{place + 1}" for place in range(_LEVELS)}
_RINGS: Final = frozenset({"o", "¡"})


class Lists:
    """The lists by the numbers of their uses, and how far each has counted."""

    def __init__(self) -> None:
        """Know none."""
        self._known: dict[int, dict[int, Level]] = {}
        self._used: dict[int, Numbering] = {}
        self._counts = ListCounts()
        self._key = ""
        self._levels: dict[int, Level] = {}
        self._place = -1
        self._anew: set[int] = set()
        self._text = ""

    def list(self, word: str, number: int) -> None:
        """Take what the table of lists says."""
        match word:
            case "list":
                self._begin()
            case "listlevel":
                self._place += 1
                self._set_level()
            case "listid" if len(self._known) < _MAX_LISTS:
                self._known[number] = self._levels
            case _:
                self._shape(word, number)

    def use(self, word: str, number: int) -> None:
        """Take what the table of uses says."""
        match word:
            case "listoverride":
                self._begin()
            case "listid":
                self._key, self._levels = str(number), dict(self._known.get(number, {}))
            case "lfolevel" | "listlevel" | "listoverridestartat":
                self._use_level(word)
            case "ls" if len(self._used) < _MAX_LISTS:
                self._used[number] = Numbering(self._key, self._levels, frozenset(self._anew))
            case _:
                self._shape(word, number)

    def write(self, text: str) -> None:
        """Take what a level writes: how long it is, then the text, then a semicolon."""
        self._text = (self._text + text)[: _MAX_LABEL_CHARS + 2]

    def end_text(self) -> None:
        """Have taken all that a level writes."""
        text, self._text = self._text[1:].removesuffix(";"), ""
        self._change(text=text.translate(_PLACES))

    def label(self, use: int, depth: int, written: str | None) -> str | None:
        """Count on, and return what stands before an item, as ``written`` if it is."""
        numbering = self._used.get(use)
        counted = None if numbering is None else self._counts.label(str(use), numbering, depth)
        if written is None or not (written == "" or any(map(str.isalnum, written))):
            return counted if written is None else BULLET
        return BULLET if written in _RINGS else written

    def _use_level(self, word: str) -> None:
        if word == "lfolevel":
            self._place += 1
        elif word == "listlevel":
            self._set_level()
        else:
            self._anew.add(self._place)

    def _begin(self) -> None:
        self._levels, self._place, self._anew = {}, -1, set()

    def _set_level(self) -> None:
        if self._place in _PLACES:
            self._levels[self._place] = Level(text="", after=self._place)

    def _shape(self, word: str, number: int) -> None:
        match word:
            case "levelnfc" | "levelnfcn":
                self._change(form=NUMBER_FORMS.get(number, "decimal"))
            case "levelstartat":
                self._change(start=max(0, number))
            case "levellegal":
                self._change(in_digits=number != 0)
            case "levelnorestart":
                self._change(after=0 if number else self._place)

    def _change(self, **parts: Any) -> None:  # noqa: ANN401  fields of a level
        level = self._levels.get(self._place)
        if level is not None:
            self._levels[self._place] = msgspec.structs.replace(level, **parts)


# What is written, block by block; a table is written when it is over.


class RtfBlocks:
    """The paragraphs and tables of a document."""

    def __init__(self, lists: Lists) -> None:
        """Have written nothing."""
        self.done: list[tuple[str, bool]] = []
        self._lists = lists

    @property
    def text(self) -> str:
        """Everything; items follow each other line by line."""
        pieces: list[str] = []
        was_item = False
        for block, is_item in self.done:
            gap = "" if not pieces else "\n" if was_item and is_item else "\n\n"
            pieces.append(gap + block)
            was_item = is_item
        return "".join(pieces)

    def end(self, word: str, flow: RtfFlow) -> None:
        """End a paragraph, a cell or a row."""
        if flow.in_line:
            flow.words.append((" ", ""))
            return
        match word:
            case "nestcell":
                self._keep_paragraph(flow)
            case "cell":
                self._end_cell(flow)
            case "row":
                _end_row(flow)
            case _:
                self._end_paragraph(flow)

    def end_text(self, flow: RtfFlow) -> None:
        """End a paragraph and a table that are under way."""
        self._end_paragraph(flow)
        self._end_table(flow)

    def _end_paragraph(self, flow: RtfFlow) -> None:
        if flow.in_row or flow.cells:
            self._keep_paragraph(flow)
            return
        mark, spans = self._mark(flow), flow.take_words()
        words = strip_emphasis(spans)
        if words:
            self._end_table(flow)
            self.done.append(_paragraph(flow.level, mark, spans))

    def _keep_paragraph(self, flow: RtfFlow) -> None:
        """Keep a paragraph of a cell, behind the number that a list gives it."""
        label = numbered_heading(self._mark(flow), "")
        before = [(f"{label} ", "")] if label else []
        words = [*before, *flow.take_words()]
        if words:
            flow.paragraphs.append(words)

    def _end_cell(self, flow: RtfFlow) -> None:
        self._keep_paragraph(flow)
        flow.cells.append(make_cell(flow.paragraphs))
        flow.paragraphs = []

    def _mark(self, flow: RtfFlow) -> ListMark | None:
        written, flow.label = flow.label, None
        label = self._lists.label(flow.list, flow.depth, written)
        return None if label is None else ListMark(flow.depth, label)

    def _end_table(self, flow: RtfFlow) -> None:
        if flow.paragraphs:
            self._end_cell(flow)
        if flow.cells:
            _end_row(flow)
        rows, flow.rows = flow.rows, []
        written = emphasised_table(rows)
        if written:
            self.done.append((written, False))


def _end_row(flow: RtfFlow) -> None:
    cells: list[Cell]
    cells, flow.cells = flow.cells, []
    flow.rows.append(cells)


def _paragraph(level: int, mark: ListMark | None, spans: list[Span]) -> tuple[str, bool]:
    """Return a paragraph, and whether it is an item of a list."""
    if level:
        words = disarm_pictures(" ".join(strip_emphasis(spans).split()))
        return f"{'#' * level} {numbered_heading(mark, words)}", False
    if mark is None:
        mark, spans = _written_mark(spans)
    text = disarm_pictures(join_emphasised(spans).strip())
    return (text, False) if mark is None else (marked_item(mark, text), True)


def _written_mark(spans: list[Span]) -> tuple[ListMark | None, list[Span]]:
    """Return the mark of an item whose dot or number was written as text, and its words."""
    text = "".join(text for text, _ in spans)
    label, begin = written_label(text)
    if not label:
        return None, spans
    rest, at = [], 0
    for text, marks in spans:
        rest.append((text[max(0, begin - at) :], marks))
        at += len(text)
    return ListMark(0, label), rest
