"""A backend with a cache: the same question is asked once, then answered from the cache."""

import asyncio
import hashlib
import itertools
import struct
import unicodedata
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.attempts import shared_attempts
from webseam.ports.backends import BackendAbout, Closeable, ReadsMany, Served, WebBackend
from webseam.ports.errors import BackendCrashed, TooOld, WebError
from webseam.ports.errors.error_fields import ErrorFields
from webseam.ports.stores import AnswerStore, CachedAnswer, KeptAnswer, Lease
from webseam.ports.targets import comparable_host
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


def search_cache_key(
    asker: CacheIdentity, query: WebSearchQuery, *, drops_filters: bool = False
) -> bytes:
    """Return the key of a search; queries that differ only in spelling share it.

    An answer for which filters were dropped is no answer for a caller who insists on them.
    """
    question = canonical_query(query)
    return _cache_key("search", asker, (question, "best-effort") if drops_filters else question)


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
        language=query.language and _canonical_language(query.language),
    )


def _canonical_domains(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({comparable_host(name) for name in names}))


def _canonical_language(tag: str) -> str:
    """Return a language in the case of BCP 47, section 2.1.1, which services expect."""
    language, dash, region = tag.partition("-")
    return f"{language.lower()}{dash}{region.upper()}"


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
        self,
        key: bytes,
        start: Callable[[], Coroutine[object, object, Value]],
        share: Callable[[Value], Value] | None = None,
    ) -> Value:
        """Return the result of the call under ``key``; start it if it is not running.

        The call runs in its own task, so that cancelling one caller does not cancel it. It is
        cancelled when the last caller has gone. Whoever did not start it gets what ``share`` makes
        of the result.
        """
        loop = asyncio.get_running_loop()
        flight_key = (id(loop), key)
        flight = self._flights.get(flight_key)
        if flight is None:
            flight, share = self._start_flight(flight_key, start), None
        flight.waiting += 1
        try:
            value = await asyncio.shield(flight.task)
        finally:
            self._leave_flight(flight_key, flight)
        return value if share is None else share(value)

    async def join_all(
        self,
        starts: Sequence[tuple[bytes, Callable[[], Coroutine[object, object, Value]]]],
        share: Callable[[Value], Value],
    ) -> list[Value]:
        """Join several calls; those that are not running are all started before one is awaited."""
        loop = asyncio.get_running_loop()
        joined: list[tuple[tuple[int, bytes], _Flight[Value], bool]] = []
        for key, start in starts:
            flight_key = (id(loop), key)
            flight = self._flights.get(flight_key)
            is_new = flight is None
            flight = flight or self._start_flight(flight_key, start)
            flight.waiting += 1
            joined.append((flight_key, flight, is_new))
        values: list[Value] = []
        try:
            for _, flight, is_new in joined:
                value = await asyncio.shield(flight.task)
                values.append(value if is_new else share(value))
        finally:
            for flight_key, flight, _ in joined:
                self._leave_flight(flight_key, flight)
        return values

    def _start_flight(
        self, key: tuple[int, bytes], start: Callable[[], Coroutine[object, object, Value]]
    ) -> _Flight[Value]:
        loop = asyncio.get_running_loop()
        flight = self._flights[key] = _Flight(loop.create_task(start()))
        flight.task.add_done_callback(_retrieve_flight_error)
        return flight

    def _leave_flight(self, key: tuple[int, bytes], flight: _Flight[Value]) -> None:
        flight.waiting -= 1
        if not flight.waiting:
            # Remove it before the task ends, so that no caller joins a cancelled call.
            self._flights.pop(key, None)
            flight.task.cancel()


def _retrieve_flight_error(task: asyncio.Task[Value]) -> None:
    """Retrieve the exception of a call without callers; otherwise asyncio would warn."""
    if not task.cancelled():
        task.exception()


Outcome: TypeAlias = Result[Served, WebError]


def _share_outcome(outcome: Outcome) -> Outcome:
    """Return an outcome for a caller that joined the call of another, which has the cost."""
    if isinstance(outcome, Failure):
        error = outcome.failure()
        # A backend of somebody else may fail with any value: the kernel judges it.
        if not isinstance(error, ErrorFields) or not error.attempts:
            return outcome
        attempts = shared_attempts(error.attempts)
        return Failure(cast("WebError", msgspec.structs.replace(error, attempts=attempts)))
    if not isinstance(outcome, Success) or outcome.unwrap().cached:
        return outcome
    served = outcome.unwrap()
    found = served.outcome
    if found is not None:
        attempts, usage = shared_attempts(found.receipt.attempts), None
        receipt = msgspec.structs.replace(found.receipt, attempts=attempts, usage=usage)
        found = msgspec.structs.replace(found, receipt=receipt)
    attempts = shared_attempts(served.attempts)
    return Success(msgspec.structs.replace(served, outcome=found, attempts=attempts, usage=None))


