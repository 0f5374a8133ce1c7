"""The inputs of a shard, one after the other, whatever they lie in."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from ....adapters.datasets import warc
from ....adapters.datasets.cursors import TableCursors
from ....adapters.datasets.file_names import read_name
from ....adapters.index.files import open_file
from ....kernel.bulk.url_lists import ListEntry
from ....ports.bulk import BulkItem, Shard
from ....ports.errors import ResponseTooLarge, SourceUnreadable
from ..options import BulkOptions
from .plan import shard_entries

# As other files that differ from run to run, it is none of the dataset for who reads the folder.
_WARC_FOLDER: Final = "_warc"
# What it was called until 2026-11-17.
_WARC_BEFORE: Final = "warc"
SPOOLS: Final = "_fetching"
CRAWL: Final = "_crawl.json"
FORMER: Final = "_former.sqlite"
# Not those of the machine, which differ from one to the next.
_TYPES: Final = {
    "htm": "text/html",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "mdx": "text/markdown",
    "pdf": "application/pdf",
    "rst": "text/plain",
    "text": "text/plain",
    "txt": "text/plain",
    "xhtml": "application/xhtml+xml",
}


def warc_folder(folder: Path) -> Path:
    """Return where a run keeps what it fetched; one that began under the name of before stays."""
    own, before = folder / _WARC_FOLDER, folder / _WARC_BEFORE
    if own.is_dir():
        return own
    is_of_run = any(any(before.glob(f"{name}-*.warc.gz")) for name in ("part", "round"))
    return before if is_of_run else own


def shard_warc(shard: Shard, folder: Path) -> Path:
    """Return the file that the pages of a shard of URLs are kept in."""
    return warc_folder(folder) / f"{shard.name}.warc.gz"


def shard_spool(shard: Shard, folder: Path) -> Path:
    """Return the file that the pages of a shard of URLs are in while they come."""
    return folder / SPOOLS / shard.name


def shard_items(
    shard: Shard, folder: Path, options: BulkOptions, base: Path, cursors: TableCursors
) -> Iterator[BulkItem]:
    """Yield the inputs of a shard; raises ``OSError`` where a source is gone.

    Names of files begin at ``base``, and stand in rows as they were typed.
    """
    match shard.kind:
        case "warc":
            path = base / shard.source
            return islice(warc.read_inputs(path, shard.offset, path.name), shard.rows)
        case "urls":
            path = shard_warc(shard, folder)
            return warc.read_inputs(path, 0, path.name)
        case "files":
            return (_file(entry, base) for entry in shard_entries(folder, shard))
        case "parquet":
            columns = (options.content_column or "", options.column)
            rows = range(shard.offset, shard.offset + shard.rows)
            return cursors.pages(base / shard.source, columns, rows, shard.source)


def _file(entry: ListEntry, base: Path) -> BulkItem:
    path = base / read_name(entry.path or "")
    kind = _TYPES.get(path.name.rpartition(".")[2].lower(), "")
    try:
        with open_file(path) as stream:
            body = stream.read(warc.MAX_BODY_BYTES + 1)
    except OSError as error:
        unreadable = SourceUnreadable(reason=(error.strerror or "it cannot be opened").lower())
        return BulkItem(source=entry.source, offset=entry.offset, error=unreadable)
    if len(body) > warc.MAX_BODY_BYTES:
        large = ResponseTooLarge(what="body", limit=warc.MAX_BODY_BYTES)
        return BulkItem(source=entry.source, offset=entry.offset, error=large)
    return BulkItem(source=entry.source, offset=entry.offset, content_type=kind, body=body)
