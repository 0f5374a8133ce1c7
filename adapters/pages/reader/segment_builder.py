"""Gather the runs and boxes of a page while its elements open and close."""

from typing import Final

from turbohtml import Element, Text

from .features.vocabulary import name_mask
from .page_segments import CONTEXTS, MAX_RUNS, BlockBox, TextRun, TooManyBlocksError

_CONTEXT: Final = {tag: 1 << place for place, tag in enumerate(CONTEXTS)}
_LINKED: Final = _CONTEXT["a"]


class SegmentBuilder:
    """The open boxes and the run being gathered."""

    def __init__(self, body: Element) -> None:
        self.runs: list[TextRun] = []
        self.boxes = [BlockBox(-1, 0, 0, body, "body", "", 0, 0, 0, 0)]
        self.path = [0]
        self.parts: list[str] = []
        self.texts: list[Text] = []
        self.images: list[int] = []
        self.times: list[int] = []
        self.link_starts: list[int] = []
        self.cells = 0
        self.tables = 0
        # How many open elements are written without blanks.
        self.exact = 0
        self._first = 0
        self._linked = 0
        # Boxes are compared by their names: the same string is found to be the same at once.
        self._names: dict[str, str] = {}
        # Few are; to ask each box takes longer.
        self._named = frozenset(body.select("[id],[role]"))

    def count_link(self) -> None:
        """Count what was gathered since the link began as linked."""
        self._linked += sum(map(len, self.parts[self.link_starts[-1] :]))

    def add_box(self, node: Element) -> None:
        """Begin a box inside the one that is open."""
        self.end_run()
        above = self.path[-1]
        parent = self.boxes[above]
        tag = node.tag
        classes = node.attr("class") or ""
        names = f"{tag} {classes}"
        # One by one: classes come again and again, and are remembered; ids do not.
        own = name_mask(classes) if classes else 0
        if node in self._named:
            own |= name_mask(node.attr("id") or "") | name_mask(node.attr("role") or "")
        context = parent.context | _CONTEXT.get(tag, 0) | (_LINKED if self.link_starts else 0)
        start = len(self.runs)
        self.path.append(len(self.boxes))
        self.boxes.append(
            BlockBox(
                above, start, start, node, tag, self._names.setdefault(names, names), own,
                parent.above | own, context, parent.depth + 1,
            )
        )  # fmt: skip

    def end_run(self) -> None:
        """Make a run of what was gathered, if there is any text in it."""
        parts = self.parts
        if parts:
            if self.link_starts:
                self.count_link()
                self.link_starts[:] = [0] * len(self.link_starts)
            if words := "".join(parts).split():
                self._add_run(words)
            parts.clear()
            self._linked = 0
        self._first = len(self.texts)

    def _add_run(self, words: list[str]) -> None:
        if len(self.runs) >= MAX_RUNS:
            raise TooManyBlocksError
        text = " ".join(words)
        box = self.path[-1]
        linked = min(self._linked, len(text))
        count = _count(words, text)
        tag = self.boxes[box].tag
        self.runs.append(TextRun(text, count, linked, box, tag, self._first, len(self.texts)))


def _count(words: list[str], text: str) -> int:
    """Count words by blanks, or by characters where a script writes none.

    >>> _count(["two", "words"], "two words"), _count(["一二三四五六" * 3], "一二三四五六" * 3)
    (2, 6)
    """
    return len(text) // 3 if len(words) * 14 < len(text) and not text.isascii() else len(words)
