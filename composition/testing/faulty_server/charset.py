"""Character sets that are unknown, dangerous or untrue."""

from .conversation import Conversation
from .fault import Group, Play
from .pages import PAGE

CHARSET = Group("charset")
_HAS_MARKER = "text contains MARKER-OK"


def _page(charset: str, body: bytes = PAGE) -> Play:
    async def play(talk: Conversation) -> None:
        await talk.reply(kind=f"text/html; charset={charset}", body=body)

    return play


CHARSET.add(
    "charset_unknown",
    "ok",
    "Name a charset that nobody knows: fall back, do not fail.",
    play=_page("x-bogus"),
    check=_HAS_MARKER,
)
CHARSET.add(
    "charset_python_zlib",
    "ok",
    "Name a Python codec that is no text encoding and raises LookupError.",
    play=_page("zlib"),
    check=_HAS_MARKER,
)
CHARSET.add(
    "charset_python_escape",
    "ok",
    "Name a text codec that only Python has: it must not be used.",
    play=_page("unicode_escape", PAGE + rb"\x3cscript\x3e"),
    check="backslash escapes stay as written",
)
CHARSET.add(
    "charset_punycode",
    "ok",
    "Name a codec whose time is quadratic: it must not be used.",
    play=_page("punycode", PAGE + b"-" + b"b" * 400_000),
    check="conversion CPU < 1 s",
)
CHARSET.add(
    "charset_utf7",
    "ok",
    "Name UTF-7, which is never decoded.",
    play=_page("utf-7", PAGE + b"+ADw-script+AD4-x"),
    check="no '<script' appears",
)
CHARSET.add(
    "charset_invalid_utf8",
    "ok",
    "Send invalid UTF-8.",
    play=_page("utf-8", PAGE + b"\xff\xfe\xc3\x28\xed\xa0\x80"),
    check="U+FFFD, no exception, no lone surrogate",
)
CHARSET.add(
    "charset_utf16_bom",
    "ok",
    "Send a byte order mark that disagrees with the header.",
    play=_page("utf-8", b"\xff\xfe" + PAGE.decode().encode("utf-16-le")),
    check=_HAS_MARKER,
)
CHARSET.add(
    "charset_long_name",
    "ok",
    "Name a charset in 5,000 characters.",
    play=_page("x" * 5000),
    check=_HAS_MARKER,
)
