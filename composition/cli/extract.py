"""``webseam extract``: read a page of the web."""

import argparse
import asyncio
import os
from collections.abc import Sequence

from returns.result import Failure

from ...adapters.stores.texts import TextFiles
from ...kernel.deps import INSTRUCTION, WebDeps
from ...kernel.envelope import extract_envelope
from ...kernel.extract import web_extract
from ...kernel.policy import Policy
from ...ports.web import Condenser
from ..choosing import Choice, choose, index_path, with_files
from ..closing import OpenBackend, closing
from ..config import read_browser, read_policy
from ..places import cache_folder
from ..settings.endpoints import API_KEY, EXTRACT_URL, Endpoints, PageSettings, read_endpoints
from .backend_options import add_backend_options
from .budgets import add_budget, budget_of
from .exits import DONE
from .output import fail, page_text, say_json


def run(arguments: Sequence[str]) -> int:
    """Read one page, print it, and return the exit code."""
    options = _parser().parse_args(arguments)
    policy = read_policy(os.environ)
    if isinstance(policy, Failure):
        return fail(policy.failure(), as_json=options.json)
    browser = read_browser(os.environ)
    if isinstance(browser, Failure):
        return fail(browser.failure(), as_json=options.json)
    choice = _choice(options, PageSettings(rendering=options.render, browser=browser.unwrap()))
    backend = choose(choice, policy.unwrap())
    if isinstance(backend, Failure):
        return fail(backend.failure(), as_json=options.json)
    rules = with_files(policy.unwrap()) if choice.name == "local" else policy.unwrap()
    deps = _deps(options, backend.unwrap(), rules)
    page = asyncio.run(closing(backend.unwrap(), web_extract(options.url, deps)))
    if isinstance(page, Failure):
        return fail(page.failure(), as_json=options.json)
    if options.json:
        say_json(extract_envelope(page))
    else:
        print(page_text(page.unwrap()))
    return DONE


def _deps(options: argparse.Namespace, backend: OpenBackend, policy: Policy) -> WebDeps:
    compressor = None
    if options.compress or options.instruction:
        # Loaded only when it is used.
        from ...adapters.compressors.extractive import ExtractiveCompressor  # noqa: PLC0415

        compressor = ExtractiveCompressor()
    return WebDeps(
        backend=backend,
        compressor=compressor,
        instruction=options.instruction or INSTRUCTION,
        policy=policy,
        budget=budget_of(options),
        texts=TextFiles(cache_folder() / "texts"),
        focus=options.focus,
        condense=_condenser() if options.focus else None,
    )


def _condenser() -> Condenser:
    from ...adapters.compressors.extractive import extract  # noqa: PLC0415  as above

    return extract


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="webseam extract",
        description="Read a page and print its content as markdown. No key is needed.",
        epilog=f"With {EXTRACT_URL} set, a JSON API is asked instead; its key is {API_KEY}.",
    )
    parser.add_argument("url", help="an absolute http or https URL")
    parser.add_argument("--endpoint", help="a JSON extract API to ask instead")
    add_backend_options(
        parser, ("pages", "json", "local"), "the JSON API if there is one, else our own reader"
    )
    parser.add_argument(
        "--compress", action="store_true", help="shorten a long page to what matters, offline"
    )
    parser.add_argument("--instruction", help="the question that the shortened page should answer")
    parser.add_argument(
        "--render",
        choices=("never", "auto", "always"),
        default="never",
        help="use this machine's Chromium: auto only for pages that are empty without scripts",
    )
    parser.add_argument("--focus", help="a question: keep the passages that matter to it")
    add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _choice(options: argparse.Namespace, pages: PageSettings) -> Choice:
    return Choice(
        name=options.backend,
        capability="extract",
        settings=_settings(options),
        index=index_path(options.index),
        pages=pages,
        cached=not options.no_cache,
    )


def _settings(options: argparse.Namespace) -> Endpoints:
    settings = read_endpoints(os.environ)
    if options.endpoint is None:
        return settings
    return Endpoints(extract_url=options.endpoint, key=settings.key)
