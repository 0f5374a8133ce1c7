"""What a server offers: tools, resources, prompts. The protocol around it knows no more of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeAlias

from .exchange import McpExchange
from .json_rpc import Json, RpcError

if TYPE_CHECKING:
    # A start over stdio loads neither the kernel nor the errors.
    from returns.result import Result

    from ...kernel.envelopes import ToolReply
    from ...ports.errors import WebError

Outcome: TypeAlias = Json | RpcError


class ServerOffer(Protocol):
    """Tools, resources and prompts. Lists keep their order, and what they hold."""

    async def tools(self) -> list[Json]:
        """Return the tools, as ``tools/list`` has them."""
        ...

    async def call(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Call a tool; a tool that there is not is a refusal, what goes wrong in one a result."""
        ...

    def resources(self) -> list[Json]:
        """Return the resources that are always there."""
        ...

    def templates(self) -> list[Json]:
        """Return the shapes of the addresses of others."""
        ...

    async def read(self, uri: str, /) -> list[Json] | None:
        """Return what is at an address; None for nothing."""
        ...

    def prompts(self) -> list[Json]:
        """Return the prompts, as ``prompts/list`` has them."""
        ...

    def prompt(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Return a prompt with its arguments filled in."""
        ...

    def complete(self, reference: Json, name: str, value: str, /) -> list[str] | RpcError:
        """Return what the value of an argument may become."""
        ...


class Toolset(Protocol):
    """Tools by name, and the texts that they keep."""

    async def names(self) -> tuple[str, ...]:
        """Return the tools that only some have set up, as far as they are."""
        ...

    async def limit(self) -> int:
        """Return how many tokens a result may take."""
        ...

    async def ask(self, name: str, arguments: object, tell: Callable[[str], None], /) -> ToolReply:
        """Call a tool; ``tell`` hears in words what was done, such as each page that is read."""
        ...

    async def keep(self, text: str, /) -> Result[str, WebError]:
        """Keep a text and return its handle."""
        ...

    async def text(self, handle: str, /) -> Result[str, WebError]:
        """Return a text that was kept."""
        ...
