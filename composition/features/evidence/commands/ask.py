"""Look things up: answer a question in the words of the pages that were read."""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.folder_files import file_path
from webseam.composition.session import Session
from webseam.composition.terminal import command_calls, output
from webseam.composition.terminal.argument_parser import (
    Parser,
    add_receipt_option,
    route_from_options,
)
from webseam.composition.terminal.exit_codes import DONE, UNHEALTHY, failure_exit_code
from webseam.composition.terminal.page_reports import print_failed_attempts
from webseam.composition.terminal.progress import Progress
from webseam.composition.terminal.shown_values import duration_text
from webseam.composition.terminal.streams import stop_if_unread
from webseam.composition.terminal.styled_lines import Span, fact_footer, hanging_lines
from webseam.composition.terminal.terminal_look import read_terminal_look
from webseam.composition.tools.ask_context import AskContext, tool_ask_context
from webseam.composition.tools.dispatch import Tools
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.wiring.backend_choice import choose_backend
from webseam.composition.wiring.backend_rows import Root
from webseam.composition.wiring.indexed_documents import IndexedDocuments
from webseam.composition.wiring.root import read_root
from webseam.kernel.features.evidence import records, rendering
from webseam.kernel.text.display import one_line
from webseam.ports.backends import Closeable
from webseam.ports.errors import CheckFailed, InvalidQuery, WebError
from webseam.ports.evidence import AskOutcome, AskReceipt, AskStep, Claim, SourcePage

from ..ask_models import AskOverrides, open_ask_models
from ..ask_tool import AskToolDeps, ask_tool
from ..settings import AskSettings

_MAX_VERIFY_WORDS = 2
_MAX_PROBLEM_CHARS = 400
_MAX_RECORD_BYTES = 256 * 1024 * 1024
# A saved answer is asked without a search.
_SEARCH_OPTIONS = ("--pages", "--site", "--not-site", "--backend", "--route", "--no-cache")


class _AskTools(msgspec.Struct, frozen=True, kw_only=True):
    tools: Tools
    opened: tuple[Closeable, ...]

    async def aclose(self) -> None:
        """Close the backends and models."""
        await asyncio.gather(*(resource.aclose() for resource in self.opened))


def run(arguments: Sequence[str]) -> int:
    """Answer or verify, print, and return the exit code."""
    options = command_line().parse_args(arguments)
    words: list[str] = options.question
    if words[0] == "verify" and len(words) <= _MAX_VERIFY_WORDS:
        return _verify_answer_record(*words[1:], as_json=options.json)
    pages = output.unwrap_or_exit(_read_pages(options.evidence), options)
    loaded = read_root().bind(command_calls.load_plugins_for_command)
    opened = output.unwrap_or_exit(loaded.bind(lambda pair: _open_tools(options, *pair)), options)
    with Progress("Asking", counted=False) as progress:
        # A terminal shows each claim once it is checked.
        is_live = not (options.json or options.events) and read_terminal_look(sys.stdout).person
        screen = _AnswerScreen(progress, events=options.events, live=is_live)
        context = AskContext(tell=screen.show_step, pages=pages)
        called = asyncio.run(_ask_question(opened, _question_fields(options), context))
    return _report_outcome(called, options, screen)


class _AnswerScreen:
    """Shows the steps, and at a terminal each claim at once; its frame is quieter than its text."""

    def __init__(self, progress: Progress, *, events: bool, live: bool) -> None:
        self._progress, self._events, self._live = progress, events, live
        self._claims: list[Claim] = []
        self._notes = rendering.Footnotes(_quote_location)
        # The tools redirect sys.stdout to stderr for plugins, so keep the original.
        self._out = sys.stdout
        self._began = time.monotonic()
        look = read_terminal_look(sys.stdout)
        self._look = msgspec.structs.replace(look, width=look.prose)

    def show_step(self, step: AskStep) -> None:
        """Show a step."""
        plain = msgspec.structs.replace(step, detail=_quote_location(step.detail))
        self._progress.count_step(rendering.step_text(plain))
        if self._events:
            name, document = rendering.step_event(step)
            output.print_json_line({"event": name, **document}, self._out)
        elif self._live and step.claim is not None:
            claim = step.claim
            self._claims.append(claim)
            self._progress.print_above(lambda: self._print_claim(claim))
        stop_if_unread(self._out)

    def print_rest(self, outcome: AskOutcome) -> None:
        """Print what is not printed yet."""
        if tuple(self._claims) != outcome.claims:
            self._notes = rendering.Footnotes(_quote_location)
            for claim in outcome.claims:
                self._print_claim(claim)
        for number, block in enumerate(rendering.under_claims(outcome, self._notes)):
            if number:
                print(file=self._out)
            for line in block.split("\n"):
                self._print_line([Span(line, "quiet")], hang=4)

    def print_footer(self, outcome: AskOutcome) -> None:
        """Print at a terminal how many claims there are, of how many pages, and who chose them."""
        if not self._look.person:
            return
        claims, pages = len(outcome.claims), len(outcome.pages)
        facts = (
            "1 claim" if claims == 1 else f"{claims} claims",
            "1 page read" if pages == 1 else f"{pages} pages read",
            "no model" if outcome.extractive else outcome.receipt.answered_by,
            duration_text(time.monotonic() - self._began),
        )
        print("\n" + "\n".join(fact_footer(facts, self._look)), file=self._out)

    def _print_claim(self, claim: Claim) -> None:
        before, text, after = self._notes.claim_parts(claim)
        self._print_line([Span(before, "quiet"), Span(text), Span(after, "quiet")])
        print(file=self._out, flush=True)

    def _print_line(self, spans: Sequence[Span], *, hang: int = 0) -> None:
        for line in hanging_lines(spans, self._look, hang=hang):
            print(line, file=self._out)


