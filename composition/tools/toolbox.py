"""The tools with everything that the user's settings say: backends, policy, cache, plugins."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Self

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.pages.backend import PAGES_BACKEND
from webseam.adapters.stores.text_files import SharedTexts
from webseam.adapters.timer import SharedTimer
from webseam.adapters.transforms.passages import condense
from webseam.kernel.deps import RowPolicy, WebDeps
from webseam.kernel.laws.filters import FilterPolicy
from webseam.kernel.pages.page_record import PageRecord
from webseam.kernel.planner.money import budget_cap_micros
from webseam.kernel.planner.selection import Capability
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.kernel.port_answers import backend_about
from webseam.kernel.text.trim import Budget
from webseam.ports.backends import Closeable, WebBackend
from webseam.ports.errors import NotConfigured, UnsupportedCapability, WebError
from webseam.ports.models import Compressor
from webseam.ports.stores import TextStore

from ..planning.spending import ClientBudget, SessionPurse
from ..plugins.plugin_choice import load_plugins, log_broken_plugins
from ..plugins.report import PluginReport
from ..session import Approve, Session, current_session_memory
from ..wiring.backend_choice import ChosenBackend, canonical_backend_name, choose_backend
from ..wiring.backend_rows import CallRules, Root
from ..wiring.backend_table import find_backend_row
from ..wiring.compressors import open_compressor
from ..wiring.indexed_documents import IndexedDocuments
from ..wiring.root import read_root
from ..wiring.store_setup import open_text_store
from .batch import Documents
from .dispatch import Tools
from .feature_tools import ToolParts, feature_tools
from .web_tools import Tool, extract_tool, kept_page, more_tool, search_tool

if TYPE_CHECKING:
    import httpx

_NO_TOOLS: Result[WebDeps, WebError] = Failure(NotConfigured(reason="no tools are open"))


class Toolbox:
    """Tools that hold something open until the end of the ``async with``."""

    def __init__(
        self, assembly: ToolboxAssembly, session: Session, broken: Sequence[PluginReport]
    ) -> None:
        """Offer the tools of ``assembly``; ``broken`` are the plugins that were left out."""
        self.tools = Tools(assembly.tools(session), session)
        self.broken, self._assembly, self._session = broken, assembly, session
        self._routed_tools: dict[tuple[object, ...], Tools] = {}

    def route_tools(self, backend: WebBackend | str | None, route: tuple[str, ...]) -> Tools:
        """Return the tools over another backend or route, in the same session."""
        name = (backend if isinstance(backend, str) else id(backend), route)
        if name not in self._routed_tools:
            tools = self._assembly.replace_backend(backend, route).tools(self._session)
            self._routed_tools[name] = Tools(tools, self._session)
        return self._routed_tools[name]

    async def __aenter__(self) -> Self:
        await self.tools.begin()
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            await self.tools.end(completed=error is None)
        finally:
            await self.aclose()

    async def aclose(self) -> None:
        """Close what was opened; for who never entered the toolbox."""
        await asyncio.gather(*[closeable.aclose() for closeable in self._assembly.opened])

    async def page_record(self, handle: str) -> Result[PageRecord, WebError]:
        """Return the page under a handle, if the caller may read it."""
        return await self._assembly.page_record(handle)

    @property
    def texts(self) -> TextStore:
        """The store of pages that were shown in part, and of texts that quotes stand in."""
        return self._assembly.texts

    @property
    def root(self) -> Root:
        """Everything that was read at start."""
        return self._assembly.root

    def explain_unusable(self, capability: Capability) -> WebError | None:
        """Return why every search, or every page, would fail with these tools; None if not so."""
        return self.tools.explain_unavailable(f"web_{capability}")


class ToolboxOverrides(msgspec.Struct, frozen=True, kw_only=True):
    """Values that replace settings; see ``webseam.open``."""

    settings: Mapping[str, object] = {}
    environment: Mapping[str, str] | None = None
    backend: WebBackend | str | None = None
    route: tuple[str, ...] = ()
    compressor: Compressor | None = None
    policy: Policy | None = None
    transport: httpx.AsyncBaseTransport | None = None
    texts: TextStore | None = None
    rows: RowPolicy = "strict"
    filters: FilterPolicy = "strict"
    follow: str | None = None
    seeds: Sequence[str] = ()
    budget: float | None = None


def open_toolbox(
    environment: Mapping[str, str] | None = None,
    *,
    platform: str = "library",
    approve: Approve | None = None,
    parts: ToolboxOverrides | None = None,
    root: Root | None = None,
) -> Result[Toolbox, WebError]:
    """Return the tools as the settings describe them, or where the settings are wrong.

    A tool without a usable backend fails when it is called and names the setting. ``parts``
    replace settings. A ``root`` already holds the settings, so none are read.
    """
    overrides = parts or ToolboxOverrides()
    if environment is not None:
        overrides = msgspec.structs.replace(overrides, environment=environment)
    if isinstance(opened_root := _open_toolbox_root(overrides, root), Failure):
        return opened_root
    if isinstance(plugins := load_plugins(opened_root.unwrap()), Failure):
        return plugins
    log_broken_plugins(plugins.unwrap())
    session = Session(
        callbacks=plugins.unwrap().callbacks,
        platform=platform,
        approve=approve,
        callback_seconds=opened_root.unwrap().settings.plugins.timeout,
    )
    plugged = msgspec.structs.replace(opened_root.unwrap(), session=lambda: Success(session))
    return Success(Toolbox(ToolboxAssembly(plugged, overrides), session, plugins.unwrap().broken))


def _open_toolbox_root(parts: ToolboxOverrides, root: Root | None) -> Result[Root, WebError]:
    settings = parts.settings
    if parts.follow is not None:
        settings = {**settings, "policy.follow": parts.follow}
    opened_root: Result[Root, WebError] = (
        read_root(parts.environment, arguments=settings) if root is None else Success(root)
    )
    changes: dict[str, object] = {}
    if parts.budget is not None:
        changes["client_budget"] = ClientBudget(SessionPurse(), budget_cap_micros(parts.budget))
    if parts.policy is not None and isinstance(opened_root, Success):
        follow = parts.policy if parts.follow is None else opened_root.unwrap().policy
        changes["policy"] = msgspec.structs.replace(parts.policy, follow=follow.follow)
    if parts.transport is not None:
        from ..wiring.egress import BorrowedTransport  # HTTP, on first use

        changes["transport"] = BorrowedTransport(parts.transport)
    return opened_root.map(lambda root: msgspec.structs.replace(root, **changes))


def _with_scope(tool: Tool, scope: str) -> Tool:
    return msgspec.structs.replace(tool, scope=scope)


class ToolboxAssembly:
    """Builds the tools, and lists the resources that it opened for them."""

    def __init__(self, root: Root, parts: ToolboxOverrides) -> None:
        """Use ``parts`` where they are set, else ``root``."""
        self.root, self._overrides = root, parts
        self.opened: list[Closeable] = []
        self._text_store = parts.texts
        self._memory = SessionMemory(parts.seeds)
        self._search = self._pages = _NO_TOOLS
        self._documents: Documents | None = None
        self._html_pages: Result[WebDeps, WebError] | None = None
        self._choices: dict[Capability, str] = {}
        # Of the client, if this assembly is for one of its calls.
        self._client_deps: dict[Capability, Result[WebDeps, WebError]] | None = None

    def replace_backend(
        self, backend: WebBackend | str | None, route: tuple[str, ...]
    ) -> ToolboxAssembly:
        """Return an assembly for calls over another backend or route; both list what they open."""
        changes = {"backend": backend, "route": route, "texts": self.texts}
        parts = msgspec.structs.replace(self._overrides, **changes)
        other = ToolboxAssembly(self.root, parts)
        other.opened, other._memory = self.opened, self._memory
        other._client_deps = {"search": self._search, "extract": self._pages}
        other._html_pages = self._html_pages
        return other

    def tools(self, session: Session) -> tuple[Tool, ...]:
        """Return every tool."""
        search, pages = self._capability_deps("search"), self._extract_tool_deps()
        documents = IndexedDocuments(self.root)
        self.opened.append(documents)
        self._search, self._pages, self._documents = search, pages, documents.index_deps
        parts = ToolParts(
            self.root,
            session,
            self._feature_deps("search", search),
            self._feature_deps("extract", pages),
            self._open_html_pages(pages),
            documents.index_deps,
            self.opened,
        )
        return (
            _with_scope(
                search_tool(search, pages=parts.pages, documents=documents.index_deps),
                self._search_scope,
            ),
            _with_scope(extract_tool(pages, documents.index_deps), self._extract_scope),
            more_tool(pages, documents.index_deps),
            *(source.open(parts) for source in feature_tools()),
        )

    async def page_record(self, handle: str) -> Result[PageRecord, WebError]:
        """Return the page under a handle, if the caller may read it."""
        return await kept_page(handle, self._pages, self._documents)

    def _capability_deps(self, capability: Capability) -> Result[WebDeps, WebError]:
        if (backend := self._overrides.backend) is not None and not isinstance(backend, str):
            if self.root.policy.follow == "cache":
                from ..wiring.cache import StoredOnly  # imported on use

                backend = StoredOnly(backend)
            return Success(self._tool_deps(backend, self.root.policy))
        return self._choose_tool(capability).map(lambda it: self._tool_deps(it.backend, it.policy))

    def _feature_deps(
        self, capability: Capability, deps: Result[WebDeps, WebError]
    ) -> Result[WebDeps, WebError]:
        """Return what a tool that both searches and reads uses for one of them.

        A backend that was named for such a call does what it can, and the client's own the rest.
        """
        if self._client_deps is None or not isinstance(deps, Failure):
            return deps
        lacks_capability = isinstance(deps.failure(), UnsupportedCapability)
        return self._client_deps[capability] if lacks_capability else deps

    def _extract_tool_deps(self) -> Result[WebDeps, WebError]:
        if isinstance(compressor := self._open_tool_compressor(), Failure):
            return compressor
        limit = self.root.settings.extract_char_limit
        return self._capability_deps("extract").map(
            lambda deps: msgspec.structs.replace(
                deps,
                compressor=compressor.unwrap(),
                texts=self.texts,
                condense=condense,
                budget=None if limit is None else Budget(characters=limit),
            )
        )

    def _open_html_pages(self, pages: Result[WebDeps, WebError]) -> Result[WebDeps, WebError]:
        """Return what reads pages and keeps their HTML, which services of pages seldom do."""
        backend = self._overrides.backend
        is_own_backend = backend is not None and not isinstance(backend, str)
        if is_own_backend or self._choices.get("extract") == PAGES_BACKEND:
            self._html_pages = pages
        elif self._html_pages is None:
            chosen = choose_backend("extract", self.root, backend_name=PAGES_BACKEND)
            if isinstance(chosen, Success):
                self.opened.append(chosen.unwrap().backend)
            texts = self.texts
            self._html_pages = chosen.map(
                lambda it: msgspec.structs.replace(
                    self._tool_deps(it.backend, it.policy), texts=texts
                )
            )
        return self._html_pages

    def _open_tool_compressor(self) -> Result[Compressor | None, WebError]:
        if self._overrides.compressor is not None:
            return Success(self._overrides.compressor)
        if isinstance(opened := open_compressor(self.root), Failure):
            return opened
        self.opened.append(opened.unwrap())
        return Success(opened.unwrap().compressor)

    def _choose_tool(self, capability: Capability) -> Result[ChosenBackend, WebError]:
        parts = self._overrides
        chosen = choose_backend(
            capability,
            self.root,
            backend_name=self._named_tool_backend(capability),
            route=parts.route,
            rules=CallRules(rows=parts.rows, filters=parts.filters),
        )
        if isinstance(chosen, Success):
            self.opened.append(chosen.unwrap().backend)
            self._choices[capability] = chosen.unwrap().choice.name
        return chosen

    @property
    def _search_scope(self) -> str:
        """Who answers a search, and how strictly."""
        return f"{self._asked('search')}, {self._overrides.filters}, {self._overrides.rows}"

    @property
    def _extract_scope(self) -> str:
        """Who reads a page, and how it is shortened."""
        settings = self.root.settings
        shortened = (settings.extract_char_limit, settings.compressor.kind)
        return f"{self._asked('extract')}, {shortened[0] or 'whole'}, {shortened[1]}"

    def _asked(self, capability: Capability) -> str:
        backend = self._overrides.backend
        if backend is None or isinstance(backend, str):
            return self._choices.get(capability, "")
        return backend_about(backend).name

    def _named_tool_backend(self, capability: Capability) -> str | None:
        """Return the named backend; None if it was named for all calls and lacks the capability."""
        if not isinstance(named := self._overrides.backend, str):
            return None
        if self._client_deps is not None:
            return named
        row = find_backend_row(canonical_backend_name(named, self.root) or named, self.root)
        return named if row is None or capability in row.candidate.can else None

    def _tool_deps(self, backend: WebBackend, policy: Policy) -> WebDeps:
        parts = self._overrides
        return WebDeps(
            backend=backend,
            policy=policy,
            rows=parts.rows,
            filters=parts.filters,
            deadline=self.root.settings.deadline,
            timer=SharedTimer(),
            now=self.root.clock,
            session=lambda: current_session_memory() or self._memory,
        )

    @property
    def texts(self) -> TextStore:
        """The store of texts, which is opened on its first use."""
        if self._text_store is None:
            root = self.root
            texts = open_text_store(root.settings.stores, root.files, root.cache_scope)
            self.opened += [texts] if isinstance(texts, SharedTexts) else []
            self._text_store = texts
        return self._text_store
