"""The tools of a call: web tools, which the gateway runs, and functions, which the caller runs.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools (read 2026-11-18)
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from .....ports.models import Tool
from ....values.json_values import text
from ...refusal import Call, Refusal, refuse_invalid, refuse_unsupported
from ...request_parsing import host_names, read_gateway_json, unread_fields

WEB_SEARCH, WEB_FETCH = "web_search", "web_fetch"
# Every version has its date; the fields differ, not what they mean.
_WEB_TOOL_PATTERN = re.compile(r"(web_search|web_fetch)_\d{8}")
_ARGUMENTS = {WEB_SEARCH: "query", WEB_FETCH: "url"}
_DESCRIPTIONS = {
    WEB_SEARCH: "Search the web. Each result has a number: cite what you use of it as [number].",
    WEB_FETCH: "Read the page at a URL that the user or an earlier result named.",
}
_IDLE = frozenset({
    "allowed_callers", "citations", "city", "defer_loading", "eager_input_streaming",
    "input_examples", "region", "response_inclusion", "strict", "timezone", "use_cache",
})  # fmt: skip


class _Location(msgspec.Struct, frozen=True):
    type: str = ""
    country: str | None = None


class WebTool(msgspec.Struct, frozen=True, kw_only=True):
    """A web tool as a call declares it."""

    type: str
    name: Literal["web_search", "web_fetch"]
    max_uses: Annotated[int, Meta(ge=1)] | None = None
    allowed_domains: tuple[str, ...] | None = None
    blocked_domains: tuple[str, ...] | None = None
    user_location: _Location | None = None
    max_content_tokens: Annotated[int, Meta(ge=1)] | None = None
    cache_control: object = None

    @property
    def argument(self) -> str:
        """The name of its only argument."""
        return _ARGUMENTS[self.name]

    @property
    def search_domains(self) -> dict[str, object]:
        """The hosts that a search is limited to; paths are for ``allows_url``."""
        blocked = [name for name in self.blocked_domains or () if not _split_domain(name)[1]]
        return {
            "include_domains": list(host_names(self.allowed_domains or ())),
            "exclude_domains": list(host_names(blocked)),
        }

    def allows_url(self, url: str) -> bool:
        """Tell whether the lists of domains let a URL through."""
        if any(_has_domain(url, domain) for domain in self.blocked_domains or ()):
            return False
        allowed = self.allowed_domains
        return not allowed or any(_has_domain(url, domain) for domain in allowed)


def _split_domain(domain: str) -> tuple[str, str]:
    """Return the host and the path of a domain as callers write it.

    >>> _split_domain("https://Example.com/blog/*")
    ('example.com', 'blog/')
    """
    bare = re.sub(r"^[a-z]+://", "", domain.strip().lower())
    host = host_names([bare])
    return host[0] if host else "", bare.partition("/")[2].partition("*")[0]


def _has_domain(url: str, domain: str) -> bool:
    host, path = _split_domain(domain)
    parts = urlsplit(url.lower())
    name = parts.hostname or ""
    is_host = name.removeprefix("www.") == host or name.endswith(f".{host}")
    return is_host and parts.path.startswith(f"/{path}" if path else "")


class _CallersTool(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    input_schema: Mapping[str, object]
    type: str | None = None
    description: str = ""
    strict: bool | None = None
    cache_control: object = None


class ToolSet(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of a call; ``functions`` are all of them as the model gets them."""

    web: Mapping[str, WebTool] = {}
    functions: tuple[Tool, ...] = ()
    unread: tuple[str, ...] = ()


def read_anthropic_tools(tools: Sequence[Mapping[str, object]], call: Call) -> ToolSet | Refusal:
    """Read the tools of a call, or refuse the first that the gateway does not have."""
    web: dict[str, WebTool] = {}
    functions: dict[str, Tool] = {}
    unread: list[str] = []
    for fields in tools:
        kind = text(fields.get("type"))
        shape: type[WebTool | _CallersTool] = (
            WebTool if _WEB_TOOL_PATTERN.fullmatch(kind) else _CallersTool
        )
        if shape is _CallersTool and kind not in ("", "custom"):
            return refuse_unsupported(f"tools: {kind[:80]}")
        tool_call = msgspec.structs.replace(call, body=msgspec.json.encode(fields))
        tool = read_gateway_json(tool_call, shape)
        names, unknown = unread_fields(tool_call, shape, _IDLE)
        refusal = tool if isinstance(tool, Refusal) else unknown or _explain_tool(tool, functions)
        if isinstance(tool, Refusal) or refusal is not None:
            return _name_tool_field(refusal or refuse_invalid(""))
        unread += [f"tools.{name}" for name in names]
        functions[tool.name] = _tool_function(tool)
        if isinstance(tool, WebTool):
            web[tool.name] = tool
    return ToolSet(web=web, functions=tuple(functions.values()), unread=tuple(unread))


def _explain_tool(tool: WebTool | _CallersTool, others: Mapping[str, Tool]) -> Refusal | None:
    """Return why a tool cannot be declared; None if it can."""
    if tool.name in others:
        return refuse_invalid(f"name: two tools are called {tool.name}.", "name")
    if not isinstance(tool, WebTool):
        return None
    if not tool.type.startswith(tool.name):
        return refuse_invalid(f"name: {tool.type} has another name.", "name")
    if tool.allowed_domains and tool.blocked_domains:
        message = "allowed_domains: give either these or blocked_domains."
        return refuse_invalid(message, "allowed_domains")
    return None


def _name_tool_field(refusal: Refusal) -> Refusal:
    params = tuple(f"tools.{name}" for name in refusal.params)
    return msgspec.structs.replace(refusal, message=f"tools.{refusal.message}", params=params)


def _tool_function(tool: WebTool | _CallersTool) -> Tool:
    if isinstance(tool, WebTool):
        argument = {tool.argument: {"type": "string"}}
        schema: Mapping[str, object] = {
            "type": "object",
            "properties": argument,
            "required": [tool.argument],
        }
        description, extra = _DESCRIPTIONS[tool.name], {}
    else:
        schema, description = tool.input_schema, tool.description
        extra = {"strict": True} if tool.strict else {}
    function = {"name": tool.name, "description": description, "parameters": schema, **extra}
    return {"type": "function", "function": function}
