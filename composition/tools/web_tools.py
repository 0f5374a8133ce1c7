"""The tools: what they are called with, and the kernel behind them."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.call_context import ask_second_look, keep_page_html, limit_cache_age
from webseam.kernel.deps import WebDeps
from webseam.kernel.envelopes import (
    Replaced,
    extract_envelope,
    failure_envelope,
    found_envelope,
    piece_envelope,
    search_envelope,
)
from webseam.kernel.extract import admit_extract_url, judge_final_url
from webseam.kernel.laws.field_checks import check_query
from webseam.kernel.middleware.arguments import (
    check_extract_arguments,
    check_max_age,
    check_more_arguments,
)
from webseam.kernel.pages.page_budget import load_page_record, web_find, web_more
from webseam.kernel.pages.page_record import PageRecord, PageSource
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.port_answers import backend_about
from webseam.kernel.search import web_search
from webseam.kernel.text.display import quote_value
from webseam.kernel.text.trim import Budget
from webseam.kernel.urls.spelling import is_document_url
from webseam.ports.errors import InvalidQuery, NotConfigured, WebError
from webseam.ports.receipts import TraceEntry
from webseam.ports.tools import ExtractArguments, MoreArguments, SearchArguments, ToolPart
from webseam.ports.web import Query, SearchOutcome, WebExtractResult

from . import descriptions
from .batch import MAX_CONCURRENT_PAGES, Documents, Done, extract_tool_pages

if TYPE_CHECKING:
    from webseam.kernel.plugin_changes import Original
    from webseam.ports.data import Data
    from webseam.ports.evidence import AskOutcome
    from webseam.ports.x_search import XSearchOutcome

Trace: TypeAlias = tuple[TraceEntry, ...]
Search: TypeAlias = Callable[[Query, WebDeps], Awaitable[Result[SearchOutcome, WebError]]]
Arguments: TypeAlias = Mapping[str, object]
AnyOutcome = TypeVar(
    "AnyOutcome", SearchOutcome, WebExtractResult, "AskOutcome", "XSearchOutcome", "Data[Any]"
)
Refused = TypeVar("Refused")
_NO_PAGES: Result[WebDeps, WebError] = Failure(NotConfigured(reason="no pages can be read here"))
# The options of a search that are no fields of its query.
_SEARCH_OPTIONS = frozenset({"max_age", "contents"})
# The size of a piece without ``char_limit``.
DEFAULT_PIECE_CHARS = 20_000
_NO_TEXTS: Failure[WebError] = Failure(
    InvalidQuery(field="handle", reason="no text is stored under it")
)


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The envelope and typed outcome of a tool; with ``error``, the envelope has the details."""

    write_envelope: Callable[[], dict[str, object]]
    outcome: object
    error: WebError | None = None

    @cached_property
    def envelope(self) -> dict[str, object]:
        """The envelope; a caller in Python takes the outcome and never asks for it."""
        return self.write_envelope()


def _plain_failure(error: WebError, _args: Arguments) -> dict[str, object]:
    return failure_envelope(error)


