"""A page can take over its worker; no worker then reads a page of another owner, or a later one."""

import asyncio
import os
import select
import signal
import sys
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from tests.workers.observe import children, forks, hostile, run
from webseam.adapters.call_context import CALL_OWNER
from webseam.adapters.features.documents.formats.charset import source_to_utf8
from webseam.adapters.features.documents.formats.draft import Source
from webseam.adapters.features.documents.formats.sniff import sniff_file_kind
from webseam.adapters.pages.detection import MEDIA, PACKED_KINDS, is_packed_page
from webseam.adapters.pages.workers.pool import Workers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
TYPES = [(row.kind, name) for row in MEDIA for name in row.types.split()]
SUFFIXES = [(row.kind, suffix) for row in MEDIA for suffix in row.suffixes.split()]


class Asked(NamedTuple):
    owner: str
    kind: str
    content_type: str
    url: str


NAMED = st.sampled_from(
    [(kind, name, "https://e.org/a") for kind, name in TYPES]
    + [(kind, "", f"https://e.org/a.{suffix}") for kind, suffix in SUFFIXES]
)
ASKED = st.builds(lambda owner, named: Asked(owner, *named), st.sampled_from("abc"), NAMED)


async def read(workers: Workers, asked: Asked) -> str:
    CALL_OWNER.set(asked.owner)
    return (await workers.convert(b"pid", asked.content_type, asked.url)).unwrap().content


@settings(max_examples=6)
@given(st.lists(st.lists(ASKED, min_size=1, max_size=4), min_size=2, max_size=6), st.integers(1, 3))
def test_no_worker_serves_two_owners_or_a_page_after_a_packed_one(
    crowds: list[list[Asked]], count: int
) -> None:
    async def ask() -> list[tuple[Asked, str]]:
        served: list[tuple[Asked, str]] = []
        async with hostile(count) as workers:
            for crowd in crowds:
                calls = [asyncio.create_task(read(workers, asked)) for asked in crowd]
                served += zip(crowd, await asyncio.gather(*calls), strict=True)
                assert len(forks()) <= count
        return served

    served = run(ask())

    for process in {pid for _, pid in served}:
        pages = [asked for asked, pid in served if pid == process]
        assert len({asked.owner for asked in pages}) == 1
        # Of one crowd any may have been first, so only the count is known.
        assert sum(asked.kind in PACKED_KINDS for asked in pages) <= 1
    packed = [pid for asked, pid in served if asked.kind in PACKED_KINDS]
    assert len(set(packed)) == len(packed)


def test_an_owner_comes_back_to_its_own_worker() -> None:
    async def ask() -> list[str]:
        async with hostile(2) as workers:
            workers.warm(2)
            return [await read(workers, Asked(owner, "", "", "")) for owner in "ab" * 20]

    # Until both workers are warm, the two owners share one slot by turns.
    assert len(set(run(ask()))) < 10


PDF = "%PDF-1.4\n1 0 obj\n<<>>\nendobj\nstartxref\n%%EOF"
WIDE = [
    mark + (" " * blanks + PDF).encode(codec)
    for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
    for mark in (b"", "\ufeff".encode(codec))
    for blanks in (0, 900)
]


def test_bodies_read_as_packed_formats_count_as_packed() -> None:
    bodies = [
        b"words",
        b"<p>words",
        PDF.encode(),
        b"\n\n" + PDF.encode(),
        b"words" + PDF.encode(),
        *WIDE,
    ]
    bodies += [
        b"PK\x03\x04" + b"a" * 40,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"a" * 600,
        b"{\\rtf1 a}",
        b"\x1f\x8b\x08",
    ]
    urls = [
        "",
        "https://e.org/a%2Epdf?b.html",
        *(f"https://e.org/a.{suffix}" for _, suffix in SUFFIXES),
    ]
    types = ["", "Application/PDF ; a=b", "application/octet-stream", *(name for _, name in TYPES)]
    tries = [(body, kind, "") for body in bodies for kind in types]
    tries += [(body, "", url) for body in bodies for url in urls]

    for body, content_type, url in tries:
        source = source_to_utf8(Source(body=body, content_type=content_type, url=url))
        if sniff_file_kind(source).value_or("") in PACKED_KINDS:
            assert is_packed_page(body, content_type, url), (body, content_type, url)


def test_text_is_read_by_a_worker_that_stays() -> None:
    kept = [(kind, name) for kind, name in TYPES if kind not in PACKED_KINDS]

    assert {kind for kind, _ in kept} >= {"html", "text", "json", "markdown"}
    assert not any(is_packed_page(b"<p>words", name, "https://e.org/") for _, name in kept)


def test_a_server_that_died_is_replaced_and_its_workers_with_it() -> None:
    async def ask() -> list[str]:
        async with hostile() as workers:
            first = await read(workers, Asked("a", "", "", ""))
            for server in children():
                ended = os.pidfd_open(int(first))
                os.kill(server, signal.SIGKILL)
                await asyncio.to_thread(os.waitid, os.P_PID, server, os.WEXITED | os.WNOWAIT)
                await asyncio.to_thread(_wait, ended)
            return [first, await read(workers, Asked("a", "", "", ""))]

    first, second = run(ask())

    assert first != second


def _wait(descriptor: int) -> None:
    select.select([descriptor], [], [], 20)
    os.close(descriptor)
