"""Lazy patterns, characters that show nothing, for their classes, and texts fit to be shown."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

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
EMOJI_CHARS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Besides the newline, these end a line for Python and for Unicode (UAX 14). Dropped, they would
# join the words around them.
LINE_BREAK_PATTERN = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_BLACK_FLAG = "\U0001f3f4"
# The flag of England and its like: a black flag, the code of the region in tags (ISO 3166-2, two
# letters and up to four letters or digits), and the tag that ends it (UTS 51, ED-14a). All other
# tags are invisible writing.
_REGION_FLAG = (
    f"{_BLACK_FLAG}[\U000e0061-\U000e007a]{{2}}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{{1,4}}"
    "\U000e007f"
)
# One selector after a character that has such forms (StandardizedVariants.txt, and the Ideographic
# Variation Database): signs of mathematics, Myanmar, Phags-pa, Mongolian, Han, emoji.
_VARIED_CHARS = "0\u2205\u2229-\u22ff\u2a00-\u2aff\u1000-\u109f\uaa60-\uaa7f\ua840-\ua877"
_HAN_CHARS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_ALWAYS_HIDDEN_CHARS = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe03-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# The character that was just read, if it is a selector behind one without such forms.
_STRAY_VARIANT = (
    f"(?<=[\ufe00-\ufe02])(?<![{_VARIED_CHARS}{_HAN_CHARS}][\ufe00-\ufe02])"
    f"|(?<=[\U000e0100-\U000e01ef])(?<![{_HAN_CHARS}][\U000e0100-\U000e01ef])"
    "|(?<=[\u180b-\u180f])(?<![\u1820-\u18aa][\u180b-\u180f])"
)
# Every pattern begins with one set of characters, which the engine looks for many times faster than
# for one of several patterns. Of a break in two characters the first is dropped.
_MAYBE_IGNORABLE_CHARS = f"{_ALWAYS_HIDDEN_CHARS}\ufe00-\ufe02\U000e0100-\U000e01ef\u180b-\u180f\r"
_IGNORABLE_PATTERN = re.compile(
    f"[{_MAYBE_IGNORABLE_CHARS}]"
    rf"(?:(?<=[{_ALWAYS_HIDDEN_CHARS}])|{_STRAY_VARIANT}|(?<=\r)(?=\n))"
)
_MAYBE_INVISIBLE_CHARS = f"{_MAYBE_IGNORABLE_CHARS}\ufe0e\ud800-\udfff"
_INVISIBLE = (
    f"[{_MAYBE_INVISIBLE_CHARS}](?:(?<=[{_ALWAYS_HIDDEN_CHARS}\ud800-\udfff])|{_STRAY_VARIANT}"
    rf"|(?<=\ufe0e)(?<![{EMOJI_CHARS}]\ufe0e)|(?<=\r)(?=\n))"
)
_INVISIBLE_PATTERN = re.compile(_INVISIBLE)
# Without any of these a text is as ``strip_hidden`` leaves it.
_CHANGED_PATTERN = re.compile(f"[{_MAYBE_INVISIBLE_CHARS}\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_FLAG_OR_INVISIBLE = f"(?P<flag>{_REGION_FLAG})|{_INVISIBLE}"
# Longer clusters are a heap of marks and no sign.
_MAX_SIGN_CHARS = 64
_MAX_FLAGS_CHARS = 2000
_FIRST_JOINING_CHAR = "\u0300"
_REGIONAL_A, _REGIONAL_Z = "\U0001f1e6", "\U0001f1ff"
_ZERO_WIDTH_JOINER = "\u200d"
_VIRAMA_CLASS = 9
_ADDRESS_CHARS = "%/:=&?~#+!$,;'@()*[]"


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


# Tags of HTML whose viewer loads something, and any tag with a style or a background.
_LOADING_TAG_PATTERN = lazy_pattern(
    r"<(?=(?:audio|body|embed|frame|iframe|image|img|input|link|meta|object|picture|script|source"
    r"|style|svg|track|use|video)(?![a-z0-9])"
    r"|[a-z][^<>]{0,1000}?[\s\"'/](?:style|background)\s{0,9}=)",
    re.IGNORECASE,
)


def disarm_pictures(text: str) -> str:
    r"""Return markdown that shows no picture: a viewer would load it.

    A tag loses its ``<`` to an entity: a backslash before it may be taken by one that stands there.

    >>> print(disarm_pictures("![x](https://a.example/) <img src=b> <b>"))
    !\[x](https://a.example/) &lt;img src=b> <b>
    """
    disarmed = text.replace("![", "!\\[")
    return _LOADING_TAG_PATTERN.sub("&lt;", disarmed) if "<" in disarmed else disarmed


def nearest_name(name: str, names: Iterable[str], min_similarity: float = 0.6) -> str:
    """Return the one of ``names`` that a wrong name may mean; empty if none is similar."""
    from difflib import get_close_matches  # few names are wrong

    return next(iter(get_close_matches(name, names, 1, min_similarity)), "")


def truncate(text: str, max_chars: int) -> str:
    """Return a text of at most ``max_chars`` characters; an ellipsis stands for a lost end.

    >>> truncate("tide tables", 6), truncate("tides", 5)
    ('tide…', 'tides')
    """
    if len(text) <= max_chars:
        return text
    return f"{text[: sign_border(text, max_chars - 1)].rstrip()}…"


def sign_border(text: str, offset: int) -> int:
    """Return the last offset up to ``offset`` that parts no sign: a letter and its marks, a flag.

    A simple form of the clusters of UAX 29. A cluster that is too long for a sign is parted.

    >>> sign_border("Lyon \U0001f1eb\U0001f1f7", 6), sign_border("e\u0301", 1), sign_border("ab", 1)
    (5, 0, 1)
    """
    border = offset
    while 0 < border < len(text) and _joins(text, border):
        border -= 1
        if offset - border > _MAX_SIGN_CHARS:
            return offset
    return border


def _joins(text: str, offset: int) -> bool:
    """Tell whether the characters before and after an offset belong to one sign."""
    before, after = text[offset - 1], text[offset]
    if before < _FIRST_JOINING_CHAR and after < _FIRST_JOINING_CHAR:
        return before == "\r" and after == "\n"
    import unicodedata  # few texts are cut, and most of them in plain letters

    if before == _ZERO_WIDTH_JOINER or unicodedata.category(after)[0] == "M":
        return True
    # Joiners, tags, tones of skin, and a letter after a virama.
    if after in "\u200c\u200d" or "\U000e0020" <= after <= "\U000e007f":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if unicodedata.combining(before) == _VIRAMA_CLASS:
        return unicodedata.category(after) == "Lo"
    # The vowels and the finals of old Hangul.
    if "\u1160" <= after <= "\u11ff":
        return "\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7a3"
    if _REGIONAL_A <= before <= _REGIONAL_Z and _REGIONAL_A <= after <= _REGIONAL_Z:
        return _is_second_half(text, offset)
    return False


def _is_second_half(text: str, offset: int) -> bool:
    """Tell whether the letter of a flag at an offset is the second of its flag."""
    start = offset
    while start and offset - start < _MAX_FLAGS_CHARS:
        if not _REGIONAL_A <= text[start - 1] <= _REGIONAL_Z:
            break
        start -= 1
    return (offset - start) % 2 == 1


def strip_hidden(text: str) -> str:
    r"""Drop invisible and control characters, so that the visible text is complete.

    Each line break becomes a newline. What belongs to a sign, such as a joiner in a family, stays.

    >>> strip_hidden("pay\u200bload\x1b[2J\fend")
    'payload[2J\nend'
    """
    # A fast path for most text; a False here proves nothing.
    if (text.isascii() and text.isprintable()) or _CHANGED_PATTERN.search(text) is None:
        return text
    if _BLACK_FLAG in text:
        shown = _flag_or_invisible_pattern.sub(lambda match: match["flag"] or "", text)
    else:
        shown = _INVISIBLE_PATTERN.sub("", text)
    return unify_breaks(shown)


_flag_or_invisible_pattern = lazy_pattern(_FLAG_OR_INVISIBLE)


def unify_breaks(text: str) -> str:
    """Return a text with a newline for each line break, and a space for a unit separator."""
    if LINE_BREAK_PATTERN.search(text):
        text = LINE_BREAK_PATTERN.sub("\n", text)
    return text.replace("\x1f", " ")


def hidden_offsets(text: str) -> list[int]:
    r"""Return the positions of the characters that ``strip_hidden`` drops, in order.

    >>> hidden_offsets("pay\u200bload")
    [3]
    """
    matches = _flag_or_invisible_pattern.finditer(text)
    return [match.start() for match in matches if match["flag"] is None]


def strip_ignorable(text: str) -> str:
    """Return a text without characters that show nothing, and with its joiners and surrogates."""
    parts = _region_flag_pattern.split(text) if _BLACK_FLAG in text else [text]
    parts[::2] = [_IGNORABLE_PATTERN.sub("", part) for part in parts[::2]]
    return "".join(parts)


_region_flag_pattern = lazy_pattern(f"({_REGION_FLAG})")


def one_line(text: str, max_chars: int = 300) -> str:
    r"""Return ``text`` on one line of at most ``max_chars`` characters.

    >>> one_line(" a\n\nb ")
    'a b'
    """
    return truncate(" ".join(strip_hidden(text).split()), max_chars)


def encode_address(url: str, max_chars: int = 200) -> str:
    """Return an address of the other side, such as a redirect's, percent-encoded and truncated.

    >>> encode_address("https://a.example/ignore all rules")
    'https://a.example/ignore%20all%20rules'
    """
    from urllib.parse import quote  # few texts hold an address

    return one_line(quote(url, safe=_ADDRESS_CHARS), max_chars)


def link_target(url: str) -> str:
    """Return an address for the angle brackets of a markdown link, which some signs would end.

    >>> link_target("https://a.example/?if=a>b")
    'https://a.example/?if=a%3Eb'
    """
    return url.replace("<", "%3C").replace(">", "%3E").replace("\\", "%5C")
