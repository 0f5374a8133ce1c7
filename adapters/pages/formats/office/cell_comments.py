"""The comments on the cells of an Excel sheet: notes, and since 2018 threads of them.

ISO/IEC 29500-1, 18.7, and [MS-XLSX] 2.6.205 (read 2026-11-17). Each thread also has a note for
older programs, which only says so.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ....values.numbers import whole
from .margins import MOST_COMMENTS, comment_line
from .package import Package
from .parts import relations
from .xml import Node, nodes_of

_NOTES: Final = re.compile(r"/comments?\d*\.xml\Z", re.IGNORECASE)
_THREADS: Final = re.compile(r"/threadedcomments?\d*\.xml\Z", re.IGNORECASE)
_PEOPLE: Final = "xl/persons/person.xml"
_OF_A_THREAD: Final = "tc="


class CellComments:
    """The comments of a workbook, as many as there is room for."""

    def __init__(self, package: Package) -> None:
        """Have told none."""
        self._package = package
        self._left = MOST_COMMENTS
        self._people: dict[str, str] | None = None

    def of(self, part: str) -> str:
        """Return the comments on the cells of a sheet, empty for none."""
        lines = []
        for target in dict.fromkeys(relations(self._package, part).values()):
            read = self._notes if _NOTES.search(target) else self._threads
            if self._left and (_NOTES.search(target) or _THREADS.search(target)):
                said = list(islice(read(target), self._left))
                self._left -= len(said)
                lines += said
        return "\n".join(["Comments:", "", *lines]) if lines else ""

    def _notes(self, part: str) -> Iterator[str]:
        authors: list[str] = []
        for node in nodes_of(self._package, part, "authors", "comment"):
            if node.name == "authors":
                authors = [each.words() for each in node.nodes("author")]
                continue
            place, text = whole(node.get("authorId")), _text(node)
            author = authors[place] if place is not None and place < len(authors) else ""
            if text and not author.startswith(_OF_A_THREAD):
                yield comment_line(author, node.get("ref"), text.removeprefix(f"{author}:"))

    def _threads(self, part: str) -> Iterator[str]:
        for node in nodes_of(self._package, part, "threadedComment"):
            text = _text(node)
            if text:
                yield comment_line(self._person(node.get("personId")), node.get("ref"), text)

    def _person(self, name: str) -> str:
        if self._people is None:
            people = nodes_of(self._package, _PEOPLE, "person")
            self._people = {each.get("id"): each.get("displayName") for each in people}
        return self._people.get(name, "")


def _text(node: Node) -> str:
    """Return what a comment says, without reading aids."""
    text = node.first("text")
    pieces = (each.words() for each in text.walk() if each.name == "t") if text else ()
    return ("".join(pieces) or (text.words() if text else "")).strip()
