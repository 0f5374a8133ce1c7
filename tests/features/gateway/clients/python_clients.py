"""Unmodified Python clients, each in every scene: run inside their own environment.

usage: python python_clients.py BASE_URL KEY; prints one JSON line a client and scene.
"""

import asyncio
import inspect
import json
import logging
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

# A scene is a query: what is behind the gateway answers by it. The last one has a wrong key.
SCENES = ("tides", "nothing", "limited", "rubbish", "slow", "refused")
PAGE = "https://example.com/a"
Op = Callable[[str, str, str], Any]


def _urls(rows: Any) -> list[str]:
    return [row["url"] for row in rows]


def tavily(base: str, key: str, query: str) -> Any:
    from tavily import TavilyClient

    return _urls(
        TavilyClient(key, api_base_url=f"{base}/tavily").search(
            query, max_results=2, time_range="week"
        )["results"]
    )


def tavily_async(base: str, key: str, query: str) -> Any:
    from tavily import AsyncTavilyClient

    return AsyncTavilyClient(key, api_base_url=base).search(query)


def tavily_pages(base: str, key: str, query: str) -> Any:
    from tavily import TavilyClient

    client = TavilyClient(key, api_base_url=base)
    page = f"{PAGE}?{query}"
    crawled = client.crawl(page, limit=2)["results"]
    return [
        _urls(client.extract([page, "http://10.0.0.1/"])["results"]),
        len(client.map(page)["results"]),
        _urls(crawled),
    ]


def langchain_tavily(base: str, key: str, query: str) -> Any:
    from langchain_tavily import TavilySearch

    found = TavilySearch(tavily_api_key=key, api_base_url=f"{base}/tavily", max_results=2).invoke(
        {"query": query}
    )
    if isinstance(found, dict) and "error" in found:
        raise found["error"]
    return _urls(found["results"])


def exa(base: str, key: str, query: str) -> Any:
    from exa_py import Exa

    return [
        row.url for row in Exa(key, base_url=f"{base}/exa").search(query, num_results=2).results
    ]


def exa_at_the_root(base: str, key: str, query: str) -> Any:
    from exa_py import Exa

    client = Exa(key, base_url=base)
    return [row.url for row in client.search(query, contents=False).results]


def exa_contents(base: str, key: str, query: str) -> Any:
    from exa_py import Exa

    return [
        row.url
        for row in Exa(key, base_url=base).get_contents([f"{PAGE}?{query}"], text=True).results
    ]


def firecrawl(base: str, key: str, query: str) -> Any:
    from firecrawl import Firecrawl

    return [
        row.url for row in Firecrawl(api_key=key, api_url=base).search(query, limit=2).web or []
    ]


def firecrawl_scrape(base: str, key: str, query: str) -> Any:
    from firecrawl import Firecrawl

    page = Firecrawl(api_key=key, api_url=base).scrape(
        f"{PAGE}?{query}", formats=["markdown", "html", "links"]
    )
    return [page.markdown, page.metadata.status_code]


def firecrawl_jobs(base: str, key: str, query: str) -> Any:
    from firecrawl import Firecrawl

    client = Firecrawl(api_key=key, api_url=base)
    batch = client.batch_scrape(
        [PAGE, f"{PAGE}?{query}"], formats=["markdown"], poll_interval=1, timeout=20
    )
    crawled = client.crawl(PAGE, limit=2, poll_interval=1, timeout=20)
    return [
        batch.status,
        len(batch.data),
        crawled.status,
        len(crawled.data),
        len(client.map(PAGE).links),
    ]


def firecrawl_v1(base: str, key: str, query: str) -> Any:
    from firecrawl import V1FirecrawlApp

    client = V1FirecrawlApp(api_key=key, api_url=f"{base}/firecrawl")
    return [row["url"] for row in client.search(query, limit=2).data]


def firecrawl_v1_defaults(base: str, key: str, query: str) -> Any:
    from firecrawl import V1FirecrawlApp

    found = V1FirecrawlApp(api_key=key, api_url=f"{base}/firecrawl").search(
        query, lang="en", country="us"
    )
    return [row["url"] for row in found.data]


def langchain_searx(base: str, _key: str, query: str) -> Any:
    from langchain_community.utilities import SearxSearchWrapper

    found = SearxSearchWrapper(searx_host=f"{base}/k/{_key}/searxng").results(query, 2)
    return [row.get("link", row.get("Result")) for row in found]


