"""Content types: what can be read, judged before the body comes and again by its first bytes."""

_TYPES = frozenset(
    {
        "application/atom+xml",
        "application/json",
        "application/ld+json",
        "application/markdown",
        "application/ndjson",
        "application/pdf",
        "application/rss+xml",
        "application/toml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/x-ndjson",
        "application/x-pdf",
        "application/x-yaml",
        "application/xhtml+xml",
        "application/xml",
        "application/yaml",
    }
)
# Text by name, but a stream without an end or nothing to read.
_NOT_PAGES = frozenset({"text/event-stream", "text/css", "text/javascript", "text/ecmascript"})
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh91AY&SY", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-elf"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"\x00asm", "application/wasm"),
    (b"OggS", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"fLaC", "audio/flac"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_LOOK_AT = 1024
_UNKNOWN = "application/octet-stream"


def essence(content_type: str) -> str:
    """Return the type without its parameters, in lower case.

    >>> essence("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def is_readable(kind: str) -> bool:
    """Tell whether a page of that type can be read; a page without a type may be.

    >>> is_readable("text/html"), is_readable("image/svg+xml"), is_readable("")
    (True, False, True)
    """
    if not kind or kind in _TYPES:
        return True
    if kind.startswith("text/"):
        return kind not in _NOT_PAGES
    return kind.startswith("application/") and kind.endswith(("+xml", "+json"))


def lie_in(body: bytes, content_type: str) -> str | None:
    """Return what the body really is when its first bytes say otherwise than its type does.

    >>> lie_in(b"GIF89a", "text/html"), lie_in(b"%PDF-1.7", "application/pdf")
    ('image/gif', None)
    """
    kind = essence(content_type)
    found = next((name for mark, name in _SIGNATURES if body.startswith(mark)), None)
    if found is not None:
        return None if _is_told(found, kind) else found
    if kind not in _BINARY and _has_zero(body, content_type.lower()):
        return _UNKNOWN
    return None


def _is_told(found: str, kind: str) -> bool:
    if found == "application/pdf":
        return kind in ("", *_PDF)
    return found == "application/zip" and kind in _BINARY


def _has_zero(body: bytes, content_type: str) -> bool:
    """Tell whether there is a zero byte early on, which text has only in UTF-16 and UTF-32."""
    if body.startswith(_WIDE_MARKS) or "utf-16" in content_type or "utf-32" in content_type:
        return False
    return b"\x00" in body[:_LOOK_AT]


_PDF = ("application/pdf", "application/x-pdf")
_BINARY = frozenset(kind for kind in _TYPES if "openxmlformats" in kind or kind in _PDF)