class CacheRules(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel's decisions about caching, and the clock.

    ``about`` describes the backend. ``scope`` separates backends of the same name, such as one API
    at two addresses. ``generation`` changes with the documents of a backend on this machine, and is
    empty for every other. ``policy_version`` changes with the policy, so that no answer stored
    under another policy is served. ``drops_filters`` tells whether the backend is asked without a
    filter of a query. ``keep_*`` return None for an answer that must not be stored,
    ``recall_*`` for a payload that cannot be read. ``max_age`` is what the current call accepts, in
    seconds; None accepts every answer that has not expired.
    """

    about: BackendAbout
    now: Callable[[], float]
    max_age: Callable[[], float | None]
    scope: str
    generation: Callable[[], str]
    policy_version: str
    drops_filters: Callable[[WebSearchQuery], bool]
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
        self._batches: SingleFlight[Sequence[Outcome]] = SingleFlight()
        self._batch_numbers = itertools.count()

    async def search(self, query: WebSearchQuery, /) -> Outcome:
        """Answer from the cache, or ask and store the answer."""
        rules = self._rules
        # What shares a key is asked in the same words, whoever asks first.
        question = canonical_query(query)
        drops_filters = rules.drops_filters(question)
        return await self._join_flight(
            CacheQuestion(
                key=search_cache_key(
                    self._current_identity(), question, drops_filters=drops_filters
                ),
                operation="search",
                ask=lambda: self._backend.search(question),
                keep=lambda answer: rules.keep_search(question, answer),
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
            key=page_cache_key(
                self._current_identity(), rules.canonical_url(url), with_html=with_html
            ),
            operation="extract",
            ask=lambda: self._backend.extract(url),
            keep=lambda answer: rules.keep_page(url, answer),
            recall=rules.recall_page,
        )

    def _current_identity(self) -> CacheIdentity:
        """Return the identity of the backend with the documents that it has now.

        It is read before the backend is asked. So an answer is stored at most under a generation
        older than its own, which is never asked for again.
        """
        generation = self._rules.generation()
        if not generation:
            return self._identity
        scope = f"{self._identity.scope} @{generation}"
        return msgspec.structs.replace(self._identity, scope=scope)

    async def aclose(self) -> None:
        """Close the cache and the backend."""
        await self._store.aclose()
        if isinstance(self._backend, Closeable):
            await self._backend.aclose()

    async def _join_flight(self, question: CacheQuestion) -> Outcome:
        flight_key = self._flight_key(question)
        return await self._flights.join(
            flight_key, lambda: self._recall_or_ask(question), _share_outcome
        )

    def _flight_key(self, question: CacheQuestion) -> bytes:
        # Calls that accept different ages do not share an answer.
        return question.key + repr(self._rules.max_age()).encode()

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
                with offer_stored_page(recalled and recalled.served):
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
        """Return each page from the cache; ask for the others at once and store them.

        A page that another caller is asking for is not asked for again.
        """
        batch: list[tuple[str, CacheQuestion]] = []
        batch_key = str(next(self._batch_numbers)).encode()

        def start(url: str, question: CacheQuestion) -> Coroutine[object, object, Outcome]:
            position = len(batch)
            batch.append((url, question))

            async def read_in_batch() -> Outcome:
                # The whole batch is known here: all its flights were started before one ran.
                read = partial(self._recall_or_ask_pages, batch)
                return (await self._batches.join(batch_key, read))[position]

            return read_in_batch()

        questions = [self.page_question(url) for url in urls]
        starts = [
            (self._flight_key(question), partial(start, url, question))
            for url, question in zip(urls, questions, strict=True)
        ]
        return tuple(await self._flights.join_all(starts, _share_outcome))

    async def _recall_or_ask_pages(
        self, batch: Sequence[tuple[str, CacheQuestion]]
    ) -> Sequence[Outcome]:
        urls, questions = [url for url, _ in batch], [question for _, question in batch]
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
        return outcomes

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
