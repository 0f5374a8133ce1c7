"""Search tools of agent frameworks, unmodified, in every scene: run inside their environment.

usage: python framework_clients.py BASE_URL KEY; prints one JSON line a client and scene. Where a
tool has no field for the address of its service, that of its client is set, as a user would have to.
"""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

PAGE = "https://example.com/a"


def gpt_researcher_tavily(base: str, key: str, query: str) -> Any:
    from gpt_researcher.retrievers import TavilySearch

    os.environ["TAVILY_API_KEY"] = key
    retriever = TavilySearch(query)
    retriever.base_url = f"{base}/tavily/search"
    return [row["href"] for row in retriever.search(2)]


def gpt_researcher_searx(base: str, key: str, query: str) -> Any:
    from gpt_researcher.retrievers import SearxSearch

    os.environ["SEARX_URL"] = f"{base}/k/{key}/searxng"
    return [row["href"] for row in SearxSearch(query).search(2)]


def gpt_researcher_exa(base: str, key: str, query: str) -> Any:
    from exa_py import Exa
    from gpt_researcher.retrievers import ExaSearch

    os.environ["EXA_API_KEY"] = key
    retriever = ExaSearch(query)
    retriever.client = Exa(key, base_url=f"{base}/exa")
    return [row["href"] for row in retriever.search(2)]


def gpt_researcher_custom(base: str, key: str, query: str) -> Any:
    from gpt_researcher.retrievers import CustomRetriever

    os.environ["RETRIEVER_ENDPOINT"] = f"{base}/k/{key}/gptresearcher"
    rows = CustomRetriever(query).search(2)
    if rows is None:
        # What it returns for every failure.
        raise LookupError(query)
    return [[row["url"] for row in rows], sorted({row["raw_content"] for row in rows})]


def langchain_exa(base: str, key: str, query: str) -> Any:
    from langchain_exa import ExaSearchResults

    tool = ExaSearchResults(exa_api_key=key, exa_base_url=f"{base}/exa")
    reply = tool.invoke({"query": query, "num_results": 2})
    if isinstance(reply, str):
        raise LookupError(reply)  # noqa: TRY004  it returns what it should raise
    return [row.url for row in reply.results]


def langchain_exa_retriever(base: str, key: str, query: str) -> Any:
    from langchain_exa import ExaSearchRetriever

    retriever = ExaSearchRetriever(
        exa_api_key=key, exa_base_url=f"{base}/exa", k=2, highlights=False
    )
    return [document.metadata["url"] for document in retriever.invoke(query)]


def haystack_tavily(base: str, key: str, query: str) -> Any:
    from haystack.utils import Secret
    from haystack_integrations.components.websearch.tavily import TavilyWebSearch
    from tavily import TavilyClient

    tool = TavilyWebSearch(api_key=Secret.from_token(key), top_k=2)
    tool._tavily_client = TavilyClient(key, api_base_url=f"{base}/tavily")  # noqa: SLF001
    return tool.run(query)["links"]


def haystack_reader(base: str, key: str, query: str) -> Any:
    from haystack.components.fetchers import LinkContentFetcher

    # Any page of the reader, as a pipeline fetches it.
    fetcher = LinkContentFetcher(retry_attempts=0)
    streams = fetcher.run([f"{base}/k/{key}/r/{PAGE}?{query}"])["streams"]
    return [stream.data.decode().rpartition("\n")[2] for stream in streams]


def llama_index_tavily(base: str, key: str, query: str) -> Any:
    from llama_index.tools.tavily_research import TavilyToolSpec
    from tavily import TavilyClient

    tool = TavilyToolSpec(key)
    tool.client = TavilyClient(key, api_base_url=f"{base}/tavily")
    return [document.metadata["url"] for document in tool.search(query, 2)]


def llama_index_exa(base: str, key: str, query: str) -> Any:
    from exa_py import Exa
    from llama_index.tools.exa import ExaToolSpec

    tool = ExaToolSpec(key, verbose=False)
    tool.client = Exa(key, base_url=f"{base}/exa")
    return [row["url"] for row in tool.search(query, 2)]


async def pydantic_ai_tavily(base: str, key: str, query: str) -> Any:
    from pydantic_ai.common_tools.tavily import TavilySearchTool
    from tavily import AsyncTavilyClient

    tool = TavilySearchTool(AsyncTavilyClient(key, api_base_url=f"{base}/tavily"), max_results=2)
    return [row["url"] for row in await tool(query)]


def langchain_brave(base: str, key: str, query: str) -> Any:
    import json

    from langchain_community.utilities import BraveSearchWrapper

    wrapper = BraveSearchWrapper(
        api_key=key, search_kwargs={"count": 2}, base_url=f"{base}/res/v1/web/search"
    )
    return [row["link"] for row in json.loads(wrapper.run(query))]


def llama_index_brave(base: str, key: str, query: str) -> Any:
    import json

    from llama_index.tools.brave_search import base as library

    library.SEARCH_URL_TMPL = f"{base}/res/v1/web/search?{{params}}"
    (found,) = library.BraveSearchToolSpec(key).brave_search(query)
    return [row["url"] for row in json.loads(found.text)["web"]["results"]]


def plain_http(base: str, key: str, query: str) -> Any:
    """Ask as n8n's and Make's HTTP nodes do: a method, a URL, a header, JSON back."""
    import httpx

    answer = httpx.get(
        f"{base}/searxng/search",
        params={"q": query, "format": "json"},
        headers={"authorization": f"Bearer {key}"},
    )
    answer.raise_for_status()
    return [row["url"] for row in answer.json()["results"]]


CLIENTS = {
    "gpt-researcher tavily": gpt_researcher_tavily,
    "gpt-researcher searx": gpt_researcher_searx,
    "gpt-researcher exa": gpt_researcher_exa,
    "gpt-researcher custom": gpt_researcher_custom,
    "langchain-exa": langchain_exa,
    "langchain-exa retriever": langchain_exa_retriever,
    "langchain brave": langchain_brave,
    "haystack tavily": haystack_tavily,
    "haystack reader": haystack_reader,
    "llama-index tavily": llama_index_tavily,
    "llama-index exa": llama_index_exa,
    "llama-index brave": llama_index_brave,
    "pydantic-ai tavily": pydantic_ai_tavily,
    "plain HTTP": plain_http,
}


def main() -> None:
    # Here, not above: the suite imports this file, too, when it looks for examples.
    sys.path.insert(0, str(Path(__file__).parent))
    clients: Any = importlib.import_module("python_clients")
    clients.CLIENTS = CLIENTS
    clients.main(*sys.argv[1:])


if __name__ == "__main__":
    main()
