"""``pages``: the embedded extract backend, with its own guarded fetcher and page reader."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Final, Protocol, TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import BackendAbout, Served, UntrustedRow
from webseam.ports.errors import EmptyContent, UnsupportedCapability, WebError
from webseam.ports.pages import Fetched, PageDate, PageReading, PageView, ReadPage
from webseam.ports.usage import PageUsage
from webseam.ports.web import WebSearchQuery

from ..call_context import (
    current_stored_page,
    offer_stored_page,
    stored_page_fields,
    wants_page_html,
)
from ..values.dates import iso_date
from .fetch.content import NOT_MODIFIED, decode_fetched_html, is_html_type
from .safe_text import one_line
from .settings import Rendering

PAGES_BACKEND = "pages"
# The gateway keeps the pages of a job in memory.
_MAX_HTML_BYTES = 5_000_000
_VALIDATOR_HEADERS = {"etag": "etag", "last_modified": "last-modified"}
# The fields of a page that its result has beside its metadata, or that nobody reads there.
_NON_METADATA_FIELDS = frozenset(
    {"title", "content", "statements", "visible", *PageReading.__struct_fields__}
)

PageOutcome: TypeAlias = Result[Served, WebError]
Redactable = TypeVar("Redactable")
_NO_TWIN_NOTE = "its markdown version could not be used, so this is the HTML"
_DEFAULT_METADATA: Final = msgspec.structs.asdict(ReadPage(title="", content=""))


class Redact(Protocol):
    """Masks what a page repeats of its request."""

    def __call__(self, value: Redactable, /) -> Redactable:
        """Return the value without it."""


def _keep_unmasked(value: Redactable) -> Redactable:
    return value


# Judges the use of a page by its headers, by the page itself and by its URL.
JudgeUsage: TypeAlias = Callable[[Mapping[str, str], ReadPage, str], PageUsage | None]
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


class TwinRules(msgspec.Struct, frozen=True, kw_only=True):
    """How the markdown version of an HTML page is found, joined with the page and compared.

    ``follows`` says whether it takes the place of HTML, ``looks`` whether it is compared with it;
    ``fetch_html`` and ``visible`` read all that visitors see. ``fetch`` pays for nothing.
    """

    follows: bool
    looks: Callable[[str], bool]
    find: Callable[[str, str, str | None], str | None]
    join: Callable[[ReadPage, ReadPage, Mapping[str, str]], ReadPage]
    fetch: Fetch
    fetch_html: Fetch
    visible: Converter
    is_same_origin: Callable[[str, str], bool]
    compare: Callable[[ReadPage, ReadPage], Awaitable[ReadPage]]


class PagesBackend:
    """A ``WebBackend`` that reads pages itself, without a third party."""

    about = BackendAbout(name=PAGES_BACKEND, embedded=True)

    def __init__(
        self,
        fetch: Fetch,
        converter: Converter,
        render: Fetch | None = None,
        rendering: Rendering = "never",
        judge_usage: JudgeUsage = lambda _headers, _page, _url: None,
        twins: TwinRules | None = None,
        redact: Redact = _keep_unmasked,
    ) -> None:
        """Read with ``fetch``; ``rendering`` decides when to use the browser of ``render``.

        ``redact`` masks what a page repeats of its request.
        """
        self._redact = redact
        self._twins = twins
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
        if self._twins is not None:
            await self._twins.visible.aclose()

    async def _fetch_page(self, url: str, fetch: Fetch) -> PageOutcome:
        self._converter.warm()
        fetched = await fetch(url)
        if isinstance(fetched, Failure):
            return fetched
        reply, stored = fetched.unwrap(), current_stored_page()
        if reply.status != NOT_MODIFIED or stored is None:
            return await self._read_reply(url, reply, fetch)
        page = stored_page_fields(stored)
        if not self._has_new_usage(reply, page):
            return Success(Served(answer={**page, "url": url}, reading=stored.reading))
        with offer_stored_page(None):
            return await self._fetch_page(url, fetch)

    async def _read_reply(self, url: str, reply: Fetched, fetch: Fetch) -> PageOutcome:
        converted = await self._convert_reply(reply)
        if isinstance(converted, Failure):
            return converted
        page, attempts, with_html = converted.unwrap(), reply.attempts, wants_page_html()
        read_page = page
        if self._twins is not None and fetch is not self._render and not with_html:
            reply, page = await self._read_twins(url, reply, page, self._twins)
        # Of a page that a second request is part of, one validator says nothing.
        validators = _VALIDATOR_HEADERS if page is read_page else {}
        usage = self._judge_usage(reply.headers, page, reply.final_url)
        row = _page_row(url, reply, page, usage, validators)
        if with_html and is_html_type(reply.content_type) and len(reply.body) <= _MAX_HTML_BYTES:
            row["raw_content"] = decode_fetched_html(reply.body, reply.content_type)
        view: PageView = "rendered" if fetch is self._render else "as sent"
        row, reading = self._redact((row, page_reading(page, reply.content_type, view)))
        by = PAGES_BACKEND if attempts else ""
        return Success(Served(answer=row, by=by, attempts=attempts, reading=reading))

    def _has_new_usage(self, reply: Fetched, stored: Mapping[str, object]) -> bool:
        """Tell whether a 304 states a use that the stored page does not (RFC 9111, 3.2)."""
        usage = self._judge_usage(reply.headers, ReadPage(title="", content=""), "")
        metadata = cast("Mapping[str, Mapping[str, object]]", stored["metadata"])
        stated = cast("Sequence[object]", metadata.get("usage", {}).get("sources", ()))
        sources = () if usage is None else usage.sources
        return not all(source in stated for source in msgspec.to_builtins(sources))

    async def _convert_reply(self, reply: Fetched) -> Result[ReadPage, WebError]:
        return await self._converter.convert(reply.body, reply.content_type, reply.final_url)

    async def _read_twins(
        self, url: str, reply: Fetched, page: ReadPage, twins: TwinRules
    ) -> tuple[Fetched, ReadPage]:
        """Take the markdown version of a page, and leave out what its HTML does not show."""
        read, html = reply, cast("Result[Fetched, WebError]", Success(reply))
        if page.kind != "markdown":
            read, page = await self._follow_twin(reply, page, twins)
            is_compared = read is not reply and twins.looks(url)
        elif is_compared := twins.looks(url):
            with offer_stored_page(None):
                html = await twins.fetch_html(url)
        return read, await _compare_with_html(
            page, reply.final_url, html, twins
        ) if is_compared else page

    async def _follow_twin(
        self, reply: Fetched, page: ReadPage, twins: TwinRules
    ) -> tuple[Fetched, ReadPage]:
        """Read the markdown version of an HTML page; keep the HTML, with a note, if that fails."""
        find = partial(twins.find, reply.final_url)
        url = find(reply.headers.get("link", ""), page.markdown_url)
        if url is None or not twins.follows or not is_html_type(reply.content_type):
            return reply, page
        fetched = (await twins.fetch(url)).value_or(None)
        # The twin may have redirected to another origin.
        if fetched is not None and find("", fetched.final_url) is not None:
            twin = (await self._convert_reply(fetched)).value_or(None)
            if twin is not None and twin.kind == "markdown" and twin.content.strip():
                joined = twins.join(twin, page, fetched.headers)
                return msgspec.structs.replace(reply, content_type=fetched.content_type), joined
        return reply, msgspec.structs.replace(page, notes=(*page.notes, _NO_TWIN_NOTE))


async def _compare_with_html(
    page: ReadPage, url: str, fetched: Result[Fetched, WebError], twins: TwinRules
) -> ReadPage:
    """Compare a markdown page with its HTML, or say why there is nothing to compare."""
    if isinstance(fetched, Failure):
        return msgspec.structs.replace(page, second_look=fetched.failure().kind)
    reply = fetched.unwrap()
    is_html = is_html_type(reply.content_type)
    if not is_html or not twins.is_same_origin(reply.final_url, url):
        return msgspec.structs.replace(page, second_look="other_origin" if is_html else "not_html")
    html = await twins.visible.convert(reply.body, reply.content_type, reply.final_url)
    if isinstance(html, Failure):
        return msgspec.structs.replace(page, second_look=html.failure().kind)
    joined = twins.join(page, html.unwrap(), reply.headers)
    return await twins.compare(joined, html.unwrap())


def _needs_browser(outcome: PageOutcome) -> bool:
    if not isinstance(outcome, Failure):
        return False
    error = outcome.failure()
    return isinstance(error, EmptyContent) and error.reason == "needs_browser"


def _page_row(
    url: str,
    fetched: Fetched,
    page: ReadPage,
    usage: PageUsage | None,
    validators: Mapping[str, str],
) -> dict[str, object]:
    modified = iso_date(fetched.headers.get("last-modified", ""))
    if modified is not None:
        stated = PageDate(kind="modified", date=modified, source="header")
        page = msgspec.structs.replace(page, dates=(*page.dates, stated))
    metadata = page_metadata(page, fetched.content_type)
    for name, header in validators.items():
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


def page_reading(page: ReadPage, content_type: str, view: PageView = "as sent") -> PageReading:
    """Return what the reader knows about the text of a page that is not in its content."""
    return PageReading(
        view=view,
        content_type=one_line(content_type),
        complete=page.complete,
        cuts=page.cuts,
        left_out=page.left_out,
        notes=page.notes,
        parts=page.parts,
    )


def page_metadata(page: ReadPage, content_type: str) -> dict[str, object]:
    """Return the metadata of a page without its title, its content and default values."""
    metadata = {
        name: value
        for name, value in msgspec.structs.asdict(page).items()
        if name not in _NON_METADATA_FIELDS and value != _DEFAULT_METADATA[name]
    }
    return {"content_type": one_line(content_type), **metadata}
