"""Archives: what is in them is listed, and nothing of it is opened."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .draft import Draft, Source, corrupt_error, finish_page
from .markdown_writing import markdown_table
from .office.package import BROKEN, MAX_PARTS, BrokenFileError, declared_parts

_MAX_LISTED_FILES: Final = 2000
MAX_UNPACKED_BYTES: Final = 32 * 1024 * 1024
_TAR_BLOCK_BYTES: Final = 512
_READ_BYTES: Final = 65_536
UNREADABLE: Final = (
    *BROKEN, BrokenFileError, tarfile.TarError, lzma.LZMAError, IndexError, OverflowError,
)  # fmt: skip


class Entry(NamedTuple):
    """A file: its name, its length, and the day it was changed."""

    name: str
    size: int
    day: str


_Opened: TypeAlias = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile
PACKERS: Final[dict[bytes, Callable[[io.BytesIO], _Opened]]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}


def read_archive(source: Source) -> Result[ReadPage, WebError]:
    """Return the names, sizes and days of what is inside, as a table."""
    try:
        members, notes = _listed(source.body)
    except UNREADABLE:
        return corrupt_error("it is not a whole archive")
    if not members:
        return finish_page(Draft(content="", title=source.file_name))
    rows = [(each.name, f"{each.size:,}", each.day) for each in members[:_MAX_LISTED_FILES]]
    if len(members) > _MAX_LISTED_FILES:
        notes = (*notes, f"only the first {_MAX_LISTED_FILES:,} of {len(members):,} names")
    files = "1 file" if len(members) == 1 else f"{len(members):,} files"
    head = f"{files}, {sum(each.size for each in members):,} bytes when unpacked."
    content = f"{head}\n\n{markdown_table([('file', 'bytes', 'changed'), *rows])}"
    return finish_page(Draft(content=content, title=source.file_name or "Archive", notes=notes))


def _listed(body: bytes) -> tuple[list[Entry], tuple[str, ...]]:
    return _zipped(body) if body.startswith(b"PK") else _tarred(body)


def is_tar(body: bytes) -> bool:
    """Tell whether bytes, compressed or not, begin a tar file; only its first block is unpacked."""
    try:
        tarfile.TarInfo.frombuf(unpack_start(body, _TAR_BLOCK_BYTES)[0], "utf-8", "surrogateescape")
    except UNREADABLE:
        return False
    return True


def _zipped(body: bytes) -> tuple[list[Entry], tuple[str, ...]]:
    if declared_parts(body) > MAX_PARTS:
        raise zipfile.BadZipFile
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        # Not by the entry's own word for it, which fails where it has no name.
        files = [info for info in archive.infolist() if not info.filename.endswith("/")]
    return [Entry(each.filename, each.file_size, _date(each.date_time)) for each in files], ()


def _tarred(body: bytes) -> tuple[list[Entry], tuple[str, ...]]:
    content, is_whole = unpack_start(body, MAX_UNPACKED_BYTES + 1)
    is_cut = len(content) > MAX_UNPACKED_BYTES or not is_whole
    members: list[Entry] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            members.extend(_files(archive))
    except tarfile.ReadError:
        # The end is missing; what stands before it is still true.
        is_cut = True
        if not members:
            raise
    return members, ("only the first files were looked at",) if is_cut else ()


def _files(archive: tarfile.TarFile) -> Iterator[Entry]:
    for _ in range(MAX_PARTS):
        info = archive.next()
        if info is None:
            return
        if info.isfile():
            yield Entry(info.name, info.size, _day(info.mtime))


def unpack_start(body: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Return the first bytes of what was compressed, or of the body itself.

    And whether they were all that was there to read: of a file that ends early, its begin is told.
    """
    for mark, opener in PACKERS.items():
        if body.startswith(mark):
            with opener(io.BytesIO(body)) as content:
                return _read(content, max_bytes)
    return body[:max_bytes], True


def _read(content: _Opened, most: int) -> tuple[bytes, bool]:
    pieces, length = list[bytes](), 0
    while length < most:
        try:
            piece = content.read1(min(_READ_BYTES, most - length))
        except UNREADABLE:
            if not pieces:
                raise
            return b"".join(pieces), False
        if not piece:
            break
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces), True


def _day(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _date(parts: tuple[int, ...]) -> str:
    year, month, day, *_ = parts
    return f"{year:04}-{month:02}-{day:02}"


# One file that was compressed by itself: gzip, bzip2, xz.

_PROBE_BYTES: Final = 1
CUT: Final = f"only the first {MAX_UNPACKED_BYTES:,} bytes of what was compressed"
_ENDS_EARLY: Final = "it ends early: what was compressed after that is missing"


def is_compressed(body: bytes) -> bool:
    """Tell whether it can be unpacked, be it nothing that comes out."""
    try:
        unpack_start(body, _PROBE_BYTES)
    except UNREADABLE:
        return False
    return body.startswith(tuple(PACKERS))


def unpack_file(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return what was compressed, under its own name, and a note when that is not all.

    What is damaged from its begin on has no body.
    """
    try:
        body, is_whole = unpack_start(source.body, MAX_UNPACKED_BYTES + 1)
    except UNREADABLE:
        body, is_whole = b"", False
    name = source.file_name
    stem = name.rpartition(".")[0]
    url = source.url.removesuffix(name[len(stem) :]) if stem else source.url
    is_cut = len(body) > MAX_UNPACKED_BYTES
    notes = ((is_cut, CUT), (not is_whole, _ENDS_EARLY))
    told = tuple(note for holds, note in notes if holds)
    return Source(body=body[:MAX_UNPACKED_BYTES], url=url), told


READERS: Final = {"archive": read_archive}
