"""Plain calls: they block, and raise ``WebseamError``. One loop in a thread serves them all."""

from __future__ import annotations

import contextlib
import queue
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack, overload

import msgspec
from returns.result import Result

from webseam.ports.found import DEFAULT_PASSAGES

from ...settings.file_locations import FileLocations
from .loop_thread import POLL_SECONDS, LoopThread
from .results import WebseamError, failed, hide_inner_frames, make_deprecated_alias, unwrap
from .web import Web, check_open_options, open as open_web

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

    from webseam.kernel.envelopes import ToolReply
    from webseam.kernel.text.trim import Piece
    from webseam.ports.data import Data
    from webseam.ports.data_rules import SiteRules
    from webseam.ports.errors import WebError
    from webseam.ports.evidence import AskEvent, AskOutcome, AskStep
    from webseam.ports.found import Found
    from webseam.ports.pages import PartName
    from webseam.ports.web import Query, SearchOutcome, WebExtractResult

    from ...tools.dispatch import Tools
    from .web import (
        CallOptions,
        DataOptions,
        OpenOptions,
        PageAddress,
        PageOptions,
        QuestionOptions,
        SearchOptions,
    )

Value = TypeVar("Value")
Wanted = TypeVar("Wanted")

LOOP = LoopThread("webseam")


class _Opened(msgspec.Struct):
    """A client, the loop and the settings that it belongs to, and how many calls use it."""

    web: Web
    generation: int
    surroundings: object
    calls: int = 0


