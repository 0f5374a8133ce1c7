"""Small books, office documents, messages and archives, made by hand."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
from collections.abc import Callable, Mapping, Sequence

from .build import zipped

_ODF = 'xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:draw="d" xmlns:style="s" xmlns:presentation="p" xmlns:xlink="x" xmlns:svg="v" xmlns:fo="f"'
_OPEN = "application/vnd.oasis.opendocument."


def epub(
    chapters: Sequence[str], metadata: str = "", parts: Mapping[str, str] | None = None
) -> bytes:
    """A book with these chapters, each the body of its page."""
    items = "".join(
        f'<item id="c{place}" href="text/c%20{place}.xhtml" media-type="application/xhtml+xml"/>'
        for place in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{place}"/>' for place in range(len(chapters)))
    package = (
        f'<package xmlns:dc="dc"><metadata>{metadata}</metadata>'
        f'<manifest>{items}<item id="css" href="a.css" media-type="text/css"/></manifest>'
        f'<spine><itemref idref="css"/>{spine}</spine></package>'
    )
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    pages = {
        f"OPS/text/c {place}.xhtml": f"<html><body>{chapter}</body></html>"
        for place, chapter in enumerate(chapters)
    }
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OPS/book.opf": package,
            **pages,
            **(parts or {}),
        }
    )


def open_document(
    kind: str, body: str, styles: str = "", meta: str = "", masters: str = ""
) -> bytes:
    """An OpenDocument file: ``kind`` is text, spreadsheet or presentation."""
    content = (
        f"<office:document-content {_ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    about = f'<office:meta xmlns:office="o" xmlns:dc="dc" xmlns:meta="m">{meta}</office:meta>'
    looks = f"<office:document-styles {_ODF}>{masters}</office:document-styles>"
    return zipped(
        {
            "mimetype": f"{_OPEN}{kind}",
            "content.xml": content,
            "meta.xml": about,
            **({"styles.xml": looks} if masters else {}),
        }
    )


def extended(document: bytes, parts: Mapping[str, str]) -> bytes:
    """A document that is a zip file, with more parts."""
    whole = io.BytesIO(document)
    with zipfile.ZipFile(whole, "a") as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return whole.getvalue()


def tar(files: Mapping[str, bytes], packer: str = "") -> bytes:
    """A tar file, packed by gz, bz2 or xz, the same bytes whenever it is made."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_700_000_000
            archive.addfile(info, io.BytesIO(content))
    return _PACKERS[packer](whole.getvalue())


_PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda content: content,
    "gz": lambda content: gzip.compress(content, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
_END, _FREE, _TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SECTOR = 512


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file; a path may go through storages. Every stream has sectors of its own."""
    rows = [("Root Entry", 5, b"", _FREE, _FREE, 1)]
    waiting = [(0, dict(streams))]
    while waiting:
        owner, held = waiting.pop(0)
        rows[owner] = (*rows[owner][:5], len(rows))
        folders = _folders(held)
        named = [(name, 2, content) for name, content in held.items() if "/" not in name]
        named += [(name, 1, b"") for name in folders]
        # Those of one storage follow each other: each has the next one to its right.
        right = [*range(len(rows) + 1, len(rows) + len(named)), _FREE]
        first = len(rows) + len(named) - len(folders)
        waiting += enumerate(folders.values(), start=first)
        rows += [(*one, _FREE, each, _FREE) for one, each in zip(named, right, strict=True)]
    return _laid_out(rows)


def _folders(held: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    folders: dict[str, dict[str, bytes]] = {}
    for path, content in held.items():
        folder, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(folder, {})[rest] = content
    return folders


def _laid_out(rows: Sequence[tuple[str, int, bytes, int, int, int]]) -> bytes:
    table: list[int] = []
    sectors: list[bytes] = []

    def place(content: bytes) -> int:
        pieces = [
            content[at : at + _SECTOR].ljust(_SECTOR, b"\0")
            for at in range(0, len(content), _SECTOR)
        ]
        if not pieces:
            return _END
        start = len(sectors)
        table.extend([*range(start + 1, start + len(pieces)), _END])
        sectors.extend(pieces)
        return start

    directory = b""
    for name, kind, content, left, right, child in rows:
        wide = name.encode("utf-16-le")
        entry = wide.ljust(64, b"\0") + struct.pack(
            "<HBBIII", len(wide) + 2, kind, 1, left, right, child
        )
        directory += entry.ljust(116, b"\0") + struct.pack("<IQ", place(content), len(content))
    first_directory = place(directory)
    tables = (len(table) + 128) // 128 + 1
    first_table = len(sectors)
    table.extend([_TABLE] * tables)
    table.extend([_FREE] * (tables * 128 - len(table)))
    places = [*range(first_table, first_table + tables)]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack(
        "<HHHHH6xIIIIIIIII", 62, 3, 0xFFFE, 9, 6, 0, tables, first_directory, 0, 0, _END, 0, _END, 0
    )
    header += struct.pack("<109I", *places, *[_FREE] * (109 - len(places)))
    return header + b"".join(sectors) + struct.pack(f"<{len(table)}I", *table)


def outlook(properties: Mapping[str, str], files: Mapping[str, bytes] | None = None) -> bytes:
    """An Outlook message with these texts by property, and attachments."""
    sent = struct.pack("<HHIQ", 0x40, 0x39, 0, 133_800_000_000_000_000)
    streams = {
        f"__substg1.0_{name}001F": text.encode("utf-16-le") for name, text in properties.items()
    }
    streams["__properties_version1.0"] = bytes(32) + sent
    for number, (name, content) in enumerate((files or {}).items()):
        folder = f"__attach_version1.0_#{number:08X}"
        streams[f"{folder}/__substg1.0_3707001F"] = name.encode("utf-16-le")
        streams[f"{folder}/__substg1.0_37010102"] = content
    return compound(streams)