async def _ask_question(
    opened: _AskTools, fields: dict[str, object], context: AskContext
) -> CallOutcome:
    tools = opened.tools
    try:
        with tool_ask_context(context):
            return await command_calls.run_in_command_session(
                tools, lambda: tools.ask("web_ask", fields)
            )
    finally:
        await opened.aclose()


def _report_outcome(call: CallOutcome, options: argparse.Namespace, screen: _AnswerScreen) -> int:
    error, outcome = call.reply.error, call.outcome
    if options.save is not None and isinstance(outcome, AskOutcome):
        output.unwrap_or_exit(_save_answer_record(Path(options.save), outcome), options)
    if options.events:
        output.print_json_line({"event": "done", **call.reply.envelope}, sys.stdout)
        return DONE if error is None else failure_exit_code(error)
    # A plugin may replace the answer with another object; print that as JSON.
    if options.json or (error is None and not isinstance(outcome, AskOutcome)):
        output.print_json(call.reply.envelope, error, short=None if options.receipt else AskReceipt)
    elif error is not None:
        command_calls.print_tool_failure(call.reply, error)
        if options.explain:
            print_failed_attempts(error)
    else:
        _print_answer(cast("AskOutcome", outcome), screen, is_explained=options.explain)
    return DONE if error is None else failure_exit_code(error)


def _print_answer(outcome: AskOutcome, screen: _AnswerScreen, *, is_explained: bool) -> None:
    screen.print_rest(outcome)
    screen.print_footer(outcome)
    output.print_warnings(outcome.receipt.warnings)
    if is_explained:
        receipt, left_out = outcome.receipt, len(outcome.unsupported)
        lines = [f"searched for: {query}" for query in receipt.queries]
        lines += [f"{page.outcome}: {_quote_location(page.url)}" for page in receipt.pages]
        lines += [
            f"passages: {receipt.passages}",
            f"answered by {receipt.answered_by}",
            f"claims: {receipt.claimed}, mended: {receipt.repaired}, left out: {left_out}",
        ]
        for line in lines:
            print(one_line(line), file=sys.stderr)


def _quote_location(url: str) -> str:
    """Return the URL of a quote, or the file path of an indexed document."""
    path = file_path(url)
    return url if path is None else one_line(str(path), 8192)


def _save_answer_record(file: Path, outcome: AskOutcome) -> Result[None, WebError]:
    try:
        file.write_bytes(records.write_record(outcome))
    except OSError as error:
        return Failure(InvalidQuery(field="--save", reason=f"{file}: {error.strerror}"))
    return Success(None)


def _read_pages(file: str | None) -> Result[tuple[SourcePage, ...], WebError]:
    if file is None:
        return Success(())
    return _read_answer_record(file).map(lambda saved: saved.pages)


def _read_answer_record(file: str) -> Result[records.SavedAnswer, WebError]:
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(_MAX_RECORD_BYTES + 1)
    except OSError as error:
        reason = f"{file} cannot be read: {error.strerror}"
        return Failure(InvalidQuery(field="FILE", reason=reason))
    return records.read_record(data).alt(
        lambda error: InvalidQuery(field="FILE", reason=f"{file} cannot be used: {error.reason}")
    )


