"""A backend with a cache: the same question is asked once, then answered from the cache."""

import asyncio
import hashlib
import struct
import unicodedata
from collections.abc import Callable, Coroutine, Sequence
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.backends import BackendAbout, Closeable, ReadsMany, Served, WebBackend
from webseam.ports.errors import BackendCrashed, TooOld, WebError
from webseam.ports.stores import AnswerStore, CachedAnswer, KeptAnswer, Lease
from webseam.ports.text import lazy_pattern
from webseam.ports.web import WebSearchQuery

from ..call_context import offer_stored_page, wants_page_html
from .local_answers import OWN_LEASE

Operation: TypeAlias = Literal["search", "extract"]
# Part of every key: raise it when the format of stored answers changes.
_KEY_VERSION = 3
# The time of storing, and for how many seconds the answer may be served, stand before each payload.
_PAYLOAD_HEADER = struct.Struct(">dd")
_WHITESPACE_PATTERN = lazy_pattern(r"\s+")


class CacheIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a cache key that is the same for all questions to a backend."""

    backend: str
    scope: str
    policy_version: str


def search_cache_key(asker: CacheIdentity, query: WebSearchQuery) -> bytes:
    """Return the key of a search; queries that differ only in spelling share it."""
    return _cache_key("search", asker, canonical_query(query))


def page_cache_key(asker: CacheIdentity, canonical_url: str, *, with_html: bool = False) -> bytes:
    """Return the key of a page; a page with its HTML has its own."""
    return _cache_key("extract", asker, (canonical_url, "html") if with_html else canonical_url)


def canonical_query(query: WebSearchQuery) -> WebSearchQuery:
    """Return the canonical form of a query. Idempotent. Letter case stays: NOT is an operator."""
    return msgspec.structs.replace(
        query,
        query=_WHITESPACE_PATTERN.sub(" ", unicodedata.normalize("NFC", query.query)).strip(),
        include_domains=_canonical_domains(query.include_domains),
        exclude_domains=_canonical_domains(query.exclude_domains),
        country=query.country and query.country.upper(),
        language=query.language and query.language.lower(),
    )


def _canonical_domains(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({name.lower() for name in names}))


def _cache_key(operation: Operation, asker: CacheIdentity, question: object) -> bytes:
    identity = msgspec.json.encode((_KEY_VERSION, operation, asker, question))
    return hashlib.blake2b(identity, digest_size=32).digest()


Value = TypeVar("Value")


class _Flight(Generic[Value]):
    """A running call, and how many callers wait for it."""

    def __init__(self, task: asyncio.Task[Value]) -> None:
        self.task = task
        self.waiting = 0


class SingleFlight(Generic[Value]):
    """Running calls by key, shared by all callers with the same key."""

    def __init__(self) -> None:
        self._flights: dict[tuple[int, bytes], _Flight[Value]] = {}

    async def join(
        self, key: bytes, start: Callable[[], Coroutine[object, object, Value]]
    ) -> Value:
        """Return the result of the call under ``key``; start it if it is not running.

        The call runs in its own task, so that cancelling one caller does not cancel it. It is
        cancelled when the last caller has gone.
        """
        loop = asyncio.get_running_loop()
        flight_key = (id(loop), key)
        flight = self._flights.get(flight_key)
        if flight is None:
            flight = self._flights[flight_key] = _Flight(loop.create_task(start()))
            flight.task.add_done_callback(_retrieve_flight_error)
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                # Remove it before the task ends, so that no caller joins a cancelled call.
                self._flights.pop(flight_key, None)
                flight.task.cancel()


def _retrieve_flight_error(task: asyncio.Task[Value]) -> None:
    """Retrieve the exception of a call without callers; otherwise asyncio would warn."""
    if not task.cancelled():
        task.exception()


Outcome: TypeAlias = Result[Served, WebError]


class CacheRules(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's decisions about caching, and the clock.

    ``about`` describes the backend. ``scope`` separates backends of the same name, such as one API
    at two addresses. ``policy_version`` changes with the policy, so that no answer stored under
    another policy is served. ``keep_*`` return None for an answer that must not be stored,
    ``recall_*`` for a payload that cannot be read. ``max_age`` is what the current call accepts, in
    seconds; None accepts every answer that has not expired.
    """

    about: BackendAbout
    now: Callable[[], float]
    max_age: Callable[[], float | None]
    scope: str
    policy_version: str
    canonical_url: Callable[[str], str]
    keep_search: Callable[[WebSearchQuery, object], KeptAnswer | None]
    keep_page: Callable[[str, object], KeptAnswer | None]
    recall_rows: Callable[[bytes], object]
    recall_page: Callable[[bytes], object]


