"""A test suite for the contract of a ``WebBackend``, to run against any backend.

::

    class TestMyBackend(BackendContract):
        def make(self):
            return MyBackend(...)

It asks what the kernel may ask, and fails on answers that the kernel would refuse.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeAlias, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from returns.result import Failure, Result, Success

from webseam.kernel.boundary import attempt_call
from webseam.kernel.deps import WebDeps
from webseam.kernel.laws.field_checks import check_document
from webseam.kernel.laws.filters import are_abilities_valid
from webseam.kernel.laws.row_law import MAX_ROWS, check_lawful_rows, split_rows_and_prose
from webseam.kernel.port_answers import port_error
from webseam.kernel.search import web_search
from webseam.ports.backends import Abilities, Closeable, Served, WebBackend
from webseam.ports.errors import WebError
from webseam.ports.web import SearchOutcome, WebSearchQuery

from ...doors.mcp.result_fence import new_result_fence
from ...doors.mcp.tool_results import mcp_success_result
from .clients import fake_tools
from .door_law import lost_from_tool, without_fences
from .fakes import FakeBackend
from .seam_law import explain_near_miss, lost_row_keys
from .strategies.questions import public_urls, search_queries

# A call is cancelled after so many turns of the event loop.
_LOOP_TURNS = (0, 1, 2, 3, 5, 8, 13, 21)
_QUERY = WebSearchQuery(query="webseam contract")
_URL = "https://example.com/"


class ContractError(AssertionError):
    """The backend broke a promise; the message says which."""


def check_is_result(answer: object) -> None:
    """Fail unless the answer is a ``Result``."""
    if not isinstance(answer, Result):
        fail_contract(f"it returned {type(answer).__name__}, not a Result")


def check_rows_are_lawful(answer: object) -> None:
    """Fail on the first row that the kernel would refuse."""
    if not isinstance(answer, Success):
        return
    rows_answer = bare_answer(answer.unwrap())
    if isinstance(parts := attempt_call(lambda: split_rows_and_prose(rows_answer)), Failure):
        fail_contract(f"its rows cannot be read: {parts.failure()}")
    if not isinstance(rows := check_lawful_rows(parts.unwrap()), tuple):
        fail_contract(rows.message)


def check_is_bounded(answer: object) -> None:
    """Fail unless the rows can be counted, and are no more than the kernel takes."""
    if not isinstance(answer, Success):
        return
    if not isinstance(rows := bare_answer(answer.unwrap()), list | tuple):
        fail_contract(f"its rows are a {type(rows).__name__}, not a list or a tuple")
    elif len(rows) > MAX_ROWS:
        fail_contract(f"it gave {len(rows)} rows; the kernel takes {MAX_ROWS}")


def check_document_is_lawful(answer: object, url: str) -> None:
    """Fail unless the page keeps the document law and is the requested one."""
    if not isinstance(answer, Success):
        return
    if isinstance(document := check_document(bare_answer(answer.unwrap()), url), Failure):
        fail_contract(document.failure().message)


def check_names_are_ours(answer: object) -> None:
    """Fail on a key that nearly has one of our names, so that nobody reads it."""
    if isinstance(answer, Success):
        warning = explain_near_miss(bare_answer(answer.unwrap()))
        if warning is not None:
            fail_contract(warning)


async def check_rows_come_out(answer: object) -> None:
    """Fail if a key of its rows neither comes out of a search nor is named in the receipt."""
    if not isinstance(answer, Success):
        return
    deps = WebDeps(backend=FakeBackend(search=answer))
    outcome = (await web_search(_QUERY, deps)).value_or(None)
    # Another promise judges rows that break the row law.
    lost = () if outcome is None else lost_row_keys(bare_answer(answer.unwrap()), outcome)
    if lost:
        fail_contract(f"the keys {', '.join(lost)} of its rows are lost without a word")


async def check_rows_reach_the_doors(answer: object) -> None:
    """Fail if what a search has is in no table, and the JSON of the tools or of MCP lacks it."""
    if not isinstance(answer, Success):
        return
    called = await fake_tools(FakeBackend(search=answer)).ask("web_search", {"query": "q"})
    # Another promise judges rows that break the row law.
    if not isinstance(called.outcome, SearchOutcome):
        return
    envelope = called.reply.envelope
    shown = mcp_success_result("web_search", envelope, new_result_fence())["structuredContent"]
    for door, data in (("the tools", envelope), ("MCP", without_fences(shown))):
        lost = lost_from_tool(called.outcome, data)
        if lost:
            fail_contract(f"{', '.join(lost)} does not come out of the JSON of {door}")


def check_abilities(about: object) -> None:
    """Fail on abilities that the kernel takes for none."""
    abilities = getattr(about, "abilities", None)
    if abilities is None:
        return
    if not isinstance(abilities, Abilities) or not are_abilities_valid(abilities):
        fail_contract("its abilities are not a valid Abilities(...), so it gets no filter")


def bare_answer(answer: object) -> Any:  # noqa: ANN401  a backend returns anything
    """Return an answer without the details that a backend may hand over with it."""
    return answer.answer if isinstance(answer, Served) else answer


def check_failure_is_typed(answer: object) -> None:
    """Fail unless a failure is a ``WebError`` whose fields have the right types."""
    if not isinstance(answer, Failure):
        return
    if not isinstance(error := answer.failure(), get_args(WebError)):
        fail_contract(f"it failed with {type(error).__name__}, which is not a WebError")
    elif type(port_error(error, "contract", None)) is not type(error):
        fail_contract(f"the fields of its {type(error).__name__} are not of their types")


def check_keeps_secret(answer: object, key: str) -> None:
    """Fail if the key is anywhere in a failure."""
    if not isinstance(answer, Failure) or not key:
        return
    error = answer.failure()
    fields = msgspec.to_builtins(error) if isinstance(error, msgspec.Struct) else error
    shown = f"{error!r} {error} {getattr(error, 'message', '')} {fields}"
    if key in shown:
        fail_contract(f"the key is in its {type(error).__name__}")


def fail_contract(message: str) -> NoReturn:
    """Raise ``ContractError`` with the broken promise."""
    raise ContractError(message)


async def check_cancelled_call(call: Callable[[], Awaitable[object]], seconds: float) -> None:
    """Fail if a cancelled call ends in anything but its cancellation."""
    for steps in _LOOP_TURNS:
        task = asyncio.ensure_future(call())
        for _ in range(steps):
            await asyncio.sleep(0)
        if task.cancel():
            await asyncio.wait({task}, timeout=seconds)
            _judge_cancelled_task(task, seconds)
        elif not task.cancelled():
            # The call had already ended; other checks judge its answer.
            task.exception()


def _judge_cancelled_task(task: "asyncio.Future[object]", seconds: float) -> None:
    if not task.done():
        fail_contract(f"it went on for {seconds} s after it was cancelled")
    elif not task.cancelled():
        ended = task.exception() or task.result()
        fail_contract(f"it was cancelled and ended in {type(ended).__name__}")


AskBackend: TypeAlias = Callable[[WebBackend], Awaitable[object]]


class BackendContract:
    """Subclass it as ``Test...`` and override ``make``.

    Use one subclass for each state of the service: working, down, out of credit. Set ``key`` to a
    secret that must never be shown, and ``examples`` to the number of questions for each promise.
    Override ``make_empty`` to test that an empty search is no failure.
    """

    key: str = ""
    examples: int = 25
    seconds: float = 10.0

    def make(self) -> WebBackend:
        """Return a new backend; it is called for each question, inside a running event loop."""
        message = "say in make() how the backend is made"
        raise NotImplementedError(message)

    def make_empty(self) -> WebBackend | None:
        """Return a backend that finds nothing; None skips that test."""
        return None

    async def close(self, backend: WebBackend) -> None:
        """Close what ``make`` opened: by default the backend, if it can be closed."""
        if isinstance(backend, Closeable):
            await backend.aclose()

    def test_search_answers_every_query_with_a_result(self) -> None:
        """A failure is a value, never an exception, whatever the query is."""
        self._check_searches(check_is_result)

    def test_every_row_keeps_the_row_law(self) -> None:
        """One row that the kernel refuses fails the whole call."""
        self._check_searches(check_rows_are_lawful)

    def test_no_key_nearly_has_one_of_our_names(self) -> None:
        """Nobody reads ``snipet``, and a row without a snippet looks as if it had no text."""
        self._check_searches(check_names_are_ours)

    def test_every_key_of_a_row_comes_out_or_is_named(self) -> None:
        """What goes into the seam comes out of it, or the receipt names it."""

        async def check(backend: WebBackend) -> None:
            await check_rows_come_out(await backend.search(_QUERY))

        asyncio.run(self._ask_backend(check))

    def test_every_row_comes_out_of_the_doors(self) -> None:
        """Agents have what the typed result has, but for what a table leaves out."""

        async def check(backend: WebBackend) -> None:
            await check_rows_reach_the_doors(await backend.search(_QUERY))

        asyncio.run(self._ask_backend(check))

    def test_its_abilities_are_valid(self) -> None:
        """Abilities that cannot be read count as none, and then no filter is sent."""

        async def check(backend: WebBackend) -> None:
            check_abilities(attempt_call(lambda: backend.about).value_or(None))

        asyncio.run(self._ask_backend(check))

    def test_rows_can_be_counted_and_are_not_too_many(self) -> None:
        """Rows are a list or a tuple, because a generator could be endless."""
        self._check_searches(check_is_bounded)

    def test_a_failed_search_is_a_web_error_with_a_message(self) -> None:
        """Callers match on the kinds of ``WebError``."""
        self._check_searches(check_failure_is_typed)

    def test_no_failed_search_shows_the_key(self) -> None:
        """A service may echo the key; the backend must redact it."""
        key = self._key_or_skip()
        self._check_searches(lambda answer: check_keeps_secret(answer, key))

    def test_finding_nothing_is_a_success_without_rows(self) -> None:
        """No rows is an answer, not a failure."""
        answer = asyncio.run(self._ask_backend(_search_query, self._make_empty_or_skip))
        if not isinstance(answer, Success):
            fail_contract(f"finding nothing is a success without rows, not {answer!r:.200}")
        elif not isinstance(answer.unwrap(), list | tuple) or len(answer.unwrap()):
            shown = f"{answer.unwrap()!r:.200}"
            fail_contract(f"finding nothing is a success without rows, not with {shown}")

    def test_extract_answers_every_url_with_a_result(self) -> None:
        """A failure is a value, never an exception, whatever the URL is."""
        self._check_extracts(lambda answer, _: check_is_result(answer))

    def test_every_document_is_lawful_and_for_the_url_that_was_asked(self) -> None:
        """A page for another URL is not an answer."""
        self._check_extracts(check_document_is_lawful)

    def test_no_key_of_a_document_nearly_has_one_of_our_names(self) -> None:
        """Nobody reads ``Metadata``."""
        self._check_extracts(lambda answer, _: check_names_are_ours(answer))

    def test_a_failed_extract_is_a_web_error_with_a_message(self) -> None:
        """Callers match on the kinds of ``WebError``."""
        self._check_extracts(lambda answer, _: check_failure_is_typed(answer))

    def test_no_failed_extract_shows_the_key(self) -> None:
        """A service may echo the key; the backend must redact it."""
        key = self._key_or_skip()
        self._check_extracts(lambda answer, _: check_keeps_secret(answer, key))

    def test_cancelling_a_search_stops_it(self) -> None:
        """A backend that swallows a cancellation cannot have a deadline."""
        self._check_cancellation(_search_query)

    def test_cancelling_an_extract_stops_it(self) -> None:
        """A backend that swallows a cancellation cannot have a deadline."""
        self._check_cancellation(lambda backend: backend.extract(_URL))

    def _check_cancellation(self, ask: AskBackend) -> None:
        cancelled = check_cancelled_call(lambda: self._ask_backend(ask), self.seconds)
        # Run in a new loop; ``asyncio.run`` would wait for tasks that cannot be cancelled.
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(cancelled)
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    def _check_searches(self, check: Callable[[object], None]) -> None:
        @self._hypothesis_settings()
        @given(search_queries())
        def search(query: WebSearchQuery) -> None:
            check(asyncio.run(self._ask_backend(lambda backend: backend.search(query))))

        search()

    def _check_extracts(self, check: Callable[[object, str], None]) -> None:
        @self._hypothesis_settings()
        @given(public_urls())
        def extract(url: str) -> None:
            check(asyncio.run(self._ask_backend(lambda backend: backend.extract(url))), url)

        extract()

    async def _ask_backend(
        self, ask: AskBackend, make: Callable[[], WebBackend] | None = None
    ) -> object:
        backend = (make or self.make)()
        try:
            async with asyncio.timeout(self.seconds):
                return await ask(backend)
        finally:
            await self.close(backend)

    def _make_empty_or_skip(self) -> WebBackend:
        return self.make_empty() or pytest.skip("override make_empty() to try this promise")

    def _key_or_skip(self) -> str:
        return self.key or pytest.skip("set key to try this promise")

    def _hypothesis_settings(self) -> settings:
        # A slow backend is judged by ``seconds``, not by hypothesis. The explain phase would ask
        # many more questions.
        return settings(
            max_examples=self.examples,
            deadline=None,
            phases=[phase for phase in Phase if phase is not Phase.explain],
            suppress_health_check=list(HealthCheck),
        )


async def _search_query(backend: WebBackend) -> object:
    return await backend.search(_QUERY)
