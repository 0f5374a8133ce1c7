"""Recent answers: a redirect to a page that was just fetched does not fetch it again."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import httpx
import msgspec

from webseam.adapters.caches import RecentValues
from webseam.adapters.pages.fetch.visit import PageResponse, Redirect

from ..datasets.atomic_files import write_whole_file

MAX_ANSWERS_BYTES: Final = 64 * 1024 * 1024
# Estimated bytes of an answer in addition to its body: headers and table entry.
_ANSWER_OVERHEAD_BYTES: Final = 2_000
_MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
_ZLIB_LEVEL: Final = 1


class _StoredAnswer(msgspec.Struct, frozen=True, array_like=True):
    page: str
    status: int
    location: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


_ANSWERS_DECODER: Final = msgspec.msgpack.Decoder(list[_StoredAnswer])


class RecentAnswers:
    """The latest answers within a byte limit, by URL; one caller at a time fetches a page."""

    def __init__(self, max_bytes: int = MAX_ANSWERS_BYTES) -> None:
        """Start empty."""
        self._answers: RecentValues[str, _StoredAnswer] = RecentValues(
            max_bytes, size=lambda stored: _ANSWER_OVERHEAD_BYTES + len(stored.body)
        )
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def lock_page(self, page: str) -> AsyncIterator[PageResponse | Redirect | None]:
        """Wait until no other caller fetches the page, and yield its answer if there is one."""
        async with self._locks.setdefault(page, asyncio.Lock()):
            stored = self._answers.get(page)
            yield None if stored is None else _restore_answer(stored)

    def store_page_answer(self, page: str, answer: PageResponse | Redirect) -> None:
        """Store an answer, and drop the oldest ones that exceed the limit."""
        if isinstance(answer, Redirect):
            self._answers.put(page, _StoredAnswer(page, answer.status, answer.location))
        elif len(answer.body) <= _MAX_ANSWER_BYTES:
            headers = tuple(answer.headers.multi_items())
            body = zlib.compress(answer.body, _ZLIB_LEVEL)
            self._answers.put(page, _StoredAnswer(page, answer.status, headers=headers, body=body))

    def read_answers(self, path: Path) -> None:
        """Load the answers that another process saved, if any; raises ``OSError``."""
        if path.is_file():
            for stored in _ANSWERS_DECODER.decode(path.read_bytes()):
                self._answers.put(stored.page, stored)

    def write_answers(self, path: Path) -> None:
        """Save the answers for the next process with these hosts; raises ``OSError``."""
        write_whole_file(path, msgspec.msgpack.encode(self._answers.values()))


def _restore_answer(saved: _StoredAnswer) -> PageResponse | Redirect:
    if saved.location:
        return Redirect(saved.status, saved.location)
    headers = httpx.Headers(list(saved.headers))
    return PageResponse(saved.status, headers, zlib.decompress(saved.body))
