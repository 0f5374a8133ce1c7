"""Which types and file endings we read, and as what."""

import mimetypes
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "html",
    "pdf",
    "docx",
    "xlsx",
    "pptx",
    "text",
    "markdown",
    "json",
    "xml",
    "csv",
    "feed",
    "notebook",
    "code",
    "epub",
    "odt",
    "ods",
    "odp",
    "rtf",
    "mail",
    "mhtml",
    "outlook",
    "xls",
    "xlsb",
    "doc",
    "ppt",
    "subtitles",
    "article",
    "book",
    "mailbox",
    "archive",
    "compressed",
]

_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_OPEN: Final = "application/vnd.oasis.opendocument."
_MEDIA_TYPES: Final[dict[str, Kind]] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    f"{_OFFICE}wordprocessingml.document": "docx",
    f"{_OFFICE}spreadsheetml.sheet": "xlsx",
    f"{_OFFICE}presentationml.presentation": "pptx",
    f"{_OFFICE}wordprocessingml.template": "docx",
    f"{_OFFICE}presentationml.slideshow": "pptx",
    "application/vnd.ms-word.document.macroenabled.12": "docx",
    "application/vnd.ms-excel.sheet.macroenabled.12": "xlsx",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12": "xlsb",
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": "pptx",
    f"{_OPEN}text": "odt",
    f"{_OPEN}text-template": "odt",
    f"{_OPEN}spreadsheet": "ods",
    f"{_OPEN}spreadsheet-template": "ods",
    f"{_OPEN}presentation": "odp",
    f"{_OPEN}presentation-template": "odp",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "text/rtf": "rtf",
    "application/x-rtf": "rtf",
    "message/rfc822": "mail",
    "application/mbox": "mailbox",
    "multipart/related": "mhtml",
    "application/x-mimearchive": "mhtml",
    "application/vnd.ms-outlook": "outlook",
    "application/vnd.ms-excel": "xls",
    "application/msword": "doc",
    "application/vnd.ms-powerpoint": "ppt",
    "text/vtt": "subtitles",
    "text/srt": "subtitles",
    "application/srt": "subtitles",
    "application/x-subrip": "subtitles",
    "application/zip": "archive",
    "application/x-zip-compressed": "archive",
    "application/x-tar": "archive",
    "application/x-gtar": "archive",
    "application/gzip": "archive",
    "application/x-gzip": "archive",
    "application/x-bzip2": "archive",
    "application/x-xz": "archive",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/markdown": "markdown",
    "application/json": "json",
    "text/json": "json",
    "application/feed+json": "json",
    "application/x-ipynb+json": "notebook",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/rss+xml": "feed",
    "application/atom+xml": "feed",
    "application/rdf+xml": "feed",
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/yaml": "code",
    "application/x-yaml": "code",
    "application/toml": "code",
    "application/sql": "code",
    "application/javascript": "code",
    "application/x-sh": "code",
    "text/javascript": "code",
    "text/css": "code",
    "application/x-ndjson": "text",
    "application/ndjson": "text",
    "application/jsonl": "text",
    "text/plain": "text",
}
_SUFFIXES: Final[dict[str, Kind]] = {
    "html": "html",
    "htm": "html",
    "xhtml": "html",
    "pdf": "pdf",
    "docx": "docx",
    "xlsx": "xlsx",
    "pptx": "pptx",
    "docm": "docx",
    "dotx": "docx",
    "xlsm": "xlsx",
    "xlsb": "xlsb",
    "pptm": "pptx",
    "ppsx": "pptx",
    "epub": "epub",
    "odt": "odt",
    "ott": "odt",
    "ods": "ods",
    "odp": "odp",
    "rtf": "rtf",
    "eml": "mail",
    "mbox": "mailbox",
    "mbx": "mailbox",
    "ics": "text",
    "vcf": "text",
    "mht": "mhtml",
    "mhtml": "mhtml",
    "msg": "outlook",
    "xls": "xls",
    "xlt": "xls",
    "doc": "doc",
    "dot": "doc",
    "ppt": "ppt",
    "pps": "ppt",
    "pot": "ppt",
    "vtt": "subtitles",
    "srt": "subtitles",
    "ass": "text",
    "ssa": "text",
    "sbv": "text",
    "ttml": "xml",
    "dfxp": "xml",
    "nxml": "xml",
    "opml": "xml",
    "kml": "xml",
    "gpx": "xml",
    "xlf": "xml",
    "xliff": "xml",
    "tmx": "xml",
    "fb2": "xml",
    "dita": "xml",
    "docbook": "xml",
    "dbk": "xml",
    "tei": "xml",
    "fodt": "xml",
    "fods": "xml",
    "fodp": "xml",
    "zip": "archive",
    "tar": "archive",
    "tgz": "archive",
    "txt": "text",
    "text": "text",
    "log": "text",
    "rst": "text",
    "org": "text",
    "adoc": "text",
    "asciidoc": "text",
    "textile": "text",
    "bib": "text",
    "ris": "text",
    "po": "text",
    "jsonl": "text",
    "ndjson": "text",
    "md": "markdown",
    "markdown": "markdown",
    "mdx": "markdown",
    "json": "json",
    "geojson": "json",
    "xml": "xml",
    "xsd": "xml",
    "xsl": "xml",
    "rss": "feed",
    "atom": "feed",
    "csv": "csv",
    "tsv": "csv",
    "tab": "csv",
    "ipynb": "notebook",
}

