"""The contract of a ``WebBackend``, to be run against any backend in three lines.

::

    class TestMyBackend(BackendContract):
        def make(self):
            return MyBackend(...)

It asks whatever the kernel may ask, and complains of whatever the kernel would have to refuse.
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
    """Subclass it, name the subclass ``Test...``, and say how to ``make`` the backend.

    Subclass it once for each state the service can be in: well, down, out of credit. Set ``key``
    to what must never be shown, ``examples`` to how many questions each promise is tried with, and
    override ``make_empty`` to prove that finding nothing is no failure.
    """

    key: str = ""
    examples: int = 25
    seconds: float = 10.0

    def make(self) -> WebBackend:
        """Return the backend. It is made anew for each question, inside a running event loop."""
        message = "say in make() how the backend is made"
        raise NotImplementedError(message)

    def make_empty(self) -> WebBackend | None:
        """Return a backend that will find nothing; None leaves that promise untried."""
        return None

    async def close(self, backend: WebBackend) -> None:
        """Close what ``make`` opened: by default the backend itself, if it can be closed."""
        if isinstance(backend, Closeable):
            await backend.aclose()

    def test_search_answers_every_query_with_a_result(self) -> None:
        """A failure is a value, never an exception, whatever the query is."""
        self._search_all(laws.check_is_result)

    def test_every_row_keeps_the_row_law(self) -> None:
        """One row that the kernel refuses fails the whole call of whoever uses the backend."""
        self._search_all(laws.check_rows_are_lawful)

    def test_rows_can_be_counted_and_are_not_too_many(self) -> None:
        """Rows are a list or a tuple; an endless generator has no end for anyone."""
        self._search_all(laws.check_is_bounded)

    def test_a_failed_search_is_a_web_error_with_a_message(self) -> None:
        """Whoever matches on the failure finds one of the kinds that there are."""
        self._search_all(laws.check_failure_is_typed)

    def test_no_failed_search_shows_the_key(self) -> None:
        """A service may echo the key; the backend takes it out."""
        key = self._secret()
        self._search_all(lambda answer: laws.check_keeps_secret(answer, key))

    def test_finding_nothing_is_a_success_without_rows(self) -> None:
        """No rows is an answer, and no failure is an empty list."""
        laws.check_found_nothing(asyncio.run(self._ask(_search_contract_query, self._empty)))

    def test_extract_answers_every_url_with_a_result(self) -> None:
        """A failure is a value, never an exception, whatever the URL is."""
        self._extract_all(lambda answer, _: laws.check_is_result(answer))

    def test_every_document_is_lawful_and_for_the_url_that_was_asked(self) -> None:
        """A page for another URL is no answer."""
        self._extract_all(laws.check_document_is_lawful)

    def test_a_failed_extract_is_a_web_error_with_a_message(self) -> None:
        """Whoever matches on the failure finds one of the kinds that there are."""
        self._extract_all(lambda answer, _: laws.check_failure_is_typed(answer))

    def test_no_failed_extract_shows_the_key(self) -> None:
        """A service may echo the key; the backend takes it out."""
        key = self._secret()
        self._extract_all(lambda answer, _: laws.check_keeps_secret(answer, key))

    def test_cancelling_a_search_stops_it(self) -> None:
        """Cancellation is the caller's; a backend that swallows it cannot be given a deadline."""
        run_in_own_loop(check_cancellation(lambda: self._ask(_search_contract_query), self.seconds))

    def test_cancelling_an_extract_stops_it(self) -> None:
        """Cancellation is the caller's; a backend that swallows it cannot be given a deadline."""
        run_in_own_loop(check_cancellation(lambda: self._ask(_extract_contract_page), self.seconds))

    def _search_all(self, check: Callable[[object], None]) -> None:
        @self._settings()
        @given(search_queries())
        def search(query: WebSearchQuery) -> None:
            check(asyncio.run(self._ask(lambda backend: backend.search(query))))

        search()

    def _extract_all(self, check: Callable[[object, str], None]) -> None:
        @self._settings()
        @given(public_urls())
        def extract(url: str) -> None:
            check(asyncio.run(self._ask(lambda backend: backend.extract(url))), url)

        extract()

    async def _ask(self, ask: AskBackend, make: Callable[[], WebBackend] | None = None) -> object:
        backend = (make or self.make)()
        try:
            async with asyncio.timeout(self.seconds):
                return await ask(backend)
        finally:
            await self.close(backend)

    def _empty(self) -> WebBackend:
        return self.make_empty() or pytest.skip("override make_empty() to try this promise")

    def _secret(self) -> str:
        return self.key or pytest.skip("set key to try this promise")

    def _settings(self) -> settings:
        # A backend may be slow; that is judged by ``seconds``, not by hypothesis. Explaining
        # asks many more questions than it answers.
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
