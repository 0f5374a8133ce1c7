"""A backend that remembers: the same question is asked once, and answered again from the cache."""

import asyncio
import hashlib
import re
import unicodedata
from collections.abc import Callable, Coroutine, Sequence
from typing import Generic, Literal, TypeAlias, TypeVar, cast

import msgspec
from returns.result import Failure, Result, Success

from ....ports.backends import BackendAbout, Closeable, ReadsMany, Served, WebBackend
from ....ports.errors import BackendCrashed, WebError
from ....ports.stores import AnswerStore, CachedAnswer, KeptAnswer, Lease
from ....ports.web import WebSearchQuery
from .local_answers import OWN_LEASE

Operation: TypeAlias = Literal["search", "extract"]
# Part of every key: raise it when what is kept changes its shape.
_KEY_VERSION = 1
_WHITESPACE_PATTERN = re.compile(r"\s+")


class CacheIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks whom, and under which policy."""

    backend: str
    scope: str
    policy_version: str


def search_key(asker: CacheIdentity, query: WebSearchQuery) -> bytes:
    """Return the key of a search; spelling that no backend could care about is evened out."""
    return _cache_key("search", asker, canonical_query(query))


def page_key(asker: CacheIdentity, canonical_url: str) -> bytes:
    """Return the key of a page."""
    return _cache_key("extract", asker, canonical_url)


def canonical_query(query: WebSearchQuery) -> WebSearchQuery:
    """Return the query as equal ones are written. Idempotent. Case stays: NOT is not not."""
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
    whole = msgspec.json.encode((_KEY_VERSION, operation, asker, question))
    return hashlib.blake2b(whole, digest_size=32).digest()


# One call for many callers that ask the same at the same time.

Value = TypeVar("Value")


class _Flight(Generic[Value]):
    """A call under way, and how many wait for it."""

    def __init__(self, task: asyncio.Task[Value]) -> None:
        self.task = task
        self.waiting = 0


class SingleFlight(Generic[Value]):
    """The calls under way, by key. A caller that gives up takes nobody else's answer away."""

    def __init__(self) -> None:
        self._flights: dict[tuple[int, bytes], _Flight[Value]] = {}

    async def join(
        self, key: bytes, start: Callable[[], Coroutine[object, object, Value]]
    ) -> Value:
        """Return what the call under ``key`` gives; start it if it is not under way.

        The call runs in a task of its own, so that cancelling one caller does not cancel it. When
        the last caller has gone, it is cancelled too.
        """
        loop = asyncio.get_running_loop()
        place = (id(loop), key)
        flight = self._flights.get(place)
        if flight is None:
            flight = self._flights[place] = _Flight(loop.create_task(start()))
            flight.task.add_done_callback(_retrieve_task_error)
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                # Before the task has ended, so that nobody joins a call that is being cancelled.
                self._flights.pop(place, None)
                flight.task.cancel()


def _retrieve_task_error(task: asyncio.Task[Value]) -> None:
    """See what a call raised when nobody waits for it any more; asyncio would complain."""
    if not task.cancelled():
        task.exception()


# A backend that remembers: the same question is asked once, and answered again from the cache.

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
    keep_search: Callable[[WebSearchQuery, object], KeptAnswer | None]
    keep_page: Callable[[str, object], KeptAnswer | None]
    recall_rows: Callable[[bytes], object]
    recall_page: Callable[[bytes], object]


class CacheQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One call: its key, how to ask, and what to do with the answer."""

    key: bytes
    operation: Operation
    ask: Callable[[], Coroutine[object, object, object]]
    keep: Callable[[object], KeptAnswer | None]
    recall: Callable[[bytes], object]


class CachedBackend:
    """A ``WebBackend`` around another. Failures are never kept, and the cache's own never show."""

    def __init__(self, backend: WebBackend, store: AnswerStore, rules: CacheRules) -> None:
        """Remember in ``store`` what ``backend`` answers, as ``rules`` say."""
        self.about = rules.about
        self._backend = backend
        self._store = store
        self._rules = rules
        self._asker = CacheIdentity(
            backend=rules.about.name, scope=rules.scope, policy_version=rules.policy_version
        )
        self._flights: SingleFlight[Outcome] = SingleFlight()

    async def search(self, query: WebSearchQuery, /) -> Outcome:
        """Answer from the cache, or ask and remember."""
        rules = self._rules
        return await self._answer(
            CacheQuestion(
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

    def page_question(self, url: str) -> CacheQuestion:
        """Return the call for one page."""
        rules = self._rules
        return CacheQuestion(
            key=page_key(self._asker, rules.canonical_url(url)),
            operation="extract",
            ask=lambda: self._backend.extract(url),
            keep=lambda answer: rules.keep_page(url, answer),
            recall=rules.recall_page,
        )

    async def aclose(self) -> None:
        """Close the cache, and what the backend keeps open."""
        await self._store.aclose()
        if isinstance(self._backend, Closeable):
            await self._backend.aclose()

    async def _answer(self, question: CacheQuestion) -> Outcome:
        return await self._flights.join(question.key, lambda: self._look_or_ask(question))

    async def _look_or_ask(self, question: CacheQuestion) -> Outcome:
        while True:
            lookup = await self._store.look_up(question.key)
            recalled = _recall_answer(question, lookup)
            if recalled is not None:
                return Success(_mark_cached(recalled))
            if isinstance(lookup, Failure):
                return (await self._ask_one(question, lookup.failure()))[0]
            # What is there and cannot be read, such as a newer webseam's, is asked for at once.
            lease = OWN_LEASE if lookup.unwrap() is not None else await self._turn(question.key)
            if lease is not None:
                return await self._lead(question, lease)

    async def _turn(self, key: bytes) -> Lease | None:
        """Return the right to ask; None once another, who had it, has left an answer."""
        lease = await self._store.lead(key)
        if lease is None and not await self._store.landed(key):
            # Whoever asked has nothing to share, such as a failure: that may not be ours.
            return OWN_LEASE
        return lease

    async def _lead(self, question: CacheQuestion, lease: Lease) -> Outcome:
        kept = False
        try:
            outcome, kept = await self._ask_one(question)
        finally:
            # Others wait for this. It is done also when nobody waits for the answer any more.
            await asyncio.shield(lease.end(kept=kept))
        return outcome

    async def _ask_one(
        self, question: CacheQuestion, trouble: WebError | None = None
    ) -> tuple[Outcome, bool]:
        """Ask, and keep the answer unless the cache is in trouble; tell whether it was kept."""
        answer = await question.ask()
        # What is no success, and what is no Result at all, is passed on for the kernel to judge.
        if not isinstance(answer, Success):
            return cast("Outcome", answer), False
        served, kept = await self._remembered(question, answer.unwrap(), trouble)
        return Success(served), kept

    async def _remembered(
        self, question: CacheQuestion, answer: object, trouble: WebError | None = None
    ) -> tuple[Served, bool]:
        """Keep an answer and return it, with a word about the cache if that failed."""
        inner = answer if isinstance(answer, Served) else Served(answer=answer)
        kept = question.keep(inner) if trouble is None else None
        if kept is not None:
            stored = await self._store.keep(self._entry(question, kept))
            trouble = stored.failure() if isinstance(stored, Failure) else None
        if trouble is None:
            return inner, kept is not None
        warnings = (*inner.warnings, trouble.message)
        return msgspec.structs.replace(inner, warnings=warnings), False

    def _entry(self, question: CacheQuestion, stored: KeptAnswer) -> CachedAnswer:
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
        lookups = await asyncio.gather(*(self._store.look_up(each.key) for each in questions))
        recalled = [
            _recall_answer(each, lookup) for each, lookup in zip(questions, lookups, strict=True)
        ]
        unknown = [url for url, known in zip(urls, recalled, strict=True) if known is None]
        answers = iter(await self._ask(unknown))
        outcomes: list[Outcome] = []
        for question, known in zip(questions, recalled, strict=True):
            if known is not None:
                outcomes.append(Success(_mark_cached(known)))
                continue
            answer = next(answers)
            outcome = answer
            if isinstance(answer, Success):
                outcome = Success((await self._remembered(question, answer.unwrap()))[0])
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


def _recall_answer(
    question: CacheQuestion, lookup: Result[bytes | None, WebError]
) -> object | None:
    """Return what is kept for a question; None when that is nothing, or cannot be read."""
    payload = lookup.value_or(None)
    return None if payload is None else question.recall(payload)


def _mark_cached(recalled: object) -> Served:
    """Say of what was kept that it was; a route's answer comes with who gave it."""
    served = recalled if isinstance(recalled, Served) else Served(answer=recalled)
    return msgspec.structs.replace(served, cached=True)
