"""WARC files and pages for tests, and a run in this process."""

import asyncio
import gzip
import hashlib
import io
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
from returns.result import Failure, Result

from webseam.adapters.features.documents.conversion import convert
from webseam.composition.features.bulk.bulk_run import RunEnd, run_extract
from webseam.composition.features.bulk.conversion import RunWatch
from webseam.composition.features.bulk.options import BulkOptions
from webseam.kernel.features.bulk.bulk_rows import bulk_item_refusal
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import BulkItem
from webseam.ports.errors import WebError
from webseam.ports.pages import ReadPage

WORDS = "The quick brown fox jumps over the lazy dog and runs away from the hounds. "


def html(title: str, words: str = WORDS * 5) -> bytes:
    return (
        f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>"
        f"<p>{words}</p></article></body></html>"
    ).encode()


def record(
    number: int, body: bytes | None = None, *, length: int | None = None, status: int = 200
) -> bytes:
    page = html(f"Page {number}") if body is None else body
    block = f"HTTP/1.1 {status} OK\r\nContent-Type: text/html\r\n\r\n".encode() + page
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.com/{number}\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
        f"Content-Type: application/http;msgtype=response\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def packed(
    number: int, body: bytes | None = None, *, length: int | None = None, status: int = 200
) -> bytes:
    return gzip.compress(record(number, body, length=length, status=status), mtime=0)


class Here:
    """Converts in this process, at once."""

    count = 2

    def warm(self, count: int, /) -> None:
        pass

    async def convert(self, item: BulkItem, /) -> Result[ReadPage, WebError]:
        refusal = bulk_item_refusal(item)
        if refusal is not None:
            return Failure(refusal)
        return convert(item.body, item.content_type, item.final_url or "")

    async def aclose(self) -> None:
        pass


def run(
    folder: Path,
    *inputs: object,
    policy: Policy | None = None,
    watch: RunWatch | None = None,
    stdin: bytes = b"",
    **options: object,
) -> Result[RunEnd, WebError]:
    fields = {"inputs": list(map(str, inputs)), "folder": str(folder), "workers": 1, **options}
    wanted = msgspec.convert(fields, BulkOptions)
    return asyncio.run(
        run_extract(
            wanted, policy or Policy(), watch or RunWatch(converter=Here()), io.BytesIO(stdin)
        )
    )


def digests(folder: Path) -> dict[str, str]:
    """Return what must be the same twice: the parts and the summary."""
    files = [*sorted(folder.glob("part-*")), folder / "_summary.json"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def rows(folder: Path) -> list[dict[str, object]]:
    return [
        row
        for path in sorted(folder.glob("part-*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def outcomes(folder: Path) -> list[tuple[object, object]]:
    return [(row["title"], row["error"]) for row in rows(folder)]
