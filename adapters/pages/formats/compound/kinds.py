"""Which document a compound file holds."""

import struct
from typing import Final

from ..detection.media import Kind
from ..office.package import BrokenFileError
from .compound_file import CompoundFile

# What a document of any Office program is kept in when it wants a password, [MS-OFFCRYPTO] 2.3.
LOCKED: Final = "encryptedpackage"
# By the names in lower case, as some programs write them in capitals. A presentation or a text may
# hold a workbook, so they come first; "book" is that of Excel 5 and 95.
_KINDS: Final[dict[str, Kind]] = {
    "worddocument": "doc",
    "powerpoint document": "ppt",
    "workbook": "xls",
    "book": "xls",
    LOCKED: "xls",
}


def compound_kind(body: bytes) -> Kind | None:
    """Return which document of Office a compound file is, None when it is another or broken."""
    try:
        names = {path.lower() for path in CompoundFile(body).paths}
    except (BrokenFileError, struct.error):
        return None
    return next((kind for name, kind in _KINDS.items() if name in names), None)
