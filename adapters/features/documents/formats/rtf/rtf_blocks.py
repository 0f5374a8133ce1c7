"""The lists, paragraphs, tables and comments of a document; a table is written at its end."""

from typing import Any, Final

import msgspec

from webseam.ports.text import disarm_pictures

from .. import markdown_writing
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
from ..office.comments_and_margins import MAX_COMMENTS, CommentedWords, comment_line
from .control_words import typed_item_label

Span = tuple[str, str]
_LIST_LEVELS: Final = 9
_MAX_LISTS: Final = 4096
_MAX_LABEL_CHARS: Final = 60
_RING_LABELS: Final = frozenset({"o", "¡"})
_MAX_AUTHOR_CHARS: Final = 200


class RtfFlow:
    """The current paragraph and table; a text box or a note has a flow of its own.

    ``in_line`` flows are written on one line. ``label`` is the list label of the paragraph,
    ``list`` the list's number and ``depth`` its level; ``paragraphs`` are those of the cell.
    """

    def __init__(self, *, in_line: bool = False) -> None:
        self.in_line = in_line
        self.words: list[Span] = []
        self.labels: list[int] = []
        self.label: str | None = None
        self.in_row = False
        self.paragraphs: list[list[Span]] = []
        self.cells: list[markdown_writing.Cell] = []
        self.rows: list[list[markdown_writing.Cell]] = []
        self.reset_paragraph_style()

    def reset_paragraph_style(self) -> None:
        """Reset the paragraph's style; its label stays."""
        self.level = self.list = self.depth = 0
        self.in_row = False

    def take_paragraph_words(self) -> list[Span]:
        """Return the words of the paragraph with the marks of their emphasis, and clear them."""
        words, self.words = self.words, []
        self.labels.clear()
        return words

    @property
    def flow_line(self) -> str:
        """All words on one line."""
        return strip_rtf_emphasis(self.words)


def strip_rtf_emphasis(words: list[Span]) -> str:
    """Return words without the marks of their emphasis."""
    return "".join(text for text, _ in words).strip()


# In a label, these characters stand for the numbers of the levels.
_LEVEL_NUMBERS: Final = {index: f"%{index + 1}" for index in range(_LIST_LEVELS)}


class RtfLists:
    """The lists by the numbers of their uses, and their current numbers."""

    def __init__(self) -> None:
        self._levels_by_list: dict[int, dict[int, Level]] = {}
        self._numbering_by_use: dict[int, Numbering] = {}
        self._counts = ListCounts()
        self._key = ""
        self._levels: dict[int, Level] = {}
        self._level_index = -1
        self._restarted: set[int] = set()
        self._label_text = ""

    def take_list_word(self, word: str, number: int) -> None:
        """Take a word of the list table."""
        match word:
            case "list":
                self._begin_list()
            case "listlevel":
                self._level_index += 1
                self._add_list_level()
            case "listid" if len(self._levels_by_list) < _MAX_LISTS:
                self._levels_by_list[number] = self._levels
            case _:
                self._take_level_word(word, number)

    def take_override_word(self, word: str, number: int) -> None:
        """Take a word of the list override table."""
        match word:
            case "listoverride":
                self._begin_list()
            case "listid":
                self._key, self._levels = str(number), dict(self._levels_by_list.get(number, {}))
            case "lfolevel" | "listlevel" | "listoverridestartat":
                self._take_override_level(word)
            case "ls" if len(self._numbering_by_use) < _MAX_LISTS:
                self._numbering_by_use[number] = Numbering(
                    self._key, self._levels, frozenset(self._restarted)
                )
            case _:
                self._take_level_word(word, number)

    def write_level_label(self, text: str) -> None:
        """Take a piece of a level's label: its length, its text, and a semicolon."""
        self._label_text = (self._label_text + text)[: _MAX_LABEL_CHARS + 2]

    def end_level_label(self) -> None:
        """End the label of a level."""
        text, self._label_text = self._label_text[1:].removesuffix(";"), ""
        self._change_list_level(text=text.translate(_LEVEL_NUMBERS))

    def item_label(self, use: int, depth: int, written: str | None) -> str | None:
        """Count on, and return the label of an item: ``written`` if the file has it."""
        numbering = self._numbering_by_use.get(use)
        computed = (
            None if numbering is None else self._counts.count_list_label(str(use), numbering, depth)
        )
        if written is None or not (written == "" or any(map(str.isalnum, written))):
            return computed if written is None else BULLET
        return BULLET if written in _RING_LABELS else written

    def _take_override_level(self, word: str) -> None:
        if word == "lfolevel":
            self._level_index += 1
        elif word == "listlevel":
            self._add_list_level()
        else:
            self._restarted.add(self._level_index)

    def _begin_list(self) -> None:
        self._levels, self._level_index, self._restarted = {}, -1, set()

    def _add_list_level(self) -> None:
        if self._level_index in _LEVEL_NUMBERS:
            self._levels[self._level_index] = Level(text="", after=self._level_index)

    def _take_level_word(self, word: str, number: int) -> None:
        match word:
            case "levelnfc" | "levelnfcn":
                self._change_list_level(form=NUMBER_FORMS.get(number, "decimal"))
            case "levelstartat":
                self._change_list_level(start=max(0, number))
            case "levellegal":
                self._change_list_level(in_digits=number != 0)
            case "levelnorestart":
                self._change_list_level(after=0 if number else self._level_index)

    def _change_list_level(self, **parts: Any) -> None:  # noqa: ANN401  fields of a level
        level = self._levels.get(self._level_index)
        if level is not None:
            self._levels[self._level_index] = msgspec.structs.replace(level, **parts)


