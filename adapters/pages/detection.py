"""Detect media types by first bytes, content types and file names."""

import mimetypes
from typing import Final, Literal, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

_OLE_MARK: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Two-letter marks (BM, MZ) also start ordinary words, so they need the bytes after them.
# A media type, an offset, and the bytes there that prove the type.
_SIGNATURES: Final = (
    ("image/png", 0, (b"\x89PNG\r\n\x1a\n",)),
    ("image/jpeg", 0, (b"\xff\xd8\xff",)),
    ("image/gif", 0, (b"GIF87a", b"GIF89a")),
    ("image/tiff", 0, (b"II*\x00", b"MM\x00*")),
    ("image/x-icon", 0, (b"\x00\x00\x01\x00",)),
    ("image/vnd.adobe.photoshop", 0, (b"8BPS",)),
    ("image/jxl", 0, (b"\xff\x0a", b"\x00\x00\x00\x0cJXL ")),
    ("image/jp2", 0, (b"\x00\x00\x00\x0cjP  ",)),
    ("image/webp", 8, (b"WEBP",)),
    ("audio/wav", 8, (b"WAVE",)),
    ("video/x-msvideo", 8, (b"AVI ",)),
    ("image/avif", 4, (b"ftypavif",)),
    ("image/heic", 4, (b"ftypheic",)),
    ("audio/mp4", 4, (b"ftypM4A",)),
    ("video/mp4", 4, (b"ftyp",)),
    ("video/webm", 0, (b"\x1aE\xdf\xa3",)),
    ("audio/ogg", 0, (b"OggS\x00",)),
    ("audio/flac", 0, (b"fLaC\x00",)),
    ("audio/mpeg", 0, (b"ID3\x02", b"ID3\x03", b"ID3\x04", b"\xff\xfb", b"\xff\xf3")),
    ("audio/midi", 0, (b"MThd\x00",)),
    ("video/x-flv", 0, (b"FLV\x01",)),
    ("video/mpeg", 0, (b"\x00\x00\x01\xba", b"\x00\x00\x01\xb3")),
    ("application/gzip", 0, (b"\x1f\x8b\x08",)),
    ("application/x-bzip2", 0, (b"BZh91AY&SY",)),
    ("application/x-xz", 0, (b"\xfd7zXZ\x00",)),
    ("application/x-7z-compressed", 0, (b"7z\xbc\xaf\x27\x1c",)),
    ("application/vnd.rar", 0, (b"Rar!\x1a\x07",)),
    ("application/zstd", 0, (b"\x28\xb5\x2f\xfd",)),
    ("application/x-tar", 257, (b"ustar",)),
    ("application/x-archive", 0, (b"!<arch>\n",)),
    ("application/vnd.ms-cab-compressed", 0, (b"MSCF\x00",)),
    ("application/zip", 0, (b"PK\x03\x04", b"PK\x05\x06")),
    ("application/x-executable", 0, (b"\x7fELF",)),
    ("application/x-msdownload", 0, (b"MZ\x90\x00",)),
    ("application/java-vm", 0, (b"\xca\xfe\xba\xbe",)),
    ("application/x-mach-binary", 0, (b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf")),
    ("application/wasm", 0, (b"\x00asm",)),
    ("application/vnd.sqlite3", 0, (b"SQLite format 3\x00",)),
    ("application/vnd.apache.parquet", 0, (b"PAR1",)),
    ("application/x-hdf5", 0, (b"\x89HDF\r\n\x1a\n",)),
    ("font/woff", 0, (b"wOFF",)),
    ("font/woff2", 0, (b"wOF2",)),
    ("font/otf", 0, (b"OTTO\x00",)),
    ("font/ttf", 0, (b"\x00\x01\x00\x00\x00",)),
    ("application/rtf", 0, (b"{\\rtf",)),
    ("application/postscript", 0, (b"%!PS",)),
    ("image/vnd.djvu", 0, (b"AT&TFORM",)),
    ("application/vnd.ms-excel; version=2", 0, (b"\x09\x00\x04\x00",)),
    ("application/vnd.ms-excel; version=3", 0, (b"\x09\x02\x06\x00",)),
    ("application/vnd.ms-excel; version=4", 0, (b"\x09\x04\x06\x00",)),
    # Excel without a container: versions 5 and 95, and later ones.
    ("application/vnd.ms-excel", 0, (b"\x09\x08\x08\x00\x00\x05", b"\x09\x08\x10\x00\x00\x06")),
    ("application/x-ole-storage", 0, (_OLE_MARK,)),
)
_PDF_MARK: Final = b"%PDF-"
_BYTES_BEFORE_PDF: Final = b"\xef\xbb\xbf \t\r\n\x00"
_PDF_HEAD_BYTES: Final = 1024
_SNIFFED_BYTES: Final = 4096
_MIN_WIDE_BYTES: Final = 8
_OFFICE_PREFIX: Final = "application/vnd.openxmlformats-officedocument."
_ODF_PREFIX: Final = "application/vnd.oasis.opendocument."
# The language after a code fence, by file suffix.
LANGUAGES_BY_SUFFIX: Final = {
    "bash": "bash", "c": "c", "cc": "cpp", "clj": "clojure", "cpp": "cpp", "cs": "csharp",
    "css": "css", "dart": "dart", "diff": "diff", "ex": "elixir", "exs": "elixir", "go": "go",
    "h": "c", "hpp": "cpp", "hs": "haskell", "ini": "ini", "java": "java", "jl": "julia",
    "js": "javascript", "jsx": "jsx", "kt": "kotlin", "lua": "lua", "mjs": "javascript",
    "patch": "diff", "php": "php", "pl": "perl", "ps1": "powershell", "py": "python",
    "pyi": "python", "r": "r", "rb": "ruby", "rs": "rust", "scala": "scala", "scss": "scss",
    "sh": "bash", "sql": "sql", "swift": "swift", "tex": "latex", "toml": "toml",
    "ts": "typescript", "tsx": "tsx", "vue": "vue", "yaml": "yaml", "yml": "yaml", "zig": "zig",
}  # fmt: skip
# Servers send these when they do not know the type; the file suffix decides then.
VAGUE_TYPES: Final = frozenset({
    "", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown",
})  # fmt: skip
# An endless stream with the name of text.
_STREAM_TYPES: Final = frozenset({"text/event-stream"})
_MAX_FILE_NAME_CHARS: Final = 200
# Where the mark of a PDF in UTF-32 would be.
_WIDE_HEAD_BYTES: Final = 2 * 4 * _PDF_HEAD_BYTES
_BINARY_PREFIXES: Final = ("image/", "audio/", "video/", "font/")


def sniff_media_type(body: bytes) -> str | None:
    """Return the type that the first bytes prove; None when they prove nothing.

    >>> sniff_media_type(b"GIF89a..."), sniff_media_type(b"Gift ideas")
    ('image/gif', None)
    """
    if body[:_PDF_HEAD_BYTES].lstrip(_BYTES_BEFORE_PDF).startswith(_PDF_MARK):
        return "application/pdf"
    matches = (kind for kind, offset, marks in _SIGNATURES if body.startswith(marks, offset))
    return next(matches, None)


def has_late_pdf_mark(body: bytes) -> bool:
    """Tell whether a PDF begins within the first kilobyte, after other bytes."""
    return _PDF_MARK in body[:_PDF_HEAD_BYTES]


def wide_codec(body: bytes) -> str | None:
    r"""Return the UTF-16 or UTF-32 codec of a text without a byte order mark; None if neither.

    >>> wide_codec("words\n".encode("utf-16-le")), wide_codec(b"w\x00\x00ords..")
    ('utf-16-le', None)
    >>> wide_codec("words\n".encode("utf-32-be"))
    'utf-32-be'
    """
    head = body[:_SNIFFED_BYTES]
    even, odd = head[::2], head[1::2]
    if len(body) % 2 or len(head) < _MIN_WIDE_BYTES:
        return None
    # Half of the letters are Latin, blanks or line ends: each has a zero, always on one side.
    if odd.count(0) * 2 > len(odd) and 0 not in even:
        return "utf-16-le"
    if even.count(0) * 2 > len(even) and 0 not in odd:
        return "utf-16-be"
    return _utf32_codec(body) if head.count(0) * 2 > len(head) else None


def _utf32_codec(body: bytes) -> str | None:
    """Return the UTF-32 codec of a text; None if it is not UTF-32."""
    first, second, third, fourth = (body[offset:_SNIFFED_BYTES:4] for offset in range(4))
    if len(body) % 4:
        return None
    if not any(third) and not any(fourth) and 0 not in first:
        return "utf-32-le"
    return "utf-32-be" if not any(first) and not any(second) and 0 not in fourth else None


Kind: TypeAlias = str


class _Media(NamedTuple):
    """A kind of content: its media types, its file suffixes, and its packing."""

    kind: Kind
    types: str
    suffixes: str
    packing: Literal["", "bytes", "zip"] = ""


# A kind that only the content shows, such as a paper in XML, has no row.
MEDIA: Final = (
    _Media("html", "text/html application/xhtml+xml", "html htm xhtml"),
    _Media("pdf", "application/pdf application/x-pdf", "pdf", "bytes"),
    _Media(
        "docx",
        f"{_OFFICE_PREFIX}wordprocessingml.document {_OFFICE_PREFIX}wordprocessingml.template "
        "application/vnd.ms-word.document.macroenabled.12",
        "docx docm dotx", "zip",
    ),
    _Media(
        "xlsx",
        f"{_OFFICE_PREFIX}spreadsheetml.sheet application/vnd.ms-excel.sheet.macroenabled.12",
        "xlsx xlsm", "zip",
    ),
    _Media(
        "pptx",
        f"{_OFFICE_PREFIX}presentationml.presentation {_OFFICE_PREFIX}presentationml.slideshow "
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "pptx pptm ppsx", "zip",
    ),
    _Media(
        "text",
        "application/x-ndjson application/ndjson application/jsonl text/plain",
        "ics vcf ass ssa sbv txt text log rst org adoc asciidoc textile bib ris po jsonl ndjson",
    ),
    _Media("markdown", "text/markdown text/x-markdown application/markdown", "md markdown mdx"),
    _Media("json", "application/json text/json application/feed+json", "json geojson"),
    _Media(
        "xml", "application/xml text/xml",
        "ttml dfxp nxml opml kml gpx xlf xliff tmx fb2 dita docbook dbk tei fodt fods "
        "fodp xml xsd xsl",
    ),
    _Media("csv", "text/csv application/csv text/tab-separated-values", "csv tsv tab"),
    _Media("feed", "application/rss+xml application/atom+xml application/rdf+xml", "rss atom"),
    _Media("notebook", "application/x-ipynb+json", "ipynb"),
    _Media(
        "code",
        "application/yaml application/x-yaml application/toml application/sql "
        "application/javascript application/x-sh text/javascript text/css",
        "",
    ),
    _Media("epub", "application/epub+zip", "epub", "zip"),
    _Media("odt", f"{_ODF_PREFIX}text {_ODF_PREFIX}text-template", "odt ott", "zip"),
    _Media("ods", f"{_ODF_PREFIX}spreadsheet {_ODF_PREFIX}spreadsheet-template", "ods", "zip"),
    _Media("odp", f"{_ODF_PREFIX}presentation {_ODF_PREFIX}presentation-template", "odp", "zip"),
    _Media("rtf", "application/rtf text/rtf application/x-rtf", "rtf", "bytes"),
    _Media("mail", "message/rfc822", "eml"),
    _Media("mhtml", "multipart/related application/x-mimearchive", "mht mhtml"),
    _Media("outlook", "application/vnd.ms-outlook", "msg", "bytes"),
    _Media("xls", "application/vnd.ms-excel", "xls xlt", "bytes"),
    _Media("xlsb", "application/vnd.ms-excel.sheet.binary.macroenabled.12", "xlsb", "zip"),
    _Media("doc", "application/msword", "doc dot", "bytes"),
    _Media("ppt", "application/vnd.ms-powerpoint", "ppt pps pot", "bytes"),
    _Media("subtitles", "text/vtt text/srt application/srt application/x-subrip", "vtt srt"),
    _Media("mailbox", "application/mbox", "mbox mbx"),
    _Media(
        "archive",
        "application/zip application/x-zip-compressed application/x-tar "
        "application/x-gtar application/gzip application/x-gzip application/x-bzip2 "
        "application/x-xz",
        "zip tar tgz", "bytes",
    ),
    _Media("compressed", "", "", "bytes"),
)  # fmt: skip
_KINDS_BY_TYPE: Final = {name: row.kind for row in MEDIA for name in row.types.split()}
_KINDS_BY_SUFFIX: Final = {suffix: row.kind for row in MEDIA for suffix in row.suffixes.split()}
# Kinds inside a zip file, and all kinds in binary form.
ZIPPED_KINDS: Final = frozenset(row.kind for row in MEDIA if row.packing == "zip")
PACKED_KINDS: Final = frozenset(row.kind for row in MEDIA if row.packing)


def kind_of_type(media_type: str) -> Kind | None:
    """Return the kind of a content type; None when it cannot be read.

    >>> kind_of_type("application/ld+json"), kind_of_type("image/svg+xml")
    ('json', None)
    """
    kind = _KINDS_BY_TYPE.get(media_type)
    if kind or media_type in _STREAM_TYPES:
        return kind
    if media_type.startswith("text/"):
        return "text"
    return _structured_suffix_kind(media_type) if media_type.startswith("application/") else None


def _structured_suffix_kind(media_type: str) -> Kind | None:
    if media_type.endswith("+json"):
        return "json"
    return "xml" if media_type.endswith("+xml") else None


def kind_of_suffix(suffix: str) -> Kind | None:
    """Return the kind of a file suffix; None when it cannot be read.

    >>> kind_of_suffix("md"), kind_of_suffix("rs"), kind_of_suffix("exe")
    ('markdown', 'code', None)
    """
    return _KINDS_BY_SUFFIX.get(suffix) or ("code" if suffix in LANGUAGES_BY_SUFFIX else None)


def file_name_of_url(url: str) -> str:
    """Return the last part of a URL's path, empty when it ends in a slash."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    return unquote(path.rpartition("/")[2])[:_MAX_FILE_NAME_CHARS]


def suffix_of_name(name: str) -> str:
    """Return the ending of a file name, in lower case and without the dot."""
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if dot and stem else ""


def is_packed_page(body: bytes, content_type: str, url: str) -> bool:
    """Tell whether a body may be read as a packed kind: by its bytes, its type or its name.

    A wide text counts too: read as UTF-8 it may be a PDF.

    >>> is_packed_page(b"%PDF-1.7", "", ""), is_packed_page(b"<p>", "text/html", "https://a.b/c?d.pdf")
    (True, False)
    """
    declared = {
        kind_of_type(content_type.partition(";")[0].strip().lower()),
        kind_of_suffix(suffix_of_name(file_name_of_url(url))),
    }
    return (
        not declared.isdisjoint(PACKED_KINDS)
        or sniff_media_type(body) is not None
        or b"\x00" in body[:_WIDE_HEAD_BYTES]
    )


def media_type_of_name(name: str) -> str:
    """Return the content type of a file name; blank where the suffix or the bytes decide better.

    Type tables differ between machines: some map TypeScript to video, or outlines to Lotus.

    >>> media_type_of_name("a.html"), media_type_of_name("a.png"), media_type_of_name("a.org")
    ('text/html', 'image/png', '')
    """
    guessed = mimetypes.guess_type(name)[0] or ""
    has_known_suffix = kind_of_suffix(name.rpartition(".")[2].lower()) is not None
    if kind_of_type(guessed) or (guessed.startswith(_BINARY_PREFIXES) and not has_known_suffix):
        return guessed
    return ""