class BlockingWeb:
    """A client whose calls block: from a script, a notebook, many threads, inside a running loop.

    A changed setting, such as a key put into ``os.environ``, counts from the next call on.
    """

    def __init__(self, make: Callable[[], Web], surroundings: Callable[[], object]) -> None:
        """Open a client with ``make`` at the first call, and again when ``surroundings`` differ."""
        self._make = make
        self._surroundings = surroundings
        self._opened: _Opened | None = None

    @hide_inner_frames
    def search(self, query: Query, /, **options: Unpack[SearchOptions]) -> SearchOutcome:
        """Search; see ``webseam.search``."""
        return self._run_blocking(lambda web: web.search(query, **options))

    @hide_inner_frames
    def extract(self, url: PageAddress, /, **options: Unpack[PageOptions]) -> WebExtractResult:
        """Read a page; see ``webseam.extract``."""
        return self._run_blocking(lambda web: web.extract(url, **options))

    def extract_many(
        self, urls: Iterable[PageAddress], /, **options: Unpack[PageOptions]
    ) -> list[WebExtractResult | WebseamError]:
        """Read several pages; see ``webseam.extract_many``."""
        work = self._use_open_client(lambda web: web.extract_many(urls, **options))
        pages = LOOP.run(work)
        return [WebseamError(it.failure()) if failed(it) else it.unwrap() for it in pages]

    @overload
    def data(
        self, page: PageAddress, wanted: type[Wanted], /, **options: Unpack[DataOptions]
    ) -> Data[Wanted]: ...

    @overload
    def data(
        self,
        page: PageAddress,
        wanted: Mapping[str, Any],
        /,
        **options: Unpack[DataOptions],
    ) -> Data[dict[str, Any]]: ...

    @hide_inner_frames
    def data(
        self,
        page: PageAddress,
        wanted: Any,
        /,
        **options: Unpack[DataOptions],
    ) -> Data[Any]:
        """Return the values that a page proves for a type; see ``webseam.data``."""
        return self._run_blocking(lambda web: web.data(page, wanted, **options))

    def data_many(
        self, urls: Iterable[PageAddress], wanted: type[Wanted], /, **options: Unpack[DataOptions]
    ) -> list[Data[Wanted] | WebseamError]:
        """Return the values of several pages; see ``webseam.data_many``."""
        work = self._use_open_client(lambda web: web.data_many(urls, wanted, **options))
        pages = LOOP.run(work)
        return [WebseamError(it.failure()) if failed(it) else it.unwrap() for it in pages]

    @hide_inner_frames
    def learn(
        self, urls: Iterable[PageAddress], wanted: object, /, **options: Unpack[CallOptions]
    ) -> list[SiteRules]:
        """Learn where the pages of a site have the values of a type; see ``webseam.learn``."""
        return self._run_blocking(lambda web: web.learn(urls, wanted, **options))

    @hide_inner_frames
    def ask(self, question: str, /, **options: Unpack[QuestionOptions]) -> AskOutcome:
        """Answer a question with sources; see ``webseam.ask``."""
        return self._run_blocking(lambda web: web.ask(question, **options))

    def ask_steps(
        self, question: str, /, **options: Unpack[QuestionOptions]
    ) -> Iterator[AskStep | AskOutcome]:
        """Answer as ``ask`` does, and yield each step, and each claim once it is checked.

        The answer itself is the last; a failure is raised in its place.
        """
        events: queue.SimpleQueue[AskEvent | None] = queue.SimpleQueue()

        async def listen(web: Web) -> None:
            async for event in web.ask_steps(question, **options):
                events.put(event)

        with LOOP.run_during(self._use_open_client(listen)) as work:
            # Wake the reader however the work ends, even before its first event.
            work.add_done_callback(lambda _: events.put(None))
            while (event := _next_event(events)) is not None:
                yield unwrap(event) if isinstance(event, Result) else event
            work.result()

    answer = make_deprecated_alias(ask, "answer")
    answering = make_deprecated_alias(ask_steps, "answering")

    @hide_inner_frames
    def more(
        self,
        page_or_handle: WebExtractResult | str,
        /,
        cursor: int = 0,
        *,
        part: PartName = "content",
        char_limit: int | None = None,
    ) -> Piece:
        """Go on in a page that was shown in part; see ``webseam.more``."""
        return self._run_blocking(
            lambda web: web.more(page_or_handle, cursor, part=part, char_limit=char_limit)
        )

    @hide_inner_frames
    def find(
        self,
        page_handle_or_url: WebExtractResult | str,
        text: str,
        /,
        *,
        max_passages: int = DEFAULT_PASSAGES,
    ) -> Found:
        """Say where the words of a text stand in a page; see ``webseam.find``."""
        return self._run_blocking(
            lambda web: web.find(page_handle_or_url, text, max_passages=max_passages)
        )

    @hide_inner_frames
    def tools(self) -> Tools:
        """Return the tools for an agent: their schemas, and which of them are set up."""
        return self._run_blocking(lambda web: web.tools())

    def call(self, tool: str, arguments: object) -> str:
        """Call a tool for an agent and return its JSON; failures are in it, not raised."""
        return self.call_tool(tool, arguments).text

    async def acall(self, tool: str, arguments: object) -> str:
        """As ``call``, for async code: the caller's own loop goes on meanwhile."""
        return (await self.acall_tool(tool, arguments)).text

    def call_tool(self, tool: str, arguments: object) -> ToolReply:
        """As ``call``, with the typed error beside the JSON."""
        return LOOP.run(self._use_open_client(lambda web: web.call_tool(tool, arguments)))

    async def acall_tool(self, tool: str, arguments: object) -> ToolReply:
        """As ``call_tool``, for async code."""
        return await LOOP.await_work(
            self._use_open_client(lambda web: web.call_tool(tool, arguments))
        )

    def close(self) -> None:
        """Close connections, files and worker processes; the next call opens them again."""
        if self._opened is not None:
            LOOP.run(self._close_client())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run_blocking(self, work: Callable[[Web], Awaitable[Result[Value, WebError]]]) -> Value:
        return unwrap(LOOP.run(self._use_open_client(work)))

    async def _use_open_client(self, work: Callable[[Web], Awaitable[Value]]) -> Value:
        opened = await self._current_client()
        opened.calls += 1
        try:
            return await work(opened.web)
        finally:
            opened.calls -= 1
            if opened is not self._opened and not opened.calls:
                await opened.web.aclose()

    async def _current_client(self) -> _Opened:
        """Return the client of this loop and these settings; an old one ends with its last call."""
        surroundings, opened = self._surroundings(), self._opened
        if opened is not None and opened.generation != LOOP.generation:
            # Another loop or the parent process owns this client; do not close it.
            opened = None
        if opened is not None and opened.surroundings == surroundings:
            return opened
        fresh = _Opened(self._make(), LOOP.generation, surroundings)
        self._opened = fresh
        LOOP.add_closer(self, self._close_client)
        if opened is not None and not opened.calls:
            await opened.web.aclose()
        return fresh

    async def _close_client(self) -> None:
        opened, self._opened = self._opened, None
        LOOP.remove_closer(self)
        if opened is not None and opened.generation == LOOP.generation:
            await opened.web.aclose()


