"""Texts that were fetched, or why not, kept for others who need the same within a day."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ..datasets.whole_files import atomic_file
from .robots import MAX_AGE_SECONDS, FetchText


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    body: bytes = b""
    error: WebError | None = None


_KEPT: Final = msgspec.msgpack.Decoder(_Kept)


class FetchedTexts:
    """Fetches a text unless another one has, in this process or before it."""

    def __init__(
        self,
        folder: Path,
        fetch: FetchText,
        now: Callable[[], float],
        unwanted: Callable[[WebError | None], bool] = lambda _error: False,
    ) -> None:
        """Keep them in a folder that all share, but for what is ``unwanted``."""
        self._folder, self._fetch, self._now = folder, fetch, now
        self._unwanted = unwanted

    async def fetch(self, url: str) -> Result[bytes, WebError]:
        """Return the text at a URL; raises ``OSError``."""
        path = self._folder / hashlib.sha256(url.encode()).hexdigest()
        answer = self._load(path)
        if answer is None:
            text = await self._fetch(url)
            failed = isinstance(text, Failure)
            answer = _Kept(
                at=self._now(),
                body=b"" if failed else text.unwrap(),
                error=text.failure() if failed else None,
            )
            if not self._unwanted(answer.error):
                with atomic_file(path) as stream:
                    stream.write(msgspec.msgpack.encode(answer))
        return Success(answer.body) if answer.error is None else Failure(answer.error)

    def _load(self, path: Path) -> _Kept | None:
        try:
            answer = _KEPT.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        return answer if self._now() - answer.at < MAX_AGE_SECONDS else None