# The word that follows the fence; the key is a file's ending.
LANGUAGES: Final = {
    "bash": "bash",
    "c": "c",
    "cc": "cpp",
    "clj": "clojure",
    "cpp": "cpp",
    "cs": "csharp",
    "css": "css",
    "dart": "dart",
    "diff": "diff",
    "ex": "elixir",
    "exs": "elixir",
    "go": "go",
    "h": "c",
    "hpp": "cpp",
    "hs": "haskell",
    "ini": "ini",
    "java": "java",
    "jl": "julia",
    "js": "javascript",
    "jsx": "jsx",
    "kt": "kotlin",
    "lua": "lua",
    "mjs": "javascript",
    "patch": "diff",
    "php": "php",
    "pl": "perl",
    "ps1": "powershell",
    "py": "python",
    "pyi": "python",
    "r": "r",
    "rb": "ruby",
    "rs": "rust",
    "scala": "scala",
    "scss": "scss",
    "sh": "bash",
    "sql": "sql",
    "swift": "swift",
    "tex": "latex",
    "toml": "toml",
    "ts": "typescript",
    "tsx": "tsx",
    "vue": "vue",
    "yaml": "yaml",
    "yml": "yaml",
    "zig": "zig",
}

# What servers send when they do not know: the file's ending knows better.
VAGUE_TYPES: Final = frozenset(
    {
        "",
        "application/octet-stream",
        "binary/octet-stream",
        "application/unknown",
        "unknown/unknown",
    }
)
# Text by name, and nothing to read: a stream without an end.
_NOT_PAGES: Final = frozenset({"text/event-stream"})

# Which kinds are packed into a zip file, and which into bytes of their own.
ZIPPED_KINDS: Final = frozenset({"docx", "xlsx", "xlsb", "pptx", "epub", "odt", "ods", "odp"})
PACKED_KINDS: Final = frozenset(
    {"pdf", "outlook", "xls", "doc", "ppt", "archive", "compressed", "rtf", *ZIPPED_KINDS}
)


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


_MEDIA: Final = ("image/", "audio/", "video/", "font/")


def type_of_name(name: str) -> str:
    """Return the type that a file's name says, nothing where its ending or its bytes say more.

    Which types a machine knows differs: some take TypeScript for video, or outlines for Lotus.

    >>> type_of_name("a.html"), type_of_name("a.png"), type_of_name("a.org")
    ('text/html', 'image/png', '')
    """
    told = mimetypes.guess_type(name)[0] or ""
    is_known = kind_of_suffix(name.rpartition(".")[2].lower()) is not None
    if kind_of_type(told) or (told.startswith(_MEDIA) and not is_known):
        return told
    return ""
