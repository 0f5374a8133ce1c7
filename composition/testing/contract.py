"""A test suite for the contract of a ``WebBackend``, to run against any backend.

::

    class TestMyBackend(BackendContract):
        def make(self):
            return MyBackend(...)

It asks what the kernel may ask, and fails on answers that the kernel would refuse.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ...ports.backends import Closeable, WebBackend
from ...ports.web import WebSearchQuery
from . import contract_laws as laws
from .contract_laws import check_cancellation, run_in_own_loop
from .strategies.questions import public_urls, search_queries

AskBackend: TypeAlias = Callable[[WebBackend], Awaitable[object]]

_CONTRACT_QUERY = WebSearchQuery(query="webseam contract")
_CONTRACT_URL = "https://example.com/"


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
        self._check_searches(laws.check_is_result)

    def test_every_row_keeps_the_row_law(self) -> None:
        """One row that the kernel refuses fails the whole call."""
        self._check_searches(laws.check_rows_are_lawful)

    def test_rows_can_be_counted_and_are_not_too_many(self) -> None:
        """Rows are a list or a tuple, because a generator could be endless."""
        self._check_searches(laws.check_is_bounded)

    def test_a_failed_search_is_a_web_error_with_a_message(self) -> None:
        """Callers match on the kinds of ``WebError``."""
        self._check_searches(laws.check_failure_is_typed)

    def test_no_failed_search_shows_the_key(self) -> None:
        """A service may echo the key; the backend must redact it."""
        key = self._key_or_skip()
        self._check_searches(lambda answer: laws.check_keeps_secret(answer, key))

    def test_finding_nothing_is_a_success_without_rows(self) -> None:
        """No rows is an answer, not a failure."""
        laws.check_found_nothing(
            asyncio.run(self._ask_backend(_search_contract_query, self._make_empty_or_skip))
        )

    def test_extract_answers_every_url_with_a_result(self) -> None:
        """A failure is a value, never an exception, whatever the URL is."""
        self._check_extracts(lambda answer, _: laws.check_is_result(answer))

    def test_every_document_is_lawful_and_for_the_url_that_was_asked(self) -> None:
        """A page for another URL is not an answer."""
        self._check_extracts(laws.check_document_is_lawful)

    def test_a_failed_extract_is_a_web_error_with_a_message(self) -> None:
        """Callers match on the kinds of ``WebError``."""
        self._check_extracts(lambda answer, _: laws.check_failure_is_typed(answer))

    def test_no_failed_extract_shows_the_key(self) -> None:
        """A service may echo the key; the backend must redact it."""
        key = self._key_or_skip()
        self._check_extracts(lambda answer, _: laws.check_keeps_secret(answer, key))

    def test_cancelling_a_search_stops_it(self) -> None:
        """A backend that swallows a cancellation cannot have a deadline."""
        run_in_own_loop(
            check_cancellation(lambda: self._ask_backend(_search_contract_query), self.seconds)
        )

    def test_cancelling_an_extract_stops_it(self) -> None:
        """A backend that swallows a cancellation cannot have a deadline."""
        run_in_own_loop(
            check_cancellation(lambda: self._ask_backend(_extract_contract_page), self.seconds)
        )

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


async def _search_contract_query(backend: WebBackend) -> object:
    return await backend.search(_CONTRACT_QUERY)


async def _extract_contract_page(backend: WebBackend) -> object:
    return await backend.extract(_CONTRACT_URL)
