"""Flat OPC: the parts of an Office file one after the other, each with its name.

It is what Word and PowerPoint call an XML document since 2007. Parts that are no XML, as pictures
are, are left out.
"""

import re
from typing import Final

from ..office.package import MOST_PARTS

_PART: Final = b"<pkg:part "
_NAME: Final = re.compile(rb"""pkg:name\s*=\s*["']/?([^"'<>]{1,500})["']""")
_DATA: Final = re.compile(rb"<pkg:xmlData(?:\s[^<>]*+)?>")
_DATA_ENDS: Final = b"</pkg:xmlData>"


def open_packaging_parts(body: bytes) -> dict[str, bytes]:
    """Return the parts by their names."""
    parts = {}
    for piece in body.split(_PART, MOST_PARTS)[1:]:
        name, data = _NAME.match(piece), _DATA.search(piece)
        if name and data:
            # Of a file that was cut short the last part has no end.
            part = piece[data.end() :].partition(_DATA_ENDS)[0]
            parts[name[1].decode("utf-8", "replace")] = part
    return parts
