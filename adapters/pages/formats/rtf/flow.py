"""Where a text stands: the words of the paragraph it is in, and the table around it."""

from ..markup import Cell


class Flow:
    """What is under way; a box in the middle of a paragraph has one of its own."""

    def __init__(self) -> None:
        """Begin a text."""
        self.words: list[tuple[str, str]] = []
        self.labels: list[int] = []
        self.level = 0
        self.item = ""
        self.in_row = False
        self.cells: list[Cell] = []
        self.rows: list[list[Cell]] = []
