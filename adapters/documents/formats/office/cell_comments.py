"""The comments on the cells of an Excel sheet: notes, and since 2018 threads of them.

ISO/IEC 29500-1, 18.7, and [MS-XLSX] 2.6.205 (read 2026-11-17). Each thread also has a note for
older programs, which only says so.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from ....values.numbers import parse_whole_number
from ..sheets import Note, Notes
from .package import Package
from .package_parts import part_relations
from .xml_elements import XmlNode, part_elements

_NOTES: Final = re.compile(r"/comments?\d*\.(?:xml|bin)\Z", re.IGNORECASE)
_THREADS: Final = re.compile(r"/threadedcomments?\d*\.xml\Z", re.IGNORECASE)
_PEOPLE: Final = "xl/persons/person.xml"
_OF_A_THREAD: Final = "tc="

ReadNotes = Callable[[str], Iterator[Note]]


class CellComments:
    """The comments of a workbook, as many as there is room for."""

    def __init__(self, package: Package, read_notes: ReadNotes | None = None) -> None:
        """Have told none; a binary workbook has notes of another form."""
        self._package = package
        self._read_notes = read_notes or self._notes
        self._told = Notes()
        self._people: dict[str, str] | None = None

    def of(self, part: str) -> str:
        """Return the comments on the cells of a sheet, empty for none."""
        return self._told.told(self._of(part))

    def _of(self, part: str) -> Iterator[Note]:
        for target in dict.fromkeys(part_relations(self._package, part).values()):
            if _NOTES.search(target):
                notes = self._read_notes(target)
                yield from (note for note in notes if not note.author.startswith(_OF_A_THREAD))
            elif _THREADS.search(target):
                yield from self._threads(target)

    def _notes(self, part: str) -> Iterator[Note]:
        authors: list[str] = []
        for node in part_elements(self._package, part, "authors", "comment"):
            if node.name == "authors":
                authors = [each.words() for each in node.nodes("author")]
                continue
            place = parse_whole_number(node.get("authorId"))
            author = authors[place] if place is not None and place < len(authors) else ""
            yield Note(author, node.get("ref"), _text(node))

    def _threads(self, part: str) -> Iterator[Note]:
        for node in part_elements(self._package, part, "threadedComment"):
            yield Note(self._person(node.get("personId")), node.get("ref"), _text(node))

    def _person(self, name: str) -> str:
        if self._people is None:
            people = part_elements(self._package, _PEOPLE, "person")
            self._people = {each.get("id"): each.get("displayName") for each in people}
        return self._people.get(name, "")


def _text(node: XmlNode) -> str:
    """Return what a comment says, without reading aids."""
    text = node.first("text")
    pieces = (each.words() for each in text.walk() if each.name == "t") if text else ()
    return ("".join(pieces) or (text.words() if text else "")).strip()