def open_blocking(**options: Unpack[OpenOptions]) -> BlockingWeb:
    """Return a client for ``with``, whose calls block and raise; the options are ``open``'s.

    A wrong option raises at once.
    """
    unwrap(check_open_options(options))
    environment = options.get("environment")
    make = partial(open_web, **options)
    return BlockingWeb(make, partial(_settings_fingerprint, FileLocations(environment)))


def _next_event(events: queue.SimpleQueue[AskEvent | None]) -> AskEvent | None:
    """Return the next event; poll, so that Ctrl-C is noticed (see ``wait_for_outcome``)."""
    while True:
        with contextlib.suppress(queue.Empty):
            return events.get(timeout=POLL_SECONDS)


def _settings_fingerprint(files: FileLocations) -> object:
    """Return the variables and the age of the settings file, to notice changes."""
    try:
        modified_ns = files.config_file.stat().st_mtime_ns
    except (OSError, ValueError):
        modified_ns = 0
    return dict(files.variables), modified_ns


_SHARED_WEB = open_blocking()


@hide_inner_frames
def search(query: Query, /, **options: Unpack[SearchOptions]) -> SearchOutcome:
    """Search the web and return the rows, or raise ``WebseamError``.

    The outcome is a sequence of rows with ``title``, ``url`` and ``snippet``. It is empty if
    nothing was found. ``query`` is text, a dict of fields or a ``WebSearchQuery``. Options:

    - ``max_results``: at most this many rows, 1 to 100. ``page``: 2 has the next rows.
    - ``include_domains``, ``exclude_domains``: lists of host names.
    - ``published_after``, ``published_before``: a date, or text such as 2026-01-31.
    - ``country``, ``language``: ISO codes such as DE and en.
    - ``topic``: general, news, finance or images. ``safe_search``: off, moderate or strict.
    - ``contents``: each row has the text of its page, or its ``error``.
    - ``backend``: the name of a backend. ``route``: several in turn, ``["brave", "tavily"]``.
    - ``timeout``: the most seconds. ``max_age``: those since an answer was stored; 0 asks again.

    The call blocks, also inside a running event loop. In async code, use ``webseam.open``.
    """
    return _SHARED_WEB.search(query, **options)


@hide_inner_frames
def extract(url: PageAddress, /, **options: Unpack[PageOptions]) -> WebExtractResult:
    """Read a page as markdown, or raise ``WebseamError``.

    With ``char_limit``, a longer page is cut, to the passages that matter to ``focus`` if you give
    one; ``receipt.handle`` leads to the rest with ``webseam.more``. ``backend``, ``route``,
    ``timeout`` and ``max_age`` are those of ``search``. ``second_look`` leaves out what a markdown
    page has beyond its HTML. ``links`` and ``html`` add these; ``select`` is a CSS selector.
    """
    return _SHARED_WEB.extract(url, **options)


def extract_many(
    urls: Iterable[PageAddress], /, **options: Unpack[PageOptions]
) -> list[WebExtractResult | WebseamError]:
    """Read several pages at once; the options are those of ``extract``.

    The list has a page for each URL, in their order, or the ``WebseamError`` of a page that failed.
    """
    return _SHARED_WEB.extract_many(urls, **options)


