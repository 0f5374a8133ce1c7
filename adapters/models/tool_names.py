"""Names of tools in the letters that a wire allows, and back."""

import hashlib
import re
from collections.abc import Iterable

from ...ports.models import ChatRequest, Tool
from ..values.json import mapping, text

_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_MOST = 64
_DIGITS = 8


def wire_name(name: str) -> str:
    """Return a name of at most 64 letters, digits, ``_`` and ``-``; such a one is kept as it is.

    >>> wire_name("web.search"), wire_name("lookup")
    ('web_search', 'lookup')
    """
    clean = _FOREIGN.sub("_", name) or "_"
    if len(clean) <= _MOST:
        return clean
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{clean[: _MOST - _DIGITS - 1]}_{digest}"


def tool_name(tool: Tool) -> str:
    """Return the name of a tool, a function or not; nothing if it has none."""
    return text(mapping(tool.get("function")).get("name")) or text(tool.get("name"))


def given_name(name: str, request: ChatRequest | None) -> str:
    """Return the name that the caller knows the tool by."""
    tools: Iterable[Tool] = () if request is None else request.tools
    names = [tool_name(tool) for tool in tools]
    if name in names:
        return name
    return next((given for given in names if given and wire_name(given) == name), name)
