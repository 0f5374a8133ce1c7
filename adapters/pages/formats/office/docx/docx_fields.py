"""Fields of Word: what they show stays, what they are made by goes, and links become links.

ECMA-376-1, 17.16: a field is begun, parted and ended by a mark each, with its instruction between
the first two. The marks travel among the texts as signs that no XML may hold.
"""

from collections.abc import Iterable
from typing import Final

from ...markdown_writing import field_target, join_emphasised, markdown_link
from ..xml_elements import XmlNode

_MAKING, _BEGIN, _PART, _END = "\x12", "\x13", "\x14", "\x15"
_MARKS: Final = {"begin": _BEGIN, "separate": _PART, "end": _END}
_MAX_FIELD_DEPTH: Final = 20
_MAX_INSTRUCTION_CHARS: Final = 8_000

Span = tuple[str, str]


class _Field:
    """A field that was begun: its instruction, and where what it shows begins."""

    def __init__(self) -> None:
        self.making = ""
        self.begin: int | None = None


def field_sign(node: XmlNode) -> str:
    """Return the sign of a mark; a box to be ticked is shown in place of its field."""
    box = next((each for each in node.walk() if each.name == "checkBox"), None)
    return _MARKS.get(node.get("fldCharType"), "") if box is None else _ticked(box)


def _ticked(box: XmlNode) -> str:
    mark = box.first("checked") or box.first("default")
    return "[x]" if mark is not None and mark.get("val") not in ("0", "false") else "[ ]"


def instruction_text(node: XmlNode) -> str:
    """Return a piece of an instruction behind its sign."""
    return f"{_MAKING}{node.words()[:_MAX_INSTRUCTION_CHARS]}"


def without_fields(spans: Iterable[Span], base: str) -> list[Span]:
    """Return the texts without signs, and what a link shows as a link."""
    done: list[Span] = []
    opened: list[_Field] = []
    for text, marks in spans:
        sign = text[:1]
        if sign == _BEGIN:
            opened += [_Field()] if len(opened) < _MAX_FIELD_DEPTH else []
        elif sign in (_MAKING, _PART, _END):
            _go_on(sign, text, opened, done, base)
        else:
            done.append((text, marks))
    return done


def _go_on(sign: str, text: str, opened: list[_Field], done: list[Span], base: str) -> None:
    if not opened:
        return
    field = opened[-1]
    if sign == _MAKING:
        field.making = (field.making + text[1:])[:_MAX_INSTRUCTION_CHARS]
    elif sign == _PART:
        field.begin = len(done)
    else:
        opened.pop()
        target = field_target(field.making)
        shown = join_emphasised(done[field.begin :]) if target and field.begin is not None else ""
        if shown.strip():
            done[field.begin :] = [(markdown_link(shown, target, base), "")]
