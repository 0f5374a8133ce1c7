"""Where a text stands: the words of the paragraph it is in, and the table around it."""

from ..markdown_writing import Cell

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
