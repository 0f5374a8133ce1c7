"""Read indexed documents by address, whatever backend reads web pages.

Only the index can read the ``http://file.localhost/...`` addresses of its results.
"""

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.deps import WebDeps
from webseam.kernel.policy.policy_rules import allow_files
from webseam.ports.errors import UnknownBackend, WebError

from ..planning.open_backends import OpenBackend
from .backend_rows import Root
from .backend_table import find_backend_row


class IndexedDocuments:
    """Opens the index at the first request for one of its addresses."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._backend: OpenBackend | None = None

    def index_deps(self, pages: WebDeps) -> Result[WebDeps, WebError]:
        """Return ``pages`` with the index as its backend, or why it cannot be opened."""
        if self._backend is None:
            if (row := find_backend_row("index", self._root)) is None:
                return Failure(UnknownBackend(name="index"))
            if row.problem is not None:
                return Failure(row.problem)
            if isinstance(opened := row.open(), Failure):
                return opened
            self._backend = opened.unwrap()
        policy = allow_files(pages.policy)
        return Success(msgspec.structs.replace(pages, backend=self._backend, policy=policy))

    async def aclose(self) -> None:
        """Close the index file."""
        backend, self._backend = self._backend, None
        if backend is not None:
            await backend.aclose()
