"""Archives are listed; no file in them is opened."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

from .draft import Cut, Draft, PageResult, Source, corrupt_failure, finish_draft
from .markdown_writing import markdown_table
from .office.package import MAX_PARTS, ZIP_ERRORS, BrokenFileError, declared_zip_parts

_MAX_LISTED_FILES: Final = 2000
MAX_UNPACKED_BYTES: Final = 32 * 1024 * 1024
_TAR_BLOCK_BYTES: Final = 512
_READ_BYTES: Final = 65_536
ARCHIVE_ERRORS: Final = (
    *ZIP_ERRORS, BrokenFileError, tarfile.TarError, lzma.LZMAError, IndexError, OverflowError,
)  # fmt: skip
_TOO_LONG: Final = Cut(
    "unpacked_bytes", f"only the first {MAX_UNPACKED_BYTES:,} bytes of what was compressed"
)
_ENDS_EARLY: Final = Cut("damaged", "it ends early: what was compressed after that is missing")


class ArchiveEntry(NamedTuple):
    """A file: its name, its length, and the day it was changed."""

    name: str
    size: int
    day: str


_PackedFile: TypeAlias = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile
COMPRESSION_OPENERS: Final[dict[bytes, Callable[[io.BytesIO], _PackedFile]]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}


def read_archive(source: Source) -> PageResult:
    """Return a table of the files inside: name, size and day."""
    try:
        members, cuts = (_list_zip if source.body.startswith(b"PK") else _list_tar)(source.body)
    except ARCHIVE_ERRORS:
        return corrupt_failure("it is not a whole archive")
    if not members:
        return finish_draft(Draft(content="", title=source.file_name))
    rows = [(entry.name, f"{entry.size:,}", entry.day) for entry in members[:_MAX_LISTED_FILES]]
    if len(members) > _MAX_LISTED_FILES:
        note = f"only the first {_MAX_LISTED_FILES:,} of {len(members):,} names"
        cuts = (*cuts, Cut("names", note))
    files = "1 file" if len(members) == 1 else f"{len(members):,} files"
    head = f"{files}, {sum(entry.size for entry in members):,} bytes when unpacked."
    content = f"{head}\n\n{markdown_table([('file', 'bytes', 'changed'), *rows])}"
    return finish_draft(Draft(content=content, title=source.file_name or "Archive", cuts=cuts))


def is_tar_archive(body: bytes) -> bool:
    """Tell whether bytes, compressed or not, begin a tar file; only its first block is unpacked."""
    try:
        block, _ = unpack_archive_start(body, _TAR_BLOCK_BYTES)
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except ARCHIVE_ERRORS:
        return False
    return True


def _list_zip(body: bytes) -> tuple[list[ArchiveEntry], tuple[Cut, ...]]:
    if declared_zip_parts(body) > MAX_PARTS:
        raise zipfile.BadZipFile
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        # ``ZipInfo.is_dir`` raises IndexError where the name is empty.
        files = [info for info in archive.infolist() if not info.filename.endswith("/")]
    return [
        ArchiveEntry(info.filename, info.file_size, "{:04}-{:02}-{:02}".format(*info.date_time))
        for info in files
    ], ()


def _list_tar(body: bytes) -> tuple[list[ArchiveEntry], tuple[Cut, ...]]:
    content, is_complete = unpack_archive_start(body, MAX_UNPACKED_BYTES + 1)
    is_truncated = len(content) > MAX_UNPACKED_BYTES or not is_complete
    members: list[ArchiveEntry] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            members.extend(_tar_files(archive))
    except tarfile.ReadError:
        # The end of the archive is missing; list the files before it.
        is_truncated = True
        if not members:
            raise
    return members, (Cut("names", "only the first files were looked at"),) if is_truncated else ()


def _tar_files(archive: tarfile.TarFile) -> Iterator[ArchiveEntry]:
    for _ in range(MAX_PARTS):
        info = archive.next()
        if info is None:
            return
        if info.isfile():
            yield ArchiveEntry(info.name, info.size, _tar_file_day(info.mtime))


def unpack_archive_start(body: bytes, max_bytes: int) -> tuple[bytes, bool]:
    """Return the first unpacked bytes, or those of a body that is not compressed.

    The flag is False where the compressed data ends early.
    """
    for mark, opener in COMPRESSION_OPENERS.items():
        if body.startswith(mark):
            with opener(io.BytesIO(body)) as content:
                return _read_unpacked_bytes(content, max_bytes)
    return body[:max_bytes], True


def _read_unpacked_bytes(content: _PackedFile, max_bytes: int) -> tuple[bytes, bool]:
    pieces, length = list[bytes](), 0
    while length < max_bytes:
        try:
            piece = content.read1(min(_READ_BYTES, max_bytes - length))
        except ARCHIVE_ERRORS:
            if not pieces:
                raise
            return b"".join(pieces), False
        if not piece:
            break
        pieces.append(piece)
        length += len(piece)
    return b"".join(pieces), True


def _tar_file_day(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def is_compressed_file(body: bytes) -> bool:
    """Tell whether the body can be unpacked, even to no bytes at all."""
    try:
        unpack_archive_start(body, 1)
    except ARCHIVE_ERRORS:
        return False
    return body.startswith(tuple(COMPRESSION_OPENERS))


def unpack_compressed_file(source: Source) -> tuple[Source, tuple[Cut, ...]]:
    """Return the unpacked file under its own name, and a cut when something is missing.

    The body is empty where the compressed data is damaged from its start.
    """
    try:
        body, is_complete = unpack_archive_start(source.body, MAX_UNPACKED_BYTES + 1)
    except ARCHIVE_ERRORS:
        body, is_complete = b"", False
    name = source.file_name
    stem = name.rpartition(".")[0]
    url = source.url.removesuffix(name[len(stem) :]) if stem else source.url
    cuts = () if is_complete else (_ENDS_EARLY,)
    if len(body) > MAX_UNPACKED_BYTES:
        cuts = (_TOO_LONG, *cuts)
    return Source(body=body[:MAX_UNPACKED_BYTES], url=url), cuts


READERS: Final = {"archive": read_archive}
