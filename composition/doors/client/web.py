"""The async client: settings, plugins, connections and cache once, and a Result from every call."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, date, datetime
from typing import (
    TYPE_CHECKING,
    Any,
    NoReturn,
    Protocol,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_args,
    overload,
)

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.call_context import end_call_at, keep_page_html, limit_cache_age
from webseam.adapters.pages.backend import PAGES_BACKEND
from webseam.adapters.pages.fetch.content import is_html_type
from webseam.adapters.timer import asyncio_timer
from webseam.kernel.envelopes import ToolReply, error_reply
from webseam.kernel.laws.field_checks import guess_field
from webseam.kernel.middleware.arguments import check_max_age
from webseam.kernel.pages.find import find_in_page, unread_found
from webseam.kernel.pages.page_budget import read_page_piece
from webseam.kernel.text.display import quote_value
from webseam.kernel.text.trim import Budget, Piece
from webseam.ports.backends import WebBackend
from webseam.ports.data import Data
from webseam.ports.dates import parse_day_name
from webseam.ports.errors import InvalidQuery, MiddlewareFailed, WebError
from webseam.ports.evidence import AskEvent, AskOptions, AskOutcome, SourcePage
from webseam.ports.found import DEFAULT_PASSAGES, Found
from webseam.ports.pages import PartName
from webseam.ports.tools import ToolPart
from webseam.ports.web import (
    Query,
    SearchFilters,
    SearchOutcome,
    WebExtractResult,
    WebSearchQuery,
    WebSearchResult,
)

from ...feature_table import Part, load
from ...settings.file_locations import FileLocations
from ...tools.ask_context import AskContext, stream_tool_steps, tool_ask_context
from ...tools.batch import MAX_CONCURRENT_PAGES, page_key, repeat_page
from ...tools.toolbox import Toolbox, ToolboxOverrides, open_toolbox
from ...tools.web_tools import DEFAULT_PIECE_CHARS
from .results import make_deprecated_alias

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    import httpx

    from webseam.kernel.deps import RowPolicy
    from webseam.kernel.laws.filters import FilterPolicy
    from webseam.kernel.policy.policy_rules import Follow, Policy
    from webseam.ports.data_rules import SiteRules
    from webseam.ports.models import Compressor
    from webseam.ports.stores import TextStore

    from ...tools.dispatch import Tools
    from ...wiring.backend_rows import Root


Outcome = TypeVar("Outcome")
Wanted = TypeVar("Wanted")
Fields: TypeAlias = dict[str, object]
Reply: TypeAlias = "Result[object, WebError]"
_HTML_OPTIONS = ("links", "html", "select")
# Text that a page hides is a way to talk to a model, and text behind a wall is never kept.
_UNOFFERED_PARTS = frozenset(get_args(PartName)) - frozenset(get_args(ToolPart))
# What people look for among the options of a client, and where it is.
_OPEN_HINTS = {
    "api_key": "a key is a setting: settings={'services': {'brave': {'api_key': KEY}}}",
    "max_results": "it is an option of search",
    "proxy": "settings={'policy': {'proxy': URL}} sets it",
}  # fmt: skip
_DAY_NAMES = {"since": "published_after", "until": "published_before"}


class ReadPageData(Protocol):
    """Return the values of a page whose ``raw_content`` is its HTML."""

    async def __call__(
        self,
        page: WebExtractResult,
        wanted: object,
        texts: TextStore | None,
        files: FileLocations,
        root: Root | None,
        /,
    ) -> Result[Data[Any], WebError]:
        """Return the values in the type that is wanted, or why a required one is not proved.

        The text that the quotes stand in is stored in ``texts``. With ``root``, the model of its
        ``small_work`` is the last witness.
        """


class LearnPages(Protocol):
    """Learn the rules of sites from pages whose ``raw_content`` is their HTML."""

    async def __call__(
        self, pages: Sequence[WebExtractResult], wanted: object, files: FileLocations, /
    ) -> Result[list[SiteRules], WebError]:
        """Return the rules of each site, after they are stored."""


PAGE_DATA = Part[ReadPageData]("page_data")
LEARN_PAGES = Part[LearnPages]("learn_pages")


class CallOptions(TypedDict, total=False):
    """Who serves a call, how many seconds it may take, and how old a cached answer may be.

    ``backend`` is the name of a backend or your own. ``route`` names several, which are asked in
    turn, or together if a + joins them: ``["brave", "searxng+exa"]``.
    """

    backend: WebBackend | str | None
    route: Sequence[str]
    timeout: float | None
    max_age: float | None


class DataOptions(CallOptions, total=False):
    """Whether a model is asked for what the page leaves open, and who serves the page."""

    model: bool


class SearchOptions(SearchFilters, CallOptions, total=False):
    """The filters of a search, and who serves it.

    ``since`` and ``until`` are ``published_after`` and ``published_before`` in words: ``"week"``,
    ``"3 months"``, ``"yesterday"`` or a date, as at a terminal. With ``contents`` each row has the
    text of its page.
    """

    since: date | str | None
    until: date | str | None
    contents: bool | None


class QuestionOptions(AskOptions, CallOptions, total=False):
    """Where to look for an answer, and who serves it."""


class PageOptions(CallOptions, total=False):
    """What of a page to return, and who serves it.

    ``links``, ``html`` and ``select`` need the page's HTML, which webseam's own reader has: it
    reads the page if no backend is named.
    """

    focus: str | None
    char_limit: int | None
    second_look: bool | None
    links: bool | None
    html: bool | None
    select: str | None


# A URL, or a row or page that has one.
PageAddress: TypeAlias = str | WebSearchResult | WebExtractResult


def page_url(address: object) -> object:
    """Return the URL of a row or a page; any other value unchanged."""
    if isinstance(address, WebSearchResult | WebExtractResult):
        return address.url
    return address


def _names_reader(options: Mapping[str, object]) -> bool:
    return options.get("backend") is not None or bool(options.get("route"))


def _typed_reply(reply: Reply, kind: type[Outcome]) -> Result[Outcome, WebError]:
    """Return a reply whose outcome is of the kind that was asked for."""
    if not isinstance(reply, Success) or isinstance(reply.unwrap(), kind):
        return cast("Result[Outcome, WebError]", reply)
    # A plugin that changes one page into several, say.
    fault = f"changed the call so that its result is no {kind.__name__}"
    return Failure(MiddlewareFailed(plugin="a plugin", stage="tool_request", error=fault))


class OpenOptions(TypedDict, total=False):
    """The parts of a client that replace those of the settings; see ``webseam.open``."""

    settings: Mapping[str, object]
    backend: WebBackend | str | None
    compressor: Compressor | None
    policy: Policy | None
    transport: httpx.AsyncBaseTransport | None
    texts: TextStore | None
    rows: RowPolicy
    filters: FilterPolicy
    environment: Mapping[str, str] | None
    follow: Follow | None
    seeds: Sequence[str]
    route: Sequence[str]
    timeout: float | None
    max_age: float | None
    budget: float | None


def open(**options: Unpack[OpenOptions]) -> Web:  # noqa: A001  it is read as webseam.open
    """Return a client for ``async with``: search, extract, more, and the tools for an agent.

    The settings apply, unless an argument replaces them:

    - ``settings``: settings by name, such as ``{"cache.enabled": False}``, or in blocks as the file
      has them, ``{"services": {"brave": {"api_key": KEY}}}``; they win.
    - ``backend``: the name of a backend, or your own ``WebBackend``, for searches and pages;
      or a ``route`` of several.
    - ``timeout`` and ``max_age``: those of each call that does not set its own.
    - ``budget``: the most that all calls of this client may cost, in dollars.
    - ``compressor``: shortens long pages.
    - ``policy``: where requests may go; it holds for the client and everything it opens.
    - ``transport``: an httpx transport for the requests to services and models.
    - ``texts``: stores the full text of truncated pages, for ``more``.
    - ``rows="quarantine"``: keep good rows beside bad ones; ``filters="best-effort"``: go on
      without a filter that a service does not have.
    - ``environment``: replaces ``os.environ``.
    - ``follow="seen"``: read only URLs among ``seeds``, and those that this client found in its
      results and pages; ``follow="cache"``: use no network.

    Nothing raises: if an option or a setting is wrong, every call returns a Failure.
    """
    checked = check_open_options(options)
    if isinstance(checked, Failure):
        return Web(ToolboxOverrides(), problem=checked.failure())
    parts, usual = checked.unwrap()
    return Web(parts, usual=usual)


def check_open_options(
    options: Mapping[str, object],
) -> Result[tuple[ToolboxOverrides, CallOptions], WebError]:
    """Return the parts of a client and the options of each of its calls, or the wrong option."""
    if not options.keys() <= _OPEN_OPTIONS:
        name = next(name for name in options if name not in _OPEN_OPTIONS)
        hint = _OPEN_HINTS.get(name)
        if hint is None:
            return _refuse_option(options, _OPEN_OPTIONS)
        return Failure(InvalidQuery(field=name, reason=f"is not an option of open; {hint}"))
    parts = {name: value for name, value in options.items() if value is not None}
    usual = {name: parts.pop(name) for name in ("timeout", "max_age") if name in parts}
    checked = _check_call_options(
        parts.get("backend"), parts.get("route", ()), usual.get("timeout"), usual.get("max_age")
    )
    if isinstance(checked, Failure):
        return checked
    budget = parts.get("budget")
    if budget is not None and not _is_amount(budget):
        reason = f"must be dollars from 0, got {quote_value(budget)}"
        return Failure(InvalidQuery(field="budget", reason=reason))
    parts["route"] = checked.unwrap()[1]
    return Success((ToolboxOverrides(**cast("Any", parts)), cast("CallOptions", usual)))


def _is_amount(value: object) -> bool:
    return type(value) in (int, float) and 0 <= cast("float", value) < math.inf


class Web:
    """A client that keeps connections, cache and plugins until the end of the ``async with``."""

    def __init__(
        self,
        parts: ToolboxOverrides,
        root: Root | None = None,
        tools: Tools | None = None,
        *,
        usual: CallOptions | None = None,
        problem: WebError | None = None,
    ) -> None:
        """Prepare a client; the first call opens backends after ``parts`` and the settings.

        With a ``root`` no settings are read: it holds them. ``tools`` are open already. ``usual``
        are options of each call. Every call fails with ``problem``, if there is one.
        """
        self._parts = parts
        self._root = root
        self._usual = cast("Fields", usual or {})
        self._problem = problem
        self._lock = asyncio.Lock()
        self._toolbox: Toolbox | None = None
        self._ready_tools = tools

    async def search(
        self, query: Query, /, **options: Unpack[SearchOptions]
    ) -> Result[SearchOutcome, WebError]:
        """Search; see ``webseam.search``. No rows is a Success: nothing was found."""
        if not options.keys() <= _SEARCH_OPTIONS:
            return _refuse_option(options, _SEARCH_OPTIONS)
        named = _read_day_names(options)
        if isinstance(named, Failure):
            return named
        fields = client_query_fields(query, named.unwrap())
        reply = await self._ask_web_tool("web_search", fields)
        return _typed_reply(reply, SearchOutcome)

    async def extract(
        self, url: PageAddress, /, **options: Unpack[PageOptions]
    ) -> Result[WebExtractResult, WebError]:
        """Read a page as markdown; see ``webseam.extract``."""
        address: object = page_url(url)
        if not isinstance(address, str):
            reason = f"must be the URL of one page, got {quote_value(address)}"
            hint = "; extract_many reads several" if isinstance(address, list | tuple) else ""
            return Failure(InvalidQuery(field="url", reason=reason + hint))
        if not options.keys() <= _PAGE_OPTIONS:
            return _refuse_option(options, _PAGE_OPTIONS)
        if any(options.get(name) for name in _HTML_OPTIONS) and not _names_reader(options):
            options["backend"] = PAGES_BACKEND
        fields = _drop_unset_fields({"urls": [address], **options})
        reply = await self._ask_web_tool("web_extract", fields)
        return _typed_reply(reply, WebExtractResult)

    async def extract_many(
        self, urls: Iterable[PageAddress], /, **options: Unpack[PageOptions]
    ) -> list[Result[WebExtractResult, WebError]]:
        """Read several pages at once; return a result for each, in their order.

        A page that is named again is read once.
        """
        gate = asyncio.Semaphore(MAX_CONCURRENT_PAGES)

        async def read(url: str) -> Result[WebExtractResult, WebError]:
            async with gate:
                return await self.extract(url, **options)

        listed: list[Any] = [page_url(url) for url in urls]
        # What is no address is refused by itself.
        keys = [
            page_key(url) if isinstance(url, str) else index for index, url in enumerate(listed)
        ]
        first_indexes: dict[object, int] = {}
        for index, key in enumerate(keys):
            first_indexes.setdefault(key, index)
        pages = await asyncio.gather(*[read(listed[index]) for index in first_indexes.values()])
        by_key = dict(zip(first_indexes, pages, strict=True))
        results: list[Result[WebExtractResult, WebError]] = []
        for index, key in enumerate(keys):
            page = by_key[key]
            is_first = first_indexes[key] == index
            results.append(page if is_first else repeat_page(page, listed[index]))
        return results

    @overload
    async def data(
        self, page: PageAddress, wanted: type[Wanted], /, **options: Unpack[DataOptions]
    ) -> Result[Data[Wanted], WebError]: ...

    @overload
    async def data(
        self,
        page: PageAddress,
        wanted: Mapping[str, Any],
        /,
        **options: Unpack[DataOptions],
    ) -> Result[Data[dict[str, Any]], WebError]: ...

    async def data(
        self, page: PageAddress, wanted: object, /, **options: Unpack[DataOptions]
    ) -> Result[Data[Any], WebError]:
        """Return the values that a page proves for a type; see ``webseam.data``."""
        hears_model: object = options.pop("model", False)
        if not isinstance(hears_model, bool):
            reason = "must be true or false; small_work.provider and small_work.model name it"
            return Failure(InvalidQuery(field="model", reason=reason))
        read = await self._read_html(page, options)
        if isinstance(read, Failure):
            return read
        opened = await self._open_toolbox()
        if isinstance(opened, Failure):
            return opened
        toolbox = opened.unwrap()
        root = toolbox.root if hears_model else None
        return await load(PAGE_DATA)(read.unwrap(), wanted, toolbox.texts, self._files(), root)

    async def _read_html(
        self, page: PageAddress, options: CallOptions
    ) -> Result[WebExtractResult, WebError]:
        """Return a page with its HTML."""
        if not options.keys() <= _CALL_OPTIONS:
            return _refuse_option(options, _CALL_OPTIONS)
        if isinstance(page, WebExtractResult) and page.receipt.raw:
            kind = page.metadata.get("content_type")
            if isinstance(kind, str) and is_html_type(kind):
                # It has its HTML, so it is not fetched again.
                return Success(page)
        if not _names_reader(options):
            # A service has its own rendering of a page, and seldom the HTML.
            options["backend"] = PAGES_BACKEND
        with keep_page_html(True):  # noqa: FBT003  a value of a context
            return await self.extract(page, **options)

    def _files(self) -> FileLocations:
        return self._root.files if self._root else FileLocations(self._parts.environment)

    async def data_many(
        self, urls: Iterable[PageAddress], wanted: type[Wanted], /, **options: Unpack[DataOptions]
    ) -> list[Result[Data[Wanted], WebError]]:
        """Return the values of several pages, a result for each, in their order."""
        gate = asyncio.Semaphore(MAX_CONCURRENT_PAGES)

        async def read(url: PageAddress) -> Result[Data[Wanted], WebError]:
            async with gate:
                return await self.data(url, wanted, **options)

        return list(await asyncio.gather(*map(read, urls)))

    async def learn(
        self, urls: Iterable[PageAddress], wanted: object, /, **options: Unpack[CallOptions]
    ) -> Result[list[SiteRules], WebError]:
        """Learn where the pages of a site have the values of a type; see ``webseam.learn``."""
        pages: list[WebExtractResult] = []
        for url in urls:
            read = await self._read_html(url, options)
            if isinstance(read, Failure):
                return read
            pages.append(read.unwrap())
        return await load(LEARN_PAGES)(pages, wanted, self._files())

    async def ask(
        self, question: str, /, **options: Unpack[QuestionOptions]
    ) -> Result[AskOutcome, WebError]:
        """Answer a question with quotes that were checked against their pages.

        See ``webseam.ask``.
        """
        if not options.keys() <= _QUESTION_OPTIONS:
            return _refuse_option(options, _QUESTION_OPTIONS)
        fields = _drop_unset_fields({"question": question, **options})
        pages = cast("Sequence[SourcePage]", fields.pop("evidence", ()))
        with tool_ask_context(AskContext(pages=tuple(pages))):
            reply = await self._ask_web_tool("web_ask", fields)
            return _typed_reply(reply, AskOutcome)

    async def ask_steps(
        self, question: str, /, **options: Unpack[QuestionOptions]
    ) -> AsyncGenerator[AskEvent]:
        """Answer as ``ask`` does, and yield each step, and each claim once it is checked.

        The last event is the result of ``ask``. Closing the generator cancels the work.
        """
        if not options.keys() <= _QUESTION_OPTIONS:
            yield _refuse_option(options, _QUESTION_OPTIONS)
            return
        fields = _drop_unset_fields({"question": question, **options})
        pages = cast("Sequence[SourcePage]", fields.pop("evidence", ()))

        async def work() -> Result[AskOutcome, WebError]:
            reply = await self._ask_web_tool("web_ask", fields)
            return _typed_reply(reply, AskOutcome)

        async with aclosing(stream_tool_steps(work, pages)) as events:
            async for event in events:
                if event is not None:
                    yield event

    answer = make_deprecated_alias(ask, "answer")
    answering = make_deprecated_alias(ask_steps, "answering")

    async def more(
        self,
        page_or_handle: WebExtractResult | str,
        /,
        cursor: int = 0,
        *,
        part: PartName = "content",
        char_limit: int | None = None,
    ) -> Result[Piece, WebError]:
        """Go on in a page that was shown in part, or read a part that was left out of it.

        ``next_cursor`` leads to the next piece; see ``webseam.more``.
        """
        named = _page_handle(page_or_handle, part)
        if isinstance(named, Failure):
            return named
        handle = named.unwrap()
        if part in _UNOFFERED_PARTS:
            return await self._read_unoffered_part(handle, cursor, part, char_limit)
        fields = {"handle": handle, "cursor": cursor, "part": part, "char_limit": char_limit}
        reply = await self._ask_web_tool("web_more", _drop_unset_fields(fields))
        return _typed_reply(reply, Piece)

    async def _read_unoffered_part(
        self, handle: str, cursor: int, part: PartName, char_limit: int | None
    ) -> Result[Piece, WebError]:
        """Return a piece of text that no tool gives; it is no call of a tool."""
        opened = await self._open_toolbox()
        if isinstance(opened, Failure):
            return opened
        record = await opened.unwrap().page_record(handle)
        budget = Budget(characters=char_limit or DEFAULT_PIECE_CHARS)
        return record.bind(lambda it: read_page_piece(it, cursor, budget, part))

    async def find(
        self,
        page_handle_or_url: WebExtractResult | str,
        text: str,
        /,
        *,
        max_passages: int = DEFAULT_PASSAGES,
    ) -> Result[Found, WebError]:
        """Say where the words of a text stand in a page; see ``webseam.find``."""
        page: object = page_handle_or_url
        if isinstance(page, str) and _is_address(page):
            read = await self.extract(page)
            if isinstance(read, Failure):
                return unread_found(read.failure(), text, page)
            page = read.unwrap()
        handle = page
        if isinstance(page, WebExtractResult):
            handle = page.receipt.handle
            if handle is None:
                return find_in_page(page, text, max_passages)
        elif not isinstance(page, str):
            reason = f"must be a page, a handle or a URL, got {quote_value(page)}"
            return Failure(InvalidQuery(field="page", reason=reason))
        fields: Fields = {"handle": handle, "find": text, "max_passages": max_passages}
        found = _typed_reply(await self._ask_web_tool("web_more", fields), Found)
        is_expired = isinstance(found, Success) and found.unwrap().reason == "expired"
        if is_expired and isinstance(page, WebExtractResult):
            # The page itself is still here.
            again = find_in_page(page, text, max_passages)
            return again.bind(lambda it: found if it.status == "unknown" else again)
        return found

    async def tools(self) -> Result[Tools, WebError]:
        """Return the tools for an agent, with these settings and plugins around them."""
        return (await self._open_toolbox()).map(lambda toolbox: toolbox.tools)

    async def call(self, tool: str, arguments: object) -> str:
        """Call a tool for an agent and return its JSON, which also reports failures."""
        return (await self.call_tool(tool, arguments)).text

    async def call_tool(self, tool: str, arguments: object) -> ToolReply:
        """As ``call``, with the typed error beside the JSON."""
        opened = await self._open_toolbox()
        if isinstance(opened, Failure):
            return error_reply(opened.failure())
        return (await opened.unwrap().tools.ask(tool, arguments)).reply

    async def aclose(self) -> None:
        """Close connections, files and worker processes; the next call opens them again."""
        toolbox, self._toolbox, self._ready_tools = self._toolbox, None, None
        if toolbox is not None:
            await toolbox.__aexit__(None, None, None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __enter__(self) -> NoReturn:
        message = "use `async with webseam.open()`, or `with webseam.open_blocking()`"
        raise TypeError(message)

    def __exit__(self, *_: object) -> None:
        """Do nothing: ``with`` finds this method before ``__enter__`` refuses."""

    def _ask_web_tool(self, name: str, fields: Fields) -> Awaitable[Reply]:
        tools = self._ready_tools
        options = {key: fields.pop(key) for key in _CALL_OPTIONS & fields.keys()}
        if self._usual:
            options = {**self._usual, **options}
        if options or tools is None:
            return self._ask_routed_tool(name, fields, **options)
        return _run_tool(tools, name, fields)

    async def _ask_routed_tool(
        self,
        name: str,
        fields: Fields,
        *,
        backend: object = None,
        route: object = (),
        timeout: object = None,  # noqa: ASYNC109  it is an option of the user
        max_age: object = None,
    ) -> Result[object, WebError]:
        """Open what a call needs, and run it within ``timeout`` seconds."""
        checked = _check_call_options(backend, route, timeout, max_age)
        if isinstance(checked, Failure):
            return checked
        opened = await self._open_toolbox()
        if isinstance(opened, Failure):
            return opened
        toolbox, backend, route, seconds = opened.unwrap(), *checked.unwrap()
        is_routed = backend is not None or route
        tools = toolbox.route_tools(backend, route) if is_routed else toolbox.tools
        with limit_cache_age(cast("float | None", max_age)):
            work = _run_tool(tools, name, fields)
            if seconds is None:
                return await work
            with end_call_at(time.monotonic() + seconds):
                ended = await asyncio_timer(work, seconds)
        return Failure(ended.failure()) if isinstance(ended, Failure) else ended.unwrap()

    async def _open_toolbox(self) -> Result[Toolbox, WebError]:
        if self._problem is not None:
            return Failure(self._problem)
        async with self._lock:
            if self._toolbox is not None:
                return Success(self._toolbox)
            opened = open_toolbox(parts=self._parts, root=self._root)
            if isinstance(opened, Failure):
                # Do not cache a failure: the next call reads the settings again.
                return opened
            self._toolbox = opened.unwrap()
            await self._toolbox.__aenter__()
            self._ready_tools = self._toolbox.tools
            return opened


def _is_address(text: str) -> bool:
    """Tell whether a text is a URL or a host, and not the handle of a page."""
    return any(sign in text for sign in ":/.")


def _page_handle(page: object, part: PartName) -> Result[str, WebError]:
    """Return the handle under which a part of a page is kept."""
    if isinstance(page, str):
        return Success(page)
    if not isinstance(page, WebExtractResult):
        reason = f"must be a page or a handle, got {quote_value(page)}"
        return Failure(InvalidQuery(field="handle", reason=reason))
    handles = [entry.handle for entry in page.left_out or () if entry.kind == part]
    handle = next(filter(None, handles), None) or page.receipt.handle
    if handle is None:
        reason = "nothing of this page is kept: nothing was cut or left out, or nobody knows"
        return Failure(InvalidQuery(field="handle", reason=reason))
    return Success(handle)


_OPEN_OPTIONS = frozenset(OpenOptions.__annotations__)
_CALL_OPTIONS = frozenset(CallOptions.__annotations__)
_QUESTION_OPTIONS = frozenset(QuestionOptions.__annotations__)
_PAGE_OPTIONS = frozenset(PageOptions.__annotations__)
_SEARCH_OPTIONS = frozenset(SearchOptions.__annotations__)


def _refuse_option(options: Iterable[str], declared: frozenset[str]) -> Failure[WebError]:
    name = next(name for name in options if name not in declared)
    meant = guess_field(name, declared)
    known = f"did you mean {meant}?" if meant else f"there are {', '.join(sorted(declared))}"
    return Failure(InvalidQuery(field=name, reason=f"is not an option; {known}"))


def _check_call_options(
    backend: object, route: object, timeout: object, max_age: object
) -> Result[tuple[WebBackend | str | None, tuple[str, ...], float | None], WebError]:
    """Return the options of a call, or the one that is wrong."""
    steps = route.split(",") if isinstance(route, str) else route
    if not isinstance(steps, list | tuple):
        reason = f"must be a list of backends, got {quote_value(route)}"
        return Failure(InvalidQuery(field="route", reason=reason))
    if steps and backend is not None:
        return Failure(InvalidQuery(field="route", reason="cannot stand beside backend"))
    if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
        reason = f"must be a number of seconds above 0, got {quote_value(timeout)}"
        return Failure(InvalidQuery(field="timeout", reason=reason))
    if isinstance(age := check_max_age(max_age), Failure):
        return age
    names = tuple(step.strip() if isinstance(step, str) else step for step in steps)
    return Success((cast("WebBackend | str | None", backend), names, timeout))


def _run_tool(tools: Tools, name: str, fields: Fields) -> Awaitable[Reply]:
    has_callbacks = tools.around.callbacks.has_any
    return _ask_tool(tools, name, fields) if has_callbacks else tools.run(name, fields)


async def _ask_tool(tools: Tools, name: str, fields: Fields) -> Reply:
    called = await tools.ask(name, fields)
    if called.reply.error is not None:
        return Failure(called.reply.error)
    if called.reply.untyped is not None:
        return Failure(called.reply.untyped)
    return Success(called.outcome)


def client_query_fields(query: Query, options: SearchOptions) -> Fields:
    """Return a query and the options beside it as the fields of one; nothing is checked here.

    >>> client_query_fields("tides", {"max_results": 3})
    {'query': 'tides', 'max_results': 3}
    """
    if isinstance(query, WebSearchQuery):
        return {**_drop_unset_fields(msgspec.to_builtins(query)), **options}
    # The tool refuses a query that is neither text nor a dict and names the field.
    return {**(query if isinstance(query, dict) else {"query": query}), **options}


def _read_day_names(options: SearchOptions) -> Result[SearchOptions, WebError]:
    """Return the options with the days that ``since`` and ``until`` name as dates."""
    if not options.keys() & _DAY_NAMES:
        return Success(options)
    fields = cast("Fields", dict(options))
    for name, field in _DAY_NAMES.items():
        day = fields.pop(name, None)
        if day is None:
            continue
        if fields.get(field) is not None:
            return Failure(InvalidQuery(field=name, reason=f"cannot stand beside {field}"))
        if isinstance(day, str):
            read = parse_day_name(day, datetime.now(UTC).date())
            if isinstance(read, Failure):
                reason = f"{quote_value(day)} {read.failure()}"
                return Failure(InvalidQuery(field=name, reason=reason))
            day = read.unwrap()
        fields[field] = day
    return Success(cast("SearchOptions", fields))


def _drop_unset_fields(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value not in (None, [], ())}
