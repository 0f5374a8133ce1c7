"""The user's tools for the MCP server, opened on the first call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import compress

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.stores.text_files import SharedTexts
from webseam.kernel.envelopes import ToolReply, error_reply
from webseam.kernel.pages.page_record import PageRecord, write_page_record
from webseam.kernel.planner.money import SpendingAllowance
from webseam.kernel.policy.narrowing import narrow_policy
from webseam.ports.errors import WebError
from webseam.ports.evidence import AskStep
from webseam.ports.keys import KeyRecord
from webseam.ports.stores import TextStore

from ...feature_table import Part, load
from ...settings.file_locations import FileLocations
from ...settings.loader import load_settings
from ...settings.schema import McpSettings, Settings
from ...tools.ask_context import AskContext, tool_ask_context
from ...tools.batch import ExtractResult, watch_extract_tool
from ...tools.feature_tools import feature_tools
from ...tools.toolbox import Toolbox, ToolboxOverrides, open_toolbox
from ...wiring.backend_rows import Root
from ...wiring.root import read_root
from ...wiring.store_setup import open_text_store
from .result_fence import new_result_fence

# The page size for a model that set none; web_more returns the rest.
DEFAULT_PAGE_CHARS = 20_000
# Describes a step; its second argument shows what the other side wrote.
STEP_TEXT = Part[Callable[[AskStep, Callable[[str], str]], str]]("step_text")


class UsersTools:
    """The tools as the user's settings describe them."""

    def __init__(
        self,
        parts: ToolboxOverrides | None = None,
        key: KeyRecord | None = None,
        root: Root | None = None,
    ) -> None:
        """Open nothing yet; ``parts`` replace settings, and a ``root`` already holds them.

        With a ``key``, its owner has a budget, a cache and texts of its own.
        """
        self._parts = parts or ToolboxOverrides()
        self._key, self._root = key, root
        self._kept_texts = self._parts.texts
        self._lock = asyncio.Lock()
        self._toolbox: Toolbox | None = None
        self._mcp: McpSettings | None = None

    async def names(self) -> tuple[str, ...]:
        """Return the optional tools that are set up; none if the settings are wrong."""
        settings = self._read_settings()
        if isinstance(settings, Failure):
            return ()
        sources = {source.name: source.is_ready for source in feature_tools()}
        checks = {name: check for name, check in sources.items() if check is not None}
        ready = await asyncio.gather(*(check(settings.unwrap()) for check in checks.values()))
        return tuple(compress(checks, ready))

    async def limit(self) -> int:
        """Return ``mcp.result_limit``; like the tools, it is read once while they are open."""
        return (await self._mcp_settings()).result_limit

    async def form(self) -> str:
        """Return ``mcp.result_form``."""
        return (await self._mcp_settings()).result_form

    async def _mcp_settings(self) -> McpSettings:
        if self._mcp is None or self._toolbox is None:
            self._mcp = self._read_settings().map(lambda it: it.mcp).value_or(Settings().mcp)
        return self._mcp

    async def ask(self, name: str, arguments: object, tell: Callable[[str], None], /) -> ToolReply:
        """Call a tool, with plugins and policy around it."""
        opened = await self._current_toolbox()
        if isinstance(opened, Failure):
            return error_reply(opened.failure())

        def tell_step(step: AskStep) -> None:
            tell(load(STEP_TEXT)(step, new_result_fence().line))

        steps = AskContext(tell=tell_step)
        with (
            watch_extract_tool(lambda url, page: tell(_page_progress_text(url, page))),
            tool_ask_context(steps),
        ):
            return (await opened.unwrap().tools.ask(name, arguments)).reply

    async def keep(self, record: PageRecord, /) -> Result[str, WebError]:
        """Store a page for ``web_more``."""
        return await self._text_store().save(write_page_record(record))

    async def text(self, handle: str, /) -> Result[str, WebError]:
        """Return the content of a page that was kept, if the caller may read it."""
        if isinstance(opened := await self._current_toolbox(), Failure):
            return opened
        loaded = await opened.unwrap().page_record(handle)
        return loaded.map(lambda record: record.content)

    async def aclose(self) -> None:
        """Close connections, files and worker processes."""
        toolbox, self._toolbox = self._toolbox, None
        if toolbox is not None:
            await toolbox.__aexit__(None, None, None)
        texts, self._kept_texts = self._kept_texts, self._parts.texts
        if isinstance(texts, SharedTexts):
            await texts.aclose()

    async def _current_toolbox(self) -> Result[Toolbox, WebError]:
        async with self._lock:
            if self._toolbox is not None:
                return Success(self._toolbox)
            opened = self._read_settings().bind(self._open_toolbox)
            if isinstance(opened, Failure):
                # Do not cache a failure: the next call reads the settings again.
                return opened
            self._toolbox = opened.unwrap()
            await self._toolbox.__aenter__()
            return opened

    def _open_toolbox(self, settings: Settings) -> Result[Toolbox, WebError]:
        characters = settings.extract_char_limit or DEFAULT_PAGE_CHARS
        overrides = {"extract_char_limit": characters, **self._parts.settings}
        parts = msgspec.structs.replace(self._parts, settings=overrides, texts=self._text_store())
        root = (
            read_root(self._parts.environment, arguments=overrides)
            if self._root is None
            else Success(_limit_pages(self._root, characters))
        )
        return root.map(lambda it: it if self._key is None else _root_for_key(it, self._key)).bind(
            lambda it: open_toolbox(platform="mcp", parts=parts, root=it)
        )

    def _text_store(self) -> TextStore:
        """Return the store of texts, which the gateway shares for the same key."""
        if self._kept_texts is None:
            stores = self._read_settings().value_or(Settings()).stores
            scope = "" if self._key is None else self._key.cache
            files = self._root.files if self._root else FileLocations(self._parts.environment)
            self._kept_texts = open_text_store(stores, files, scope)
        return self._kept_texts

    def _read_settings(self) -> Result[Settings, WebError]:
        if self._root is not None:
            return Success(self._root.settings)
        loaded: Result[Settings, WebError] = load_settings(
            self._parts.environment, arguments=self._parts.settings
        )
        return loaded


def _page_progress_text(url: str, page: ExtractResult) -> str:
    failed = isinstance(page, Failure)
    return f"Not read ({page.failure().kind}): {url}" if failed else f"Read {url}"


def _limit_pages(root: Root, characters: int) -> Root:
    settings = msgspec.structs.replace(root.settings, extract_char_limit=characters)
    return msgspec.structs.replace(root, settings=settings)


def _root_for_key(root: Root, key: KeyRecord) -> Root:
    allowance = SpendingAllowance(owner=key.id, name=key.name, day=key.day, month=key.month)
    policy, cache = narrow_policy(root.policy, key.domains), key.cache
    return msgspec.structs.replace(root, policy=policy, allowance=allowance, cache_scope=cache)
