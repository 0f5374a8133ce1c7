"""The zip file around a document, opened with a budget.

What counts is what comes out, not what the directory promises: a bomb is cut off as it unfolds.
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final

from ....pages.detection.media import ZIPPED_KINDS, Kind, kind_of_type


class BrokenFileError(Exception):
    """Cut, encrypted, not well-formed, or with a document type declaration."""


class EncryptedError(Exception):
    """Only to be read with a password."""


class TooLargeError(Exception):
    """Deeper or larger than any document a person made."""


_MAX_UNPACKED_BYTES: Final = 64 * 1024 * 1024
MAX_PARTS: Final = 20_000
_READ_BYTES: Final = 65_536
_ENCRYPTED: Final = 1
_MAIN_PARTS: Final[dict[str, Kind]] = {
    "word/document.xml": "docx",
    "xl/workbook.xml": "xlsx",
    "xl/workbook.bin": "xlsb",
    "ppt/presentation.xml": "pptx",
    "META-INF/container.xml": "epub",
}
_MAIN_TYPES: Final[dict[bytes, Kind]] = {
    b"wordprocessingml.document.main+xml": "docx",
    b"spreadsheetml.sheet.main+xml": "xlsx",
    b"ms-excel.sheet.binary.macroEnabled.main": "xlsb",
    b"presentationml.presentation.main+xml": "pptx",
}
_MAX_MIMETYPE_BYTES: Final = 100
_END_MARK: Final = b"PK\x05\x06"
_END_LONGEST: Final = 22 + 65_535
# What zipfile and zlib raise on bytes that are not what they say.
BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


class Package:
    """The parts of one document by name; all that is read from it counts against one budget."""

    def __init__(self, body: bytes) -> None:
        """Read the directory, or say that there is none."""
        if declared_parts(body) > MAX_PARTS:
            raise TooLargeError
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except BROKEN as error:
            raise BrokenFileError from error
        self._left = _MAX_UNPACKED_BYTES
        # Set by whoever reads a part of which something is lost.
        self.is_damaged = False
        self._names = {name.lower(): name for name in self._zip.namelist()}

    @property
    def kind(self) -> Kind | None:
        """Which sort of document it is, None when it is another zip file.

        It says so itself, in its first part; Office files have no such part but always the same
        names, and where those are other ones, the relation to their main part.
        """
        told = b"".join(self.chunks("mimetype"))[:_MAX_MIMETYPE_BYTES].decode("latin-1").strip()
        kind = kind_of_type(told)
        if kind in ZIPPED_KINDS:
            return kind
        named = (kind for name, kind in _MAIN_PARTS.items() if self.has(name))
        return next(named, None) or self._typed_kind()

    def _typed_kind(self) -> Kind | None:
        """Return what the list of types says, for Office files whose parts are called otherwise."""
        types = b"".join(self.chunks("[Content_Types].xml"))
        return next((kind for mark, kind in _MAIN_TYPES.items() if mark in types), None)

    def has(self, name: str) -> bool:
        """Tell whether there is such a part; case does not matter in these files."""
        return name.lower() in self._names

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield a part piece by piece; a part that is not there has no pieces."""
        real = self._names.get(name.lower())
        if real is None:
            return
        if self._zip.getinfo(real).flag_bits & _ENCRYPTED:
            raise EncryptedError
        try:
            with self._zip.open(real) as part:
                while chunk := part.read(_READ_BYTES):
                    self._left -= len(chunk)
                    if self._left < 0:
                        raise TooLargeError
                    yield chunk
        except BROKEN as error:
            raise BrokenFileError from error


def office_kind(body: bytes) -> Kind | None:
    """Return which document a zip file is, None for any other and for a broken one."""
    try:
        return Package(body).kind
    except (BrokenFileError, EncryptedError, TooLargeError):
        return None


def relative_part(part: str, target: str) -> str:
    """Return the name of the part that ``part`` points to.

    >>> (relative_part("xl/workbook.xml", "worksheets/sheet1.xml"),
    ...  relative_part("ppt/a.xml", "/ppt/b.xml"))
    ('xl/worksheets/sheet1.xml', 'ppt/b.xml')
    """
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target)).lstrip("/")


def declared_parts(body: bytes) -> int:
    """Return how many parts the directory says it has, 0 when there is no directory."""
    at = body.rfind(_END_MARK, max(0, len(body) - _END_LONGEST))
    return int.from_bytes(body[at + 10 : at + 12], "little") if at >= 0 else 0
