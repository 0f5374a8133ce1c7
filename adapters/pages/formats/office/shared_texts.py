"""The texts that the cells of a workbook share, streamed: a tree of each would take thrice as long.

ISO/IEC 29500-1, 18.4. A text is made of runs ``t``; those in ``rPh`` are the reading aids that
Japanese sheets have above it.
"""

from collections.abc import Iterable
from typing import Final
from xml.parsers import expat

from .package import BrokenFileError
from .xml_elements import UNREADABLE

# Far more than the cells that are shown: texts are kept in the order in which cells first had them.
_MAX_SHARED_TEXTS: Final = 1_000_000


def shared_texts(chunks: Iterable[bytes]) -> list[str]:
    """Return the texts; ``BrokenFileError`` where the part is not whole."""
    reader = _Reader()
    begun = False
    for chunk in chunks:
        begun = True
        reader.feed(chunk)
        if len(reader.texts) >= _MAX_SHARED_TEXTS:
            return reader.texts
    if begun:
        reader.feed(b"", last=True)
    return reader.texts


class _Reader:
    """Turns expat's calls into texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._runs: list[str] = []
        self._is_run = False
        self._is_aid = False
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._data

    def feed(self, chunk: bytes, *, last: bool = False) -> None:
        try:
            self._parser.Parse(chunk, last)
        except UNREADABLE as error:
            raise BrokenFileError from error

    def _doctype(self, *_: object) -> None:
        raise BrokenFileError

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if local == "t":
            self._is_run = not self._is_aid
        elif local == "rPh":
            self._is_aid = True

    def _end(self, name: str) -> None:
        local = name.rpartition(":")[2]
        if local == "t":
            self._is_run = False
        elif local == "si":
            self.texts.append("".join(self._runs))
            self._runs = []
        elif local == "rPh":
            self._is_aid = False

    def _data(self, text: str) -> None:
        if self._is_run:
            self._runs.append(text)
