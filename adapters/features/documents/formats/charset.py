"""From bytes to text: byte order mark, valid UTF-8, declaration, then detection.

Only labels that browsers know are used, so never UTF-7, Punycode or a codec that only Python has.
"""

import codecs
import re
from typing import Final

import msgspec
from turbohtml.detect import detect

from webseam.adapters.pages.detection import sniff_media_type, wide_codec
from webseam.adapters.pages.safe_text import decode_if_utf8

from .draft import Cut, Source

# Longer marks first: the mark of UTF-32-LE begins with that of UTF-16-LE.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSET_PATTERN: Final = re.compile(
    r"""charset\s*=\s*["']?([\w:.-]{1,40})""", re.IGNORECASE | re.ASCII
)
_XML_ENCODING_PATTERN: Final = re.compile(
    r"""^(\s*<\?xml[^>]{0,100}?)\sencoding\s*=\s*["'][\w:.-]{1,40}["']"""
)
_XML_DECLARATION_PATTERN: Final = re.compile(
    rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})"""
)
# turbohtml has the codecs of browsers built in; a confined worker cannot import Python's.
CODE_PAGES: Final = {
    866: "ibm866", 874: "windows-874", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5",
    10000: "macintosh", 65001: "utf-8", **{page: f"windows-{page}" for page in range(1250, 1259)},
}  # fmt: skip
_UTF_8_CODECS: Final = frozenset(codecs.lookup(f"whatwg-{name}").name for name in ("utf-8", "utf8"))
MAX_PAGE_CHARS: Final = 4_000_000
_MAX_STRAY_BYTES: Final = 2
_DETECTION_BYTES: Final = 262_144


def decode_source(source: Source) -> str:
    """Return the body as text; bytes that fit no charset become U+FFFD."""
    body = source.body
    marked = _decode_by_order_mark(body)
    utf8_text = decode_if_utf8(body) if marked is None else marked
    if utf8_text is not None:
        return utf8_text
    declared = _declared_codec(source)
    if declared is not None and not (declared in _UTF_8_CODECS and _is_mislabelled_utf8(body)):
        return body.decode(declared)
    wide = wide_codec(body)
    if wide is not None:
        return body.decode(wide, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(detect(body[:_DETECTION_BYTES]).codec or "utf-8", "replace")


def _is_mislabelled_utf8(body: bytes) -> bool:
    """Tell whether a text that is declared UTF-8 mostly is not: old programs declare it of any."""
    text = body.decode("utf-8", "replace")
    return text.count("\ufffd") > max(_MAX_STRAY_BYTES, len(body) - len(text))


def _decode_by_order_mark(body: bytes) -> str | None:
    for mark, codec in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    return None


def source_to_utf8(source: Source) -> Source:
    r"""Return a text in UTF-16 or UTF-32 as UTF-8 with a byte order mark; other bodies unchanged.

    >>> source_to_utf8(Source(body="words\n".encode("utf-16-le"))).body
    b'\xef\xbb\xbfwords\n'
    """
    body = source.body
    marked = (codec for mark, codec in _BYTE_ORDER_MARKS if body.startswith(mark))
    codec = next(marked, wide_codec(body))
    if codec in (None, "utf-8") or sniff_media_type(body):
        return source
    text = body.decode(codec, "replace").removeprefix("\ufeff")
    # The text is UTF-8 from here on, so drop the declared encoding.
    text = _XML_ENCODING_PATTERN.sub(r"\1", text, count=1)
    return msgspec.structs.replace(source, body=codecs.BOM_UTF8 + text.encode("utf-8", "replace"))


def decode_page_text(source: Source) -> tuple[str, tuple[Cut, ...]]:
    """Return the text up to the limit of a page, and the cap if it was truncated."""
    text = decode_source(source)
    if len(text) <= MAX_PAGE_CHARS:
        return text, ()
    note = f"truncated: only the first {MAX_PAGE_CHARS} characters"
    return text[:MAX_PAGE_CHARS], (Cut("characters", note),)


def _declared_codec(source: Source) -> str | None:
    """Return the codec of the header or the XML declaration, None where browsers know none."""
    header = _CHARSET_PATTERN.search(source.content_type)
    if header:
        return whatwg_codec(header[1])
    declaration = _XML_DECLARATION_PATTERN.match(source.body)
    return whatwg_codec(declaration[1].decode("ascii")) if declaration else None


def whatwg_codec(label: str) -> str | None:
    """Return the codec for a label that browsers know, None for any other."""
    try:
        return codecs.lookup(f"whatwg-{label.lower()}").name
    except LookupError:
        return None


def code_page_codec(page: int) -> str | None:
    """Return the codec of a Windows code page, None for an unknown number."""
    return whatwg_codec(CODE_PAGES.get(page, ""))
