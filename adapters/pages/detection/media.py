"""Map content types and file suffixes to the kinds of documents that can be read."""

import mimetypes
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = str


class _Media(NamedTuple):
    """A kind of content: its media types, its file suffixes, and its packing."""

    kind: Kind
    types: str
    suffixes: str
    packing: Literal["", "bytes", "zip"] = ""


_OFFICE_PREFIX: Final = "application/vnd.openxmlformats-officedocument."
_ODF_PREFIX: Final = "application/vnd.oasis.opendocument."
# A kind that only the content shows, such as a paper in XML, has no row.
MEDIA: Final = (
    _Media("html", "text/html application/xhtml+xml", "html htm xhtml"),
    _Media("pdf", "application/pdf application/x-pdf", "pdf", "bytes"),
    _Media(
        "docx",
        f"{_OFFICE_PREFIX}wordprocessingml.document {_OFFICE_PREFIX}wordprocessingml.template "
        "application/vnd.ms-word.document.macroenabled.12",
        "docx docm dotx",
        "zip",
    ),
    _Media(
        "xlsx",
        f"{_OFFICE_PREFIX}spreadsheetml.sheet application/vnd.ms-excel.sheet.macroenabled.12",
        "xlsx xlsm",
        "zip",
    ),
    _Media(
        "pptx",
        f"{_OFFICE_PREFIX}presentationml.presentation {_OFFICE_PREFIX}presentationml.slideshow "
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
        "pptx pptm ppsx",
        "zip",
    ),
    _Media(
        "text",
        "application/x-ndjson application/ndjson application/jsonl text/plain",
        "ics vcf ass ssa sbv txt text log rst org adoc asciidoc textile bib ris po jsonl ndjson",
    ),
    _Media("markdown", "text/markdown text/x-markdown application/markdown", "md markdown mdx"),
    _Media("json", "application/json text/json application/feed+json", "json geojson"),
    _Media(
        "xml",
        "application/xml text/xml",
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
        "zip tar tgz",
        "bytes",
    ),
    _Media("compressed", "", "", "bytes"),
)
_KINDS_BY_TYPE: Final = {name: row.kind for row in MEDIA for name in row.types.split()}
_KINDS_BY_SUFFIX: Final = {suffix: row.kind for row in MEDIA for suffix in row.suffixes.split()}
# Kinds inside a zip file, and all kinds in binary form.
ZIPPED_KINDS: Final = frozenset(row.kind for row in MEDIA if row.packing == "zip")
PACKED_KINDS: Final = frozenset(row.kind for row in MEDIA if row.packing)

# The language after a code fence, by file suffix.
LANGUAGES: Final = {
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
_NO_PAGE_TYPES: Final = frozenset({"text/event-stream"})


def kind_of_type(media_type: str) -> Kind | None:
    """Return the kind of a content type; None when it cannot be read.

    >>> kind_of_type("application/ld+json"), kind_of_type("image/svg+xml")
    ('json', None)
    """
    kind = _KINDS_BY_TYPE.get(media_type)
    if kind or media_type in _NO_PAGE_TYPES:
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
    return _KINDS_BY_SUFFIX.get(suffix) or ("code" if suffix in LANGUAGES else None)


_BINARY_PREFIXES: Final = ("image/", "audio/", "video/", "font/")


def type_of_name(name: str) -> str:
    """Return the content type of a file name; blank where the suffix or the bytes decide better.

    Type tables differ between machines: some map TypeScript to video, or outlines to Lotus.

    >>> type_of_name("a.html"), type_of_name("a.png"), type_of_name("a.org")
    ('text/html', 'image/png', '')
    """
    guessed = mimetypes.guess_type(name)[0] or ""
    has_known_suffix = kind_of_suffix(name.rpartition(".")[2].lower()) is not None
    if kind_of_type(guessed) or (guessed.startswith(_BINARY_PREFIXES) and not has_known_suffix):
        return guessed
    return ""
