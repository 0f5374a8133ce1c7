"""From bytes to text: byte order mark, what is surely UTF-8, declaration, then the best guess.

Only labels that browsers know are ever used, so never UTF-7, Punycode or a codec of Python's own.
"""

import codecs
import re
from typing import Final

import msgspec
from turbohtml.detect import detect

from ....pages.detection.magic import sniff_media_type, wide_codec
from ....pages.safe_text import decode_if_utf8
from ..draft import Source

# The longer ones first: that of UTF-32 begins as that of UTF-16 does.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEADER: Final = re.compile(r"""charset\s*=\s*["']?([\w:.-]{1,40})""", re.IGNORECASE | re.ASCII)
_ENCODING: Final = re.compile(r"""^(\s*<\?xml[^>]{0,100}?)\sencoding\s*=\s*["'][\w:.-]{1,40}["']""")
_DECLARATION: Final = re.compile(rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})""")
# By the names that browsers have: turbohtml has these codecs in itself, and a worker can open none.
CODE_PAGES: Final = {
    866: "ibm866", 874: "windows-874", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5",
    10000: "macintosh", 65001: "utf-8", **{page: f"windows-{page}" for page in range(1250, 1259)},
}  # fmt: skip
_UTF_8: Final = frozenset(codecs.lookup(f"whatwg-{label}").name for label in ("utf-8", "utf8"))
MAX_PAGE_CHARS: Final = 4_000_000
_MAX_STRAY_BYTES: Final = 2
_DETECT_IN: Final = 262_144


def decode_source(source: Source) -> str:
    """Return the body as text; bytes that fit no charset become U+FFFD."""
    body = source.body
    marked = _marked(body)
    certain = decode_if_utf8(body) if marked is None else marked
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
    return text.count("\ufffd") > max(_MAX_STRAY_BYTES, len(body) - len(text))


def _marked(body: bytes) -> str | None:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    return None


def to_utf8(source: Source) -> Source:
    r"""Return a text of UTF-16 or UTF-32 as one of UTF-8 that is marked so, all else as it is.

    >>> to_utf8(Source(body="words\n".encode("utf-16-le"))).body
    b'\xef\xbb\xbfwords\n'
    """
    body = source.body
    codec = next((codec for mark, codec in _MARKS if body.startswith(mark)), wide_codec(body))
    if codec in (None, "utf-8") or sniff_media_type(body):
        return source
    text = body.decode(codec, "replace").removeprefix("\ufeff")
    # What it says of its encoding was true before.
    told = _ENCODING.sub(r"\1", text, count=1)
    return msgspec.structs.replace(source, body=codecs.BOM_UTF8 + told.encode("utf-8", "replace"))


def truncate_text(source: Source) -> tuple[str, tuple[str, ...]]:
    """Return as much of the text as one page may be long, and a note when that is not all."""
    text = decode_source(source)
    if len(text) <= MAX_PAGE_CHARS:
        return text, ()
    return text[:MAX_PAGE_CHARS], (f"truncated: only the first {MAX_PAGE_CHARS} characters",)


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


def code_page_codec(page: int) -> str | None:
    """Return the codec for the number of a code page of Windows, None for any other."""
    return known_codec(CODE_PAGES.get(page, ""))
