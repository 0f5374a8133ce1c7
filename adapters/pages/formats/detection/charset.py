"""From bytes to text: byte order mark, what is surely UTF-8, declaration, then the best guess.

Only labels that browsers know are ever used, so never UTF-7, Punycode or a codec of Python's own.
"""

import codecs
import re
from typing import Final

from turbohtml.detect import detect

from ...text import surely_utf8
from ..draft import Source

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER: Final = re.compile(r"""charset\s*=\s*["']?([\w:.-]{1,40})""", re.IGNORECASE | re.ASCII)
_DECLARATION: Final = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})""")
# By the names that browsers have: turbohtml has these codecs in itself, and a worker can open none.
CODE_PAGES: Final = {
    866: "ibm866", 874: "windows-874", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5",
    10000: "macintosh", 65001: "utf-8", **{page: f"windows-{page}" for page in range(1250, 1259)},
}  # fmt: skip
_UTF_8: Final = frozenset(codecs.lookup(f"whatwg-{label}").name for label in ("utf-8", "utf8"))
MOST_CHARACTERS: Final = 4_000_000
_LOOK_AT: Final = 4096
_SHORTEST_WIDE: Final = 8
_MOST_STRAY: Final = 2
_DETECT_IN: Final = 262_144


def decoded(source: Source) -> str:
    """Return the body as text; bytes that fit no charset become U+FFFD."""
    body = source.body
    marked = _marked(body)
    certain = surely_utf8(body) if marked is None else marked
    if certain is not None:
        return certain
    declared = _declared(source)
    if declared is not None and not (declared in _UTF_8 and _is_other(body)):
        return body.decode(declared)
    wide = wide_codec(body)
    if wide is not None:
        return body.decode(wide, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(detect(body[:_DETECT_IN]).codec or "utf-8", "replace")


def _is_other(body: bytes) -> bool:
    """Tell whether a text that is called UTF-8 is mostly not: older programs say so of any."""
    text = body.decode("utf-8", "replace")
    return text.count("\ufffd") > max(_MOST_STRAY, len(body) - len(text))


def _marked(body: bytes) -> str | None:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    return None


def wide_codec(body: bytes) -> str | None:
    r"""Return which UTF-16 a text without a mark is; None when its zeros stand anywhere else.

    >>> wide_codec("words\n".encode("utf-16-le")), wide_codec(b"w\x00\x00ords..")
    ('utf-16-le', None)
    """
    head = body[:_LOOK_AT]
    even, odd = head[::2], head[1::2]
    if len(body) % 2 or len(head) < _SHORTEST_WIDE:
        return None
    # Half of the letters are Latin ones, blanks or line ends: a zero each, always on one side.
    if odd.count(0) * 2 > len(odd) and 0 not in even:
        return "utf-16-le"
    return "utf-16-be" if even.count(0) * 2 > len(even) and 0 not in odd else None


def narrow(head: bytes) -> bytes:
    r"""Return the first bytes of a text, those of UTF-16 as UTF-8.

    >>> narrow("\ufeff<p>".encode("utf-16-le")), narrow(b"<p>")
    (b'<p>', b'<p>')
    """
    text, wide = _marked(head), wide_codec(head)
    if text is None and wide is not None:
        text = head.decode(wide, "replace")
    return head if text is None else text.encode("utf-8", "replace")


def clipped(source: Source) -> tuple[str, tuple[str, ...]]:
    """Return as much of the text as one page may be long, and a note when that is not all."""
    text = decoded(source)
    if len(text) <= MOST_CHARACTERS:
        return text, ()
    return text[:MOST_CHARACTERS], (f"truncated: only the first {MOST_CHARACTERS} characters",)


def _declared(source: Source) -> str | None:
    """Return the codec that the header or an XML declaration names, None when no browser has it."""
    header = _HEADER.search(source.content_type)
    if header:
        return known_codec(header[1])
    declaration = _DECLARATION.match(source.body)
    return known_codec(declaration[1].decode("ascii")) if declaration else None


def known_codec(label: str) -> str | None:
    """Return the codec for a label that browsers know, None for any other."""
    try:
        return codecs.lookup(f"whatwg-{label.lower()}").name
    except LookupError:
        return None


def codec_of_page(page: int) -> str | None:
    """Return the codec for the number of a code page of Windows, None for any other."""
    return known_codec(CODE_PAGES.get(page, ""))
