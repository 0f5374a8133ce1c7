"""``webseam demo``: search and extract through the whole house, on a server of our own."""

import argparse
import asyncio
from collections.abc import Sequence

from returns.result import Failure

from ...adapters.http.runner import ServiceBackend
from ...kernel.deps import WebDeps
from ...kernel.extract import web_extract
from ...kernel.search import web_search
from ..backends import json_backend
from ..demo_api import PAGES, DemoApi
from .exits import BUG, DONE
from .output import page_text, search_text


def run(arguments: Sequence[str]) -> int:
    """Show what works and what is refused; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="webseam demo",
        description="Start a JSON API on this machine and call it, no network needed.",
    )
    parser.parse_args(arguments)
    return asyncio.run(_demo())


async def _demo() -> int:
    async with DemoApi() as api:
        good = _backend(api, "search")
        works = [
            await _search("What is found", {"query": "typed failure", "max_results": 2}, good),
            await _extract("A page", PAGES[0]["url"], good),
            await _search("Nothing found is a success", {"query": "zebra"}, good),
        ]
        refused = [
            await _search("A blank query", {"query": "  "}, good),
            await _search("A poisoned row", {"query": "x"}, _backend(api, "poisoned")),
            await _search("An error inside a 200", {"query": "x"}, _backend(api, "lying")),
            await _search("A dead server", {"query": "x"}, _backend(api, "dead")),
        ]
    return DONE if all(works) and not any(refused) else BUG


def _backend(api: DemoApi, path: str) -> ServiceBackend:
    return json_backend(
        name="demo", search_url=api.url(path), extract_url=api.url("extract"), key="demo-key"
    ).unwrap()


async def _search(heading: str, query: dict[str, object], backend: ServiceBackend) -> bool:
    outcome = await web_search(query, WebDeps(backend=backend))
    await backend.aclose()
    if isinstance(outcome, Failure):
        return _show(heading, f"{outcome.failure().kind}: {outcome.failure().message}", done=False)
    return _show(heading, search_text(outcome.unwrap()), done=True)


async def _extract(heading: str, url: str, backend: ServiceBackend) -> bool:
    page = await web_extract(url, WebDeps(backend=backend))
    await backend.aclose()
    if isinstance(page, Failure):
        return _show(heading, page.failure().message, done=False)
    return _show(heading, page_text(page.unwrap()), done=True)


def _show(heading: str, text: str, *, done: bool) -> bool:
    print(f"== {heading}: {'success' if done else 'failure'}\n\n{text}\n")
    return done
