"""Reading for the index: a loop of its own, one backend and one set of workers for all threads."""

import asyncio
import mimetypes
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Self, TypeVar

from returns.result import Failure, Result

from ..adapters.pages.workers.pool import Workers
from ..kernel.deps import WebDeps
from ..kernel.extract import web_extract
from ..ports.errors import WebError
from ..ports.pages import ReadPage
from ..ports.web import WebExtractResult
from .choosing import choose
from .closing import OpenBackend
from .table import Root

Value = TypeVar("Value")


class ReadingRoom:
    """Reads pages and converts files, from any thread, until the end of the ``with``.

    No backend and no worker is started before it is needed.
    """

    def __init__(self, root: Root) -> None:
        """Read with the backend that the settings choose, where the policy allows."""
        self._root = root
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._workers = Workers()
        self._backend: OpenBackend | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._backend is not None:
            self._wait(self._backend.aclose())
        self._workers.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def read_page(self, url: str) -> Result[WebExtractResult, WebError]:
        """Read a page of the web."""
        return self._wait(self._read_page(url))

    def convert(self, content: bytes, name: str) -> Result[ReadPage, WebError]:
        """Convert a file that is not plain text, by what its name and its bytes say it is."""
        kind = mimetypes.guess_type(name)[0] or ""
        return self._wait(self._workers.convert(content, kind, ""))

    async def _read_page(self, url: str) -> Result[WebExtractResult, WebError]:
        if self._backend is None:
            made = choose("extract", self._root, cached=False)
            if isinstance(made, Failure):
                return Failure(made.failure())
            self._backend = made.unwrap().backend
        return await web_extract(url, WebDeps(backend=self._backend, policy=self._root.policy))

    def _wait(self, work: Coroutine[object, object, Value]) -> Value:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
