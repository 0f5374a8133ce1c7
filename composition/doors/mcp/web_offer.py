"""The offer of webseam over MCP: web tools, stored pages and three prompts."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from webseam.adapters.values.json_values import parse_whole_number

from .json_rpc import INVALID_PARAMS, Json, RpcError
from .prompts import fill_mcp_prompt, list_mcp_prompts, mcp_prompt_completions
from .skill import SKILL_URI, skill_entry, skill_guide, skill_text

if TYPE_CHECKING:
    from .exchange import McpExchange
    from .offer import Outcome, Toolset


_TEXT: Json = {"type": "string"}
_INTEGER: Json = {"type": "integer"}
_BOOLEAN: Json = {"type": "boolean"}
_TEXT_ARRAY: Json = {"type": "array", "items": _TEXT}
_OBJECT: Json = {"type": "object"}
# A failure has error and failure instead of data. Further keys, such as receipt, may occur.
_OUTPUT: Json = {
    "type": "object",
    "properties": {"success": _BOOLEAN, "data": _OBJECT, "error": _TEXT, "failure": _OBJECT},
    "required": ["success"],
}
_X_PROPERTIES: Json = {"success": _BOOLEAN, "answer": _TEXT, "error": _TEXT, "failure": _OBJECT}
_X_OUTPUT: Json = {**_OUTPUT, "properties": _X_PROPERTIES}
_TOOL_HINTS: Json = {"readOnlyHint": True, "openWorldHint": True}
GUIDE_URI = "webseam://guide"
PAGE_URI_PREFIX = "webseam://page/"


def _input_schema(required: str, **properties: Json) -> Json:
    fields = {"required": [required], "additionalProperties": False}
    return {"type": "object", "properties": properties, **fields}


def _described_schema(schema: Json, description: str) -> Json:
    return {**schema, "description": description}


def _enum_schema(*names: str) -> Json:
    return {**_TEXT, "enum": list(names)}


def _declare_tool(
    name: str, title: str, description: str, shape: Json, output: Json = _OUTPUT
) -> Json:
    about = {"name": name, "title": title, "description": description}
    schemas = {"inputSchema": shape, "outputSchema": output}
    return {**about, **schemas, "annotations": _TOOL_HINTS}


_DAY = _described_schema(_TEXT, "YYYY-MM-DD")
_MAX_AGE = _described_schema({"type": "number"}, "seconds; 0: look again")
# fmt: off
WEB_SEARCH = _declare_tool(
    "web_search", "Search the web", "Title, url, description of each hit.",
    _input_schema(
        "query",
        query=_TEXT, max_results=_INTEGER, include_domains=_TEXT_ARRAY,
        exclude_domains=_TEXT_ARRAY, published_after=_DAY, published_before=_DAY,
        country=_described_schema(_TEXT, "as DE"),
        language=_described_schema(_TEXT, "as en"),
        topic=_enum_schema("general", "news", "finance", "images"),
        safe_search=_enum_schema("off", "moderate", "strict"), page=_INTEGER,
        max_age=_MAX_AGE, contents=_described_schema(_BOOLEAN, "page texts"),
    ),
)
WEB_EXTRACT = _declare_tool(
    "web_extract", "Read web pages",
    "Read pages as markdown. A cut page has a handle for web_more.",
    _input_schema(
        "urls",
        urls=_described_schema(_TEXT_ARRAY, "1-5"),
        focus=_described_schema(_TEXT, "a question"),
        char_limit=_INTEGER, max_age=_MAX_AGE,
        second_look=_BOOLEAN, links=_BOOLEAN, html=_BOOLEAN,
        select=_described_schema(_TEXT, "CSS"),
    ),
)
WEB_MORE = _declare_tool(
    "web_more", "Read on",
    "Go on in a cut page, read what was left out, or find words in both.",
    _input_schema(
        "handle",
        handle=_TEXT, cursor=_described_schema(_INTEGER, "next_cursor"), char_limit=_INTEGER,
        part=_described_schema(_TEXT, "a kind of left_out"),
        find=_TEXT, max_passages=_INTEGER,
    ),
)
WEB_DATA = _declare_tool(
    "web_data", "Read typed values",
    "Values of a page, each with the words that show it, or why it is absent.",
    _input_schema(
        "url",
        url=_TEXT, schema=_described_schema(_OBJECT, "JSON Schema of what is wanted"),
        like=_enum_schema("recipe", "product", "article", "event", "job", "dataset"),
        max_age=_MAX_AGE,
    ),
)
X_SEARCH = _declare_tool(
    "x_search", "Search X", "Search X (Twitter): an answer and the posts it rests on.",
    _input_schema(
        "query",
        query=_TEXT, allowed_x_handles=_TEXT_ARRAY, excluded_x_handles=_TEXT_ARRAY, from_date=_DAY,
        to_date=_DAY, enable_image_understanding=_BOOLEAN, enable_video_understanding=_BOOLEAN,
        output_schema=_described_schema(_OBJECT, "JSON Schema of the answer"),
        instructions=_TEXT, previous_response_id=_TEXT, store=_BOOLEAN,
    ),
    _X_OUTPUT,
)
WEB_ASK = _declare_tool(
    "web_ask", "Answer with sources",
    "Answer a question from the web: claims, each with a quote checked to stand in its page.",
    _input_schema(
        "question",
        question=_TEXT, max_pages=_described_schema(_INTEGER, "1-12"), include_domains=_TEXT_ARRAY,
        exclude_domains=_TEXT_ARRAY,
    ),
)
# fmt: on
ALWAYS_TOOLS = (WEB_SEARCH, WEB_EXTRACT, WEB_MORE, WEB_DATA)
KNOWN_TOOLS = (*ALWAYS_TOOLS, X_SEARCH, WEB_ASK)


class WebOffer:
    """The tools, resources and prompts of webseam; the toolset is created on first use."""

    long_tools = frozenset({"web_ask"})

    def __init__(
        self, make: Callable[[], Toolset], may_have_more: Callable[[], bool] = lambda: True
    ) -> None:
        """Create the toolset with ``make``, once.

        Unless it ``may_have_more`` than the basic tools, listing them does not create it.
        """
        self._make, self._may_have_more = make, may_have_more
        self._cached_toolset: Toolset | None = None

    def toolset(self) -> Toolset:
        """Return the toolset."""
        if self._cached_toolset is None:
            self._cached_toolset = self._make()
        return self._cached_toolset

    def tools_at_once(self) -> list[Json] | None:
        """Return the basic tools if there can be no other."""
        return None if self._may_have_more() else [*ALWAYS_TOOLS]

    async def tools(self) -> list[Json]:
        """Return the basic tools and the configured optional ones."""
        optional = await self.toolset().names()
        tools = [*ALWAYS_TOOLS, *(tool for tool in KNOWN_TOOLS if tool["name"] in optional)]
        if await self.toolset().form() != "text":
            return tools
        # An output schema promises data.
        return [
            {name: value for name, value in tool.items() if name != "outputSchema"}
            for tool in tools
        ]

    async def call(self, exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Call a tool; an unconfigured one returns what to set."""
        unknown = self.unknown_tool_error(name)
        if unknown is not None:
            return unknown
        from .mcp_calls import call_mcp_tool  # it loads the kernel

        return await call_mcp_tool(self.toolset(), exchange, name, arguments)

    def unknown_tool_error(self, name: str) -> RpcError | None:
        """Return an error for an unknown tool, or None."""
        if name in {tool["name"] for tool in KNOWN_TOOLS}:
            return None
        return RpcError(INVALID_PARAMS, f"There is no tool {name[:100]!r}.", {"field": "name"})

    def resources(self) -> list[Json]:
        """Return the guide and the skill; stored pages are found by handle and never listed."""
        guide = {"uri": GUIDE_URI, "name": "guide", "title": "How to use webseam"}
        skill = {"uri": SKILL_URI, **skill_entry()["frontmatter"]}
        return [
            {**guide, "mimeType": "text/markdown", "size": len(skill_guide().encode())},
            {**skill, "mimeType": "text/markdown", "size": len(skill_text().encode())},
        ]

    def skills(self) -> list[Json]:
        """Return the only skill."""
        return [skill_entry()]

    def templates(self) -> list[Json]:
        """Return the URI templates of truncated pages."""
        return [
            _page_resource_template("{handle}", "page", "A page that was cut, from its beginning"),
            _page_resource_template(
                "{handle}/{cursor}", "page from", "The same page from a place on"
            ),
        ]

    async def read(self, _exchange: McpExchange, uri: str, /) -> list[Json] | None:
        """Return the guide, the skill or a fenced piece of a page; None for an unknown URI."""
        if uri in (GUIDE_URI, SKILL_URI):
            text = skill_guide() if uri == GUIDE_URI else skill_text()
            return [{"uri": uri, "mimeType": "text/markdown", "text": text}]
        if not uri.startswith(PAGE_URI_PREFIX):
            return None
        handle, _, cursor = uri.removeprefix(PAGE_URI_PREFIX).partition("/")
        offset = parse_whole_number(cursor or "0")
        if offset is None:
            return None
        from .mcp_calls import page_resource_text

        page = await page_resource_text(self.toolset(), handle, offset)
        return None if page is None else [{"uri": uri, "mimeType": "text/markdown", "text": page}]

    def prompts(self) -> list[Json]:
        """Return the prompts."""
        return list_mcp_prompts()

    def prompt(self, _exchange: McpExchange, name: str, arguments: Json, /) -> Outcome:
        """Return a prompt with its arguments filled in."""
        return fill_mcp_prompt(name, arguments)

    def complete(self, reference: Json, name: str, value: str, /) -> list[str] | RpcError:
        """Return completions of a prompt argument; none for handles, which are not guessable."""
        kind = reference.get("type")
        if kind == "ref/prompt":
            return mcp_prompt_completions(str(reference.get("name")), name, value)
        if kind == "ref/resource":
            return []
        text = "ref must be of type ref/prompt or ref/resource."
        return RpcError(INVALID_PARAMS, text, {"field": "ref"})

    async def aclose(self) -> None:
        """Close the toolset, if it was created."""
        close = getattr(self._cached_toolset, "aclose", None)
        if close is not None:
            await close()


def _page_resource_template(shape: str, name: str, description: str) -> Json:
    about = {"uriTemplate": f"{PAGE_URI_PREFIX}{shape}", "name": name, "description": description}
    return {**about, "mimeType": "text/markdown"}
