"""A text of Word with its fields undone: what they show stays, what they are made by goes.

[MS-DOC] 2.8.25 (read 2026-11-16): a field is begun, parted and ended by a sign each; the address
of a link stands before its text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from ..draft import StepAllowance
from ..markdown_writing import disarm_pictures, field_target, join_emphasised, markdown_link
from .formatting import StyledLetters

_SIGNS: Final = re.compile(r"[^\x02\x07\x0c\r\x13\x14\x15]+|[\x02\x07\x0c\r\x13\x14\x15]")
_BEGIN_OF: Final = itemgetter(0)
_NOTE, _BEGIN, _PART = "\x02", "\x13", "\x14"
_FIELDS: Final = frozenset("\x13\x14\x15")
CELL: Final = "\x07"
_ENDS: Final = frozenset(f"\r\x0c{CELL}")
# More than this before a field shows anything is no field: one was never ended.
_MAX_INSTRUCTION_CHARS: Final = 8_000
_MAX_FIELD_DEPTH: Final = 20
# About a second: signs of fields, ends of paragraphs and the texts between them take some 2.5 µs.
MAX_FIELD_SIGNS: Final = 400_000
_WRITTEN: Final = {
    **dict.fromkeys((*range(0x20), 0xAD), None),
    0x09: "\t", 0x0B: "\n", 0x0E: "\n", 0x1E: "-", 0xA0: " ",
}  # fmt: skip


class FieldParagraph(NamedTuple):
    """A paragraph, or the last one of a cell, with and without the marks of its emphasis.

    And the sign that ends it, and the place of that.
    """

    text: str
    plain: str
    sign: str
    end: int


class _Field:
    """A field that was begun: what makes it, and where in the paragraph its text begins."""

    def __init__(self) -> None:
        self.making = ""
        self.begin: int | None = None


class FieldText:
    """The paragraphs of a text; notes are numbered on from part to part."""

    def __init__(
        self, base: str, allowance: StepAllowance, emphasis: Sequence[StyledLetters] = ()
    ) -> None:
        """Begin with no field open; links are relative to ``base``."""
        self._base, self._allowance, self._emphasis = base, allowance, emphasis
        self._open: list[_Field] = []
        self._words: list[tuple[str, str]] = []
        self.notes = 0

    def paragraphs(self, letters: str, place: int) -> Iterator[FieldParagraph]:
        """Yield the paragraphs of a stretch of text that begins at a place."""
        self._open, self._words = [], []
        for found in _SIGNS.finditer(letters):
            if self._allowance.is_spent:
                return
            self._allowance.spend(1)
            sign = found[0]
            if sign in _ENDS and not self._is_making():
                yield self._paragraph(sign, place + found.start())
            else:
                self._take(sign, place + found.start())
        rest = self._paragraph("\r", place + max(0, len(letters) - 1))
        if rest.text:
            yield rest

    def _take(self, sign: str, place: int) -> None:
        if sign in _FIELDS:
            self._take_field(sign)
            return
        if sign == _NOTE:
            self.notes += 1
        if self._is_making():
            self._make(sign)
        elif sign == _NOTE:
            self._words.append((f"[^{self.notes}]", ""))
        else:
            self._words += self._marked(sign, place)

    def _marked(self, letters: str, place: int) -> Iterator[tuple[str, str]]:
        """Yield letters with the marks of their emphasis."""
        done, end = place, place + len(letters)
        at = max(bisect_right(self._emphasis, place, key=_BEGIN_OF) - 1, 0)
        for number in range(at, len(self._emphasis)):
            begin, stop, look = self._emphasis[number]
            if begin >= end:
                break
            first, last = max(begin, done), min(stop, end)
            if first < last:
                yield _written(letters[done - place : first - place]), ""
                yield _written(letters[first - place : last - place]), look.marks
                done = last
        yield _written(letters[done - place :]), ""

    def _take_field(self, sign: str) -> None:
        if sign == _BEGIN:
            self._open += [_Field()] if len(self._open) < _MAX_FIELD_DEPTH else []
        elif self._open and sign == _PART:
            self._open[-1].begin = len(self._words)
        elif self._open:
            self._close(self._open.pop())

    def _make(self, sign: str) -> None:
        field = self._open[-1]
        field.making += sign
        if len(field.making) > _MAX_INSTRUCTION_CHARS:
            self._words.append((_written(field.making), ""))
            self._open.clear()

    def _is_making(self) -> bool:
        return any(field.begin is None for field in self._open)

    def _close(self, field: _Field) -> None:
        """Make a link of what a field shows, where it is one and began in this paragraph."""
        if field.begin is None or self._is_making():
            return
        address = field_target(field.making)
        text = join_emphasised(self._words[field.begin :])
        if address and text.strip():
            self._words[field.begin :] = [(markdown_link(text, address, self._base), "")]

    def _paragraph(self, sign: str, end: int) -> FieldParagraph:
        plain = "".join(text for text, _ in self._words).strip()
        text = join_emphasised(self._words).strip()
        self._words = []
        for field in self._open:
            field.begin = 0
        return FieldParagraph(text, plain, sign, end)


def _written(letters: str) -> str:
    return disarm_pictures(letters.translate(_WRITTEN))
