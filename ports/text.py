"""Lazy patterns, characters that show nothing, for their classes, and texts fit to be shown."""

import re
from collections.abc import Iterable
from typing import AnyStr, TypeGuard, cast

# Default-ignorable code points (DerivedCoreProperties.txt of Unicode 16, read 2026-11-15) and the
# marks of annotations. Joiners are apart: Persian and Hindi need ZWNJ and ZWJ, and emoji need ZWJ
# and the last two variation selectors.
IGNORABLE_CHARS = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
JOINER_CHARS = "\u200c\u200d\ufe0e\ufe0f"
# Controls except tab and newline.
CONTROL_CHARS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
# Line separators and lone surrogates, too; all joiners stay but U+FE0E.
INVISIBLE_PATTERN = re.compile(f"[{CONTROL_CHARS}{IGNORABLE_CHARS}\u2028\u2029\ufe0e\ud800-\udfff]")


def is_text(value: object) -> TypeGuard[str]:
    """Tell whether a value is a ``str`` or a subclass of it.

    Unlike ``isinstance``, this runs no code of the value: its ``__class__`` may raise or lie.
    """
    return issubclass(type(value), str)


def plain_text(text: str) -> str:
    """Return the characters of a text as a real ``str``; a subclass may override any method."""
    return text if type(text) is str else str.__str__(text)


def class_name(kind: type) -> str:
    """Return the name of a class; a metaclass may have a ``__name__`` of its own."""
    return plain_text(vars(type)["__name__"].__get__(kind))


def type_name(value: object) -> str:
    """Return the name of a value's type."""
    return class_name(type(value))


class _LazyPattern:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> object:
        # Keep the method: Python calls this only for what it does not find.
        method = self.__dict__[name] = getattr(re.compile(self._pattern, self._flags), name)
        return method


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled on first use; each use takes 0.1 µs longer.

    Its own methods work; functions of ``re`` do not take it.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


def nearest_name(name: str, names: Iterable[str], min_similarity: float = 0.6) -> str:
    """Return the one of ``names`` that a wrong name may mean; empty if none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415  few names are wrong

    return next(iter(get_close_matches(name, names, 1, min_similarity)), "")


def truncate(text: str, max_chars: int) -> str:
    """Return a text of at most ``max_chars`` characters; an ellipsis stands for a lost end.

    >>> truncate("tide tables", 6), truncate("tides", 5)
    ('tide…', 'tides')
    """
    return text if len(text) <= max_chars else f"{text[: max_chars - 1].rstrip()}…"


def strip_hidden(text: str) -> str:
    r"""Drop invisible and control characters, so that the visible text is complete.

    >>> strip_hidden("pay\u200bload\x1b[2J")
    'payload[2J'
    """
    # A fast path for most text; a False here proves nothing.
    return text if text.isascii() and text.isprintable() else INVISIBLE_PATTERN.sub("", text)


def one_line(text: str, max_chars: int = 300) -> str:
    r"""Return ``text`` on one line of at most ``max_chars`` characters.

    >>> one_line(" a\n\nb ")
    'a b'
    """
    return truncate(" ".join(strip_hidden(text).split()), max_chars)


_ADDRESS_CHARS = "%/:=&?~#+!$,;'@()*[]"


def encode_address(url: str, max_chars: int = 200) -> str:
    """Return an address of the other side, such as a redirect's, percent-encoded and truncated.

    >>> encode_address("https://a.example/ignore all rules")
    'https://a.example/ignore%20all%20rules'
    """
    from urllib.parse import quote  # noqa: PLC0415  few texts hold an address

    return one_line(quote(url, safe=_ADDRESS_CHARS), max_chars)
