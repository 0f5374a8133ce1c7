"""A text of Word with its fields undone: what they show stays, what they are made by goes.

[MS-DOC] 2.8.25 (read 2026-11-16): a field is begun, parted and ended by a sign each; the address
of a link stands before its text.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..draft import Allowance
from ..markup import link, tamed

_SIGNS: Final = re.compile(r"[^\x02\x07\x0c\r\x13\x14\x15]+|[\x02\x07\x0c\r\x13\x14\x15]")
_NOTE, _BEGIN, _PART = "\x02", "\x13", "\x14"
_FIELDS: Final = frozenset("\x13\x14\x15")
CELL: Final = "\x07"
_ENDS: Final = frozenset(f"\r\x0c{CELL}")
_LINK: Final = re.compile(r'\s*HYPERLINK\s+"([^"\\]{1,2000})"', re.IGNORECASE)
# More than this before a field shows anything is no field: one was never ended.
_LONGEST_MAKING: Final = 8_000
_DEEPEST: Final = 20
# About a second: signs of fields, ends of paragraphs and the texts between them take some 2.5 µs.
MOST_SIGNS: Final = 400_000
_WRITTEN: Final = {
    **dict.fromkeys((*range(0x20), 0xAD), None),
    0x09: "\t", 0x0B: "\n", 0x0E: "\n", 0x1E: "-", 0xA0: " ",
}  # fmt: skip


class Stretch(NamedTuple):
    """A paragraph's text, or the last one's of a cell, with the sign and the place of its end."""

    text: str
    sign: str
    end: int


class _Field:
    """A field that was begun: what makes it, and where in the paragraph its text begins."""

    def __init__(self) -> None:
        self.making = ""
        self.begin: int | None = None


class Fields:
    """The paragraphs of a text; notes are numbered on from part to part."""

    def __init__(self, base: str, allowance: Allowance) -> None:
        """Begin with no field open; links are relative to ``base``."""
        self._base, self._allowance = base, allowance
        self._open: list[_Field] = []
        self._words: list[str] = []
        self.notes = 0

    def paragraphs(self, letters: str, place: int) -> Iterator[Stretch]:
        """Yield the paragraphs of a stretch of text that begins at a place."""
        self._open, self._words = [], []
        for found in _SIGNS.finditer(letters):
            if self._allowance.is_spent:
                return
            self._allowance.spend(1)
            sign = found[0]
            if sign in _ENDS and not self._is_making():
                yield Stretch(self._paragraph(), sign, place + found.start())
            else:
                self._take(sign)
        rest = self._paragraph()
        if rest:
            yield Stretch(rest, "\r", place + max(0, len(letters) - 1))

    def _take(self, sign: str) -> None:
        if sign in _FIELDS:
            self._take_field(sign)
            return
        if sign == _NOTE:
            self.notes += 1
        if self._is_making():
            self._make(sign)
        else:
            self._words.append(f"[^{self.notes}]" if sign == _NOTE else _written(sign))

    def _take_field(self, sign: str) -> None:
        if sign == _BEGIN:
            self._open += [_Field()] if len(self._open) < _DEEPEST else []
        elif self._open and sign == _PART:
            self._open[-1].begin = len(self._words)
        elif self._open:
            self._close(self._open.pop())

    def _make(self, sign: str) -> None:
        field = self._open[-1]
        field.making += sign
        if len(field.making) > _LONGEST_MAKING:
            self._words.append(_written(field.making))
            self._open.clear()

    def _is_making(self) -> bool:
        return any(field.begin is None for field in self._open)

    def _close(self, field: _Field) -> None:
        """Make a link of what a field shows, where it is one and began in this paragraph."""
        if field.begin is None or self._is_making():
            return
        address = _LINK.match(field.making)
        text = "".join(self._words[field.begin :])
        if address and text.strip():
            self._words[field.begin :] = [link(text, address[1], self._base)]

    def _paragraph(self) -> str:
        text = "".join(self._words).strip()
        self._words = []
        for field in self._open:
            field.begin = 0
        return text


def _written(letters: str) -> str:
    return tamed(letters.translate(_WRITTEN))
