"""Word text with its fields resolved: results stay, instructions go.

[MS-DOC] 2.8.25 (read 2026-11-16): control characters begin, separate and end a field; the URL of
a link is in the instruction, before its text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from webseam.ports.text import disarm_pictures

from ..draft import StepAllowance
from ..markdown_writing import OpenField, field_target, join_spans, markdown_link
from .formatting import StyledLetters

_CONTROL_OR_TEXT_PATTERN: Final = re.compile(
    r"[^\x02\x07\x0c\r\x13\x14\x15]+|[\x02\x07\x0c\r\x13\x14\x15]"
)
_run_begin: Final = itemgetter(0)
_NOTE_SIGN, _BEGIN_SIGN, _SEPARATOR_SIGN = "\x02", "\x13", "\x14"
_FIELD_CONTROLS: Final = frozenset("\x13\x14\x15")
CELL_END: Final = "\x07"
_PARAGRAPH_ENDS: Final = frozenset(f"\r\x0c{CELL_END}")
# A longer instruction means that the field was never ended.
_MAX_INSTRUCTION_CHARS: Final = 8_000
_MAX_FIELD_DEPTH: Final = 20
# About a second: control characters and the texts between them take some 2.5 µs each.
MAX_FIELD_SIGNS: Final = 400_000
_CHARACTERS_TABLE: Final = {
    **dict.fromkeys((*range(0x20), 0xAD), None),
    0x09: "\t", 0x0B: "\n", 0x0E: "\n", 0x1E: "-", 0xA0: " ",
}  # fmt: skip


class FieldParagraph(NamedTuple):
    """A paragraph with and without emphasis, its end character, and the offset of that."""

    text: str
    plain: str
    sign: str
    end: int


class FieldText:
    """The paragraphs of a text; note numbers continue from part to part."""

    def __init__(
        self, base: str, allowance: StepAllowance, emphasis: Sequence[StyledLetters] = ()
    ) -> None:
        self._base, self._allowance, self._emphasis = base, allowance, emphasis
        self._open: list[OpenField] = []
        self._words: list[tuple[str, str]] = []
        self.notes = 0

    def split_paragraphs(self, letters: str, start: int) -> Iterator[FieldParagraph]:
        """Yield the paragraphs of a stretch of text; ``start`` is its offset in the text."""
        self._open, self._words = [], []
        for match in _CONTROL_OR_TEXT_PATTERN.finditer(letters):
            if self._allowance.is_spent:
                return
            self._allowance.spend(1)
            sign = match[0]
            if sign in _PARAGRAPH_ENDS and not self._is_in_field_instruction():
                yield self._end_paragraph(sign, start + match.start())
            else:
                self._take_piece(sign, start + match.start())
        rest = self._end_paragraph("\r", start + max(0, len(letters) - 1))
        if rest.text:
            yield rest

    def _take_piece(self, sign: str, offset: int) -> None:
        if sign in _FIELD_CONTROLS:
            self._take_field_control(sign)
            return
        if sign == _NOTE_SIGN:
            self.notes += 1
        if self._is_in_field_instruction():
            field = self._open[-1]
            field.instruction += sign
            if len(field.instruction) > _MAX_INSTRUCTION_CHARS:
                self._words.append((_shown_text(field.instruction), ""))
                self._open.clear()
        elif sign == _NOTE_SIGN:
            self._words.append((f"[^{self.notes}]", ""))
        else:
            self._words += self._emphasised_spans(sign, offset)

    def _emphasised_spans(self, letters: str, start: int) -> Iterator[tuple[str, str]]:
        """Yield letters with the marks of their emphasis."""
        done, end = start, start + len(letters)
        first_run = max(bisect_right(self._emphasis, start, key=_run_begin) - 1, 0)
        for number in range(first_run, len(self._emphasis)):
            begin, stop, look = self._emphasis[number]
            if begin >= end:
                break
            first, last = max(begin, done), min(stop, end)
            if first < last:
                yield _shown_text(letters[done - start : first - start]), ""
                yield _shown_text(letters[first - start : last - start]), look.marks
                done = last
        yield _shown_text(letters[done - start :]), ""

    def _take_field_control(self, sign: str) -> None:
        if sign == _BEGIN_SIGN:
            self._open += [OpenField()] if len(self._open) < _MAX_FIELD_DEPTH else []
        elif self._open and sign == _SEPARATOR_SIGN:
            self._open[-1].begin = len(self._words)
        elif self._open:
            self._end_field(self._open.pop())

    def _is_in_field_instruction(self) -> bool:
        return any(field.begin is None for field in self._open)

    def _end_field(self, field: OpenField) -> None:
        """Turn the result of a link field that began in this paragraph into a link."""
        if field.begin is None or self._is_in_field_instruction():
            return
        address = field_target(field.instruction)
        text = join_spans(self._words[field.begin :])
        if address and text.strip():
            self._words[field.begin :] = [(markdown_link(text, address, self._base), "")]

    def _end_paragraph(self, sign: str, end: int) -> FieldParagraph:
        plain = "".join(text for text, _ in self._words).strip()
        text = join_spans(self._words).strip()
        self._words = []
        for field in self._open:
            field.begin = 0
        return FieldParagraph(text, plain, sign, end)


def _shown_text(letters: str) -> str:
    return disarm_pictures(letters.translate(_CHARACTERS_TABLE))
