"""Comments on a text, and the headers and footers of its pages."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from webseam.adapters.pages.safe_text import one_line
from webseam.ports.text import disarm_pictures

MAX_COMMENTS: Final = 500
_MAX_OPEN_COMMENTS: Final = 50
MAX_ABOUT_CHARS: Final = 120
_MAX_COMMENT_CHARS: Final = 4000
_MAX_MARGIN_CHARS: Final = 500
_MAX_MARGIN_LINES: Final = 20
_MIN_MARGIN_LETTERS: Final = 3
_PICTURE_PATTERN: Final = re.compile(r"\[IMAGE: [^\[\]]*\]")


class CommentedWords:
    """The comments of a text, and the words that each comments on."""

    def __init__(self) -> None:
        self._open: dict[str, list[str]] = {}
        self._about: dict[str, str] = {}

    def note_comment(self, name: str) -> None:
        """Add a comment by its name."""
        if len(self._about) < MAX_COMMENTS:
            self._about.setdefault(name, "")

    def begin_comment_range(self, name: str) -> None:
        """Start the range of a comment."""
        self.note_comment(name)
        if len(self._open) < _MAX_OPEN_COMMENTS:
            self._open[name] = []

    def end_comment_range(self, name: str) -> None:
        """End the range of a comment."""
        pieces = self._open.pop(name, None)
        if pieces and name in self._about:
            self._about[name] = one_line("".join(pieces), MAX_ABOUT_CHARS)

    def add_commented_text(self, text: str) -> None:
        """Add text to the ranges that are open."""
        for name, pieces in list(self._open.items()):
            pieces.append(text)
            if sum(map(len, pieces)) > MAX_ABOUT_CHARS:
                self.end_comment_range(name)

    def commented_text(self, name: str) -> str | None:
        """Return the words a comment is on, empty for none; None for an unknown comment."""
        return self._about.get(name)


def comment_line(author: str, about: str, text: str) -> str:
    """Return a comment as an item: its author, the words it is on, and its text.

    >>> comment_line("Ann", "the tide", "Which?")
    '- Ann on “the tide”: Which?'
    >>> comment_line("", "", "Why?")
    '- Why?'
    """
    quote = f"on “{disarm_pictures(about)}”" if about else ""
    head = " ".join(filter(None, (disarm_pictures(one_line(author)), quote)))
    comment = disarm_pictures(one_line(text, _MAX_COMMENT_CHARS))
    return f"- {head}: {comment}" if head else f"- {comment}"


def comments_list(lines: Sequence[str], head: str = "Comments:") -> str:
    """Return the comments on a document or on a part of it; empty when there are none."""
    return "\n".join([head, "", *lines]) if lines else ""


def margin_line(name: str, texts: Iterable[str]) -> str:
    """Return headers or footers, each once; without pictures and those that are only a number.

    >>> margin_line("Footer", ["Tides", "3", "Tides", "[IMAGE: logo] Draft"])
    'Footer: Tides · Draft'
    >>> margin_line("Header", ["iv"])
    ''
    """
    plain = (_PICTURE_PATTERN.sub(" ", text) for text in texts)
    lines = dict.fromkeys(disarm_pictures(one_line(text, _MAX_MARGIN_CHARS)) for text in plain)
    shown = [line for line in lines if sum(map(str.isalpha, line)) >= _MIN_MARGIN_LETTERS]
    return f"{name}: {' · '.join(shown[:_MAX_MARGIN_LINES])}" if shown else ""
