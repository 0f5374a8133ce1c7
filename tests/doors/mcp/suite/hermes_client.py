"""Hermes's own MCP client, in Hermes's environment: prints what it saw, as JSON.

It reads the servers from the config.yaml of HERMES_HOME, as Hermes does when it starts.
"""

import importlib
import json
from typing import Any


def main() -> None:
    """Connect, call, and end the servers."""
    mcp_tool: Any = importlib.import_module("tools.mcp_tool")
    registry: Any = importlib.import_module("tools.registry").registry
    tools = mcp_tool.discover_mcp_tools()

    def call(name: str, **arguments: object) -> str:
        known = next(tool for tool in tools if tool.endswith(name))
        return str(registry.dispatch(known, arguments))

    seen = {
        "tools": tools,
        "found": call("web_search", query="tides"),
        "failed": call("web_search", query="fail"),
        "page": call("web_extract", urls=["https://a.example/hostile/7"]),
    }
    mcp_tool.shutdown_mcp_servers()
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