def _verify_answer_record(file: str = "", *, as_json: bool) -> int:
    """Make a saved answer again from its pages, offline; 1 when anything differs."""
    if not file:
        reason = "is missing, as in: webseam ask verify answer.json"
        return output.print_error(InvalidQuery(field="FILE", reason=reason), as_json=as_json)
    if isinstance(record := _read_answer_record(file), Failure):
        return output.print_error(record.failure(), as_json=as_json)
    saved = record.unwrap()
    is_older = saved.version != records.RECORD_FORMAT
    differences = records.verify_record(saved)
    if as_json:
        found = msgspec.to_builtins(differences)
        data = {"holds": not differences, "older": is_older, "differences": found}
        problem = f"The answer does not hold: {len(differences)} differences."
        output.print_verdict(data, CheckFailed(problem=problem) if differences else None)
        return UNHEALTHY if differences else DONE
    if is_older:
        print("An older version of webseam saved this answer: it has no seal and no frames.")
    for difference in differences:
        print(f"{difference.path}: {one_line(difference.problem, _MAX_PROBLEM_CHARS)}")
    if differences:
        print(f"The answer does not hold: {len(differences)} differences.")
        return UNHEALTHY
    print(f"The answer holds: all of it was made again from its pages ({len(saved.pages)}).")
    return DONE


def _open_tools(
    options: argparse.Namespace, root: Root, session: Session
) -> Result[_AskTools, WebError]:
    output.print_warnings(root.settings.warnings)
    overrides = AskOverrides(
        provider=options.provider,
        model=options.model,
        extractive=options.no_model,
    )
    if isinstance(models := open_ask_models(root, overrides), Failure):
        return models
    searching = choose_backend(
        "search",
        root,
        backend_name=options.backend,
        route=route_from_options(options),
        cached=not options.no_cache,
    )
    if isinstance(searching, Failure):
        return searching
    if isinstance(reading := choose_backend("extract", root, cached=not options.no_cache), Failure):
        return reading
    documents = IndexedDocuments(root)
    deps = AskToolDeps(
        search=searching.unwrap().web_deps(root),
        pages=reading.unwrap().web_deps(root),
        models=models.unwrap(),
        seconds=options.seconds or root.settings.of(AskSettings).seconds,
        documents=documents.index_deps,
        summary=options.summary or root.settings.of(AskSettings).summary,
    )
    opened = (searching.unwrap().backend, reading.unwrap().backend, models.unwrap(), documents)
    return Success(_AskTools(tools=Tools((ask_tool(Success(deps)),), session), opened=opened))


def _question_fields(options: argparse.Namespace) -> dict[str, object]:
    fields = {
        "question": " ".join(options.question),
        "max_pages": options.pages,
        "include_domains": options.site,
        "exclude_domains": options.not_site,
    }
    return {name: value for name, value in fields.items() if value not in (None, [])}


def command_line() -> Parser:
    """Return the parser of ``webseam ask``."""
    parser = Parser(
        prog="webseam ask",
        example="how long is the longest bridge",
        description="Answer a question from the web, in whole sentences of the pages that were"
        " read. A model only chooses them.",
        epilog="webseam ask verify FILE makes a saved answer again from its pages, offline.",
        hints={"--timeout": "use --seconds", "--index": "use --backend index"},
        conflicts=[
            *((option, "--no-model") for option in ("--provider", "--model", "--summary")),
            *((option, "--from") for option in _SEARCH_OPTIONS),
        ],
    )
    add = parser.add_argument
    add("question", nargs="+", help="the question; words need no quotes")
    add("-n", "--pages", type=int, help="read at most this many pages, 1 to 12")
    add("--site", action="append", default=[], help="only this domain; repeatable")
    add("--not-site", action="append", default=[], help="not this domain")
    add("--seconds", type=_parse_seconds, help="the time limit, instead of ask.seconds")
    add("--save", metavar="FILE", help="save the answer and its pages in a file")
    from_help = "ask the pages of a saved answer, without a search"
    add("--from", dest="evidence", metavar="FILE", help=from_help)
    add("--events", action="store_true", help="print each step and claim as a line of JSON")
    answering = parser.add_argument_group("who answers")
    add = answering.add_argument
    add("--provider", help="the provider of the model, instead of ask.provider")
    add("--model", help="the model, instead of ask.model")
    add("--no-model", action="store_true", help="answer with sentences of the pages alone")
    add("--summary", action="store_true", help="show also what the model makes of it, as its own")
    group = answering.add_mutually_exclusive_group()
    group.add_argument("--backend", metavar="NAME", help="search with this backend")
    routes = "search with these in turn, e.g. brave,tavily"
    group.add_argument("--route", metavar="NAMES", help=routes)
    add("--no-cache", action="store_true", help="do not use the cache")
    add("--explain", action="store_true", help="show the queries, pages and checks")
    add_receipt_option(answering)
    return parser


def _parse_seconds(text: str) -> float:
    number = float(text)
    if not 0 < number <= 3600:  # noqa: PLR2004  an hour, as every limit of seconds
        message = "must be above 0 and at most 3600"
        raise argparse.ArgumentTypeError(message)
    return number
