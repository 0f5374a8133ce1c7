"""A backend that remembers: the same question is asked once, and answered again from the cache."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeAlias, cast

import msgspec
from returns.result import Failure, Result, Success

from ....ports.backends import BackendAbout, Closeable, ReadsMany, Served, WebBackend
from ....ports.errors import BackendCrashed, WebError
from ....ports.stores import Kept
from ....ports.web import WebSearchQuery
from ..sqlite.blueprint import StoreError
from .file import CacheStore
from .flights import Flights
from .keys import Asker, Operation, page_key, search_key
from .table import CachedAnswer

Outcome: TypeAlias = Result[Served, WebError]


class CacheRules(msgspec.Struct, frozen=True, kw_only=True):
    """What the cache is told: the decisions, which are not its own, and the clock.

    ``about`` is what the backend says of itself. ``scope`` tells backends of one name apart, such
    as one API at two addresses.
    ``policy_version`` changes when what may be fetched does, so that nothing kept under another
    policy is served. ``keep_*`` return None for what must not be kept, ``recall_*`` for what cannot
    be read.
    """

    about: BackendAbout
    now: Callable[[], float]
    scope: str
    policy_version: str
    canonical_url: Callable[[str], str]
    keep_search: Callable[[WebSearchQuery, object], Kept | None]
    keep_page: Callable[[str, object], Kept | None]
    recall_rows: Callable[[bytes], object]
    recall_page: Callable[[bytes], object]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One call: its key, how to ask, and what to do with the answer."""

    key: bytes
    operation: Operation
    ask: Callable[[], Coroutine[object, object, object]]
    keep: Callable[[object], Kept | None]
    recall: Callable[[bytes], object]


class CachedBackend:
    """A ``WebBackend`` around another. Failures are never kept, and the cache's own never show."""

    def __init__(self, backend: WebBackend, store: CacheStore, rules: CacheRules) -> None:
        """Remember in ``store`` what ``backend`` answers, as ``rules`` say."""
        self.about = rules.about
        self._backend = backend
        self._store = store
        self._rules = rules
        self._asker = Asker(
            backend=rules.about.name, scope=rules.scope, policy_version=rules.policy_version
        )
        self._flights: Flights[Outcome] = Flights()

    async def search(self, query: WebSearchQuery, /) -> Outcome:
        """Answer from the cache, or ask and remember."""
        rules = self._rules
        return await self._answer(
            Question(
                key=search_key(self._asker, query),
                operation="search",
                ask=lambda: self._backend.search(query),
                keep=lambda answer: rules.keep_search(query, answer),
                recall=rules.recall_rows,
            )
        )

    async def extract(self, url: str, /) -> Outcome:
        """Return the page from the cache, or ask and remember."""
        return await self._answer(self.page_question(url))

    def page_question(self, url: str) -> Question:
        """Return the call for one page."""
        rules = self._rules
        return Question(
            key=page_key(self._asker, rules.canonical_url(url)),
            operation="extract",
            ask=lambda: self._backend.extract(url),
            keep=lambda answer: rules.keep_page(url, answer),
            recall=rules.recall_page,
        )

    async def aclose(self) -> None:
        """Close the cache, and what the backend keeps open."""
        self._store.close()
        if isinstance(self._backend, Closeable):
            await self._backend.aclose()

    async def _answer(self, question: Question) -> Outcome:
        return await self._flights.join(question.key, lambda: self._look_or_ask(question))

    async def _look_or_ask(self, question: Question) -> Outcome:
        lookup = await asyncio.to_thread(self._store.look_up, question.key)
        payload = lookup.value_or(None)
        recalled = None if payload is None else question.recall(payload)
        if recalled is not None:
            return Success(_cached(recalled))
        answer = await question.ask()
        # What is no success, and what is no Result at all, is passed on for the kernel to judge.
        if not isinstance(answer, Success):
            return cast("Outcome", answer)
        return Success(await self.remembered(question, answer.unwrap(), lookup))

    def recalled(self, question: Question) -> object | None:
        """Return what is kept for a question; None when that is nothing, or cannot be read."""
        payload = self._store.look_up(question.key).value_or(None)
        return None if payload is None else question.recall(payload)

    async def remembered(
        self,
        question: Question,
        answer: object,
        entry: Result[bytes | None, StoreError] = Success(None),  # noqa: B008  a constant
    ) -> Served:
        """Keep an answer and return it, with a word about the cache if that failed."""
        inner = answer if isinstance(answer, Served) else Served(answer=answer)
        trouble = entry.failure() if isinstance(entry, Failure) else None
        kept = question.keep(inner) if trouble is None else None
        if kept is not None:
            stored = await asyncio.to_thread(self._store.keep, self._entry(question, kept))
            trouble = stored.failure() if isinstance(stored, Failure) else None
        if trouble is None:
            return inner
        return msgspec.structs.replace(inner, warnings=(*inner.warnings, trouble.message))

    def _entry(self, question: Question, stored: Kept) -> CachedAnswer:
        now = self._rules.now()
        return CachedAnswer(
            key=question.key,
            backend=self.about.name,
            operation=question.operation,
            payload=stored.payload,
            stored_at=now,
            expires_at=now + stored.seconds,
        )

    async def extract_many(self, urls: Sequence[str], /) -> tuple[Outcome, ...]:
        """Return each page from the cache, or ask for all others at once and remember them."""
        questions = [self.page_question(url) for url in urls]
        recalled = [await asyncio.to_thread(self.recalled, question) for question in questions]
        unknown = [url for url, known in zip(urls, recalled, strict=True) if known is None]
        answers = iter(await self._ask(unknown))
        outcomes: list[Outcome] = []
        for question, known in zip(questions, recalled, strict=True):
            if known is not None:
                outcomes.append(Success(_cached(known)))
                continue
            answer = next(answers)
            outcome = answer
            if isinstance(answer, Success):
                outcome = Success(await self.remembered(question, answer.unwrap()))
            outcomes.append(cast("Outcome", outcome))
        return tuple(outcomes)

    async def _ask(self, urls: Sequence[str]) -> Sequence[object]:
        if not urls:
            return ()
        if not isinstance(self._backend, ReadsMany):
            return [await self._backend.extract(url) for url in urls]
        answers = tuple(await self._backend.extract_many(urls))
        if len(answers) == len(urls):
            return answers
        mismatch = f"returned {len(answers)} outcomes for {len(urls)} pages"
        return (Failure(BackendCrashed(error=mismatch)),) * len(urls)


def _cached(recalled: object) -> Served:
    """Say of what was kept that it was; a route's answer comes with who gave it."""
    served = recalled if isinstance(recalled, Served) else Served(answer=recalled)
    return msgspec.structs.replace(served, cached=True)
