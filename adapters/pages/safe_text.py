"""Addresses, lines and bytes as pages write them, made safe to show."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urljoin

_WEB: Final = re.compile(r"https?://[^\s/\[]", re.IGNORECASE)
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.-]+(?::\d+)?(?=[/?#]|\Z)")
_MAIL: Final = re.compile(r"mailto:[^\s@]+@[^\s@]+\Z", re.IGNORECASE)
# What would end a markdown link early, or hide in it.
_UNSAFE: Final = re.compile(
    r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
    r"\ud800-\udfff\U000e0000-\U000e0fff<>\"`\\^{|}\[\]]"
)
# Most addresses of a page are whole and of plain signs, a path from its root, or a place on it.
_PLAIN: Final = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9_~%/=&+,:;@!$'()*.?#-]*")
_ROOTED: Final = re.compile(
    r"/(?!/)[A-Za-z0-9_~%/=&+,:@!$'()*.-]*(?:\?[A-Za-z0-9_~%/=&+,:@!$'()*.?-]+)?"
)
_PLACE: Final = re.compile(r"#[A-Za-z0-9_~%/=&+,:;@!$'()*.?-]+")
# Of the kinds that are none, those that pages have most.
_NEVER: Final = ("data:", "javascript:")
_MAX_URL_CHARS: Final = 2_000
# What stands so many half points above the line is meant to; less makes a line look even.
MIN_RAISED_HALF_POINTS: Final = 4
# Letters are not raised, but for n: the "st" of 1st is read well without, x to the n+1 is not.
_PART: Final = "(?:[0-9]{1,4}n?|n)"
_NUMBER: Final = re.compile(rf"\s*[+\u2212-]?{_PART}(?:\s?[+\u2212-]\s?{_PART}){{0,3}}\s*")
_RAISED: Final = str.maketrans("0123456789+-\u2212n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")


def removal_note(count: int, noun: str) -> str:
    """Return the note on what was taken out of a page.

    >>> removal_note(1, "hidden part"), removal_note(2, "hidden part")
    ('removed 1 hidden part', 'removed 2 hidden parts')
    """
    return f"removed {count} {noun}{'' if count == 1 else 's'}"


def absolute_url(address: str, base: str) -> str | None:
    """Return an absolute http, https or mailto address; nothing for any other.

    >>> absolute_url("/a b", "https://example.com/x"), absolute_url("javascript:alert(1)", "")
    ('https://example.com/a%20b', None)
    """
    plain = address.strip()
    if len(plain) > _MAX_URL_CHARS:
        return None
    return plain if _PLAIN.fullmatch(plain) else _joined(plain, base)


def _joined(address: str, base: str) -> str | None:
    # Dots after a slash are to be resolved.
    if "/." not in address and _ROOTED.fullmatch(address) and (origin := _origin(base)):
        return origin + address
    if _PLACE.fullmatch(address):
        page = _page(base)
        return None if page is None else page + address
    if address.startswith(_NEVER):
        return None
    try:
        whole = address if _WEB.match(address) else urljoin(base, address)
    except ValueError:
        return None
    if not (_WEB.match(whole) or _MAIL.match(whole)):
        return None
    return _UNSAFE.sub(_quoted, whole)


@lru_cache(maxsize=32)
def _origin(base: str) -> str:
    """Return what comes before the path of an http or https address; blank where it is odd."""
    start = _ORIGIN.match(base)
    return "" if start is None else start[0]


@lru_cache(maxsize=32)
def _page(base: str) -> str | None:
    """Return an address without the place on the page that it names; nothing where it is odd."""
    return _joined("#", base)


def _quoted(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))


# Remove the characters that hide text from a person and show it to a model.

_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
# Scripts that join letters: Hebrew to Arabic, Indic, South-East Asian, Mongolian, Arabic forms.
# What is itself removed (U+061C, U+17B4, U+17B5, U+180B to U+180F) is left out.
_JOINING: Final = (
    "\u0590-\u061b\u061d-\u109f\u1700-\u17b3\u17b6-\u180a\u1810-\u18af\u1900-\u1cff\ua800-\uabff"
    "\ufb1d-\ufdff\ufe70-\ufefc"
)
_VIRAMA: Final = (
    "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0f84\u1039"
)
_HIDING: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e"
    "\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS: Final = re.compile("[\u200c\u200d\ufe0e\ufe0f]")
_STRAY: Final = re.compile(
    "(?=[\u200c\u200d\ufe0e\ufe0f])(?:"
    f"(?<![{_EMOJI}0-9#*])[\ufe0e\ufe0f]"
    "|(?<=[0-9#*])[\ufe0e\ufe0f](?!\u20e3)"
    f"|(?<![{_JOINING}])\u200c|\u200c(?![{_JOINING}])"
    f"|(?<![{_EMOJI}{_JOINING}\ufe0f])\u200d|(?<![{_EMOJI}]\ufe0f)(?<=\ufe0f)\u200d"
    f"|(?<![{_VIRAMA}])\u200d(?![{_EMOJI}{_JOINING}]))"
)
_BREAKS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_HALVES: Final = re.compile("[\ud800-\udfff]")
# What none of these patterns touches: to pass over all of it at once is far cheaper than to look
# for each of them.
_USUAL: Final = re.compile(
    "[\t\n -~\xa0-\xac\xae-\u034e\u0350-\u061b\u061d-\u115e\u1161-\u17b3\u17b6-\u180a\u1810-\u200a"
    "\u2010-\u2027\u202f-\u205f\u2070-\u3163\u3165-\ud7ff\ue000-\ufdff\ufe10-\ufefe\uff00-\uff9f"
    "\uffa1-\uffef\ufffc-\uffff]+"
)


def strip_hidden(text: str) -> tuple[str, int]:
    r"""Return ``text`` without hiding characters, and how many there were.

    >>> strip_hidden("pay\u200bload\x1b[2J")
    ('payload[2J', 2)
    """
    rare = _USUAL.sub("", text)
    if not rare:
        return text, 0
    broken = _BREAKS.sub("\n", text) if _BREAKS.search(rare) else text
    whole = _HALVES.sub("\ufffd", broken) if _HALVES.search(rare) else broken
    plain = _HIDING.sub("", whole) if _HIDING.search(rare) else whole
    shown = _STRAY.sub("", plain) if _JOINERS.search(rare) else plain
    return shown, len(whole) - len(shown)


def one_line(text: str, max_chars: int = 300) -> str:
    r"""Return ``text`` on one line of at most ``max_chars`` characters, with nothing hidden in it.

    >>> one_line("t2\n\n SYSTEM")
    't2 SYSTEM'
    """
    # The cut comes first: what is longer by far is not a line somebody wrote.
    line = " ".join(strip_hidden(text[: max_chars * 8])[0].split())
    return line if len(line) <= max_chars else strip_hidden(line[: max_chars - 1])[0].rstrip() + "…"


# As many bytes after the first of a character as no other charset makes by chance, and how many of
# them come for each one that is broken.
_MIN_FOLLOWING_CHARS: Final = 6
_FOLLOWING_EACH: Final = 100


def decode_if_utf8(body: bytes) -> str | None:
    r"""Return bytes that can only be UTF-8 as text, None for all others.

    Whatever they are said to be: what a browser saved still names the charset that it came in.

    >>> decode_if_utf8("潮水退了".encode()), decode_if_utf8("Grüße für alle".encode("latin-1"))
    ('潮水退了', None)
    """
    if body.isascii():
        return None
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    following = len(body) - len(text)
    surely = following >= max(_MIN_FOLLOWING_CHARS, _FOLLOWING_EACH * broken)
    return text if surely else None


def superscript(text: str) -> str:
    """Return what is set above the line: ten to the sixth is not 106, nor a note's mark of a year.

    >>> superscript("6"), superscript("-1"), superscript("2n + 1"), superscript("st")
    ('⁶', '⁻¹', '²ⁿ⁺¹', 'st')
    """
    return "".join(text.split()).translate(_RAISED) if _NUMBER.fullmatch(text) else text
