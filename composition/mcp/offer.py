"""What a server offers: tools, resources, prompts. The protocol around it knows no more of them."""

from typing import Protocol, TypeAlias

from .exchange import McpExchange
from .json_rpc import Json, RpcError

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
