"""The comments on the cells of an Excel sheet: notes, and since 2018 threads of them.

ISO/IEC 29500-1, 18.7, and [MS-XLSX] 2.6.205 (read 2026-11-17). Each thread also has a note for
older programs, which is left out.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

from webseam.adapters.values.json_values import parse_whole_number

from ..sheets import CellNote, CellNoteWriter
from .package import Package
from .package_parts import part_relations
from .xml_elements import XmlNode, part_elements

_NOTE_PART_PATTERN: Final = re.compile(r"/comments?\d*\.(?:xml|bin)\Z", re.IGNORECASE)
_THREAD_PART_PATTERN: Final = re.compile(r"/threadedcomments?\d*\.xml\Z", re.IGNORECASE)
_THREAD_AUTHOR_PREFIX: Final = "tc="

ReadNotes = Callable[[str], Iterator[CellNote]]


class CellComments:
    """Writes the comments of a workbook; a binary workbook passes a reader of its own notes."""

    def __init__(self, package: Package, read_notes: ReadNotes | None = None) -> None:
        self._package = package
        self._read_notes = read_notes or self._read_cell_note_part
        self._cell_notes = CellNoteWriter()

    def sheet_comments(self, part: str) -> str:
        """Return the comments on the cells of a sheet, empty for none."""
        return self._cell_notes.cell_notes_list(self._sheet_cell_notes(part))

    def _sheet_cell_notes(self, part: str) -> Iterator[CellNote]:
        for target in dict.fromkeys(part_relations(self._package, part).values()):
            if _NOTE_PART_PATTERN.search(target):
                notes = self._read_notes(target)
                yield from (
                    note for note in notes if not note.author.startswith(_THREAD_AUTHOR_PREFIX)
                )
            elif _THREAD_PART_PATTERN.search(target):
                for node in part_elements(self._package, target, "threadedComment"):
                    author = self._people_by_id.get(node.attribute("personId"), "")
                    yield CellNote(author, node.attribute("ref"), _cell_comment_text(node))

    def _read_cell_note_part(self, part: str) -> Iterator[CellNote]:
        authors: list[str] = []
        for node in part_elements(self._package, part, "authors", "comment"):
            if node.name == "authors":
                authors = [node.inner_text() for node in node.elements("author")]
                continue
            index = parse_whole_number(node.attribute("authorId"))
            author = authors[index] if index is not None and index < len(authors) else ""
            yield CellNote(author, node.attribute("ref"), _cell_comment_text(node))

    @cached_property
    def _people_by_id(self) -> dict[str, str]:
        people = part_elements(self._package, "xl/persons/person.xml", "person")
        return {person.attribute("id"): person.attribute("displayName") for person in people}


def _cell_comment_text(node: XmlNode) -> str:
    """Return the text of a comment, without phonetic guides."""
    text = node.find("text")
    pieces = map(XmlNode.inner_text, text.subtree("t")) if text else ()
    return ("".join(pieces) or (text.inner_text() if text else "")).strip()
