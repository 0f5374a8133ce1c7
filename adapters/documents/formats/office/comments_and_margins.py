"""What stands beside a text: comments on it, and the heads and feet of its pages."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ....pages.safe_text import one_line
from ..markdown_writing import disarm_pictures

MAX_COMMENTS: Final = 500
_MAX_OPEN_COMMENTS: Final = 50
_MAX_ABOUT_CHARS: Final = 120
_MAX_COMMENT_CHARS: Final = 4000
_MAX_MARGIN_CHARS: Final = 500
_MAX_MARGIN_LINES: Final = 20
_MIN_MARGIN_LETTERS: Final = 3
_PICTURE: Final = re.compile(r"\[IMAGE: [^\[\]]*\]")


class CommentedWords:
    """Which comments the text has, and the words that each is about."""

    def __init__(self) -> None:
        """Have met none."""
        self._open: dict[str, list[str]] = {}
        self._about: dict[str, str] = {}

    def meet(self, name: str) -> None:
        """Know a comment by what it is called."""
        if len(self._about) < MAX_COMMENTS:
            self._about.setdefault(name, "")

    def begin(self, name: str) -> None:
        """Listen from here on for a comment."""
        self.meet(name)
        if len(self._open) < _MAX_OPEN_COMMENTS:
            self._open[name] = []

    def end(self, name: str) -> None:
        """Have heard what a comment is about."""
        heard = self._open.pop(name, None)
        if heard and name in self._about:
            self._about[name] = one_line("".join(heard), _MAX_ABOUT_CHARS)

    def hear(self, text: str) -> None:
        """Add to what the comments that were begun are about."""
        for name, heard in list(self._open.items()):
            heard.append(text)
            if sum(map(len, heard)) > _MAX_ABOUT_CHARS:
                self.end(name)

    def about(self, name: str) -> str | None:
        """Return what a comment is about, empty for no words, None where the text has it not."""
        return self._about.get(name)


def comment_line(author: str, about: str, text: str) -> str:
    """Return a comment as an item: who said it, on which words, and what.

    >>> comment_line("Ann", "the tide", "Which?"), comment_line("", "", "Why?")
    ('- Ann on “the tide”: Which?', '- Why?')
    """
    words = f"on “{disarm_pictures(about)}”" if about else ""
    head = " ".join(filter(None, (disarm_pictures(one_line(author)), words)))
    said = disarm_pictures(one_line(text, _MAX_COMMENT_CHARS))
    return f"- {head}: {said}" if head else f"- {said}"


def comments_section(lines: Sequence[str]) -> str:
    """Return comments as a section; empty when there are none."""
    return "\n".join(["## Comments", "", *lines]) if lines else ""


def comments_list(lines: Sequence[str]) -> str:
    """Return comments on a part of a document, below it; empty when there are none."""
    return "\n".join(["Comments:", "", *lines]) if lines else ""


def about_line(text: str) -> str:
    """Return the words that a comment is about in a line, the first where they are many."""
    return one_line(text, _MAX_ABOUT_CHARS)


def margin_line(name: str, texts: Iterable[str]) -> str:
    """Return the heads or feet of pages, each once; without pictures, and those that are a number.

    >>> margin_line("Footer", ["Tides", "3", "Tides", "[IMAGE: logo] Draft"])
    'Footer: Tides · Draft'
    >>> margin_line("Header", ["iv"])
    ''
    """
    plain = (_PICTURE.sub(" ", text) for text in texts)
    lines = dict.fromkeys(disarm_pictures(one_line(text, _MAX_MARGIN_CHARS)) for text in plain)
    said = [line for line in lines if sum(map(str.isalpha, line)) >= _MIN_MARGIN_LETTERS]
    return f"{name}: {' · '.join(said[:_MAX_MARGIN_LINES])}" if said else ""
