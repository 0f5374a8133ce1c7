"""Decode the JSON that people write into pages, mistakes and all. Pure, and linear in length."""

import html
import json
import re
from typing import Final

_MAX_JSON_CHARS: Final = 2_000_000
# To mend costs thirty times as much as to decode.
_MAX_MENDED_CHARS: Final = 60_000
_MAX_OBJECTS: Final = 50
# A price stays as it was written: 49.90 is no 49.9.
_DECODER: Final = json.JSONDecoder(strict=False, parse_float=str)
# Each alternative reaches to the end where it is not closed, so that no text is looked at twice.
_STRINGS: Final = re.compile(
    r'("(?:[^"\\]+|\\.)*(?:"|\\?\Z))|/\*(?:[^*]+|\*(?!/))*(?:\*/|\Z)|//[^\n]*|<!--|-->|<!\[CDATA\[|\]\]>',
    re.DOTALL,
)
_COMMAS: Final = re.compile(r'("(?:[^"\\]+|\\.)*(?:"|\\?\Z))|,(?=\s*[}\]])', re.DOTALL)
_WRONG_ESCAPE: Final = re.compile(r"\\(?:(u(?![0-9a-fA-F]{4})|[^\"\\/bfnrtu])|(.))", re.DOTALL)
_BETWEEN: Final = re.compile(r"[\s;,]*")


def decode_linked(text: str, *, mend: bool = True) -> object:
    """Return what the JSON of a page says, several objects as a list; nothing where it is none.

    Line breaks in texts are forgiven, and comments, commas too many, a semicolon at the end,
    escapes that JSON does not know, and quotes that were written as entities; not in a long text,
    and not without ``mend``.
    """
    if len(text) > _MAX_JSON_CHARS:
        return None
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _mended(text) if mend and len(text) <= _MAX_MENDED_CHARS else None


def _mended(text: str) -> object:
    plain = text.strip("\ufeff \t\r\n")
    if "&quot;" in plain[:40]:
        plain = html.unescape(plain)
    plain = _COMMAS.sub(_kept, _STRINGS.sub(_kept, plain))
    found: list[object] = []
    place = _end(plain, 0)
    while place < len(plain) and len(found) < _MAX_OBJECTS:
        try:
            value, place = _DECODER.raw_decode(plain, place)
        except (ValueError, RecursionError):
            break
        found.append(value)
        place = _end(plain, place)
    return found[0] if len(found) == 1 else found or None


def _end(text: str, place: int) -> int:
    """Return where the next object may begin."""
    match = _BETWEEN.match(text, place)
    return match.end() if match else place


def _kept(match: re.Match[str]) -> str:
    """Keep a text, with escapes that JSON knows, and nothing else."""
    return _WRONG_ESCAPE.sub(_escape, match[1]) if match[1] else ""


def _escape(match: re.Match[str]) -> str:
    wrong = match[1]
    if not wrong:
        return match[0]
    return wrong if wrong == "'" else f"\\\\{wrong}"
