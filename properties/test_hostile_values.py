# ruff: noqa: ANN401  anything may be anywhere
"""A hostile value at any position of any entry point of the kernel: an answer, never an exception."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any, get_args

import msgspec
import pytest
from returns.result import Failure, Result, Success

from webseam.composition.features.testing.strategies.hostile import hostile_values
from webseam.kernel import WebDeps, web_extract, web_extract_many, web_more, web_search
from webseam.kernel.cache_rules import Lifetimes, cacheable_page, cacheable_search
from webseam.kernel.envelopes import envelope_fields, extract_envelope, search_envelope
from webseam.kernel.features.evidence.notes import AskDeps
from webseam.kernel.features.evidence.web_ask import answer_from_pages, check_ask, web_ask
from webseam.kernel.features.models.chat import check_chat_request
from webseam.kernel.features.models.x_search import XSearchDeps, x_search
from webseam.kernel.features.models.x_search_request import check_x_request
from webseam.kernel.laws.field_checks import check_document, check_query
from webseam.kernel.laws.row_law import check_row
from webseam.kernel.middleware.arguments import (
    check_extract_arguments,
    check_max_age,
    check_more_arguments,
    coerce_tool_arguments,
)
from webseam.kernel.middleware.hooks import (
    first_hook_directive,
    hook_modified_args,
    hook_observable_value,
    hook_replacement_text,
    notify_hooks,
)
from webseam.kernel.pages.page_record import PageRecord, PageSource, write_page_record
from webseam.kernel.policy.explanation import explain
from webseam.kernel.policy.judge import judge_fetch, judge_url
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.port_answers import port_error
from webseam.kernel.text.display import quote_value
from webseam.kernel.text.trim import Budget
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import BackendAbout, Served
from webseam.ports.errors import RateLimited, WebError
from webseam.ports.middleware import Hook
from webseam.ports.receipts import Usage
from webseam.ports.tools import ExtractArguments
from webseam.ports.web import SearchAnswer, WebSearchQuery
from webseam.testing import FakeBackend

from .ask import URL

TODAY = date(2026, 1, 1)
Ask = Callable[[Any], Awaitable[object]]
ROW = {"title": "t", "url": "https://a.example/", "snippet": "s"}
PAGE = {"url": URL, "content": "text " * 200}
STORED = write_page_record(PageRecord(source=PageSource(url=URL, final_url=URL), content="text"))
KINDS = get_args(WebError)


def allow(_source: PageSource) -> None:
    """Let every caller read every page."""


class Odd:
    """A backend with any ``about``, that answers every call with one value."""

    def __init__(self, answer: object, about: object = None) -> None:
        self.about = BackendAbout(name="odd", batch=3) if about is None else about
        self._answer = answer

    async def search(self, _query: object, /) -> Any:
        return self._answer

    async def extract(self, _url: object, /) -> Any:
        return self._answer

    async def extract_many(self, _urls: object, /) -> Any:
        return self._answer

    async def x_search(self, _request: object, /) -> Any:
        return self._answer

    async def save(self, _text: object, /) -> Any:
        return self._answer

    async def load(self, _handle: object, /) -> Any:
        return self._answer


def deps_with(backend: object, changes: dict[str, Any]) -> WebDeps:
    return WebDeps(**{"backend": backend, "compress_min_length": 0, **changes})


async def search(backend: object, query: Any = "q", **deps: Any) -> object:
    return await web_search(query, deps_with(backend, deps))


async def extract(backend: object, url: object = URL, **deps: Any) -> object:
    return await web_extract(url, deps_with(backend, deps))


async def extract_many(backend: object, urls: Any, **deps: Any) -> object:
    return await web_extract_many(urls, deps_with(backend, deps))


async def at_once(value: object) -> object:
    return value


def later(value: object) -> Any:
    async def answer(*_: object) -> object:
        return value

    return answer


def ended(value: object) -> Any:
    async def timer(work: Any, _seconds: float) -> object:
        work.close()
        return value

    return timer


def fields_of(kind: type[msgspec.Struct]) -> list[str]:
    return list(kind.__struct_fields__)


def forged(kind: type[msgspec.Struct], field: str, value: object) -> Any:
    """Return a Struct with one wrong field: msgspec checks none that is built by hand."""
    required = {each.name: "x" for each in msgspec.structs.fields(kind) if each.required}
    return kind(**{**required, field: value})


async def ask_hook(answer: object) -> object:
    hook = Hook(name="pre_tool_call", callback=lambda: None, plugin="p")
    answers = await notify_hooks([hook], {"event": answer}, later(answer), lambda _: None)
    first_hook_directive(answers.unwrap())
    hook_replacement_text(answers.unwrap())
    return hook_modified_args({}, answers.unwrap())


GOOD = FakeBackend([ROW], PAGE)
DEPS_FIELDS = [name for name in fields_of(WebDeps) if name != "backend"]
ENTRIES: dict[str, Ask] = {
    "search: deps": lambda it: web_search("q", it),
    "extract: deps": lambda it: web_extract(URL, it),
    "extract_many: deps": lambda it: web_extract_many([URL], it),
    "search: query": lambda it: search(GOOD, it),
    "search: backend": search,
    "search: about": lambda it: search(Odd(Success([ROW]), it)),
    "search: answer": lambda it: search(Odd(it)),
    "search: success": lambda it: search(Odd(Success(it))),
    "search: failure": lambda it: search(Odd(Failure(it))),
    "search: row": lambda it: search(Odd(Success([ROW, it]))),
    "search: quarantined row": lambda it: search(Odd(Success([ROW, it])), rows="quarantine"),
    "search: prose": lambda it: search(Odd(Success([SearchAnswer(text=it)]))),
    "search: clock": lambda it: search(GOOD, now=lambda: it),
    "search: session": lambda it: search(GOOD, session=lambda: it, policy=Policy(follow="seen")),
    "search: timed": lambda it: search(GOOD, deadline=1.0, timer=ended(it)),
    "extract: url": lambda it: extract(GOOD, it),
    "extract: backend": extract,
    "extract: about": lambda it: extract(Odd(Success(PAGE), it)),
    "extract: answer": lambda it: extract(Odd(it)),
    "extract: success": lambda it: extract(Odd(Success(it))),
    "extract: failure": lambda it: extract(Odd(Failure(it))),
    "extract: metadata": lambda it: extract(Odd(Success({**PAGE, "metadata": {"m": it}}))),
    "extract: clock": lambda it: extract(GOOD, now=lambda: it),
    "extract: session": lambda it: extract(GOOD, session=lambda: it, policy=Policy(follow="seen")),
    "extract: compressed": lambda it: extract(GOOD, compressor=later(it)),
    "extract: compressed to": lambda it: extract(GOOD, compressor=later(Success(it))),
    "extract: condensed": lambda it: extract(
        GOOD, focus="f", condense=later(it), budget=Budget(characters=500)
    ),
    "extract: stored": lambda it: extract(
        GOOD, texts=Odd(Success(it)), budget=Budget(characters=500)
    ),
    "extract: characters": lambda it: extract(GOOD, budget=Budget(characters=it)),
    "extract: tokens": lambda it: extract(GOOD, budget=Budget(tokens=it)),
    "extract_many: urls": lambda it: extract_many(GOOD, it),
    "extract_many: url": lambda it: extract_many(Odd(Success([PAGE])), [URL, it]),
    "extract_many: answer": lambda it: extract_many(Odd(it), [URL]),
    "extract_many: success": lambda it: extract_many(Odd(Success(it)), [URL, "https://b.example/"]),
    "extract_many: item": lambda it: extract_many(Odd([it]), [URL]),
    "more: handle": lambda it: web_more(it, 0, Budget(), Odd(Success(STORED)), allow),
    "more: cursor": lambda it: web_more("h", it, Budget(), Odd(Success(STORED)), allow),
    "more: budget": lambda it: web_more("h", 0, it, Odd(Success(STORED)), allow),
    "more: store": lambda it: web_more("h", 0, Budget(), it, allow),
    "more: stored": lambda it: web_more("h", 0, Budget(), Odd(Success(it)), allow),
    "more: answer": lambda it: web_more("h", 0, Budget(), Odd(it), allow),
    "more: judge": lambda it: web_more("h", 0, Budget(), Odd(Success(STORED)), it),
    "more: judged": lambda it: web_more("h", 0, Budget(), Odd(Success(STORED)), lambda _: it),
    "x: request": lambda it: x_search(it, XSearchDeps(backend=Odd(Success({})), today=lambda: 1)),  # type: ignore[arg-type, return-value]  # anything
    "x: deps": lambda it: x_search({"query": "q"}, it),
    "x: answer": lambda it: x_search(
        {"query": "q"},
        XSearchDeps(backend=Odd(it), today=lambda: TODAY),  # type: ignore[arg-type]  # anything
    ),
    "ask: fields": lambda it: web_ask(
        it, AskDeps(search=later(()), read=later(()), read_on="x", new_mark=str)
    ),
    "ask: deps": lambda it: web_ask("q", it),
    "ask: searches": lambda it: web_ask(
        "q", AskDeps(search=later(it), read=later(()), read_on="", new_mark=str)
    ),
    "ask: pages": lambda it: answer_from_pages(
        "q", it, AskDeps(search=it, read=it, read_on="", new_mark=str)
    ),
    "check_query": lambda it: at_once(check_query(it)),
    "check_row": lambda it: at_once(check_row(it)),
    "check_document": lambda it: at_once(check_document(it, URL)),
    "parse_target": lambda it: at_once(parse_target(it)),
    "judge_url": lambda it: at_once(judge_url(it, Policy())),
    "judge_fetch": lambda it: at_once(judge_fetch(it, Policy())),
    "explain": lambda it: at_once(explain(it, Policy())),
    "check_x_request": lambda it: at_once(check_x_request(it, TODAY)),
    "check_chat_request": lambda it: at_once(check_chat_request(it)),
    "check_chat_message": lambda it: at_once(check_chat_request({"model": "m", "messages": [it]})),
    "check_ask": lambda it: at_once(check_ask(it)),
    "check_max_age": lambda it: at_once(check_max_age(it)),
    "tool arguments": lambda it: at_once(coerce_tool_arguments(it, ExtractArguments, {})),
    "tool argument": lambda it: at_once(coerce_tool_arguments({"urls": it}, ExtractArguments, {})),
    "arguments of extract": lambda it: at_once(check_extract_arguments({"urls": it})),
    "an url of extract": lambda it: at_once(check_extract_arguments({"urls": [it]})),
    "more arguments": lambda it: at_once(check_more_arguments({"handle": it, "cursor": it})),
    "envelope_fields": lambda it: at_once(envelope_fields(it)),
    "hook answer": ask_hook,
    "hook action": lambda it: ask_hook({"action": it, "message": it, "args": it}),
    "hook message": lambda it: ask_hook({"action": "block", "message": it}),
    "hook args": lambda it: ask_hook({"action": "modify", "args": it}),
    "observed": lambda it: at_once(hook_observable_value({"a": [it]})),
    "quote_value": lambda it: at_once(quote_value(it)),
    "cacheable_page": lambda it: at_once(cacheable_page(URL, it, Lifetimes())),
    "cacheable_search": lambda it: at_once(
        cacheable_search(WebSearchQuery(query="q"), [it], TODAY, Lifetimes())
    ),
}


def _bind(make: Callable[[str, Any], Awaitable[object]], name: str) -> Ask:
    return lambda it: make(name, it)


for _field in fields_of(WebSearchQuery):
    ENTRIES[f"search: query.{_field}"] = _bind(
        lambda name, it: search(GOOD, {"query": "q", name: it}), _field
    )
    ENTRIES[f"search: forged query.{_field}"] = _bind(
        lambda name, it: search(GOOD, forged(WebSearchQuery, name, it)), _field
    )
for _field in ("include_domains", "exclude_domains"):
    ENTRIES[f"search: query.{_field}[0]"] = _bind(
        lambda name, it: search(GOOD, {"query": "q", name: [it]}), _field
    )
for _field in DEPS_FIELDS:
    ENTRIES[f"search: deps.{_field}"] = _bind(lambda name, it: search(GOOD, **{name: it}), _field)
    ENTRIES[f"extract: deps.{_field}"] = _bind(lambda name, it: extract(GOOD, **{name: it}), _field)
    ENTRIES[f"extract_many: deps.{_field}"] = _bind(
        lambda name, it: extract_many(GOOD, [URL], **{name: it}), _field
    )
for _field in fields_of(BackendAbout):
    ENTRIES[f"search: about.{_field}"] = _bind(
        lambda name, it: search(Odd(Success([ROW]), forged(BackendAbout, name, it))), _field
    )
    ENTRIES[f"extract_many: about.{_field}"] = _bind(
        lambda name, it: extract_many(Odd(Success([PAGE]), forged(BackendAbout, name, it)), [URL]),
        _field,
    )
for _field in ("title", "url", "snippet", "published_at", "score", "origin", "other"):
    ENTRIES[f"search: row.{_field}"] = _bind(
        lambda name, it: search(Odd(Success([{**ROW, name: it}]))), _field
    )
for _field in ("url", "content", "title", "final_url", "raw_content", "metadata", "other"):
    ENTRIES[f"extract: page.{_field}"] = _bind(
        lambda name, it: extract(Odd(Success({**PAGE, name: it}))), _field
    )
for _field in fields_of(Served):
    ENTRIES[f"search: served.{_field}"] = _bind(
        lambda name, it: search(Odd(Success(Served(**{"answer": [ROW], name: it})))), _field
    )
    ENTRIES[f"extract: served.{_field}"] = _bind(
        lambda name, it: extract(Odd(Success(Served(**{"answer": PAGE, name: it})))), _field
    )
for _field in fields_of(Usage):
    ENTRIES[f"search: usage.{_field}"] = _bind(
        lambda name, it: search(Odd(Success(Served(answer=[ROW], usage=forged(Usage, name, it))))),
        _field,
    )
for _field in fields_of(BackendAttempt):
    ENTRIES[f"search: attempt.{_field}"] = _bind(
        lambda name, it: search(
            Odd(Success(Served(answer=[ROW], by="b", attempts=(forged(BackendAttempt, name, it),))))
        ),
        _field,
    )


def assert_can_be_sent(name: str, result: object) -> None:
    if isinstance(result, tuple):
        for page in result:
            assert_can_be_sent(name, page)
        return
    if not isinstance(result, Result):
        return
    if isinstance(result, Failure) and type(result.failure()) in KINDS:
        assert result.failure().message.strip()
        assert msgspec.json.encode(result.failure())
        return
    if name.startswith("search:"):
        assert msgspec.json.encode(search_envelope(result))
    elif name.startswith("extract"):
        assert msgspec.json.encode(extract_envelope(["u"], [result]))


@pytest.mark.parametrize("name", ENTRIES)
def test_hostile_value_at_any_position_gets_an_answer(name: str) -> None:
    async def work() -> dict[str, str]:
        raised: dict[str, str] = {}
        for label, value in hostile_values().items():
            try:
                assert_can_be_sent(name, await ENTRIES[name](value))
            except Exception as error:  # noqa: BLE001  the fault that this law looks for
                raised[label] = type(error).__name__
        return raised

    assert asyncio.run(work()) == {}


@pytest.mark.parametrize("kind", KINDS)
def test_error_with_a_hostile_field_can_be_sent(kind: type[msgspec.Struct]) -> None:
    values = hostile_values().values()
    for field in fields_of(kind):
        for value in values:
            assert_can_be_sent("error", Failure(port_error(forged(kind, field, value), "b", None)))


def test_surrogate_in_an_error_of_a_backend_leaves_its_kind() -> None:
    error = asyncio.run(search(Odd(Failure(RateLimited(detail="a\ud800b")))))

    assert error == Failure(RateLimited(detail="a?b", backend="odd"))
