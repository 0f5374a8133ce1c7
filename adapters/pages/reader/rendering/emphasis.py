"""Emphasis in any language: turbohtml writes it as tags where a letter is not ASCII.

Marks are written where they hold by the rules of https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis
(read 2026-11-17); elsewhere the words stay, without.
"""

import re
import unicodedata
from typing import Final

from .footnotes import SIGN

_TAGGED: Final = re.compile(r"(?=[`<])(?<!\\)(?:(`+).*?\1|<(strong|em|b|i)>([^<]*)</\2>)")
_MARKS: Final = {"b": "**", "em": "*", "i": "*", "strong": "**"}
# Beside another mark, or a tag that may become one, both would be read as one.
_OTHER_MARKS: Final = frozenset("*<>")


def write_emphasis(line: str) -> str:
    """Return a line with marks for tags of emphasis, but not in code.

    >>> write_emphasis("Die <strong>Größe</strong> und <em>“q”</em>s und `<em>é</em>`")
    'Die **Größe** und <em>“q”</em>s und `<em>é</em>`'
    """
    return _TAGGED.sub(_marked, line)


def _marked(found: re.Match[str]) -> str:
    words = found[3].strip() if found[2] else ""
    if not words:
        return found[0]
    mark, (lead, tail) = _MARKS[found[2]], found[3].split(words, 1)
    before = lead[-1:] or found.string[: found.start()][-1:]
    after = tail[:1] or found.string[found.end() : found.end() + 1]
    if not (_opens(before, words[0]) and _opens(after, words[-1])):
        return found[0]
    return f"{lead}{mark}{words}{mark}{tail}"


def _opens(outside: str, inside: str) -> bool:
    """Tell whether a mark between two characters holds; at the end of a line there is none."""
    if outside in _OTHER_MARKS or inside in _OTHER_MARKS:
        return False
    return not _is_sign(inside) or not outside.strip() or _is_sign(outside)


def _is_sign(character: str) -> bool:
    return character == SIGN or unicodedata.category(character)[0] in "PS"
