r"""The lists of a document: what their levels write before items, and where they begin anew.

Rich Text Format Specification 1.7, "List Tables" (read 2026-11-17): a table of lists, and one of
the uses of them, which may count otherwise. Most programs write each label beside its item too.
"""

from typing import Any, Final

import msgspec

from ..numbering.counting import DOT, Level, ListCounts, Numbering
from ..numbering.numerals import FORMS

_LEVELS: Final = 9
_MAX_LISTS: Final = 4096
_MAX_LABEL_CHARS: Final = 60
# In what a level writes, these stand for the numbers of the levels.
_PLACES: Final = {place: f"%{place + 1}" for place in range(_LEVELS)}
_RINGS: Final = frozenset({"o", "¡"})


class Lists:
    """The lists by the numbers of their uses, and how far each has counted."""

    def __init__(self) -> None:
        """Know none."""
        self._known: dict[int, dict[int, Level]] = {}
        self._used: dict[int, Numbering] = {}
        self._counts = ListCounts()
        self._key = ""
        self._levels: dict[int, Level] = {}
        self._place = -1
        self._anew: set[int] = set()
        self._text = ""

    def list(self, word: str, number: int) -> None:
        """Take what the table of lists says."""
        match word:
            case "list":
                self._begin()
            case "listlevel":
                self._place += 1
                self._set_level()
            case "listid" if len(self._known) < _MAX_LISTS:
                self._known[number] = self._levels
            case _:
                self._shape(word, number)

    def use(self, word: str, number: int) -> None:
        """Take what the table of uses says."""
        match word:
            case "listoverride":
                self._begin()
            case "listid":
                self._key, self._levels = str(number), dict(self._known.get(number, {}))
            case "lfolevel" | "listlevel" | "listoverridestartat":
                self._use_level(word)
            case "ls" if len(self._used) < _MAX_LISTS:
                self._used[number] = Numbering(self._key, self._levels, frozenset(self._anew))
            case _:
                self._shape(word, number)

    def write(self, text: str) -> None:
        """Take what a level writes: how long it is, then the text, then a semicolon."""
        self._text = (self._text + text)[: _MAX_LABEL_CHARS + 2]

    def end_text(self) -> None:
        """Have taken all that a level writes."""
        text, self._text = self._text[1:].removesuffix(";"), ""
        self._change(text=text.translate(_PLACES))

    def label(self, use: int, depth: int, written: str | None) -> str | None:
        """Count on, and return what stands before an item, as ``written`` if it is."""
        numbering = self._used.get(use)
        counted = None if numbering is None else self._counts.label(str(use), numbering, depth)
        if written is None or not (written == "" or any(map(str.isalnum, written))):
            return counted if written is None else DOT
        return DOT if written in _RINGS else written

    def _use_level(self, word: str) -> None:
        if word == "lfolevel":
            self._place += 1
        elif word == "listlevel":
            self._set_level()
        else:
            self._anew.add(self._place)

    def _begin(self) -> None:
        self._levels, self._place, self._anew = {}, -1, set()

    def _set_level(self) -> None:
        if self._place in _PLACES:
            self._levels[self._place] = Level(text="", after=self._place)

    def _shape(self, word: str, number: int) -> None:
        match word:
            case "levelnfc" | "levelnfcn":
                self._change(form=FORMS.get(number, "decimal"))
            case "levelstartat":
                self._change(start=max(0, number))
            case "levellegal":
                self._change(in_digits=number != 0)
            case "levelnorestart":
                self._change(after=0 if number else self._place)

    def _change(self, **parts: Any) -> None:  # noqa: ANN401  fields of a level
        level = self._levels.get(self._place)
        if level is not None:
            self._levels[self._place] = msgspec.structs.replace(level, **parts)
