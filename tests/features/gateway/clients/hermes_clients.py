"""Hermes's own search providers, pointed at the gateway: run inside Hermes's environment.

usage: python hermes_clients.py BASE_URL KEY; prints one JSON line a client and scene.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

PAGE = "https://example.com/a"
# Hermes looks the host of what it was sent up again; an address needs no server of names.
NUMBERED = "https://93.184.215.14/a"


def _found(reply: dict[str, Any]) -> list[str]:
    if not reply.get("success"):
        raise RuntimeError(reply.get("error"))
    return [row["url"] for row in reply["data"]["web"]]


def searxng(base: str, key: str, query: str) -> list[str]:
    # It can send no key, but has a path.
    os.environ["SEARXNG_URL"] = f"{base}/k/{key}/searxng"
    module = importlib.import_module("plugins.web.searxng.provider")
    return _found(module.SearXNGWebSearchProvider().search(query, 2))


def tavily(base: str, key: str, query: str) -> list[str]:
    os.environ |= {"TAVILY_BASE_URL": f"{base}/tavily", "TAVILY_API_KEY": key}
    module = importlib.import_module("plugins.web.tavily.provider")
    return _found(module.TavilyWebSearchProvider().search(query, 2))


def tavily_pages(base: str, key: str, query: str) -> list[str]:
    os.environ |= {"TAVILY_BASE_URL": f"{base}/tavily", "TAVILY_API_KEY": key}
    module = importlib.import_module("plugins.web.tavily.provider")
    return _pages(module.TavilyWebSearchProvider().extract([f"{PAGE}?{query}"]))


def _pages(pages: list[dict[str, Any]]) -> list[str]:
    wrong = next((page["error"] for page in pages if page.get("error")), None)
    if wrong is not None:
        raise RuntimeError(wrong)
    return [page["url"] for page in pages]


def firecrawl(base: str, key: str, query: str) -> list[str]:
    os.environ |= {"FIRECRAWL_API_URL": base, "FIRECRAWL_API_KEY": key}
    module = importlib.import_module("plugins.web.firecrawl.provider")
    return _found(module.FirecrawlWebSearchProvider().search(query, 2))


async def firecrawl_pages(base: str, key: str, query: str) -> list[str]:
    os.environ |= {"FIRECRAWL_API_URL": base, "FIRECRAWL_API_KEY": key}
    module = importlib.import_module("plugins.web.firecrawl.provider")
    return _pages(await module.FirecrawlWebSearchProvider().extract([f"{NUMBERED}?{query}"]))


def main() -> None:
    # Here, not above: the suite imports this file, too, when it looks for examples.
    sys.path.insert(0, str(Path(__file__).parent))
    clients: Any = importlib.import_module("python_clients")
    clients.CLIENTS = {
        "hermes searxng": searxng,
        "hermes tavily": tavily,
        "hermes tavily pages": tavily_pages,
        "hermes firecrawl": firecrawl,
        "hermes firecrawl pages": firecrawl_pages,
    }
    clients.main(*sys.argv[1:])


if __name__ == "__main__":
    main()
