"""The tools of a call: web tools, which the gateway runs, and functions, which the caller runs.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools (read 2026-11-18)
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from webseam.adapters.values.json_values import text
from webseam.ports.models import Tool

from ...replies import Call, Refusal, refuse_invalid, refuse_unsupported
from ...request_parsing import CallFields, read_json_body, unread_fields
from ...search_filters import bare_domain

WEB_SEARCH, WEB_FETCH = "web_search", "web_fetch"
# Every version has its date; the fields differ, not what they mean.
_WEB_TOOL_PATTERN = re.compile(r"(web_search|web_fetch)_\d{8}")
_ARGUMENT_NAMES = {WEB_SEARCH: "query", WEB_FETCH: "url"}
_DESCRIPTIONS = {
    WEB_SEARCH: "Search the web. Each result has a number: cite what you use of it as [number].",
    WEB_FETCH: "Read the page at a URL that the user or an earlier result named.",
}
_IDLE_FIELDS = frozenset({
    "allowed_callers", "citations", "city", "defer_loading", "eager_input_streaming",
    "input_examples", "region", "response_inclusion", "strict", "timezone", "use_cache",
})  # fmt: skip
_DEFAULTS = {
    "defer_loading": False, "eager_input_streaming": False, "strict": False, "use_cache": True,
}  # fmt: skip
_DUPLICATE_NAME = refuse_invalid("name: two tools have the same.", "name")


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
        return _ARGUMENT_NAMES[self.name]

    @property
    def search_fields(self) -> dict[str, object]:
        """The fields that limit a search; domains with paths are for ``allows_url``."""
        blocked = [name for name in self.blocked_domains or () if not _split_domain(name)[1]]
        return {
            "country": None if self.user_location is None else self.user_location.country,
            "include_domains": _hosts(self.allowed_domains or ()),
            "exclude_domains": _hosts(blocked),
        }

    def allows_url(self, url: str) -> bool:
        """Tell whether the lists of domains let a URL through."""
        allowed, blocked = self.allowed_domains, self.blocked_domains or ()
        is_allowed = not allowed or any(_is_in_domain(url, domain) for domain in allowed)
        return is_allowed and not any(_is_in_domain(url, domain) for domain in blocked)


def _hosts(domains: Sequence[str]) -> list[str]:
    """Return the hosts of domains, which may have paths; blank ones ask for nothing."""
    hosts = [bare_domain(domain).partition("/")[0] for domain in domains]
    return [host for host in hosts if host]


def _split_domain(domain: str) -> tuple[str, str]:
    """Return the host and the path of a domain as callers write it.

    >>> _split_domain("https://Example.com/blog/*")
    ('example.com', 'blog/')
    """
    host, _, path = bare_domain(domain.lower()).partition("/")
    return host.removeprefix("*."), path.partition("*")[0]


def _is_in_domain(url: str, domain: str) -> bool:
    host, path = _split_domain(domain)
    parts = urlsplit(url.lower())
    is_host = f".{parts.hostname or ''}".endswith(f".{host}")
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


def read_tools(tools: Sequence[Mapping[str, object]], call: Call) -> ToolSet | Refusal:
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
        tool_call = msgspec.structs.replace(call, query=(), body=msgspec.json.encode(fields))
        tool = read_json_body(tool_call, shape)
        rules = CallFields(shape=shape, idle=_IDLE_FIELDS, defaults=_DEFAULTS)
        names, unknown = unread_fields(tool_call, rules)
        if isinstance(tool, Refusal) or unknown is not None:
            return _name_tool_field(
                tool if isinstance(tool, Refusal) else unknown or _DUPLICATE_NAME
            )
        refusal = _DUPLICATE_NAME if tool.name in functions else _refuse_web_tool(tool)
        if refusal is not None:
            return _name_tool_field(refusal)
        unread += [f"tools.{name}" for name in names]
        functions[tool.name] = _tool_function(tool)
        if isinstance(tool, WebTool):
            web[tool.name] = tool
    return ToolSet(web=web, functions=tuple(functions.values()), unread=tuple(unread))


def _refuse_web_tool(tool: WebTool | _CallersTool) -> Refusal | None:
    if isinstance(tool, WebTool) and not tool.type.startswith(tool.name):
        return refuse_invalid(f"name: {tool.type} has another name.", "name")
    if isinstance(tool, WebTool) and tool.allowed_domains and tool.blocked_domains:
        return refuse_invalid("allowed_domains: give these or blocked_domains.", "allowed_domains")
    return None


def _name_tool_field(refusal: Refusal) -> Refusal:
    params = tuple(f"tools.{name}" for name in refusal.params)
    return msgspec.structs.replace(refusal, message=f"tools.{refusal.message}", params=params)


def _tool_function(tool: WebTool | _CallersTool) -> Tool:
    if isinstance(tool, WebTool):
        function: dict[str, object] = {
            "description": _DESCRIPTIONS[tool.name],
            "parameters": {
                "type": "object",
                "properties": {tool.argument: {"type": "string"}},
                "required": [tool.argument],
            },
        }
    else:
        function = {"description": tool.description, "parameters": tool.input_schema}
        function |= {"strict": True} if tool.strict else {}
    return {"type": "function", "function": {"name": tool.name, **function}}