class PluginEnvelope(msgspec.Struct, frozen=True):
    """What plugins returned: the results that they changed, if any, and the plugins' names."""

    fields: dict[str, object]
    originals: Sequence[Original] = ()
    by: str = ""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool. ``judge`` returns what ``run`` would refuse; neither raises.

    ``ask`` returns the outcome alone, for a caller in Python; without it ``run`` does.
    ``check`` holds the envelope of a plugin to the laws of the tool, and carries its changes over
    into the result. ``failure`` makes the envelope of an error. Callers may use ``aliases`` of
    arguments; plugins see those in ``names`` under both names, as in Hermes. Agents see only
    ``offered`` tools. ``scope`` tells two tools of one name apart that answer the same arguments
    differently.
    """

    name: str
    description: str
    arguments: type[msgspec.Struct]
    explained: Mapping[str, str]
    aliases: Mapping[str, str]
    names: Mapping[str, str] = {}
    judge: Callable[[Arguments], WebError | None]
    run: Callable[[Arguments, Trace], Awaitable[Result[ToolAnswer, WebError]]]
    ask: Callable[[Arguments], Awaitable[Result[object, WebError]]] | None = None
    check: Callable[[PluginEnvelope, Arguments], Result[Replaced, WebError]]
    unavailable: WebError | None = None
    scope: str = ""
    offered: bool = True
    failure: Callable[[WebError, Arguments], dict[str, object]] = _plain_failure


def web_tools(
    search: Result[WebDeps, WebError], extract: Result[WebDeps, WebError]
) -> tuple[Tool, ...]:
    """Return ``web_search`` and ``web_extract``; an unavailable one fails when called."""
    return (search_tool(search, pages=extract), extract_tool(extract))


def search_tool(
    deps: Result[WebDeps, WebError],
    search: Search = web_search,
    pages: Result[WebDeps, WebError] = _NO_PAGES,
    documents: Documents | None = None,
) -> Tool:
    """Return the tool ``web_search``, which calls ``search`` with ``deps``.

    The ``contents`` of its rows are read through ``pages``, and those of the index through
    ``documents``.
    """

    async def ask_with_options(args: Arguments) -> Result[SearchOutcome, WebError]:
        if (refused := _judge_search_options(args, pages)) is not None:
            return Failure(refused)
        with limit_cache_age(cast("float | None", args.get("max_age"))):
            found = await search(cast("Query", _query_fields(args)), deps.unwrap())
            if not args.get("contents") or not isinstance(found, Success):
                return found
            from .row_pages import read_row_pages  # few searches read pages

            return Success(await read_row_pages(found.unwrap(), pages.unwrap(), documents))

    def ask(args: Arguments) -> Awaitable[Result[SearchOutcome, WebError]]:
        if not _SEARCH_OPTIONS.isdisjoint(args):
            return ask_with_options(args)
        return search(cast("Query", dict(args)), deps.unwrap())

    async def run(args: Arguments, trace: Trace) -> Result[ToolAnswer, WebError]:
        if not isinstance(outcome_or_error := await ask(args), Success):
            return Failure(outcome_or_error.failure())
        it = add_trace(outcome_or_error.unwrap(), trace)
        return Success(ToolAnswer(write_envelope=lambda: search_envelope(Success(it)), outcome=it))

    return Tool(
        name="web_search",
        description=descriptions.SEARCH_WORDS,
        arguments=SearchArguments,
        explained=descriptions.SEARCH_FIELDS,
        aliases={"limit": "max_results"},
        names={"limit": "max_results"},
        judge=lambda args: _judge_query(args, pages),
        run=run,
        ask=ask,
        check=lambda written, args: _check_replaced_search(written, args, deps.unwrap()),
        unavailable=tool_error_or_none(deps),
    )


def _check_replaced_search(
    written: PluginEnvelope, args: Arguments, deps: WebDeps
) -> Result[Replaced, WebError]:
    from webseam.kernel.replaced_results import check_replaced_search  # only with plugins

    return check_replaced_search(
        written.fields, _query_fields(args), deps, written.originals, written.by
    )


def _query_fields(args: Arguments) -> dict[str, object]:
    return {name: value for name, value in args.items() if name not in _SEARCH_OPTIONS}


def _judge_query(args: Arguments, pages: Result[WebDeps, WebError]) -> WebError | None:
    refused = _judge_search_options(args, pages)
    return refused or tool_error_or_none(check_query(_query_fields(args)))


def _judge_search_options(args: Arguments, pages: Result[WebDeps, WebError]) -> WebError | None:
    age = check_max_age(args.get("max_age"))
    contents = args.get("contents")
    if isinstance(age, Failure) or contents in (None, False):
        return tool_error_or_none(age)
    if contents is not True:
        reason = f"must be true or false, got {quote_value(contents)}"
        return InvalidQuery(field="contents", reason=reason)
    if args.get("topic") == "images":
        reason = "cannot stand beside topic images, whose rows are pictures"
        return InvalidQuery(field="contents", reason=reason)
    return tool_error_or_none(pages)


def extract_tool(deps: Result[WebDeps, WebError], documents: Documents | None = None) -> Tool:
    """Return the tool ``web_extract``; without ``deps`` it is unavailable.

    Addresses of the index are read through ``documents``.
    """

    async def run(args: Arguments, trace: Trace) -> Result[ToolAnswer, WebError]:
        if isinstance(checked := check_extract_arguments(args), Failure):
            return checked
        arguments = checked.unwrap()
        rules = _deps_for_arguments(deps.unwrap(), arguments)
        look = ask_second_look(asked=arguments.second_look)
        with limit_cache_age(arguments.max_age), look:
            pages = await read_tool_pages(arguments, rules, documents)
        traced = [page.map(lambda it: add_trace(it, trace)) for page in pages]
        return Success(_pages_answer(arguments.urls, traced))

    return Tool(
        name="web_extract",
        description=descriptions.EXTRACT_WORDS,
        arguments=ExtractArguments,
        explained=descriptions.EXTRACT_FIELDS,
        aliases={"url": "urls"},
        judge=lambda args: _judge_pages(args, deps.unwrap(), documents),
        run=run,
        check=lambda written, args: _check_replaced_pages(written, args, deps.unwrap(), documents),
        unavailable=tool_error_or_none(deps),
        failure=lambda error, args: _failed_pages_envelope(error, args, deps),
    )


async def read_tool_pages(
    arguments: ExtractArguments,
    rules: WebDeps,
    documents: Documents | None,
    *,
    at_once: int = MAX_CONCURRENT_PAGES,
    done: Done | None = None,
) -> list[Result[WebExtractResult, WebError]]:
    """Read the pages of a call, with their links, HTML or a part of it if the call asks for it."""
    if not any((arguments.links, arguments.html, arguments.select)):
        return await extract_tool_pages(
            arguments.urls, rules, documents=documents, at_once=at_once, done=done
        )
    from .html_parts import add_html_parts, check_html_options  # few calls need HTML

    refused = check_html_options(arguments, rules)
    pages: list[Result[WebExtractResult, WebError]]
    if refused is not None:
        pages = [Failure(refused) for _ in arguments.urls]
    else:
        with keep_page_html(True):  # noqa: FBT003  a value of a context
            read = await extract_tool_pages(
                arguments.urls, rules, documents=documents, at_once=at_once, done=lambda *_: None
            )
        pages = await add_html_parts(read, arguments, rules.budget)
    for url, page in zip(arguments.urls, pages, strict=True):
        if done is not None:
            done(url, page)
    return pages


def _check_replaced_pages(
    written: PluginEnvelope, args: Arguments, deps: WebDeps, documents: Documents | None
) -> Result[Replaced, WebError]:
    from webseam.kernel.replaced_results import check_replaced_pages  # only with plugins

    return check_replaced_pages(
        written.fields,
        args,
        lambda url: _admit_page(url, deps, documents),
        written.originals,
        written.by,
    )


def _judge_pages(args: Arguments, deps: WebDeps, documents: Documents | None) -> WebError | None:
    """Return the first refusal if every page is refused, else None."""
    checked = check_extract_arguments(args)
    if (invalid := tool_error_or_none(checked)) is not None:
        return invalid
    verdicts = [
        None if documents is not None and is_document_url(url) else _judge_page_url(url, deps)
        for url in checked.unwrap().urls
    ]
    return next(iter(verdicts), None) if all(verdicts) else None


def _admit_page(url: str, deps: WebDeps, documents: Documents | None) -> Result[Policy, WebError]:
    """Return the policy that a page's final URL must pass, or the refusal of its URL."""
    if documents is not None and is_document_url(url):
        return documents(deps).map(lambda rules: rules.policy)
    denied = _judge_page_url(url, deps)
    return Success(deps.policy) if denied is None else Failure(denied)