def to_gateway(host: str, base: str, call: Callable[[], Any]) -> Any:
    """Run a client whose host is fixed with its requests sent to the gateway."""
    import requests

    real = requests.Session.request

    def request(session: Any, method: str, url: str, **options: Any) -> Any:
        return real(session, method, url.replace(host, base), **options)

    requests.Session.request = request  # type: ignore[method-assign, assignment]
    try:
        return call()
    finally:
        requests.Session.request = real  # type: ignore[method-assign]


def langchain_serper(base: str, key: str, query: str) -> Any:
    from langchain_community.utilities import GoogleSerperAPIWrapper

    wrapper = GoogleSerperAPIWrapper(serper_api_key=key)
    found = to_gateway(
        "https://google.serper.dev", f"{base}/serper", lambda: wrapper.results(query)
    )
    return [row["link"] for row in found["organic"]]


def agno_serper(base: str, key: str, query: str) -> Any:
    from agno.tools.serper import SerperTools

    tools = SerperTools(api_key=key)
    return to_gateway(
        "https://google.serper.dev", f"{base}/serper", lambda: tools.search_web(query, 2)
    )


def agno_serper_scrape(base: str, key: str, query: str) -> Any:
    from agno.tools.serper import SerperTools

    tools = SerperTools(api_key=key)
    return to_gateway(
        "https://scrape.serper.dev",
        f"{base}/serper/scrape",
        lambda: tools.scrape_webpage(f"{PAGE}?{query}"),
    )


def litellm(provider: str, path: str) -> Op:
    def search(base: str, key: str, query: str) -> Any:
        import litellm as library

        found = library.search(
            query=query,
            search_provider=provider,
            api_base=f"{base}{path}",
            api_key=key,
            max_results=2,
        )
        return [row.url for row in found.results]

    return search


def smolagents_brave(base: str, key: str, query: str) -> Any:
    from smolagents.default_tools import ApiWebSearchTool

    return ApiWebSearchTool(
        endpoint=f"{base}/res/v1/web/search", api_key=key, rate_limit=None
    ).forward(query)


def smolagents_reader(base: str, key: str, query: str) -> Any:
    from smolagents import VisitWebpageTool

    return VisitWebpageTool().forward(f"{base}/k/{key}/r/{PAGE}?{query}")


def agno_searxng(base: str, key: str, query: str) -> Any:
    from agno.tools.searxng import Searxng

    return Searxng(host=f"{base}/k/{key}/searxng").search_web(query, 2)


def agno_tavily(base: str, key: str, query: str) -> Any:
    from agno.tools.tavily import TavilyTools

    return TavilyTools(
        api_key=key, api_base_url=f"{base}/tavily", format="json"
    ).web_search_using_tavily(query, 2)


def openai_chat(base: str, key: str, query: str) -> Any:
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)
    found = client.chat.completions.create(
        model="webseam", messages=[{"role": "user", "content": query}]
    )
    return _urls(found.search_results)


def openai_stream(base: str, key: str, query: str) -> Any:
    from openai import OpenAI

    client = OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0)
    chunks = list(
        client.chat.completions.create(
            model="webseam", stream=True, messages=[{"role": "user", "content": query}]
        )
    )
    return [client.models.list().data[0].id, _urls(chunks[-1].search_results)]


def cohere(base: str, key: str, query: str) -> Any:
    import cohere as library

    client = library.ClientV2(key, base_url=base)
    return [
        row.index for row in client.rerank(model="r", query=query, documents=["a", "b"]).results
    ]


def exa_similar(base: str, key: str, query: str) -> Any:
    from exa_py import Exa

    client = Exa(key, base_url=f"{base}/exa")
    return [row.url for row in client.find_similar(f"{PAGE}?{query}", num_results=2).results]


def firecrawl_credits(base: str, key: str, _query: str) -> Any:
    from firecrawl import Firecrawl

    return [Firecrawl(api_key=key, api_url=base).get_credit_usage().remaining_credits]


def linkup(base: str, key: str, query: str) -> Any:
    from linkup import LinkupClient

    client = LinkupClient(key, base_url=f"{base}/linkup/v1")
    found = client.search(query, depth="standard", output_type="searchResults", max_results=2)
    return [row.url for row in found.results]


def linkup_fetch(base: str, key: str, query: str) -> Any:
    from linkup import LinkupClient

    return [LinkupClient(key, base_url=f"{base}/linkup/v1").fetch(f"{PAGE}?{query}").markdown]


def perplexity(base: str, key: str, query: str) -> Any:
    from perplexity import Perplexity

    client = Perplexity(api_key=key, base_url=f"{base}/perplexity", max_retries=0)
    return [row.url for row in client.search.create(query=[query, f"{query} again"]).results]