class RtfBlocks:
    """The paragraphs and tables of a document."""

    def __init__(self, lists: RtfLists) -> None:
        self.done: list[tuple[str, bool]] = []
        self._lists = lists

    def end_block(self, word: str, flow: RtfFlow) -> None:
        """End a paragraph, a cell or a row."""
        if flow.in_line:
            flow.words.append((" ", ""))
            return
        match word:
            case "nestcell":
                self._add_cell_paragraph(flow)
            case "cell":
                self._end_cell(flow)
            case "row":
                _end_table_row(flow)
            case _:
                self._end_paragraph(flow)

    def end_flow(self, flow: RtfFlow) -> None:
        """End the current paragraph and table."""
        self._end_paragraph(flow)
        self._end_table(flow)

    def _end_paragraph(self, flow: RtfFlow) -> None:
        if flow.in_row or flow.cells:
            self._add_cell_paragraph(flow)
            return
        mark, spans = self._list_mark(flow), flow.take_paragraph_words()
        if strip_rtf_emphasis(spans):
            self._end_table(flow)
            self.done.append(_paragraph(flow.level, mark, spans))

    def _add_cell_paragraph(self, flow: RtfFlow) -> None:
        """Add a paragraph to the cell, with its list number before it."""
        label = numbered_heading(self._list_mark(flow), "")
        words = [*([(f"{label} ", "")] if label else []), *flow.take_paragraph_words()]
        if words:
            flow.paragraphs.append(words)

    def _end_cell(self, flow: RtfFlow) -> None:
        self._add_cell_paragraph(flow)
        flow.cells.append(markdown_writing.make_cell(flow.paragraphs))
        flow.paragraphs = []

    def _list_mark(self, flow: RtfFlow) -> ListMark | None:
        written, flow.label = flow.label, None
        label = self._lists.item_label(flow.list, flow.depth, written)
        return None if label is None else ListMark(flow.depth, label)

    def _end_table(self, flow: RtfFlow) -> None:
        if flow.paragraphs:
            self._end_cell(flow)
        if flow.cells:
            _end_table_row(flow)
        if table := markdown_writing.emphasised_table(flow.rows):
            self.done.append((table, False))
        flow.rows = []


def _end_table_row(flow: RtfFlow) -> None:
    flow.rows.append(flow.cells)
    flow.cells = []


def _paragraph(level: int, mark: ListMark | None, spans: list[Span]) -> tuple[str, bool]:
    """Return a paragraph, and whether it is a list item."""
    if level:
        words = disarm_pictures(" ".join(strip_rtf_emphasis(spans).split()))
        return f"{'#' * level} {numbered_heading(mark, words)}", False
    if mark is None:
        mark, spans = _typed_list_mark(spans)
    text = disarm_pictures(markdown_writing.join_spans(spans).strip())
    return (text, False) if mark is None else (marked_item(mark, text), True)


def _typed_list_mark(spans: list[Span]) -> tuple[ListMark | None, list[Span]]:
    """Return the mark of an item whose bullet or number is text, and its words."""
    text = "".join(text for text, _ in spans)
    label, begin = typed_item_label(text)
    if not label:
        return None, spans
    rest, offset = [], 0
    for text, marks in spans:
        rest.append((text[max(0, begin - offset) :], marks))
        offset += len(text)
    return ListMark(0, label), rest


class RtfComments(CommentedWords):
    """The comments of a document with their authors, up to a limit.

    Rich Text Format Specification 1.7, "Comments (Annotations)" (read 2026-11-17).
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._fields: dict[str, str] = {}

    def set_comment_field(self, field: str, text: str) -> None:
        """Store a field of the next comment: its author, or a number."""
        self._fields[field] = (self._fields.get(field, "") + text)[:_MAX_AUTHOR_CHARS]

    def take_comment_field(self, field: str) -> str:
        """Return a stored field, and forget it."""
        return self._fields.pop(field, "").strip()

    def add_comment(self, text: str) -> None:
        """Add a comment with its stored author and range."""
        author, number = map(self.take_comment_field, ("atnauthor", "atnref"))
        if text and len(self.lines) < MAX_COMMENTS:
            about = self.commented_text(number) or ""
            self.lines.append(comment_line(author, about, text))