class RecalledAnswer(NamedTuple):
    """A stored answer, its age in seconds, and whether this call may be answered with it."""

    served: Served
    age: float
    is_fresh: bool


class CacheQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One call: its cache key, how to ask, how to store and recall the answer."""

    key: bytes
    operation: Operation
    ask: Callable[[], Coroutine[object, object, object]]
    keep: Callable[[object], KeptAnswer | None]
    recall: Callable[[bytes], object]


class CachedBackend:
    """A ``WebBackend`` around another. It stores no failures, and hides those of the cache."""

    def __init__(self, backend: WebBackend, store: AnswerStore, rules: CacheRules) -> None:
        """Store the answers of ``backend`` in ``store``, as ``rules`` decide."""
        self.about = rules.about
        self._backend = backend
        self._store = store
        self._rules = rules
        self._identity = CacheIdentity(
            backend=rules.about.name, scope=rules.scope, policy_version=rules.policy_version
        )
        self._flights: SingleFlight[Outcome] = SingleFlight()

    async def search(self, query: WebSearchQuery, /) -> Outcome:
        """Answer from the cache, or ask and store the answer."""
        rules = self._rules
        return await self._join_flight(
            CacheQuestion(
                key=search_cache_key(self._identity, query),
                operation="search",
                ask=lambda: self._backend.search(query),
                keep=lambda answer: rules.keep_search(query, answer),
                recall=rules.recall_rows,
            )
        )

    async def extract(self, url: str, /) -> Outcome:
        """Return the page from the cache, or ask and store it."""
        return await self._join_flight(self.page_question(url))

    def page_question(self, url: str) -> CacheQuestion:
        """Return the cache question for one page."""
        rules, with_html = self._rules, wants_page_html()
        return CacheQuestion(
            key=page_cache_key(self._identity, rules.canonical_url(url), with_html=with_html),
            operation="extract",
            ask=lambda: self._backend.extract(url),
            keep=lambda answer: rules.keep_page(url, answer),
            recall=rules.recall_page,
        )

    async def aclose(self) -> None:
        """Close the cache and the backend."""
        await self._store.aclose()
        if isinstance(self._backend, Closeable):
            await self._backend.aclose()

    async def _join_flight(self, question: CacheQuestion) -> Outcome:
        # Calls that accept different ages do not share an answer.
        flight_key = question.key + repr(self._rules.max_age()).encode()
        return await self._flights.join(flight_key, lambda: self._recall_or_ask(question))

    async def _recall_or_ask(self, question: CacheQuestion) -> Outcome:
        while True:
            lookup = await self._store.look_up(question.key)
            recalled = self._recall(question, lookup)
            if recalled is not None and recalled.is_fresh:
                return Success(recalled.served)
            if isinstance(lookup, Failure):
                return (await self._ask_and_store(question, lookup.failure()))[0]
            # A stored answer that is old or cannot be read, such as a newer webseam's, needs none.
            lease = (
                OWN_LEASE
                if lookup.unwrap() is not None
                else await self._take_or_await_lease(question.key)
            )
            if lease is not None:
                with offer_stored_page(recalled and recalled.served.answer):
                    outcome = await self._ask_with_lease(question, lease)
                return self._explain_old_answer(outcome, recalled)

    async def _take_or_await_lease(self, key: bytes) -> Lease | None:
        """Return the lease for asking; None once another holder has stored an answer."""
        lease = await self._store.take_lease(key)
        if lease is None and not await self._store.wait_for_lease(key):
            # The other holder stored nothing, for example after a failure: ask ourselves.
            return OWN_LEASE
        return lease

    async def _ask_with_lease(self, question: CacheQuestion, lease: Lease) -> Outcome:
        is_stored = False
        try:
            outcome, is_stored = await self._ask_and_store(question)
        finally:
            # Other processes wait for the end of the lease, so end it even after a cancellation.
            await asyncio.shield(lease.end(kept=is_stored))
        return outcome

    async def _ask_and_store(
        self, question: CacheQuestion, cache_error: WebError | None = None
    ) -> tuple[Outcome, bool]:
        """Ask and store the answer unless the cache failed; also return whether it was stored."""
        answer = await question.ask()
        # Pass on a failure, or a value that is no Result: the kernel judges it.
        if not isinstance(answer, Success):
            return cast("Outcome", answer), False
        served, is_stored = await self._store_served(question, answer.unwrap(), cache_error)
        return Success(served), is_stored

    async def _store_served(
        self, question: CacheQuestion, answer: object, cache_error: WebError | None = None
    ) -> tuple[Served, bool]:
        """Store an answer and return it, with a warning if storing failed."""
        served = answer if isinstance(answer, Served) else Served(answer=answer)
        entry_payload = question.keep(served) if cache_error is None else None
        if entry_payload is not None:
            outcome = await self._store.keep(self._cache_entry(question, entry_payload))
            cache_error = outcome.failure() if isinstance(outcome, Failure) else None
        if cache_error is None:
            return served, entry_payload is not None
        warnings = (*served.warnings, cache_error.message)
        return msgspec.structs.replace(served, warnings=warnings), False

    def _cache_entry(self, question: CacheQuestion, stored: KeptAnswer) -> CachedAnswer:
        now = self._rules.now()
        return CachedAnswer(
            key=question.key,
            backend=self.about.name,
            operation=question.operation,
            payload=_PAYLOAD_HEADER.pack(now, stored.seconds) + stored.payload,
            stored_at=now,
            expires_at=now + max(stored.seconds, stored.stored_seconds),
        )

    async def extract_many(self, urls: Sequence[str], /) -> tuple[Outcome, ...]:
        """Return each page from the cache; ask for the others at once and store them."""
        questions = [self.page_question(url) for url in urls]
        lookups = await asyncio.gather(*(self._store.look_up(entry.key) for entry in questions))
        recalled = [
            self._recall(question, lookup)
            for question, lookup in zip(questions, lookups, strict=True)
        ]
        missing_urls = [
            url
            for url, cached in zip(urls, recalled, strict=True)
            if cached is None or not cached.is_fresh
        ]
        answers = iter(await self._ask_uncached_pages(missing_urls))
        outcomes: list[Outcome] = []
        for question, cached in zip(questions, recalled, strict=True):
            if cached is not None and cached.is_fresh:
                outcomes.append(Success(cached.served))
                continue
            answer = next(answers)
            outcome = answer
            if isinstance(answer, Success):
                outcome = Success((await self._store_served(question, answer.unwrap()))[0])
            outcomes.append(self._explain_old_answer(cast("Outcome", outcome), cached))
        return tuple(outcomes)

    def _recall(
        self, question: CacheQuestion, lookup: Result[bytes | None, WebError]
    ) -> RecalledAnswer | None:
        """Return the stored answer; None if there is none, or it is unreadable."""
        payload, max_age = lookup.value_or(None), self._rules.max_age()
        if payload is None or len(payload) < _PAYLOAD_HEADER.size:
            return None
        stored_at, seconds = _PAYLOAD_HEADER.unpack_from(payload)
        age = self._rules.now() - stored_at
        is_fresh = age <= seconds and (max_age is None or 0 <= age <= max_age)
        answer = question.recall(payload[_PAYLOAD_HEADER.size :])
        if answer is None:
            return None
        # A route's answer is already a ``Served``.
        served = answer if isinstance(answer, Served) else Served(answer=answer)
        served = msgspec.structs.replace(served, cached=True, age=age)
        return RecalledAnswer(served, age, is_fresh)

    def _explain_old_answer(self, outcome: Outcome, stored: RecalledAnswer | None) -> Outcome:
        """Return ``TooOld`` where only an answer older than the caller accepts was to be had."""
        max_age = self._rules.max_age()
        if not isinstance(outcome, Failure) or stored is None or max_age is None:
            return outcome
        cause = getattr(outcome.failure(), "kind", "")
        return Failure(TooOld(age=round(stored.age, 3), max_age=max_age, cause=cause))

    async def _ask_uncached_pages(self, urls: Sequence[str]) -> Sequence[object]:
        if not urls:
            return ()
        if not isinstance(self._backend, ReadsMany):
            return [await self._backend.extract(url) for url in urls]
        answers = tuple(await self._backend.extract_many(urls))
        if len(answers) == len(urls):
            return answers
        mismatch = f"returned {len(answers)} outcomes for {len(urls)} pages"
        return (Failure(BackendCrashed(error=mismatch)),) * len(urls)