@overload
def data(
    page: PageAddress, wanted: type[Wanted], /, **options: Unpack[DataOptions]
) -> Data[Wanted]: ...


@overload
def data(
    page: PageAddress, wanted: Mapping[str, Any], /, **options: Unpack[DataOptions]
) -> Data[dict[str, Any]]: ...


@hide_inner_frames
def data(page: PageAddress, wanted: Any, /, **options: Unpack[DataOptions]) -> Data[Any]:
    """Return the values that a page proves for a type, or raise ``WebseamError``.

    ``page`` is a URL, or a row or page that has one. ``wanted`` is a Struct, a dataclass, a
    TypedDict, an attrs class, a pydantic model, or a JSON Schema, which gives a dict. Each value
    has its words on the page in ``basis``, each absent one its reason in ``refused``; a field
    without a default that is not proved is an error. With ``model=True``, the model of
    ``small_work.provider`` is asked for what the page leaves open, and its values are proved like
    all others. ``backend``, ``route``, ``timeout`` and ``max_age`` are those of ``search``.
    """
    return _SHARED_WEB.data(page, wanted, **options)


def data_many(
    urls: Iterable[PageAddress], wanted: type[Wanted], /, **options: Unpack[DataOptions]
) -> list[Data[Wanted] | WebseamError]:
    """Return the values of several pages; the options are those of ``data``.

    The list has the values of each URL, in their order, or the ``WebseamError`` of a page.
    """
    return _SHARED_WEB.data_many(urls, wanted, **options)


@hide_inner_frames
def learn(
    urls: Iterable[PageAddress], wanted: object, /, **options: Unpack[CallOptions]
) -> list[SiteRules]:
    """Learn where the pages of a site have the values of a type, or raise ``WebseamError``.

    A page teaches what it proves. A rule is kept if all its pages reproduce it; then ``data`` reads
    the site by it too. The list has an entry for each site. The options are those of ``data``.
    """
    return _SHARED_WEB.learn(urls, wanted, **options)


@hide_inner_frames
def ask(question: str, /, **options: Unpack[QuestionOptions]) -> AskOutcome:
    """Answer a question from the web, or raise ``WebseamError``.

    Each claim has quotes that were checked to stand in their pages. The model of ``ask.provider``
    writes the answer; without one, it is made of sentences of the pages. ``max_pages``,
    ``include_domains`` and ``exclude_domains`` say where to look. With ``evidence``, the ``pages``
    of an earlier answer, it reads those and does not search. ``backend``, ``route``, ``timeout``
    and ``max_age`` are those of ``search``.
    """
    return _SHARED_WEB.ask(question, **options)


@hide_inner_frames
def more(
    page_or_handle: WebExtractResult | str,
    /,
    cursor: int = 0,
    *,
    part: PartName = "content",
    char_limit: int | None = None,
) -> Piece:
    """Go on in a page, or read a part that was left out of it, or raise ``WebseamError``.

    Give the page or its ``receipt.handle``. ``part`` is the content, or a kind of ``left_out``.
    ``next_cursor`` of a piece leads to the next one. What a page hides is a way to talk to a model.
    """
    return _SHARED_WEB.more(page_or_handle, cursor, part=part, char_limit=char_limit)


@hide_inner_frames
def find(
    page_handle_or_url: WebExtractResult | str,
    text: str,
    /,
    *,
    max_passages: int = DEFAULT_PASSAGES,
) -> Found:
    """Say whether and where words stand in a page, or raise ``WebseamError``.

    A URL is read first. Whole words are compared, without case and marks, and no inflections. The
    ``status`` is ``found`` if one block has every word; ``apart`` if each stands somewhere;
    ``absent`` if all of the ``view`` was looked through, and the ``missing`` words stand nowhere;
    ``unknown``, with a ``reason``, if that cannot be said. ``passages`` say where words stand.
    """
    return _SHARED_WEB.find(page_handle_or_url, text, max_passages=max_passages)
