"""Archives, zip and tar: what is in them, by name, size and day. Nothing inside is opened."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final, TypeAlias

import msgspec
from returns.result import Result

from ....ports.errors import WebError
from ....ports.pages import ReadPage
from .draft import Draft, Source, corrupt, page_of
from .markup import table
from .office.package import BROKEN, MOST_PARTS, parts_told

_MOST_SHOWN: Final = 2000
_MOST_UNPACKED: Final = 32 * 1024 * 1024
_BLOCK: Final = 512
_UNREADABLE: Final = (*BROKEN, tarfile.TarError, lzma.LZMAError)

_Opened: TypeAlias = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile
_PACKERS: Final[dict[bytes, Callable[[io.BytesIO], _Opened]]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}


class Member(msgspec.Struct, frozen=True):
    """A file in an archive."""

    name: str
    size: int
    day: str


def read_archive(source: Source) -> Result[ReadPage, WebError]:
    """Return the names, sizes and days of what is inside, as a table."""
    try:
        zipped = source.body.startswith(b"PK")
        members, notes = _zipped(source.body) if zipped else _tarred(source.body)
    except _UNREADABLE:
        return corrupt("it is not a whole archive")
    if not members:
        return page_of(Draft(content="", title=source.file_name))
    rows = [(each.name, f"{each.size:,}", each.day) for each in members[:_MOST_SHOWN]]
    if len(members) > _MOST_SHOWN:
        notes = (*notes, f"only the first {_MOST_SHOWN:,} of {len(members):,} names")
    files = "1 file" if len(members) == 1 else f"{len(members):,} files"
    head = f"{files}, {sum(each.size for each in members):,} bytes when unpacked."
    content = f"{head}\n\n{table([('file', 'bytes', 'changed'), *rows])}"
    return page_of(Draft(content=content, title=source.file_name or "Archive", notes=notes))


def is_tar(body: bytes) -> bool:
    """Tell whether bytes, compressed or not, begin a tar file; only its first block is unpacked."""
    try:
        tarfile.TarInfo.frombuf(_unpacked(body, _BLOCK), "utf-8", "surrogateescape")
    except _UNREADABLE:
        return False
    return True


def _zipped(body: bytes) -> tuple[list[Member], tuple[str, ...]]:
    if parts_told(body) > MOST_PARTS:
        raise zipfile.BadZipFile
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        # Not by the entry's own word for it, which fails where it has no name.
        files = [info for info in archive.infolist() if not info.filename.endswith("/")]
    return [Member(each.filename, each.file_size, _date(each.date_time)) for each in files], ()


def _tarred(body: bytes) -> tuple[list[Member], tuple[str, ...]]:
    content = _unpacked(body, _MOST_UNPACKED + 1)
    is_cut = len(content) > _MOST_UNPACKED
    members: list[Member] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            members.extend(_files(archive))
    except tarfile.ReadError:
        # The end is missing; what stands before it is still true.
        is_cut = True
        if not members:
            raise
    return members, ("only the first files were looked at",) if is_cut else ()


def _files(archive: tarfile.TarFile) -> Iterator[Member]:
    for _ in range(MOST_PARTS):
        info = archive.next()
        if info is None:
            return
        if info.isfile():
            yield Member(info.name, info.size, _day(info.mtime))


def _unpacked(body: bytes, most: int) -> bytes:
    """Return the first bytes of what was compressed, or of the body itself."""
    for mark, opener in _PACKERS.items():
        if body.startswith(mark):
            with opener(io.BytesIO(body)) as content:
                return content.read(most)
    return body[:most]


def _day(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _date(parts: tuple[int, ...]) -> str:
    year, month, day, *_ = parts
    return f"{year:04}-{month:02}-{day:02}"