def perplexity_chat(base: str, key: str, query: str) -> Any:
    from perplexity import Perplexity

    client = Perplexity(api_key=key, base_url=f"{base}/perplexity", max_retries=0)
    messages: Any = [{"role": "user", "content": query}]
    return [
        row.url
        for row in client.chat.completions.create(model="sonar", messages=messages).search_results
        or ()
    ]


def _anthropic_fields(query: str) -> dict[str, Any]:
    """Return what Claude Code sends for its own search."""
    content = f"Perform a web search for the query: {query}"
    return {
        "model": "claude-x",
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": content}],
        "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}],
    }


def _anthropic_urls(message: Any) -> Any:
    (block,) = (part for part in message.content if part.type == "web_search_tool_result")
    found = block.content
    return [row.url for row in found] if isinstance(found, list) else found.error_code


def anthropic(base: str, key: str, query: str) -> Any:
    from anthropic import Anthropic

    client = Anthropic(auth_token=key, base_url=base, max_retries=0)
    return _anthropic_urls(client.messages.create(**_anthropic_fields(query)))


def anthropic_stream(base: str, key: str, query: str) -> Any:
    from anthropic import Anthropic

    client = Anthropic(api_key=key, base_url=f"{base}/anthropic", max_retries=0)
    with client.messages.stream(**_anthropic_fields(query)) as stream:
        return _anthropic_urls(stream.get_final_message())


CLIENTS: dict[str, Op] = {
    "anthropic": anthropic,
    "anthropic stream": anthropic_stream,
    "exa-py similar": exa_similar,
    "firecrawl-py credits": firecrawl_credits,
    "linkup-sdk": linkup,
    "linkup-sdk fetch": linkup_fetch,
    "perplexity": perplexity,
    "perplexity chat": perplexity_chat,
    "tavily-python": tavily,
    "tavily-python async": tavily_async,
    "tavily-python pages": tavily_pages,
    "langchain-tavily": langchain_tavily,
    "exa-py": exa,
    "exa-py root": exa_at_the_root,
    "exa-py contents": exa_contents,
    "firecrawl-py": firecrawl,
    "firecrawl-py scrape": firecrawl_scrape,
    "firecrawl-py jobs": firecrawl_jobs,
    "firecrawl-py v1": firecrawl_v1,
    "firecrawl-py v1 language": firecrawl_v1_defaults,
    "langchain searx": langchain_searx,
    "langchain serper": langchain_serper,
    "litellm tavily": litellm("tavily", "/tavily"),
    "litellm exa": litellm("exa_ai", "/exa"),
    "litellm firecrawl": litellm("firecrawl", "/firecrawl/v2"),
    "litellm searxng": litellm("searxng", "/searxng"),
    "litellm brave": litellm("brave", "/brave/res/v1/web/search"),
    "litellm serper": litellm("serper", "/serper"),
    "litellm perplexity": litellm("perplexity", "/perplexity"),
    "smolagents brave": smolagents_brave,
    "smolagents reader": smolagents_reader,
    "agno searxng": agno_searxng,
    "agno serper": agno_serper,
    "agno serper scrape": agno_serper_scrape,
    "agno tavily": agno_tavily,
    "openai chat": openai_chat,
    "openai stream": openai_stream,
    "cohere rerank": cohere,
}


@cache
def _runner() -> asyncio.Runner:
    """Return one loop for all calls: some clients keep their connections."""
    return asyncio.Runner()


def tried(op: Op, base: str, key: str, query: str) -> dict[str, object]:
    """Return what a client made of a scene."""
    try:
        value = op(base, key, query)
        value = _runner().run(value) if inspect.iscoroutine(value) else value
    except Exception as error:
        status = getattr(error, "status_code", None) or getattr(
            getattr(error, "response", None), "status_code", None
        )
        return {"error": type(error).__name__, "words": str(error)[:200], "status": status}
    value = _urls(value["results"]) if isinstance(value, dict) else value
    return {"value": value if isinstance(value, list) else str(value)[:400]}


def main(base: str, key: str) -> None:
    # Here, not above: the suite imports this file, too, when it looks for examples.
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    real, sys.stdout = sys.stdout, sys.stderr
    for name, op in CLIENTS.items():
        for scene in SCENES:
            own = "a-wrong-key-of-twenty" if scene == "refused" else key
            print(
                json.dumps(
                    {"client": name, "scene": scene, **tried(op, base, own, scene)}, default=str
                ),
                file=real,
                flush=True,
            )
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
