"""What is written, block by block; a table is written when it is over."""

from ..markdown_writing import Cell, disarm_pictures, emphasised_table, join_emphasised, make_cell
from ..numbering.counting import ListMark, marked_item, numbered_heading
from .control_words import written_label
from .flow import RtfFlow, Span, strip_emphasis
from .rtf_lists import Lists


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
