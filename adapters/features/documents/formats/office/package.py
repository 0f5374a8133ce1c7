"""The zip file around a document, opened with a budget.

The budget counts unpacked bytes, not the sizes in the directory, so it also stops a zip bomb.
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final

from webseam.adapters.pages.detection import ZIPPED_KINDS, Kind, kind_of_type

_MAX_UNPACKED_BYTES: Final = 64 * 1024 * 1024
MAX_PARTS: Final = 20_000
_READ_BYTES: Final = 65_536
_ENCRYPTED_FLAG: Final = 1
_MAIN_PARTS: Final[dict[str, Kind]] = {
    "word/document.xml": "docx", "xl/workbook.xml": "xlsx", "xl/workbook.bin": "xlsb",
    "ppt/presentation.xml": "pptx", "META-INF/container.xml": "epub",
}  # fmt: skip
_MAIN_TYPES: Final[dict[bytes, Kind]] = {
    b"wordprocessingml.document.main+xml": "docx",
    b"spreadsheetml.sheet.main+xml": "xlsx",
    b"ms-excel.sheet.binary.macroEnabled.main": "xlsb",
    b"presentationml.presentation.main+xml": "pptx",
}
_MAX_MIMETYPE_BYTES: Final = 100
_END_MARK: Final = b"PK\x05\x06"
_END_BYTES: Final = 22 + 65_535
# zipfile and zlib raise these on malformed bytes.
ZIP_ERRORS: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError,
    RuntimeError, ValueError,
)  # fmt: skip


class BrokenFileError(Exception):
    """The file is truncated, not well-formed, or has a document type declaration."""


class EncryptedError(Exception):
    """The file needs a password."""


class TooLargeError(Exception):
    """The file is deeper or larger than the limits."""


class Package:
    """The parts of one document by name; all reads count against one budget."""

    def __init__(self, body: bytes) -> None:
        """Read the directory; raise ``BrokenFileError`` where there is none."""
        if declared_zip_parts(body) > MAX_PARTS:
            raise TooLargeError
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except ZIP_ERRORS as error:
            raise BrokenFileError from error
        self._bytes_left = _MAX_UNPACKED_BYTES
        # A reader sets this when it cannot read all of a part.
        self.is_damaged = False
        self._names = {name.lower(): name for name in self._zip.namelist()}

    @property
    def kind(self) -> Kind | None:
        """The kind of document, None for another zip file.

        OpenDocument and EPUB have it in their first part, Office files in the names of their parts
        or in their list of content types.
        """
        mimetype = b"".join(self.part_chunks("mimetype"))[:_MAX_MIMETYPE_BYTES]
        kind = kind_of_type(mimetype.decode("latin-1").strip())
        if kind in ZIPPED_KINDS:
            return kind
        named = (kind for name, kind in _MAIN_PARTS.items() if self.has_part(name))
        if kind := next(named, None):
            return kind
        types = b"".join(self.part_chunks("[Content_Types].xml"))
        return next((kind for mark, kind in _MAIN_TYPES.items() if mark in types), None)

    def has_part(self, name: str) -> bool:
        """Tell whether there is such a part; names ignore case."""
        return name.lower() in self._names

    def part_chunks(self, name: str) -> Iterator[bytes]:
        """Yield a part in pieces; a missing part has none."""
        real = self._names.get(name.lower())
        if real is None:
            return
        if self._zip.getinfo(real).flag_bits & _ENCRYPTED_FLAG:
            raise EncryptedError
        try:
            with self._zip.open(real) as part:
                while chunk := part.read(_READ_BYTES):
                    self._bytes_left -= len(chunk)
                    if self._bytes_left < 0:
                        raise TooLargeError
                    yield chunk
        except ZIP_ERRORS as error:
            raise BrokenFileError from error


def office_kind(body: bytes) -> Kind | None:
    """Return which document a zip file is, None for any other and for a broken one."""
    try:
        return Package(body).kind
    except (BrokenFileError, EncryptedError, TooLargeError):
        return None


def relative_part(part: str, target: str) -> str:
    """Return the name of the part that ``part`` points to.

    >>> relative_part("xl/workbook.xml", "worksheets/sheet1.xml")
    'xl/worksheets/sheet1.xml'
    >>> relative_part("ppt/a.xml", "/ppt/b.xml")
    'ppt/b.xml'
    """
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target)).lstrip("/")


def declared_zip_parts(body: bytes) -> int:
    """Return the number of parts that the directory declares, 0 without a directory."""
    at = body.rfind(_END_MARK, max(0, len(body) - _END_BYTES))
    return int.from_bytes(body[at + 10 : at + 12], "little") if at >= 0 else 0
