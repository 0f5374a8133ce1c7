"""The port between the MCP protocol and an offer of tools, resources and prompts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from .exchange import McpExchange
from .json_rpc import Json, RpcError

if TYPE_CHECKING:
    # A start over stdio loads neither the kernel nor the errors.
    from returns.result import Result

    from webseam.kernel.envelopes import ToolReply
    from webseam.kernel.pages.page_record import PageRecord
    from webseam.ports.errors import WebError

Outcome: TypeAlias = Json | RpcError


class ServerOffer(Protocol):
    """Tools, resources and prompts; the lists and their order never change."""

    # Tools whose calls become tasks for clients that take tasks.
    long_tools: frozenset[str]

    def tools_at_once(self) -> list[Json] | None:
        """Return the tools if that takes no loading, else None."""

    async def tools(self) -> list[Json]:
        """Return the tools in the form of ``tools/list``."""

    async def call(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Call a tool; an unknown tool is an error, a failing tool gives a result."""

    def resources(self) -> list[Json]:
        """Return the fixed resources."""

    def templates(self) -> list[Json]:
        """Return the URI templates of other resources."""

    async def read(self, exchange: McpExchange, uri: str, /) -> list[Json] | None:
        """Return the contents at a URI, or None."""

    def skills(self) -> list[Json]:
        """Return the skills in the form of ``skills/list``."""

    def prompts(self) -> list[Json]:
        """Return the prompts in the form of ``prompts/list``."""

    def prompt(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Return a prompt with its arguments filled in."""

    def complete(self, reference: Json, name: str, value: str, /) -> list[str] | RpcError:
        """Return possible values of an argument."""


class Toolset(Protocol):
    """Tools by name, and the texts that they store."""

    async def names(self) -> tuple[str, ...]:
        """Return the names of the optional tools that are set up."""

    async def limit(self) -> int:
        """Return the token limit of a result."""

    async def form(self) -> str:
        """Return what a result has: ``text``, ``data`` or ``both``."""

    async def ask(self, name: str, arguments: object, tell: Callable[[str], None], /) -> ToolReply:
        """Call a tool; report each step, such as a page that was read, to ``tell``."""

    async def keep(self, record: PageRecord, /) -> Result[str, WebError]:
        """Store a page and return its handle."""

    async def text(self, handle: str, /) -> Result[str, WebError]:
        """Return a stored text, if the caller may read its page."""
