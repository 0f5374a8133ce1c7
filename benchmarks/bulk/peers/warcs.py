"""WARC files of pages, the same bytes for the same pages."""

import gzip
import itertools
import json
import uuid
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bulk.pages import NUMBER, make_pages

_DATE = "2026-01-01T00:00:00Z"


def pack(folder: Path, files: int, pages: int, source: Path | None) -> int:
    """Write the pages to so many files; return how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    streams = [(folder / f"part-{number:03}.warc.gz").open("wb") for number in range(files)]
    count = 0
    for url, body in itertools.islice(
        _read_stored_pages(source) if source else _synthetic_pages(), pages
    ):
        streams[count % files].write(gzip.compress(record(url, body), 6, mtime=0))
        count += 1
    for stream in streams:
        stream.close()
    return count


def _read_stored_pages(source: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted((source / "html").glob("*.html.gz")):
        name = path.name.removesuffix(".html.gz")
        truth = source / "ground-truth" / f"{name}.json"
        url = json.loads(truth.read_bytes()).get("url") if truth.is_file() else None
        yield url or f"https://example.com/{name}", gzip.decompress(path.read_bytes())


def _synthetic_pages() -> Iterator[tuple[str, bytes]]:
    kinds = make_pages()
    for number in itertools.count():
        body = kinds[number % len(kinds)].replace(NUMBER, str(number).encode())
        yield f"https://example.com/{number}", body


def record(url: str, body: bytes, status: int = 200) -> bytes:
    """Return a record of an answer."""
    head = b"HTTP/1.1 %d .\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (
        status,
        len(body),
    )
    name = uuid.uuid5(uuid.NAMESPACE_URL, url)
    fields = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{name}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: {_DATE}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(head) + len(body)}\r\n\r\n"
    )
    return fields.encode() + head + body + b"\r\n\r\n"
