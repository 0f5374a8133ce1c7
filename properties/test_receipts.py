"""A receipt adds up: each field of each receipt keeps its law, however the call went.

Null is unknown and 0 is none. A field without a law fails, so a new one comes with what it means.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
from hypothesis import example, given, settings, strategies as st
from returns.result import Failure, Result, Success

from tests.clock import run
from tests.features.evidence.asking import CASE, deps as ask_deps
from tests.features.evidence.world import claiming
from tests.planner.support import route, single
from webseam import XSearchDeps, x_search
from webseam.adapters.features.evidence import ModelAnswerer
from webseam.adapters.stores.cache_table import CacheStore
from webseam.composition.features.testing.clients import FakeTexts
from webseam.composition.terminal.short_receipts import short_receipt
from webseam.composition.wiring.cache import with_cache
from webseam.errors import RateLimited, UpstreamUnavailable, WebError
from webseam.kernel import Policy, WebDeps, web_extract, web_extract_many, web_search
from webseam.kernel.features.evidence.printing import RULES_VERSION
from webseam.kernel.features.evidence.web_ask import web_ask
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.kernel.text.trim import Budget
from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import EVERY_FILTER, BackendAbout, PageAnswer, RowsAnswer, Served
from webseam.ports.evidence import AskOutcome, AskReceipt
from webseam.ports.models import Compressed, NormalizedResponse
from webseam.ports.receipts import ExtractReceipt, SearchReceipt, Usage
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery
from webseam.ports.x_search import XSearchReceipt
from webseam.testing import FakeModel, FakeXSearch

PRICES = {"a": 5_000, "b": 0, "c": 7_000}
DENIED, EXCLUDED = "denied.example", "excluded.example"
HOSTS = ("one.example", "two.example", "three.example", EXCLUDED, DENIED)
NEWEST = date(2026, 11, 19)
AFTER = date(2026, 11, 1)
ERRORS: tuple[WebError, ...] = (UpstreamUnavailable(status=503), RateLimited(retry_after=9.0))
USED = Usage(input_tokens=2, output_tokens=1, total_tokens=3)


class Row(NamedTuple):
    """A row of a backend: on which host, of which day, and what is wrong with it."""

    host: str = HOSTS[0]
    day: str | None = None
    is_bad: bool = False
    has_extra: bool = False

    def fields(self) -> dict[str, object]:
        row: dict[str, object] = {"title": self.host, "url": f"https://{self.host}/", "snippet": ""}
        if self.day is not None:
            row["published_at"] = self.day
        if self.has_extra:
            row["colour"] = "blue"
        return {**row, "url": "javascript:1"} if self.is_bad else row


class Given(NamedTuple):
    """What one member gives: rows with the usage of a model, or an error."""

    rows: tuple[Row, ...] = ()
    usage: Usage | None = None
    error: WebError | None = None
    has_raw: bool = True


class Member:
    """A backend that gives what it is told, and counts how often it is asked."""

    def __init__(self, name: str, given: Given) -> None:
        self.about, self.given, self.asked = BackendAbout(name=name), given, 0

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        self.asked += 1
        if self.given.error is not None:
            return Failure(self.given.error)
        rows = [row.fields() for row in self.given.rows]
        return Success(Served(answer=rows, usage=self.given.usage))

    async def extract(self, url: str, /) -> PageAnswer:
        self.asked += 1
        if self.given.error is not None:
            return Failure(self.given.error)
        page = {"url": url, "title": self.about.name, "content": PAGE_TEXT, "colour": "blue"}
        raw = {"raw_content": RAW_TEXT} if self.given.has_raw else {}
        return Success(Served(answer={**page, **raw}, usage=self.given.usage))

    async def aclose(self) -> None:
        """Close nothing."""


class SearchCase(NamedTuple):
    """A search over a route of members, and how it is called."""

    given: tuple[Given, ...] = (Given(),)
    is_fused: bool = False
    is_cached: bool = False
    limit: int | None = None
    excludes: bool = False
    is_dated: bool = False
    denies: bool = False


class SearchCall(NamedTuple):
    """One answered search: its case, whether it is the first, and what came."""

    case: SearchCase
    number: int
    outcome: SearchOutcome
    session_urls: frozenset[str]
    barren: int
    first_fetched: str | None

    @property
    def answered(self) -> list[tuple[str, Given]]:
        """The members whose rows are in the answer: all of a fused step, else the first."""
        members = [
            pair for pair in zip("abc", self.case.given, strict=False) if pair[1].error is None
        ]
        return members if self.case.is_fused else members[:1]

    @property
    def rows(self) -> list[Row]:
        return [row for _, given in self.answered for row in given.rows]

    @property
    def good(self) -> list[Row]:
        return [row for row in self.rows if not row.is_bad]

    @property
    def is_from_cache(self) -> bool:
        """Later calls are answered from the cache, unless a member of a fused step failed."""
        is_partial = self.case.is_fused and len(self.answered) < len(self.case.given)
        has_bad = any(row.is_bad for row in self.rows)
        return self.case.is_cached and self.number > 0 and not is_partial and not has_bad


def is_excluded(call: SearchCall, row: Row) -> bool:
    is_old = call.case.is_dated and row.day is not None and row.day < AFTER.isoformat()
    return is_old or (call.case.excludes and row.host == EXCLUDED)


def lists_only(names: Sequence[str], allowed: Sequence[str]) -> bool:
    return len({*names}) == len(names) and {*names} <= {*allowed}


def asked_filters(case: SearchCase) -> set[str]:
    filters = {"exclude_domains"} if case.excludes else set()
    return filters | ({"published_after"} if case.is_dated else set())


def summed(usages: Sequence[Usage | None]) -> Usage | None:
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None
    fields = ("input_tokens", "output_tokens", "total_tokens")
    return Usage(**{name: sum(getattr(usage, name) for usage in known) for name in fields})


def is_time(text: str | None) -> bool:
    return text is not None and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text) is not None


def kept_rows(call: SearchCall) -> list[Row]:
    """Return the rows of each member that break no filter, in its order."""
    return [row for row in call.good if not is_excluded(call, row)]


def duplicates(call: SearchCall) -> int:
    """Return how many rows of a fused answer are another's page.

    With a limit, each member's rows are trimmed before they are fused, so that fewer are merged.
    """
    if not call.case.is_fused:
        return 0
    return len(kept_rows(call)) - len({row.host for row in kept_rows(call)})


def new_share(call: SearchCall) -> float:
    urls = {row.url for row in call.outcome}
    return len(urls - call.session_urls) / len(urls) if urls else 0.0


def warned_of(call: SearchCall) -> bool:
    """Tell whether the warnings name each member that failed before the answer, and no other."""
    text = " ".join(call.outcome.receipt.warnings)
    names = "abc"[: len(call.case.given)]
    first = call.answered[0][0]
    missing = {
        name
        for name, given in zip(names, call.case.given, strict=True)
        if given.error is not None and (call.case.is_fused or name < first)
    }
    told = {name for name in names if f"{name} (" in text}
    # Later calls leave out a member that rests.
    return told == missing if call.number == 0 else told <= missing


def attempts_are_those_made(call: SearchCall) -> bool:
    if call.is_from_cache:
        return call.outcome.receipt.attempts == ()
    asked = {attempt.backend for attempt in call.outcome.receipt.attempts}
    first = call.answered[0][0]
    names = "abc"[: len(call.case.given)]
    made = {name for name in names if call.case.is_fused or name <= first}
    return asked == made if call.number == 0 else asked <= made


SEARCH_LAWS: Mapping[str, Callable[[SearchCall, SearchReceipt], bool]] = {
    "backend": lambda call, it: (
        it.backend == "+".join(name for name, _ in call.answered)
        or {*it.backend.split("+")} == {name for name, _ in call.answered}
    ),
    "query": lambda _call, it: it.query == "q",
    "asked_max_results": lambda call, it: it.asked_max_results == call.case.limit,
    "max_results": lambda call, it: (
        it.max_results == (None if call.case.limit is None else max(1, min(100, call.case.limit)))
    ),
    "clamped": lambda _call, it: it.clamped == (it.asked_max_results != it.max_results),
    "filters": lambda call, it: {*it.filters} == asked_filters(call.case),
    "sent": lambda _call, it: it.sent == (),
    "emulated": lambda _call, it: {*it.emulated} == {*it.filters} - {*it.refused},
    "verified": lambda _call, it: {*it.verified} == {*it.filters} - {*it.refused},
    "refused": lambda _call, it: it.refused == (),
    "returned": lambda call, it: it.returned == len(call.rows),
    # tests/tools/test_row_pages.py has the law where the text of pages is asked for.
    "pages": lambda _call, it: it.pages == (),
    "rejected": lambda call, it: (
        it.rejected == len(call.outcome.rejected) == sum(row.is_bad for row in call.rows)
    ),
    "filtered": lambda call, it: it.filtered == sum(is_excluded(call, row) for row in call.good),
    "undated": lambda call, it: (
        it.undated == (sum(row.day is None for row in kept_rows(call)) if call.case.is_dated else 0)
    ),
    "blocked": lambda call, it: (
        (it.blocked > 0) <= call.case.denies
        and not (call.case.denies and any(DENIED in row.url for row in call.outcome.rows))
    ),
    "merged": lambda call, it: (
        it.merged == duplicates(call)
        or (call.case.limit in range(5) and 0 <= it.merged <= duplicates(call))
    ),
    "trimmed": lambda call, it: (
        it.trimmed
        == it.returned - len(call.outcome) - it.rejected - it.filtered - it.blocked - it.merged
        and (it.trimmed == 0 or it.max_results is not None)
    ),
    "cached": lambda call, it: it.cached == call.is_from_cache,
    "fetched_at": lambda call, it: (
        is_time(it.fetched_at) and (not it.cached or it.fetched_at == call.first_fetched)
    ),
    "age": lambda call, it: it.age == (10.0 * call.number if it.cached else 0.0),
    "warnings": lambda call, _it: warned_of(call),
    "usage": lambda call, it: (
        it.usage
        == (None if call.is_from_cache else summed([given.usage for _, given in call.answered]))
    ),
    "attempts": lambda call, _it: attempts_are_those_made(call),
    "middleware": lambda _call, it: it.middleware == (),
    "new_share": lambda call, it: it.new_share == new_share(call),
    "no_progress": lambda call, it: it.no_progress == (call.barren >= 2),
    "unread": lambda call, it: (
        ("colour" in it.unread) == any(row.has_extra for row in call.good)
        and lists_only(it.unread, ["colour"])
    ),
}

ROWS = st.builds(
    Row,
    host=st.sampled_from(HOSTS),
    day=st.sampled_from([None, "2026-11-10", "2020-01-01"]),
    is_bad=st.sampled_from([False, False, False, True]),
    has_extra=st.booleans(),
)
GIVEN = st.builds(
    Given,
    rows=st.lists(ROWS, max_size=5).map(tuple),
    usage=st.sampled_from([None, USED]),
    error=st.sampled_from([None, None, *ERRORS]),
    has_raw=st.booleans(),
)
SEARCHES = st.builds(
    SearchCase,
    given=st.lists(GIVEN, min_size=1, max_size=3).map(tuple),
    is_fused=st.booleans(),
    is_cached=st.booleans(),
    limit=st.none() | st.integers(0, 4) | st.just(500),
    excludes=st.booleans(),
    is_dated=st.booleans(),
    denies=st.booleans(),
).filter(lambda case: any(given.error is None for given in case.given))


def run_searches(case: SearchCase, folder: Path) -> list[SearchCall]:
    """Search three times, ten seconds apart, in one session."""

    async def main() -> list[SearchCall]:
        names = "abc"[: len(case.given)]
        members = [Member(name, it) for name, it in zip(names, case.given, strict=True)]
        legs = single(*names)
        if case.is_fused:
            legs = (Leg(members=tuple((f"search:{name}#1",) for name in names), fuse=True),)
        backend = route(members, folder, legs=legs, prices=PRICES, rows="quarantine")
        backend.about = BackendAbout(name="route", abilities=EVERY_FILTER)
        seconds = [1_700_000_000.0]
        cached = with_cache(
            backend, CacheStore(folder / "cache", lambda: seconds[0]), now=lambda: seconds[0]
        )
        memory, calls = SessionMemory(), []
        seen: set[str] = set()
        barren, first_fetched = 0, None
        for number in range(3):
            deps = WebDeps(
                backend=cached if case.is_cached else backend,
                rows="quarantine",
                policy=Policy(deny_domains=(DENIED,) if case.denies else ()),
                session=lambda: memory,
                now=lambda: seconds[0],
            )
            query = WebSearchQuery(
                query="q",
                max_results=case.limit,
                exclude_domains=(EXCLUDED,) if case.excludes else (),
                published_after=AFTER if case.is_dated else None,
            )
            outcome = (await web_search(query, deps)).unwrap()
            barren = 0 if {row.url for row in outcome} - seen else barren + 1
            first_fetched = first_fetched or outcome.receipt.fetched_at
            calls.append(SearchCall(case, number, outcome, frozenset(seen), barren, first_fetched))
            seen |= {row.url for row in outcome}
            seconds[0] += 10.0
        await cached.aclose()
        return calls

    return run(main())


@settings(max_examples=30, deadline=None)
@given(SEARCHES)
@example(SearchCase(given=(Given((Row(), Row(HOSTS[1]))), Given((Row(),))), is_fused=True, limit=1))
@example(SearchCase(given=(Given(error=ERRORS[0]), Given((Row(),), USED)), is_cached=True))
@example(SearchCase(given=(Given(),), is_cached=True, is_dated=True, limit=500))
def test_every_field_of_a_receipt_of_a_search_keeps_its_law(case: SearchCase) -> None:
    with TemporaryDirectory() as folder:
        calls = run_searches(case, Path(folder))

    for call in calls:
        assert broken_laws(SEARCH_LAWS, call, call.outcome.receipt) == []
        assert_short_receipt_loses_nothing(call.outcome.receipt)
        assert_attempts_add_up(call.outcome.receipt.attempts)


PAGE_TEXT, RAW_TEXT = "High tide is at noon. " * 40, "<p>High tide</p>"
SHORT_TEXT = "High tide: noon."
BUDGET = 200
URLS = ("https://one.example/", "https://two.example/")


class PageCase(NamedTuple):
    """Pages that are read along a route, and what is done to their text."""

    given: tuple[Given, ...] = (Given(),)
    is_cached: bool = False
    is_batch: bool = False
    has_budget: bool = False
    is_stored: bool = False
    is_compressed: bool = False


class PageCall(NamedTuple):
    """One page that was read: its case, its number, and what came."""

    case: PageCase
    number: int
    page: WebExtractResult

    @property
    def winner(self) -> tuple[str, Given]:
        pairs = zip("abc", self.case.given, strict=False)
        return next(pair for pair in pairs if pair[1].error is None)

    @property
    def is_from_cache(self) -> bool:
        return self.case.is_cached and self.number > 0


def is_shortened(call: PageCall) -> bool:
    return call.case.is_compressed or call.case.has_budget


def goes_on(call: PageCall) -> bool:
    """Tell whether `more` has text: of a compressed page, from the beginning of the stored one."""
    is_cut = call.page.receipt.omitted > 0
    return is_cut or (call.case.is_compressed and call.case.is_stored)


def warnings_name_failed(call: PageCall, warnings: Sequence[str]) -> bool:
    text = " ".join(warnings)
    failed = {name for name in "abc"[: len(call.case.given)] if name < call.winner[0]}
    told = {name for name in "abc" if f"{name} (" in text}
    return told <= failed


PAGE_LAWS: Mapping[str, Callable[[PageCall, ExtractReceipt], bool]] = {
    "backend": lambda call, it: it.backend == call.winner[0],
    "url": lambda call, it: it.url == call.page.url,
    "final_url": lambda call, it: it.final_url == call.page.final_url,
    "characters": lambda _call, it: it.characters == len(PAGE_TEXT),
    "compressed": lambda call, it: it.compressed == call.case.is_compressed,
    "compressed_characters": lambda call, it: (
        it.compressed_characters == (len(SHORT_TEXT) if call.case.is_compressed else None)
    ),
    "raw": lambda call, it: it.raw == call.winner[1].has_raw,
    "omitted": lambda call, it: (
        (it.omitted > 0) == (call.case.has_budget and not call.case.is_compressed)
        and (not it.omitted or len(call.page.content) <= BUDGET + 200)
    ),
    "next_cursor": lambda call, it: (
        (it.next_cursor is not None) == goes_on(call)
        and (it.next_cursor is None or 0 <= it.next_cursor < it.characters)
    ),
    "handle": lambda call, it: (
        (it.handle is not None) == (call.case.is_stored and is_shortened(call))
    ),
    "cached": lambda call, it: it.cached == call.is_from_cache,
    "fetched_at": lambda _call, it: is_time(it.fetched_at),
    "age": lambda call, it: it.age == (10.0 * call.number if it.cached else 0.0),
    "warnings": lambda call, it: warnings_name_failed(call, it.warnings),
    "usage": lambda call, it: it.usage == (None if call.is_from_cache else call.winner[1].usage),
    "compressor_usage": lambda call, it: (
        it.compressor_usage == (USED if call.case.is_compressed else None)
    ),
    "compressor_attempts": lambda call, it: (
        it.compressor_attempts
        == (
            (BackendAttempt(backend="fake", outcome="answered"),) if call.case.is_compressed else ()
        )
    ),
    "attempts": lambda call, it: (
        (it.attempts == ()) == call.is_from_cache
        and {attempt.backend for attempt in it.attempts} <= {*"abc"}
    ),
    "middleware": lambda _call, it: it.middleware == (),
    "unread": lambda _call, it: it.unread == ("colour",),
}

PAGE_CASES = st.builds(
    PageCase,
    given=st.lists(GIVEN, min_size=1, max_size=3).map(tuple),
    is_cached=st.booleans(),
    is_batch=st.booleans(),
    has_budget=st.booleans(),
    is_stored=st.booleans(),
    is_compressed=st.booleans(),
).filter(lambda case: any(given.error is None for given in case.given))


async def compress(_text: str, _instruction: str) -> Result[Compressed, WebError]:
    attempts = (BackendAttempt(backend="fake", outcome="answered"),)
    return Success(Compressed(text=SHORT_TEXT, usage=USED, attempts=attempts))


def run_extracts(case: PageCase, folder: Path) -> list[PageCall]:
    """Read two pages twice, ten seconds apart: one by one, or in one call."""

    async def main() -> list[PageCall]:
        names = "abc"[: len(case.given)]
        members = [Member(name, it) for name, it in zip(names, case.given, strict=True)]
        backend = route(members, folder, legs=single(*names), prices=PRICES)
        seconds = [1_700_000_000.0]
        cached = with_cache(
            backend, CacheStore(folder / "cache", lambda: seconds[0]), now=lambda: seconds[0]
        )
        deps = WebDeps(
            backend=cached if case.is_cached else backend,
            budget=Budget(characters=BUDGET) if case.has_budget else None,
            texts=FakeTexts() if case.is_stored else None,
            compressor=compress if case.is_compressed else None,
            compress_min_length=0,
            now=lambda: seconds[0],
        )
        calls: list[PageCall] = []
        for number in range(2):
            if case.is_batch:
                pages = await web_extract_many(URLS, deps)
            else:
                pages = tuple([await web_extract(url, deps) for url in URLS])
            calls += [PageCall(case, number, page.unwrap()) for page in pages]
            seconds[0] += 10.0
        await cached.aclose()
        return calls

    return run(main())


@settings(max_examples=25, deadline=None)
@given(PAGE_CASES)
@example(PageCase(given=(Given(error=ERRORS[0]), Given(usage=USED)), is_batch=True, is_cached=True))
def test_every_field_of_a_receipt_of_a_page_keeps_its_law(case: PageCase) -> None:
    with TemporaryDirectory() as folder:
        calls = run_extracts(case, Path(folder))

    for call in calls:
        assert broken_laws(PAGE_LAWS, call, call.page.receipt) == []
        assert_short_receipt_loses_nothing(call.page.receipt)
        assert_attempts_add_up(call.page.receipt.attempts)


class AskCase(NamedTuple):
    """A question, and what its model writes: each draft with the model that wrote it."""

    drafts: tuple[tuple[str, str | None], ...] | None = None
    cost: float | None = None


class AskCall(NamedTuple):
    case: AskCase
    outcome: AskOutcome
    model: FakeModel | None
    writers: tuple[str, ...]
    answered: int


GOOD = claiming(("p1", CASE.truth, CASE.truth))
WRONG = claiming(("p1", "Nothing of this is anywhere to be read.", "It is 101 metres long."))
BROKEN = "I cannot say."
TEXTS = {"good": GOOD, "wrong": WRONG, "broken": BROKEN}
ASKED_MODEL = "asked"


def run_ask(case: AskCase) -> AskCall:
    """Ask with a model that plans, writes, and mends what does not hold."""
    drafts = [] if case.drafts is None else [*case.drafts]
    writers: list[str] = []
    failures: list[str] = []

    def answer(request: object) -> Result[NormalizedResponse, WebError]:
        if "queries" in str(request.output_schema):  # type: ignore[attr-defined]  # a request
            return Success(response('{"queries": ["other words"]}', None, case.cost))
        kind, name = drafts.pop(0) if drafts else ("broken", None)
        if kind == "fails":
            failures.append(kind)
            return Failure(RateLimited())
        if kind != "broken":
            writers.append(name or ASKED_MODEL)
        return Success(response(TEXTS[kind], name, case.cost))

    model = None if case.drafts is None else FakeModel(answer=answer)
    answerer = None if model is None else ModelAnswerer(model, ASKED_MODEL, seconds=9.0)
    outcome = asyncio.run(web_ask(CASE.question, ask_deps(answerer=answerer))).unwrap()
    answered = 0 if model is None else len(model.asked) - len(failures)
    return AskCall(case, outcome, model, tuple(dict.fromkeys(writers)), answered)


def response(text: str, name: str | None, cost: float | None) -> NormalizedResponse:
    attempt = BackendAttempt(backend="model", outcome="answered", cost=cost)
    usage = msgspec.structs.replace(USED, cost=cost)
    return NormalizedResponse(
        content=text, finish_reason="stop", model=name, usage=usage, attempts=(attempt,)
    )


def total_usage(call: AskCall) -> Usage | None:
    calls = call.answered
    if not calls:
        return None
    cost = None if call.case.cost is None else calls * call.case.cost
    return Usage(input_tokens=2 * calls, output_tokens=calls, total_tokens=3 * calls, cost=cost)


ASK_LAWS: Mapping[str, Callable[[AskCall, AskReceipt], bool]] = {
    "queries": lambda call, it: (
        it.queries == ((CASE.question,) if call.model is None else (CASE.question, "other words"))
    ),
    "searches": lambda _call, it: it.searches == ("s",) * len(it.queries),
    "pages": lambda call, it: (
        sum(page.outcome == "read" for page in it.pages) == len(call.outcome.pages)
        and len({page.url for page in it.pages}) == len(it.pages)
    ),
    "passages": lambda call, it: it.passages == len(call.outcome.passages),
    "answered_by": lambda call, it: (
        it.answered_by == ("extraction" if call.outcome.extractive else "+".join(call.writers))
    ),
    "rules": lambda _call, it: it.rules == RULES_VERSION,
    "claimed": lambda call, it: (
        it.claimed == (len(call.outcome.claims) if call.outcome.extractive else 1)
    ),
    "repaired": lambda call, it: (
        it.repaired
        == int(not call.outcome.extractive and (call.case.drafts or ())[0][0] == "wrong")
    ),
    "broke_off": lambda call, it: (
        bool(it.broke_off) == (call.outcome.extractive and call.model is not None)
    ),
    "usage": lambda call, it: it.usage == total_usage(call),
    "attempts": lambda call, it: (
        len(it.attempts) == call.answered
        and all(attempt.cost == call.case.cost for attempt in it.attempts)
    ),
    "warnings": lambda _call, it: bool(it.warnings) == bool(it.broke_off),
    "middleware": lambda _call, it: it.middleware == (),
}

DRAFTS = st.tuples(
    st.sampled_from(["good", "wrong", "broken", "fails"]), st.sampled_from([None, "first", "other"])
)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        AskCase,
        drafts=st.none() | st.tuples(DRAFTS, DRAFTS),
        cost=st.sampled_from([None, 0.0, 0.25]),
    )
)
@example(AskCase(drafts=(("good", "other"), ("good", None))))
@example(AskCase(drafts=(("wrong", "first"), ("good", "other"))))
def test_every_field_of_a_receipt_of_an_answer_keeps_its_law(case: AskCase) -> None:
    call = run_ask(case)

    assert broken_laws(ASK_LAWS, call, call.outcome.receipt) == []
    assert_short_receipt_loses_nothing(call.outcome.receipt)


class XCase(NamedTuple):
    """A search of X: what is set, and what its backend reports."""

    handles: tuple[str, ...] = ()
    is_stored: bool = False
    previous: str | None = None
    bad_citations: int = 0
    usage: Usage | None = None
    warning: str | None = None


X_ATTEMPT = BackendAttempt(backend="x-service", outcome="answered", cost=None)
X_LAWS: Mapping[str, Callable[[XCase, XSearchReceipt], bool]] = {
    "backend": lambda _case, it: it.backend == "x-service",
    "stored": lambda case, it: it.stored == (case.is_stored or case.previous is not None),
    "filters": lambda case, it: it.filters == (("allowed_x_handles",) if case.handles else ()),
    "dropped": lambda case, it: it.dropped == (() if case.previous is None else ("instructions",)),
    "left_out_citations": lambda case, it: it.left_out_citations == case.bad_citations,
    "warnings": lambda case, it: (
        len(it.warnings) == (case.previous is not None) + (case.warning is not None)
    ),
    "usage": lambda case, it: it.usage == case.usage,
    "attempts": lambda _case, it: it.attempts == (X_ATTEMPT,),
    "middleware": lambda _case, it: it.middleware == (),
}


@given(
    st.builds(
        XCase,
        handles=st.sampled_from([(), ("alice",)]),
        is_stored=st.booleans(),
        previous=st.sampled_from([None, "response-0"]),
        bad_citations=st.integers(0, 3),
        usage=st.sampled_from([None, USED]),
        warning=st.sampled_from([None, "late"]),
    )
)
def test_every_field_of_a_receipt_of_an_x_search_keeps_its_law(case: XCase) -> None:
    answer = {
        "answer": "A post.",
        "citations": ["https://x.com/i/status/1", *["javascript:1"] * case.bad_citations],
        "response_id": "response-1",
        "x_search_calls": 1,
        "model": "m",
        "credential_source": "XAI_API_KEY",
    }
    served = Served(
        answer=answer,
        by="x-service",
        attempts=(X_ATTEMPT,),
        usage=case.usage,
        warnings=() if case.warning is None else (case.warning,),
    )
    deps = XSearchDeps(backend=FakeXSearch(answer=Success(served)), today=lambda: NEWEST)
    request = {
        "query": "q",
        "allowed_x_handles": case.handles,
        "store": case.is_stored,
        "previous_response_id": case.previous,
        "instructions": "Be short.",
    }

    outcome = asyncio.run(x_search(request, deps)).unwrap()

    assert broken_laws(X_LAWS, case, outcome.receipt) == []
    assert_short_receipt_loses_nothing(outcome.receipt)


def assert_short_receipt_loses_nothing(receipt: msgspec.Struct) -> None:
    kind = type(receipt)
    short = short_receipt(msgspec.to_builtins(receipt), kind)

    assert msgspec.convert(short, kind) == receipt
    assert isinstance(short, dict)
    defaults = {field.name: field.default for field in msgspec.structs.fields(kind)}
    assert [name for name in short if getattr(receipt, name) == defaults[name]] == []


def broken_laws(
    laws: Mapping[str, Callable[..., bool]], call: object, receipt: msgspec.Struct
) -> list[str]:
    values = [(name, getattr(receipt, name)) for name in receipt.__struct_fields__]
    return [f"{name}={value!r}" for name, value in values if not laws[name](call, receipt)]


def assert_attempts_add_up(attempts: Sequence[BackendAttempt]) -> None:
    for attempt in attempts:
        broken = [name for name, law in ATTEMPT_LAWS.items() if not law(attempt)]
        assert broken == [], attempt


OUTCOMES = {"answered", "cancelled", "unfinished", *(error.kind for error in ERRORS)}
ATTEMPT_LAWS: Mapping[str, Callable[[BackendAttempt], bool]] = {
    "backend": lambda it: it.backend in PRICES,
    "key": lambda it: it.key == 1,
    "why": lambda it: it.why != "shared",
    "outcome": lambda it: it.outcome in OUTCOMES,
    "milliseconds": lambda it: it.milliseconds >= 0,
    "cost": lambda it: it.cost is not None and 0 <= it.cost <= PRICES[it.backend] / 1e6,
    "cooled_until": lambda it: (
        it.cooled_until is None or it.outcome not in ("answered", "cancelled")
    ),
}


def test_every_field_of_every_receipt_has_a_law() -> None:
    laws = {
        SearchReceipt: SEARCH_LAWS,
        ExtractReceipt: PAGE_LAWS,
        AskReceipt: ASK_LAWS,
        XSearchReceipt: X_LAWS,
        BackendAttempt: ATTEMPT_LAWS,
    }

    for receipt, table in laws.items():
        assert {*receipt.__struct_fields__} == {*table}, receipt
