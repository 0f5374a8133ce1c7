"""``webseam extract``: read pages of the web."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from returns.result import Failure, Success

from ....adapters.stores.texts import TextFiles
from ....adapters.timer import asyncio_timer
from ....kernel.deps import INSTRUCTION, WebDeps
from ....kernel.envelopes import extract_envelope, joined_pages, replied
from ....ports.compressors import Compressor, Condenser
from ...calls.closing import closing
from ...places import cache_folder
from ...settings.endpoints import EXTRACT_URL
from ...settings.schema import Settings
from ...tools.batch import AT_ONCE, ExtractResult, extract_all
from ...tools.dispatch import Tools
from ...tools.kit import extract_tool
from ...tools.stages import Called
from ...wiring.choice import ChosenBackend, choose
from ...wiring.documents import IndexedDocuments
from ...wiring.models.compressors import Kind, open_compressor
from ...wiring.root import make_root
from ..arguments.options import (
    add_backend_options,
    add_budget,
    add_route_options,
    budget_of,
    name_of,
    route_of,
)
from ..arguments.parser import Parser
from ..calls import in_session, say_next, say_reply, with_plugins
from ..exits import BACKEND_FAILED, DONE
from ..output import fail, say_json, warn
from ..screen.attempts import say_attempts
from ..screen.progress import Progress


def run(arguments: Sequence[str]) -> int:
    """Read the pages, print them, and return the exit code."""
    options = command_line().parse_args(arguments)
    root = make_root(
        arguments={"render.mode": options.render}, index=options.index, endpoint=options.endpoint
    )
    if isinstance(root, Failure):
        return fail(root.failure(), as_json=options.json)
    plugged = with_plugins(root.unwrap())
    if isinstance(plugged, Failure):
        return fail(plugged.failure(), as_json=options.json)
    here, session = plugged.unwrap()
    chosen = choose(
        "extract",
        here,
        named=name_of(options),
        route=route_of(options),
        cached=not options.no_cache,
    )
    if isinstance(chosen, Failure):
        return fail(chosen.failure(), as_json=options.json)
    settings = root.unwrap().settings
    warn(settings.warnings)
    opened = open_compressor(settings, here.session, _kind(options, settings))
    if isinstance(opened, Failure):
        return fail(opened.failure(), as_json=options.json)
    deps = _deps(options, chosen.unwrap(), settings, opened.unwrap().compressor)
    documents = IndexedDocuments(root.unwrap())
    tools = Tools((extract_tool(Success(deps), documents.deps),), session)
    reading = closing(documents, _read(options, deps, documents, tools))
    work = closing(opened.unwrap(), reading)
    return _tell(asyncio.run(closing(chosen.unwrap().backend, work)), options)


async def _read(
    options: argparse.Namespace, deps: WebDeps, documents: IndexedDocuments, tools: Tools
) -> list[Called]:
    with Progress("Reading", len(options.url) if len(options.url) > 1 else None) as progress:
        if not tools.around.callbacks.any:
            pages = await extract_all(
                options.url,
                deps,
                documents=documents.deps,
                at_once=options.at_once,
                done=progress.step,
            )
            return list(map(_called, options.url, pages))
        return await in_session(tools, lambda: _ask_all(options, tools, progress))


async def _ask_all(options: argparse.Namespace, tools: Tools, progress: Progress) -> list[Called]:
    """Ask for each page in a call of its own, which is what plugins are made for."""
    gate = asyncio.Semaphore(options.at_once)

    async def ask(url: str) -> Called:
        async with gate:
            called = await tools.ask("web_extract", {"urls": [url]})
        progress.step(url)
        return called

    return await asyncio.gather(*[ask(url) for url in options.url])


def _called(url: str, page: ExtractResult) -> Called:
    """Return a page that no plugin saw as the call that it would have been."""
    error = page.failure() if isinstance(page, Failure) else None
    envelope = extract_envelope([url], [page])
    return Called(reply=replied(envelope, error), outcome=page.value_or(None))


def _tell(calls: Sequence[Called], options: argparse.Namespace) -> int:
    """Print every outcome in order; any page that failed is one and the same exit code."""
    failures = [call.reply.error for call in calls if call.reply.error is not None]
    code = BACKEND_FAILED if failures else DONE
    if options.json:
        say_json(joined_pages([call.reply.envelope for call in calls]))
        return code
    for number, call in enumerate(calls):
        failed = call.reply.error is not None
        sys.stdout.write("\n---\n\n" if number and not failed else "")
        if failed and len(calls) > 1:
            sys.stdout.flush()
            print(f"{options.url[number]!a}:", file=sys.stderr, end=" ")
        say_reply(call, as_json=False, pager=not options.no_pager)
        say_attempts(call, options)
    say_next(failures)
    return code


def _kind(options: argparse.Namespace, settings: Settings) -> Kind:
    """Return which compressor is wanted: named, configured, or simply one."""
    usual = settings.compressor.kind
    if (options.compress or options.instruction) and usual == "none":
        usual = "extractive"
    kind: Kind = options.compressor or usual
    return kind


def _deps(
    options: argparse.Namespace,
    chosen: ChosenBackend,
    settings: Settings,
    compressor: Compressor | None,
) -> WebDeps:
    return WebDeps(
        backend=chosen.backend,
        compressor=compressor,
        instruction=options.instruction or INSTRUCTION,
        policy=chosen.policy,
        budget=budget_of(options, settings.extract_char_limit),
        texts=TextFiles(cache_folder() / "texts"),
        focus=options.focus,
        condense=_condenser() if options.focus else None,
        deadline=settings.deadline,
        timer=asyncio_timer,
    )


def _condenser() -> Condenser:
    from ....adapters.compressors.extractive import extract  # noqa: PLC0415  only when it is used

    return extract


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam extract",
        description="Read pages and print their content as markdown. No key is needed.",
        epilog="Many pages are read at once and printed in their order. When some fail, the others "
        "are printed; when any failed, the exit code is 4.",
    )
    parser.add_argument("url", nargs="+", metavar="URL", help="an absolute http or https URL")
    parser.add_argument("--endpoint", help=f"a JSON extract API to ask, instead of {EXTRACT_URL}")
    add_backend_options(parser)
    add_route_options(parser)
    parser.add_argument(
        "--at-once", type=_count, default=AT_ONCE, help=f"pages read at once, {AT_ONCE} by default"
    )
    parser.add_argument(
        "--compress",
        action="store_true",
        help="shorten a long page to what matters, with the compressor that is set, else offline",
    )
    parser.add_argument(
        "--compressor",
        choices=("model", "extractive", "none"),
        help="what shortens long pages, instead of the setting compressor",
    )
    parser.add_argument("--instruction", help="the question that the shortened page should answer")
    parser.add_argument(
        "--render",
        choices=("never", "auto", "always"),
        help="use this machine's Chromium: auto only for pages that are empty without scripts",
    )
    parser.add_argument(
        "--no-pager", action="store_true", help="print a long page at once, without $PAGER"
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
