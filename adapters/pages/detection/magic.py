"""What the first bytes say a file is, whatever its server calls it."""

from typing import Final

import msgspec


class _Signature(msgspec.Struct, frozen=True):
    """These bytes, at this place, mean that type."""

    mark: bytes
    media_type: str
    at: int = 0


_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

# Two-letter marks (BM, MZ) stand in ordinary words too, so they count only with what follows them.
_SIGNATURES: Final = (
    _Signature(b"\x89PNG\r\n\x1a\n", "image/png"),
    _Signature(b"\xff\xd8\xff", "image/jpeg"),
    _Signature(b"GIF87a", "image/gif"),
    _Signature(b"GIF89a", "image/gif"),
    _Signature(b"II*\x00", "image/tiff"),
    _Signature(b"MM\x00*", "image/tiff"),
    _Signature(b"\x00\x00\x01\x00", "image/x-icon"),
    _Signature(b"8BPS", "image/vnd.adobe.photoshop"),
    _Signature(b"\xff\x0a", "image/jxl"),
    _Signature(b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    _Signature(b"\x00\x00\x00\x0cjP  ", "image/jp2"),
    _Signature(b"WEBP", "image/webp", at=8),
    _Signature(b"WAVE", "audio/wav", at=8),
    _Signature(b"AVI ", "video/x-msvideo", at=8),
    _Signature(b"ftypavif", "image/avif", at=4),
    _Signature(b"ftypheic", "image/heic", at=4),
    _Signature(b"ftypM4A", "audio/mp4", at=4),
    _Signature(b"ftyp", "video/mp4", at=4),
    _Signature(b"\x1aE\xdf\xa3", "video/webm"),
    _Signature(b"OggS\x00", "audio/ogg"),
    _Signature(b"fLaC\x00", "audio/flac"),
    _Signature(b"ID3\x02", "audio/mpeg"),
    _Signature(b"ID3\x03", "audio/mpeg"),
    _Signature(b"ID3\x04", "audio/mpeg"),
    _Signature(b"\xff\xfb", "audio/mpeg"),
    _Signature(b"\xff\xf3", "audio/mpeg"),
    _Signature(b"MThd\x00", "audio/midi"),
    _Signature(b"FLV\x01", "video/x-flv"),
    _Signature(b"\x00\x00\x01\xba", "video/mpeg"),
    _Signature(b"\x00\x00\x01\xb3", "video/mpeg"),
    _Signature(b"\x1f\x8b\x08", "application/gzip"),
    _Signature(b"BZh91AY&SY", "application/x-bzip2"),
    _Signature(b"\xfd7zXZ\x00", "application/x-xz"),
    _Signature(b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    _Signature(b"Rar!\x1a\x07", "application/vnd.rar"),
    _Signature(b"\x28\xb5\x2f\xfd", "application/zstd"),
    _Signature(b"ustar", "application/x-tar", at=257),
    _Signature(b"!<arch>\n", "application/x-archive"),
    _Signature(b"MSCF\x00", "application/vnd.ms-cab-compressed"),
    _Signature(b"PK\x03\x04", "application/zip"),
    _Signature(b"PK\x05\x06", "application/zip"),
    _Signature(b"\x7fELF", "application/x-executable"),
    _Signature(b"MZ\x90\x00", "application/x-msdownload"),
    _Signature(b"\xca\xfe\xba\xbe", "application/java-vm"),
    _Signature(b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    _Signature(b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    _Signature(b"\x00asm", "application/wasm"),
    _Signature(b"SQLite format 3\x00", "application/vnd.sqlite3"),
    _Signature(b"PAR1", "application/vnd.apache.parquet"),
    _Signature(b"\x89HDF\r\n\x1a\n", "application/x-hdf5"),
    _Signature(b"wOFF", "font/woff"),
    _Signature(b"wOF2", "font/woff2"),
    _Signature(b"OTTO\x00", "font/otf"),
    _Signature(b"\x00\x01\x00\x00\x00", "font/ttf"),
    _Signature(b"{\\rtf", "application/rtf"),
    _Signature(b"%!PS", "application/postscript"),
    _Signature(b"AT&TFORM", "image/vnd.djvu"),
    _Signature(b"\x09\x00\x04\x00", "application/vnd.ms-excel; version=2"),
    _Signature(b"\x09\x02\x06\x00", "application/vnd.ms-excel; version=3"),
    _Signature(b"\x09\x04\x06\x00", "application/vnd.ms-excel; version=4"),
    # Excel without the container around it: of versions 5 and 95, and later ones.
    _Signature(b"\x09\x08\x08\x00\x00\x05", "application/vnd.ms-excel"),
    _Signature(b"\x09\x08\x10\x00\x00\x06", "application/vnd.ms-excel"),
    _Signature(_OLE, "application/x-ole-storage"),
)
_PDF: Final = b"%PDF-"
_BEFORE_PDF: Final = b"\xef\xbb\xbf \t\r\n\x00"
_PDF_MARK_BYTES: Final = 1024


def sniff_media_type(body: bytes) -> str | None:
    """Return the type that the first bytes prove, None when they prove nothing.

    >>> sniff_media_type(b"GIF89a..."), sniff_media_type(b"Gift ideas")
    ('image/gif', None)
    """
    if body[:_PDF_MARK_BYTES].lstrip(_BEFORE_PDF).startswith(_PDF):
        return "application/pdf"
    for signature in _SIGNATURES:
        if body.startswith(signature.mark, signature.at):
            return signature.media_type
    return None


def has_late_pdf_mark(body: bytes) -> bool:
    """Tell whether a PDF begins within the first kilobyte, behind something else."""
    return _PDF in body[:_PDF_MARK_BYTES]


_SNIFFED_BYTES: Final = 4096
_MIN_WIDE_BYTES: Final = 8


def wide_codec(body: bytes) -> str | None:
    r"""Return which UTF-16 or UTF-32 a text without a mark is; None when its zeros stand elsewhere.

    >>> wide_codec("words\n".encode("utf-16-le")), wide_codec(b"w\x00\x00ords..")
    ('utf-16-le', None)
    >>> wide_codec("words\n".encode("utf-32-be"))
    'utf-32-be'
    """
    head = body[:_SNIFFED_BYTES]
    even, odd = head[::2], head[1::2]
    if len(body) % 2 or len(head) < _MIN_WIDE_BYTES:
        return None
    # Half of the letters are Latin ones, blanks or line ends: a zero each, always on one side.
    if odd.count(0) * 2 > len(odd) and 0 not in even:
        return "utf-16-le"
    if even.count(0) * 2 > len(even) and 0 not in odd:
        return "utf-16-be"
    return _widest_codec(body) if head.count(0) * 2 > len(head) else None


def _widest_codec(body: bytes) -> str | None:
    """Return which UTF-32 a text is, if it is any: half of its bytes are zeros, two by two."""
    first, second, third, fourth = (body[place:_SNIFFED_BYTES:4] for place in range(4))
    if len(body) % 4:
        return None
    if not any(third) and not any(fourth) and 0 not in first:
        return "utf-32-le"
    return "utf-32-be" if not any(first) and not any(second) and 0 not in fourth else None
