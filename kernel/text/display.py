"""Text from outside, made fit to be shown to a person or a model."""

import re
from collections.abc import Sequence
from itertools import filterfalse

# Tag characters, zero-width and filler characters, bidirectional controls, C0 and C1 controls
# but newline and tab. ZWNJ and ZWJ stay: Persian, Hindi and emoji need them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u2069\u3164\ufe00-\ufe0e\ufeff\uffa0\ud800-\udfff"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"
)
_BLANKS = re.compile(r"\s+")
_ONLY_TEXT = frozenset({str})


def visible(text: str) -> str:
    r"""Drop every character that hides, so that what is read is what is there.

    >>> visible("pay\u200bload\x1b[2J")
    'payload[2J'
    """
    # A fast yes for most text; a no only means: look closer.
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub("", text)


def hidden_places(text: str) -> list[int]:
    r"""Return where the characters stand that ``visible`` drops, in their order.

    >>> hidden_places("pay\u200bload")
    [3]
    """
    return [found.start() for found in _INVISIBLE.finditer(text)]


def one_line(text: str, most: int = 300) -> str:
    r"""Return ``text`` on one line of at most ``most`` characters.

    >>> one_line(" a\n\nb ")
    'a b'
    """
    line = _BLANKS.sub(" ", visible(text)).strip()
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def shown(value: object, most: int = 80) -> str:
    """Quote a value from outside in an error: escaped, on one line, bounded.

    >>> shown("javascript:alert(1)")
    "'javascript:alert(1)'"
    """
    if not isinstance(value, str):
        return f"a value of type {type(value).__name__[:40]}"
    quoted = ascii(str(value[:most]))
    return quoted if len(value) <= most else quoted[:-1] + "…'"


def is_plain(text: str) -> bool:
    """Tell whether ``text`` is a real ``str`` that can be written as UTF-8.

    Half of a surrogate pair cannot; a subclass of ``str`` may lie about everything.
    """
    if type(text) is not str:
        return False
    return text.isascii() or _encodes(text)


def are_plain(texts: Sequence[str]) -> bool:
    """Tell whether each of ``texts`` is plain; most are ASCII and cost next to nothing."""
    if not {*map(type, texts)} <= _ONLY_TEXT:
        return False
    return _encodes("".join(filterfalse(str.isascii, texts)))


def _encodes(text: str) -> bool:
    # UTF-32 refuses what UTF-8 refuses, at half the price.
    try:
        text.encode("utf-32-le")
    except UnicodeEncodeError:
        return False
    return True
