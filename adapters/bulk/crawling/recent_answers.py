"""Pages that came not long ago: who is moved to one of them need not ask for it again."""

from __future__ import annotations

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import httpx
import msgspec

from ...pages.fetch.visit import PageArrived, Redirected
from ..datasets.whole_files import atomic_file

MAX_KEPT_BYTES: Final = 64 * 1024 * 1024
# What an answer takes beside its body: its headers, its place here.
_OVERHEAD: Final = 2_000
_MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
_FAST: Final = 1


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    page: str
    status: int
    location: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def size(self) -> int:
        return _OVERHEAD + len(self.body)


_FILE: Final = msgspec.msgpack.Decoder(list[_Kept])


class RecentAnswers:
    """The latest answers of a run, as many as there is room for, by the spelling of their URLs.

    Each page is asked for by one at a time.
    """

    def __init__(self, most_bytes: int = MAX_KEPT_BYTES) -> None:
        """Know none yet."""
        self._most, self._size = most_bytes, 0
        self._answers: OrderedDict[str, _Kept] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def alone(self, page: str) -> AsyncIterator[PageArrived | Redirected | None]:
        """Wait until nobody else asks for a page, and give the answer that came meanwhile."""
        async with self._locks.setdefault(page, asyncio.Lock()):
            kept = self._answers.get(page)
            if kept is not None:
                self._answers.move_to_end(page)
            yield None if kept is None else _answer(kept)

    def keep(self, page: str, answer: PageArrived | Redirected) -> None:
        """Keep an answer, and let go of the oldest that there is no room for."""
        if isinstance(answer, Redirected):
            self._keep(_Kept(page, answer.status, answer.location))
        elif len(answer.body) <= _MAX_ANSWER_BYTES:
            headers = tuple(answer.headers.multi_items())
            body = zlib.compress(answer.body, _FAST)
            self._keep(_Kept(page, answer.status, headers=headers, body=body))

    def load(self, path: Path) -> None:
        """Take over what another one knew, if anything was saved; raises ``OSError``."""
        if path.is_file():
            for kept in _FILE.decode(path.read_bytes()):
                self._keep(kept)

    def save(self, path: Path) -> None:
        """Write down what is known, for whoever asks the same hosts next; raises ``OSError``."""
        with atomic_file(path) as stream:
            stream.write(msgspec.msgpack.encode(list(self._answers.values())))

    def _keep(self, kept: _Kept) -> None:
        former = self._answers.pop(kept.page, None)
        self._answers[kept.page] = kept
        self._size += kept.size - (0 if former is None else former.size)
        while self._size > self._most:
            _, oldest = self._answers.popitem(last=False)
            self._size -= oldest.size


def _answer(kept: _Kept) -> PageArrived | Redirected:
    if kept.location:
        return Redirected(kept.status, kept.location)
    return PageArrived(kept.status, httpx.Headers(list(kept.headers)), zlib.decompress(kept.body))
