"""The tools with everything that the user's settings say: backends, policy, cache, plugins."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

from returns.result import Failure, Result, Success

from ...adapters.compressors.extractive import extract
from ...adapters.stores.texts import TextFiles
from ...kernel.deps import WebDeps
from ...ports.backends import Closeable
from ...ports.errors import WebError
from ...ports.web import Query
from ..calls.session import Approve, Session
from ..places import cache_folder
from ..plugins import load_plugins
from ..plugins.host import log_broken
from ..plugins.report import PluginReport
from ..wiring.choice import ChosenBackend, choose
from ..wiring.compressors import OpenedCompressor, open_compressor
from ..wiring.root import make_root
from ..wiring.search import Searched, search
from ..wiring.x_search import x_searcher
from .dispatch import Tools
from .kit import Tool, extract_tool, search_tool
from .x_search import x_tool


class Toolbox:
    """Tools that hold something open until the end of the ``async with``."""

    def __init__(
        self, tools: Tools, opened: Sequence[Closeable], broken: Sequence[PluginReport]
    ) -> None:
        """Offer ``tools``; ``broken`` are the plugins that were left out."""
        self.tools = tools
        self.broken = broken
        self._opened = opened

    async def __aenter__(self) -> Self:
        await self.tools.begin()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.tools.end(completed=error is None)
        finally:
            await asyncio.gather(*[each.aclose() for each in self._opened])


def open_toolbox(
    environment: Mapping[str, str] = os.environ,
    *,
    platform: str = "library",
    approve: Approve | None = None,
) -> Result[Toolbox, WebError]:
    """Return the tools as the settings describe them, or where the settings are wrong.

    A tool without a usable backend is there, and says what to set when it is called.
    """
    root = make_root(environment)
    if isinstance(root, Failure):
        return Failure(root.failure())
    plugins = load_plugins(environment, root.unwrap().settings)
    if isinstance(plugins, Failure):
        return Failure(plugins.failure())
    log_broken(plugins.unwrap())
    finder = choose("search", root.unwrap(), environment=environment)
    reader = choose("extract", root.unwrap(), environment=environment)
    around = Session(callbacks=plugins.unwrap().callbacks, platform=platform, approve=approve)
    shortener = open_compressor(root.unwrap().settings)
    pages = _reading(reader, shortener, environment)
    posts = x_searcher(root.unwrap().settings, around=around)
    tools = Tools((_finding(finder), extract_tool(pages), x_tool(posts)), around)
    opened: list[Closeable] = [
        each.unwrap().backend for each in (finder, reader) if isinstance(each, Success)
    ]
    opened += [each.unwrap() for each in (posts, shortener) if isinstance(each, Success)]
    return Success(Toolbox(tools, opened, plugins.unwrap().broken))


def _finding(chosen: Result[ChosenBackend, WebError]) -> Tool:
    async def find(query: Query, deps: WebDeps) -> Searched:
        return await search(query, chosen.unwrap(), deps)

    return search_tool(chosen.map(lambda it: WebDeps(backend=it.backend, policy=it.policy)), find)


def _reading(
    chosen: Result[ChosenBackend, WebError],
    shortener: Result[OpenedCompressor, WebError],
    environment: Mapping[str, str],
) -> Result[WebDeps, WebError]:
    if isinstance(chosen, Failure) or isinstance(shortener, Failure):
        return Failure(chosen.failure() if isinstance(chosen, Failure) else shortener.failure())
    return Success(
        WebDeps(
            backend=chosen.unwrap().backend,
            compressor=shortener.unwrap().compressor,
            policy=chosen.unwrap().policy,
            texts=TextFiles(cache_folder(environment) / "texts"),
            condense=extract,
        )
    )
