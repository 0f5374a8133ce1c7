"""Markdown as plain text: no marks, but items have theirs and rows have tabs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it.token import Token

_LISTS: Final = frozenset({"bullet_list", "ordered_list"})


def plain_lines(tokens: Iterable[Token]) -> str:
    """Return what the tokens of a page say."""
    writer = _Writer()
    for token in tokens:
        writer.take(token)
    return "".join(writer.done)


class _Writer:
    """What is written so far, and where in lists and tables it stands."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._depth = 0
        self._mark = ""
        self._tight = False
        self._cells: list[str] = []
        self._in_row = False
        self._last = ""

    def take(self, token: Token) -> None:
        """Go on with one token."""
        name, _, edge = token.type.rpartition("_")
        if name in _LISTS:
            self._depth += 1 if edge == "open" else -1
        elif name == "paragraph":
            self._tight = token.hidden
        elif token.type == "list_item_open":
            self._mark = f"{token.info}. " if token.info else "- "
        elif name == "tr" or token.type == "table_open":
            self._turn(token.type)
        elif token.content:
            self._say(token)

    def _turn(self, kind: str) -> None:
        """Begin or end a row; one table does not go on with another."""
        if kind == "tr_close":
            self._put("\t".join(self._cells), "row")
        self._cells, self._in_row = [], kind == "tr_open"
        self._last = "" if kind == "table_open" else self._last

    def _say(self, token: Token) -> None:
        if token.type != "inline":
            self._put(token.content.rstrip("\n"), "code")
        elif self._in_row:
            self._cells.append(" ".join(_words(token).split()))
        else:
            self._put(_words(token), "item" if self._depth and self._tight else "")

    def _put(self, text: str, kind: str) -> None:
        gap = "\n" if kind and kind == self._last != "code" else "\n\n"
        mark, self._mark = self._mark, ""
        blanks = "  " * (self._depth - 1)
        rest = f"{blanks}{' ' * len(mark) or '  '}" if self._depth else ""
        lines = text.replace("\n", f"\n{rest}")
        first = f"{blanks}{mark}" if mark else rest
        self.done.append(f"{gap if self.done else ''}{first}{lines}")
        self._last = kind


def _words(token: Token) -> str:
    """Return the words of a line; a picture is told by its own."""
    inside = token.children or ()
    return "".join(child.content or "\n" * child.type.endswith("break") for child in inside).strip()
