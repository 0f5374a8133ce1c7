"""Open WebUI's own searches and loaders, pointed at the gateway: run inside their environment.

usage: python openwebui_clients.py BASE_URL KEY; prints one JSON line a client and scene.
"""

import importlib
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PAGE = "https://example.com/a"
REQUEST = SimpleNamespace(state=SimpleNamespace())


def _links(rows: Any) -> list[str]:
    return [row.link for row in rows]


def external_search(base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.web.external import search_external

    return _links(search_external(REQUEST, f"{base}/openwebui/search", key, query, 2))


def external_loader(base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.loaders.external_web import ExternalWebLoader

    loader = ExternalWebLoader(
        [f"{PAGE}?{query}"], f"{base}/openwebui/load", key, continue_on_failure=False
    )
    return [document.page_content for document in loader.lazy_load()]


async def searxng(base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.web.searxng import search_searxng

    return _links(await search_searxng(f"{base}/k/{key}/searxng/search", query, 2))


def tavily(_base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.web.tavily import search_tavily

    return _links(search_tavily(key, query, 2))


def jina(base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.web.jina_search import search_jina

    return _links(search_jina(key, query, 2, f"{base}/s/"))


def firecrawl(base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.web.firecrawl import search_firecrawl

    return _links(search_firecrawl(base, key, query, 2))


def perplexity(base: str, key: str, query: str) -> Any:
    from open_webui.retrieval.web.perplexity_search import search_perplexity_search

    return _links(search_perplexity_search(key, query, 2, api_url=f"{base}/perplexity/search"))


def main() -> None:
    # Here, not above: the suite imports this file, too, when it looks for examples.
    sys.path.insert(0, str(Path(__file__).parent))
    folder = tempfile.mkdtemp()
    os.environ |= {"WEBUI_SECRET_KEY": "x", "FROM_INIT_PY": "true", "DATA_DIR": folder}
    os.environ["TAVILY_API_BASE_URL"] = f"{sys.argv[1]}/tavily"
    clients: Any = importlib.import_module("python_clients")
    clients.CLIENTS = {
        "open-webui search": external_search,
        "open-webui loader": external_loader,
        "open-webui searxng": searxng,
        "open-webui tavily": tavily,
        "open-webui jina": jina,
        "open-webui firecrawl": firecrawl,
        "open-webui perplexity": perplexity,
    }
    clients.main(*sys.argv[1:])


if __name__ == "__main__":
    main()
