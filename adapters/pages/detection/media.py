"""Which types and file endings we read, and as what."""

import mimetypes
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = str


class _Media(NamedTuple):
    """A kind of content: its media types, the endings of its files, and how it is packed."""

    kind: Kind
    types: str
    suffixes: str
    packing: Literal["", "bytes", "zip"] = ""


_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_OPEN: Final = "application/vnd.oasis.opendocument."
# A kind that only its content tells, such as a paper in XML, has no row.
MEDIA: Final = (
    _Media("html", "text/html application/xhtml+xml", "html htm xhtml"),
    _Media("pdf", "application/pdf application/x-pdf", "pdf", "bytes"),
    _Media(
        "docx",
        f"{_OFFICE}wordprocessingml.document {_OFFICE}wordprocessingml.template "
        "application/vnd.ms-word.document.macroenabled.12",
        "docx docm dotx",
        "zip",
    ),
    _Media(
        "xlsx",
        f"{_OFFICE}spreadsheetml.sheet application/vnd.ms-excel.sheet.macroenabled.12",
        "xlsx xlsm",
        "zip",
    ),
    _Media(
        "pptx",
        f"{_OFFICE}presentationml.presentation {_OFFICE}presentationml.slideshow "
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
    _Media("odt", f"{_OPEN}text {_OPEN}text-template", "odt ott", "zip"),
    _Media("ods", f"{_OPEN}spreadsheet {_OPEN}spreadsheet-template", "ods", "zip"),
    _Media("odp", f"{_OPEN}presentation {_OPEN}presentation-template", "odp", "zip"),
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
_MEDIA_TYPES: Final = {name: row.kind for row in MEDIA for name in row.types.split()}
_SUFFIXES: Final = {ending: row.kind for row in MEDIA for ending in row.suffixes.split()}
# Kinds in a zip file, and kinds that are not text as they are stored.
ZIPPED_KINDS: Final = frozenset(row.kind for row in MEDIA if row.packing == "zip")
PACKED_KINDS: Final = frozenset(row.kind for row in MEDIA if row.packing)

# The word that follows the fence; the key is a file's ending.
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

# What servers send when they do not know: the file's ending knows better.
VAGUE_TYPES: Final = frozenset({
    "", "application/octet-stream", "binary/octet-stream", "application/unknown", "unknown/unknown",
})  # fmt: skip
# Text by name, and nothing to read: a stream without an end.
_NOT_PAGES: Final = frozenset({"text/event-stream"})


def kind_of_type(media_type: str) -> Kind | None:
    """Return what a content type says, None when we do not read it.

    >>> kind_of_type("application/ld+json"), kind_of_type("image/svg+xml")
    ('json', None)
    """
    known = _MEDIA_TYPES.get(media_type)
    if known or media_type in _NOT_PAGES:
        return known
    if media_type.startswith("text/"):
        return "text"
    return _kind_of_tree(media_type) if media_type.startswith("application/") else None


def _kind_of_tree(media_type: str) -> Kind | None:
    if media_type.endswith("+json"):
        return "json"
    return "xml" if media_type.endswith("+xml") else None


def kind_of_suffix(suffix: str) -> Kind | None:
    """Return what a file's ending says.

    >>> kind_of_suffix("md"), kind_of_suffix("rs"), kind_of_suffix("exe")
    ('markdown', 'code', None)
    """
    return _SUFFIXES.get(suffix) or ("code" if suffix in LANGUAGES else None)


_PICTURES_AND_SOUND: Final = ("image/", "audio/", "video/", "font/")


def type_of_name(name: str) -> str:
    """Return the type that a file's name says, nothing where its ending or its bytes say more.

    Which types a machine knows differs: some take TypeScript for video, or outlines for Lotus.

    >>> type_of_name("a.html"), type_of_name("a.png"), type_of_name("a.org")
    ('text/html', 'image/png', '')
    """
    told = mimetypes.guess_type(name)[0] or ""
    is_known = kind_of_suffix(name.rpartition(".")[2].lower()) is not None
    if kind_of_type(told) or (told.startswith(_PICTURES_AND_SOUND) and not is_known):
        return told
    return ""
