"""What is written, block by block; a table is written when it is over."""

from ..markup import Cell, cell_of, emphasised_table, marked_up, tamed
from ..numbering.counting import Mark, headed, listed
from .flow import Flow, Span, plain
from .lists import Lists
from .words import written_label


class Blocks:
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

    def end(self, word: str, flow: Flow) -> None:
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

    def end_text(self, flow: Flow) -> None:
        """End a paragraph and a table that are under way."""
        self._end_paragraph(flow)
        self._end_table(flow)

    def _end_paragraph(self, flow: Flow) -> None:
        if flow.in_row or flow.cells:
            self._keep_paragraph(flow)
            return
        mark, spans = self._mark(flow), flow.take_words()
        words = plain(spans)
        if words:
            self._end_table(flow)
            self.done.append(_paragraph(flow.level, mark, spans))

    def _keep_paragraph(self, flow: Flow) -> None:
        """Keep a paragraph of a cell, behind the number that a list gives it."""
        label = headed(self._mark(flow), "")
        before = [(f"{label} ", "")] if label else []
        words = [*before, *flow.take_words()]
        if words:
            flow.paragraphs.append(words)

    def _end_cell(self, flow: Flow) -> None:
        self._keep_paragraph(flow)
        flow.cells.append(cell_of(flow.paragraphs))
        flow.paragraphs = []

    def _mark(self, flow: Flow) -> Mark | None:
        written, flow.label = flow.label, None
        label = self._lists.label(flow.list, flow.depth, written)
        return None if label is None else Mark(flow.depth, label)

    def _end_table(self, flow: Flow) -> None:
        if flow.paragraphs:
            self._end_cell(flow)
        if flow.cells:
            _end_row(flow)
        rows, flow.rows = flow.rows, []
        written = emphasised_table(rows)
        if written:
            self.done.append((written, False))


def _end_row(flow: Flow) -> None:
    cells: list[Cell]
    cells, flow.cells = flow.cells, []
    flow.rows.append(cells)


def _paragraph(level: int, mark: Mark | None, spans: list[Span]) -> tuple[str, bool]:
    """Return a paragraph, and whether it is an item of a list."""
    if level:
        words = tamed(" ".join(plain(spans).split()))
        return f"{'#' * level} {headed(mark, words)}", False
    if mark is None:
        mark, spans = _written_mark(spans)
    text = tamed(marked_up(spans).strip())
    return (text, False) if mark is None else (listed(mark, text), True)


def _written_mark(spans: list[Span]) -> tuple[Mark | None, list[Span]]:
    """Return the mark of an item whose dot or number was written as text, and its words."""
    text = "".join(text for text, _ in spans)
    label, begin = written_label(text)
    if not label:
        return None, spans
    rest, at = [], 0
    for text, marks in spans:
        rest.append((text[max(0, begin - at) :], marks))
        at += len(text)
    return Mark(0, label), rest
