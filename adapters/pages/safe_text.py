"""Make the addresses, lines and bytes of pages safe to show."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urljoin

from webseam.ports.text import (
    CONTROL_CHARS,
    EMOJI_CHARS,
    IGNORABLE_CHARS,
    JOINER_CHARS,
    strip_ignorable,
    truncate,
    unify_breaks,
)

_WEB_URL_PATTERN: Final = re.compile(r"https?://[^\s/\[]", re.IGNORECASE)
_ORIGIN_PATTERN: Final = re.compile(r"https?://[a-z0-9.-]+(?::\d+)?(?=[/?#]|\Z)")
_MAILTO_PATTERN: Final = re.compile(r"mailto:[^\s@]+@[^\s@]+\Z", re.IGNORECASE)
# Characters that would end a markdown link early, or hide in it.
_UNSAFE_URL_PATTERN: Final = re.compile(
    r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
    r"\ud800-\udfff\U000e0000-\U000e0fff<>\"`\\^{|}\[\]]"
)
# Fast paths for most addresses: absolute in plain characters, a path from the root, a fragment.
_PLAIN_URL_PATTERN: Final = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9_~%/=&+,:;@!$'()*.?#-]*")
_ABSOLUTE_PATH_PATTERN: Final = re.compile(
    r"/(?!/)[A-Za-z0-9_~%/=&+,:@!$'()*.-]*(?:\?[A-Za-z0-9_~%/=&+,:@!$'()*.?-]+)?"
)
_FRAGMENT_PATTERN: Final = re.compile(r"#[A-Za-z0-9_~%/=&+,:;@!$'()*.?-]+")
# The most frequent schemes that are never addresses.
_REFUSED_SCHEMES: Final = ("data:", "javascript:")
_MAX_URL_CHARS: Final = 2_000
# Text raised by so many half points is a superscript; less only adjusts the line.
MIN_RAISED_HALF_POINTS: Final = 4
# Scripts that join letters: Hebrew to Arabic, Indic, South-East Asian, Mongolian, Arabic forms.
# Characters that are removed themselves (U+061C, U+17B4, U+17B5, U+180B to U+180F) are left out.
_JOINING_SCRIPTS: Final = (
    "\u0590-\u061b\u061d-\u109f\u1700-\u17b3\u17b6-\u180a\u1810-\u18af\u1900-\u1cff\ua800-\uabff"
    "\ufb1d-\ufdff\ufe70-\ufefc"
)
_VIRAMAS: Final = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0f84\u1039"
)
_HIDDEN_CHAR_PATTERN: Final = re.compile(f"[{CONTROL_CHARS}{IGNORABLE_CHARS}]")
_JOINER_PATTERN: Final = re.compile(f"[{JOINER_CHARS}]")
_STRAY_JOINER_PATTERN: Final = re.compile(
    f"(?=[{JOINER_CHARS}])(?:"
    f"(?<![{EMOJI_CHARS}0-9#*])[\ufe0e\ufe0f]"
    "|(?<=[0-9#*])[\ufe0e\ufe0f](?!\u20e3)"
    f"|(?<![{_JOINING_SCRIPTS}])\u200c|\u200c(?![{_JOINING_SCRIPTS}])"
    f"|(?<![{EMOJI_CHARS}{_JOINING_SCRIPTS}\ufe0f])\u200d|(?<![{EMOJI_CHARS}]\ufe0f)(?<=\ufe0f)\u200d"
    f"|(?<![{_VIRAMAS}])\u200d(?![{EMOJI_CHARS}{_JOINING_SCRIPTS}]))"
)
_SURROGATE_PATTERN: Final = re.compile("[\ud800-\udfff]")
# Characters that none of these patterns matches: skipping them all at once is far cheaper than a
# search for each pattern. A negated class of the others takes seven times as long.
_USUAL_CHARS_PATTERN: Final = re.compile(
    "[\t\n -~\xa0-\xac\xae-\u034e\u0350-\u061b\u061d-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u200a"
    "\u2010-\u2027\u202f-\u205f\u2070-\u3163\u3165-\ud7ff\ue000-\ufdff\ufe10-\ufefe\uff00-\uff9f"
    "\uffa1-\uffef\ufffc-\uffff]+"
)
# No other charset has so many UTF-8 continuation bytes by chance, nor so many per broken byte.
_MIN_CONTINUATION_BYTES: Final = 6
_MIN_BYTES_PER_BROKEN: Final = 100


def removal_note(count: int, noun: str) -> str:
    """Return the note on parts removed from a page.

    >>> removal_note(1, "hidden part"), removal_note(2, "hidden part")
    ('removed 1 hidden part', 'removed 2 hidden parts')
    """
    return f"removed {count} {noun}{'' if count == 1 else 's'}"


def absolute_url(address: str, base: str) -> str | None:
    """Return an absolute http, https or mailto address; None for any other.

    >>> (absolute_url("/a b", "https://example.com/x"),
    ...  absolute_url("javascript:alert(1)", ""))
    ('https://example.com/a%20b', None)
    """
    stripped = address.strip()
    if len(stripped) > _MAX_URL_CHARS:
        return None
    return stripped if _PLAIN_URL_PATTERN.fullmatch(stripped) else _join_page_url(stripped, base)


def _join_page_url(address: str, base: str) -> str | None:
    # A path with "/." needs urljoin to resolve it.
    if (
        "/." not in address
        and _ABSOLUTE_PATH_PATTERN.fullmatch(address)
        and (origin := _url_origin(base))
    ):
        return origin + address
    if _FRAGMENT_PATTERN.fullmatch(address):
        page = _url_without_fragment(base)
        return None if page is None else page + address
    if address.startswith(_REFUSED_SCHEMES):
        return None
    try:
        joined = address if _WEB_URL_PATTERN.match(address) else urljoin(base, address)
    except ValueError:
        return None
    if not (_WEB_URL_PATTERN.match(joined) or _MAILTO_PATTERN.match(joined)):
        return None
    return _UNSAFE_URL_PATTERN.sub(_percent_encode_url_chars, joined)


@lru_cache(maxsize=32)
def _url_origin(base: str) -> str:
    """Return the scheme and host of an http or https address; blank where it is unusual."""
    start = _ORIGIN_PATTERN.match(base)
    return "" if start is None else start[0]


@lru_cache(maxsize=32)
def _url_without_fragment(base: str) -> str | None:
    """Return an address without its fragment; None where it is not absolute."""
    return _join_page_url("#", base)


def _percent_encode_url_chars(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


def strip_hidden(text: str) -> tuple[str, int]:
    r"""Return ``text`` without characters that only a model would see, and their number.

    >>> strip_hidden("pay\u200bload\x1b[2J")
    ('payload[2J', 2)
    """
    rare = _USUAL_CHARS_PATTERN.sub("", text)
    if not rare:
        return text, 0
    unified = unify_breaks(text)
    valid = (
        _SURROGATE_PATTERN.sub("\ufffd", unified) if _SURROGATE_PATTERN.search(rare) else unified
    )
    unhidden = strip_ignorable(valid) if _HIDDEN_CHAR_PATTERN.search(rare) else valid
    shown = _STRAY_JOINER_PATTERN.sub("", unhidden) if _JOINER_PATTERN.search(rare) else unhidden
    return shown, len(valid) - len(shown)


def one_line(text: str, max_chars: int = 300) -> str:
    r"""Return ``text`` on one line of at most ``max_chars`` characters, without hidden ones.

    >>> one_line("t2\n\n SYSTEM")
    't2 SYSTEM'
    """
    # Truncate first: a much longer text is not a line that a person wrote.
    line = " ".join(strip_hidden(text[: max_chars * 8])[0].split())
    # A joiner that lost its second letter is hidden.
    return line if len(line) <= max_chars else strip_hidden(truncate(line, max_chars))[0]


def decode_if_utf8(body: bytes) -> str | None:
    r"""Return bytes that can only be UTF-8 as text; None for all others.

    The declared charset does not matter: a page saved by a browser still declares its old one.

    >>> decode_if_utf8("潮水退了".encode()), decode_if_utf8("Grüße für alle".encode("latin-1"))
    ('潮水退了', None)
    """
    if body.isascii():
        return None
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    continuation = len(body) - len(text)
    is_utf8 = continuation >= max(_MIN_CONTINUATION_BYTES, _MIN_BYTES_PER_BROKEN * broken)
    return text if is_utf8 else None