def _judge_page_url(url: str, deps: WebDeps) -> WebError | None:
    return tool_error_or_none(admit_extract_url(url, backend_about(deps.backend), deps))


def _failed_pages_envelope(
    error: WebError, args: Arguments, deps: Result[WebDeps, WebError]
) -> dict[str, object]:
    """Return the envelope of a call that read no page: each has its own error, or the call's."""
    urls = check_extract_arguments(args).map(lambda arguments: arguments.urls).value_or(())
    usable = deps.value_or(None)
    errors = [(None if usable is None else _judge_page_url(url, usable)) or error for url in urls]
    pages: list[Result[WebExtractResult, WebError]] = list(map(Failure, errors))
    return {**extract_envelope(urls, pages), **failure_envelope(error)}


def tool_error_or_none(result: Result[Any, Refused]) -> Refused | None:
    """Return the error of a result, or None for a success."""
    return result.failure() if isinstance(result, Failure) else None


def _deps_for_arguments(deps: WebDeps, arguments: ExtractArguments) -> WebDeps:
    changes: dict[str, object] = {}
    if arguments.char_limit is not None:
        changes["budget"] = Budget(characters=arguments.char_limit)
    if arguments.focus is not None:
        changes["focus"] = arguments.focus
    return msgspec.structs.replace(deps, **changes)


