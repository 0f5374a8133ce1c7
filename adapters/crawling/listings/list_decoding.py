"""What is written in a list, in whatever encoding it says of itself."""

import codecs
import re
from typing import Final

_BLANK: Final = b" \t\r\n"
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DECLARED: Final = re.compile(rb"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w.-]{1,40})["']""")
_DECLARATION: Final = re.compile(r"\s*<\?xml[^>]{0,200}\?>")


def strip_list_mark(content: bytes) -> bytes:
    """Return a list without what stands before its first sign, and never in UTF-16."""
    if content.startswith(_WIDE):
        # A declaration would be wrong from here on.
        return _DECLARATION.sub("", content.decode("utf-16", "replace"), count=1).encode().lstrip()
    return content.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK)


def decode_list(content: bytes) -> str:
    """Return plain bytes as text; what is in no encoding that is known is read as UTF-8."""
    declared = _DECLARED.match(content)
    try:
        return content.decode(declared[1].decode() if declared else "utf-8", "replace")
    # Nobody knows it, it is none for text, or it cannot leave out what is wrong.
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")
