"""``webseam extract``: read pages of the web."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from returns.result import Failure

from ...adapters.stores.texts import TextFiles
from ...kernel.deps import INSTRUCTION, WebDeps
from ...kernel.envelope import extract_envelope
from ...ports.web import Condenser
from ..bulk import AT_ONCE, Page, extract_all
from ..choosing import Chosen, choose
from ..closing import closing
from ..places import cache_folder
from ..root import make_root
from ..settings import Settings
from ..settings.endpoints import EXTRACT_URL
from .backend_options import add_backend_options, name_of
from .budgets import add_budget, budget_of
from .exits import DONE, exit_code
from .output import fail, page_text, say_json, warn
from .progress import Progress


def run(arguments: Sequence[str]) -> int:
    """Read the pages, print them, and return the exit code."""
    options = _parser().parse_args(arguments)
    root = make_root(
        arguments={"render.mode": options.render}, index=options.index, endpoint=options.endpoint
    )
    if isinstance(root, Failure):
        return fail(root.failure(), as_json=options.json)
    chosen = choose("extract", root.unwrap(), named=name_of(options), cached=not options.no_cache)
    if isinstance(chosen, Failure):
        return fail(chosen.failure(), as_json=options.json)
    settings = root.unwrap().settings
    warn(settings.warnings)
    pages = asyncio.run(_read(options, chosen.unwrap(), settings))
    return _tell(pages, options)


async def _read(options: argparse.Namespace, chosen: Chosen, settings: Settings) -> list[Page]:
    progress = Progress(len(options.url))
    deps = _deps(options, chosen, settings)
    work = extract_all(options.url, deps, at_once=options.at_once, done=progress.step)
    try:
        return await closing(chosen.backend, work)
    finally:
        progress.end()


def _tell(pages: Sequence[Page], options: argparse.Namespace) -> int:
    """Print every outcome in order; the first failure, if there is one, is the exit code."""
    failures = [page.failure() for page in pages if isinstance(page, Failure)]
    code = exit_code(failures[0]) if failures else DONE
    if options.json:
        envelopes = [extract_envelope(page) for page in pages]
        together: dict[str, object] = {"success": not failures, "results": envelopes}
        say_json(envelopes[0] if len(envelopes) == 1 else together)
        return code
    for number, page in enumerate(pages):
        sys.stdout.write("\n---\n\n" if number and not isinstance(page, Failure) else "")
        if isinstance(page, Failure):
            sys.stdout.flush()
            _complain(page, options.url[number], alone=len(pages) == 1)
        else:
            print(page_text(page.unwrap()))
    return code


def _complain(page: Page, url: str, *, alone: bool) -> None:
    if not alone:
        print(f"webseam: {url!a}:", file=sys.stderr, end=" ")
    fail(page.failure(), as_json=False)


def _deps(options: argparse.Namespace, chosen: Chosen, settings: Settings) -> WebDeps:
    compressor = None
    if options.compress or options.instruction or settings.compressor.kind == "extractive":
        # Loaded only when it is used.
        from ...adapters.compressors.extractive import ExtractiveCompressor  # noqa: PLC0415

        compressor = ExtractiveCompressor()
    return WebDeps(
        backend=chosen.backend,
        compressor=compressor,
        instruction=options.instruction or INSTRUCTION,
        policy=chosen.policy,
        budget=budget_of(options, settings.extract_char_limit),
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
        description="Read pages and print their content as markdown. No key is needed.",
        epilog="Many pages are read at once and printed in their order. When some fail, the others "
        "are printed, and the exit code is that of the first failure.",
    )
    parser.add_argument("url", nargs="+", metavar="URL", help="an absolute http or https URL")
    parser.add_argument("--endpoint", help=f"a JSON extract API to ask, instead of {EXTRACT_URL}")
    add_backend_options(parser)
    parser.add_argument(
        "--at-once", type=_count, default=AT_ONCE, help=f"pages read at once, {AT_ONCE} by default"
    )
    parser.add_argument(
        "--compress", action="store_true", help="shorten a long page to what matters, offline"
    )
    parser.add_argument("--instruction", help="the question that the shortened page should answer")
    parser.add_argument(
        "--render",
        choices=("never", "auto", "always"),
        help="use this machine's Chromium: auto only for pages that are empty without scripts",
    )
    parser.add_argument("--focus", help="a question: keep the passages that matter to it")
    add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number
