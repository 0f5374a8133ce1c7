"""``pages``: the embedded extract backend, with its own guarded fetcher and page reader."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Protocol, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.backends import BackendAbout, Served, UntrustedRow
from ...ports.errors import EmptyContent, UnsupportedCapability, WebError
from ...ports.pages import Fetched, PageDate, ReadPage
from ...ports.usage import PageUsage
from ...ports.web import WebSearchQuery
from ..dates import http_date_seconds
from ..stored_page import current_stored_page
from .fetch.content import NOT_MODIFIED
from .safe_text import one_line
from .settings import Rendering

PAGES_BACKEND = "pages"
_NO_METADATA = frozenset({"title", "content", "statements"})

PageOutcome: TypeAlias = Result[UntrustedRow, WebError] | Result[Served, WebError]
# Judges the use of a page by its headers and by the page itself.
JudgeUsage: TypeAlias = Callable[[Mapping[str, str], ReadPage], PageUsage | None]
Fetch: TypeAlias = Callable[[str], Awaitable[Result[Fetched, WebError]]]


class Converter(Protocol):
    """Turns fetched bodies into pages, and can be closed."""

    async def convert(
        self, body: bytes, content_type: str = "", url: str = ""
    ) -> Result[ReadPage, WebError]:
        """Convert a body, or return why that failed."""

    def warm(self) -> None:
        """Start in the background, so that the first conversion does not wait."""

    async def aclose(self) -> None:
        """End all processes that it started."""


class PagesBackend:
    """A ``WebBackend`` that reads pages itself, without a third party."""

    about = BackendAbout(name=PAGES_BACKEND, embedded=True)

    def __init__(
        self,
        fetch: Fetch,
        converter: Converter,
        render: Fetch | None = None,
        rendering: Rendering = "never",
        judge_usage: JudgeUsage = lambda _headers, _page: None,
    ) -> None:
        """Read with ``fetch``; ``rendering`` decides when to use the browser of ``render``."""
        self._judge_usage = judge_usage
        self._fetch, self._converter = fetch, converter
        self._render, self._rendering = render, rendering

    async def search(self, query: WebSearchQuery, /) -> Result[Sequence[UntrustedRow], WebError]:  # noqa: ARG002  refused unread
        """Refuse: pages can be read, not searched."""
        return Failure(UnsupportedCapability(capability="search", backend=PAGES_BACKEND))

    async def extract(self, url: str, /) -> PageOutcome:
        """Fetch the page and return it as markdown; a body that is not a page is an error."""
        if self._render is None or self._rendering == "never":
            return await self._fetch_page(url, self._fetch)
        if self._rendering == "always":
            return await self._fetch_page(url, self._render)
        outcome = await self._fetch_page(url, self._fetch)
        return await self._fetch_page(url, self._render) if _needs_browser(outcome) else outcome

    async def aclose(self) -> None:
        """End the processes that convert pages."""
        await self._converter.aclose()

    async def _fetch_page(self, url: str, fetch: Fetch) -> PageOutcome:
        self._converter.warm()
        fetched = await fetch(url)
        if isinstance(fetched, Failure):
            return fetched
        reply, stored = fetched.unwrap(), current_stored_page()
        if reply.status == NOT_MODIFIED and stored is not None:
            return Success({**stored, "url": url})
        page = await self._converter.convert(reply.body, reply.content_type, reply.final_url)
        row = page.map(
            lambda content: _page_row(
                url, reply, content, self._judge_usage(reply.headers, content)
            )
        )
        if not reply.attempts:
            return row
        attempts = reply.attempts
        return row.map(lambda page: Served(answer=page, by=PAGES_BACKEND, attempts=attempts))


def _needs_browser(outcome: PageOutcome) -> bool:
    if not isinstance(outcome, Failure):
        return False
    error = outcome.failure()
    return isinstance(error, EmptyContent) and error.reason == "needs_browser"


def _page_row(url: str, fetched: Fetched, page: ReadPage, usage: PageUsage | None) -> UntrustedRow:
    modified = http_date_seconds(fetched.headers.get("last-modified", ""))
    if modified is not None:
        day = datetime.fromtimestamp(modified, UTC).date().isoformat()
        stated = PageDate(kind="modified", date=day, source="header")
        page = msgspec.structs.replace(page, dates=(*page.dates, stated))
    metadata = page_metadata(page, fetched.content_type)
    for name, header in (("etag", "etag"), ("last_modified", "last-modified")):
        if header in fetched.headers:
            metadata[name] = one_line(fetched.headers[header])
    if usage is not None:
        metadata["usage"] = msgspec.to_builtins(usage)
    return {
        "url": url,
        "final_url": fetched.final_url,
        "title": page.title,
        "content": page.content,
        "metadata": metadata,
    }


_DEFAULT_METADATA: Final = msgspec.structs.asdict(ReadPage(title="", content=""))


def page_metadata(page: ReadPage, content_type: str) -> dict[str, object]:
    """Return the metadata of a page without its title, its content and default values."""
    metadata = {
        name: value
        for name, value in msgspec.structs.asdict(page).items()
        if name not in _NO_METADATA and value != _DEFAULT_METADATA[name]
    }
    return {"content_type": one_line(content_type), **metadata}
