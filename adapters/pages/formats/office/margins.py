"""What stands beside a text: comments on it, and the heads and feet of its pages."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ...text import one_line
from ..markup import tamed

MOST_COMMENTS: Final = 500
_MOST_OPEN: Final = 50
_LONGEST_ABOUT: Final = 120
_LONGEST_COMMENT: Final = 4000
_LONGEST_LINE: Final = 500
_MOST_LINES: Final = 20
_LEAST_LETTERS: Final = 3
_PICTURE: Final = re.compile(r"\[IMAGE: [^\[\]]*\]")


class Remarks:
    """Which comments the text has, and the words that each is about."""

    def __init__(self) -> None:
        """Have met none."""
        self._open: dict[str, list[str]] = {}
        self._about: dict[str, str] = {}

    def meet(self, name: str) -> None:
        """Know a comment by what it is called."""
        if len(self._about) < MOST_COMMENTS:
            self._about.setdefault(name, "")

    def begin(self, name: str) -> None:
        """Listen from here on for a comment."""
        self.meet(name)
        if len(self._open) < _MOST_OPEN:
            self._open[name] = []

    def end(self, name: str) -> None:
        """Have heard what a comment is about."""
        heard = self._open.pop(name, None)
        if heard and name in self._about:
            self._about[name] = one_line("".join(heard), _LONGEST_ABOUT)

    def hear(self, text: str) -> None:
        """Add to what the comments that were begun are about."""
        for name, heard in list(self._open.items()):
            heard.append(text)
            if sum(map(len, heard)) > _LONGEST_ABOUT:
                self.end(name)

    def about(self, name: str) -> str | None:
        """Return what a comment is about, empty for no words, None where the text has it not."""
        return self._about.get(name)


def comment_line(author: str, about: str, text: str) -> str:
    """Return a comment as an item: who said it, on which words, and what.

    >>> comment_line("Ann", "the tide", "Which?"), comment_line("", "", "Why?")
    ('- Ann on “the tide”: Which?', '- Why?')
    """
    words = f"on “{tamed(about)}”" if about else ""
    head = " ".join(filter(None, (tamed(one_line(author)), words)))
    said = tamed(one_line(text, _LONGEST_COMMENT))
    return f"- {head}: {said}" if head else f"- {said}"


def comments_section(lines: Sequence[str]) -> str:
    """Return comments as a section; empty when there are none."""
    return "\n".join(["## Comments", "", *lines]) if lines else ""


def comments_list(lines: Sequence[str]) -> str:
    """Return comments on a part of a document, below it; empty when there are none."""
    return "\n".join(["Comments:", "", *lines]) if lines else ""


def about_line(text: str) -> str:
    """Return the words that a comment is about in a line, the first where they are many."""
    return one_line(text, _LONGEST_ABOUT)


def margin_line(name: str, texts: Iterable[str]) -> str:
    """Return the heads or feet of pages, each once; without pictures, and those that are a number.

    >>> margin_line("Footer", ["Tides", "3", "Tides", "[IMAGE: logo] Draft"])
    'Footer: Tides · Draft'
    >>> margin_line("Header", ["iv"])
    ''
    """
    plain = (_PICTURE.sub(" ", text) for text in texts)
    lines = dict.fromkeys(tamed(one_line(text, _LONGEST_LINE)) for text in plain)
    said = [line for line in lines if sum(map(str.isalpha, line)) >= _LEAST_LETTERS]
    return f"{name}: {' · '.join(said[:_MOST_LINES])}" if said else ""
