"""The lines of iCalendar (RFC 5545) and vCard (RFC 2426, 6350): a name, parameters, a value."""

import quopri
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ..detection.charset import decoded
from ..draft import Source

_FOLD: Final = re.compile(r"\r?\n[ \t]")
_SOFT: Final = re.compile(r"=\r?\n")
_LINE: Final = re.compile(r'(?:[\w-]{1,50}\.)?([\w-]{1,50})((?:;(?:[^":;]|"[^"]*+")*+)*+):(.*)')
_ESCAPED: Final = re.compile(r"\\([nN,;:\\])")
_QUOTED: Final = "QUOTED-PRINTABLE"


class Line(NamedTuple):
    """What a line says; ``told`` are its parameters by their names in capitals."""

    name: str
    told: dict[str, str]
    value: str


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text, those that were folded as one."""
    whole = _SOFT.sub("", text) if _QUOTED in text else text
    for line in _FOLD.sub("", whole).splitlines():
        found = _LINE.fullmatch(line)
        if found:
            yield Line(found[1].upper(), *_value(_told(found[2]), found[3]))


def _told(parameters: str) -> dict[str, str]:
    pieces = (piece.partition("=") for piece in parameters.split(";") if piece)
    # In older cards a kind stands alone, as in TEL;HOME.
    told: dict[str, str] = {}
    for name, sign, value in pieces:
        key = name.upper() if sign else "ENCODING" if name.upper() == _QUOTED else "TYPE"
        said = value.strip('"') if sign else name
        told[key] = f"{told[key]},{said}" if key in told else said
    return told


def _value(told: dict[str, str], value: str) -> tuple[dict[str, str], str]:
    if told.get("ENCODING", "").upper() == _QUOTED:
        raw = quopri.decodestring(value.encode("utf-8", "replace"))
        charset = told.get("CHARSET", "")
        value = decoded(Source(body=raw, content_type=f"charset={charset}" if charset else ""))
    return told, value


def plain(value: str) -> str:
    r"""Return a value without its escapes.

    >>> plain("so\\, it\\nis")
    'so, it\nis'
    """
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)