def _pages_answer(
    urls: Sequence[str], pages: Sequence[Result[WebExtractResult, WebError]]
) -> ToolAnswer:
    """Return the outcomes of one call; it fails only if every page failed."""
    failures = [page.failure() for page in pages if isinstance(page, Failure)]
    return ToolAnswer(
        write_envelope=lambda: extract_envelope(urls, pages),
        outcome=pages[0].value_or(None) if len(pages) == 1 else tuple(pages),
        error=failures[0] if failures and len(failures) == len(pages) else None,
    )


def add_trace(outcome: AnyOutcome, trace: Trace) -> AnyOutcome:
    """Add the changes of plugins to the receipt of an outcome."""
    if not trace or outcome.receipt is None:
        return outcome
    receipt = msgspec.structs.replace(outcome.receipt, middleware=trace)
    return msgspec.structs.replace(outcome, receipt=receipt)


def more_tool(
    deps: Result[WebDeps, WebError],
    documents: Documents | None = None,
    characters: int = DEFAULT_PIECE_CHARS,
) -> Tool:
    """Return ``web_more`` over the pages that ``web_extract`` keeps, for who may read them."""

    async def run(args: Arguments, _trace: Trace) -> Result[ToolAnswer, WebError]:
        if isinstance(checked := check_more_arguments(args), Failure):
            return checked
        arguments, rules = checked.unwrap(), deps.unwrap()
        if rules.texts is None:
            return _NO_TEXTS
        budget = Budget(characters=arguments.char_limit or characters)

        def judge(source: PageSource) -> WebError | None:
            return _refuse_stored_page(source, rules, documents)

        handle, texts = arguments.handle, rules.texts
        if arguments.find is not None:
            found = await web_find(handle, arguments.find, arguments.max_passages, texts, judge)
            return found.map(
                lambda it: ToolAnswer(
                    write_envelope=lambda: found_envelope(Success(it)), outcome=it
                )
            )
        piece = await web_more(
            handle, arguments.cursor, budget, texts, judge, cast("ToolPart", arguments.part)
        )
        return piece.map(
            lambda it: ToolAnswer(write_envelope=lambda: piece_envelope(Success(it)), outcome=it)
        )

    return Tool(
        name="web_more",
        description=descriptions.MORE_WORDS,
        arguments=MoreArguments,
        explained=descriptions.MORE_FIELDS,
        aliases={},
        judge=lambda args: tool_error_or_none(check_more_arguments(args)),
        run=run,
        check=lambda written, _args: _check_replaced_piece(written),
        unavailable=tool_error_or_none(deps),
    )


def _check_replaced_piece(written: PluginEnvelope) -> Result[Replaced, WebError]:
    from webseam.kernel.replaced_results import check_replaced_piece  # only with plugins

    return check_replaced_piece(written.fields, written.originals)


async def kept_page(
    handle: str, deps: Result[WebDeps, WebError], documents: Documents | None
) -> Result[PageRecord, WebError]:
    """Return the page under a handle, if the caller of ``deps`` may read it."""
    if isinstance(deps, Failure):
        return deps
    rules = deps.unwrap()
    if rules.texts is None:
        return _NO_TEXTS
    return await load_page_record(
        handle, rules.texts, lambda source: _refuse_stored_page(source, rules, documents)
    )


def _refuse_stored_page(
    source: PageSource, deps: WebDeps, documents: Documents | None
) -> WebError | None:
    """Return why a fresh read of a page would be refused, or None."""
    admitted = _admit_page(source.url, deps, documents)
    if isinstance(admitted, Failure):
        error: WebError = admitted.failure()
        return error
    return judge_final_url(source.final_url, admitted.unwrap())
