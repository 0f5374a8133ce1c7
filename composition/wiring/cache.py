"""Wrap a backend with the answer cache."""

import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
from returns.result import Failure

from webseam.adapters.call_context import current_max_cache_age, current_second_look
from webseam.adapters.stores.cache_table import MAX_CACHE_BYTES, CacheStore
from webseam.adapters.stores.cached_backend import CachedBackend, CacheRules
from webseam.adapters.stores.local_answers import FileAnswers
from webseam.kernel import cache_rules
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.port_answers import backend_about
from webseam.kernel.urls.spelling import canonical_url
from webseam.ports.backends import Closeable, WebBackend
from webseam.ports.errors import NotStored, WebError
from webseam.ports.stores import AnswerStore
from webseam.ports.web import WebSearchQuery

from ..settings.file_locations import PROCESS_FILES, FileLocations

_SECOND_LOOK_SUFFIXES = {None: "", False: "#look 1", True: "#look 2"}


def cache_store(
    files: FileLocations = PROCESS_FILES, max_bytes: int = MAX_CACHE_BYTES
) -> CacheStore:
    """Return the cache of this user; the first stored answer creates its file."""
    return CacheStore(files.cache_folder / "answers.sqlite", max_bytes=max_bytes)


def make_lifetimes(minutes: float) -> cache_rules.Lifetimes:
    """Return the lifetimes of answers; recent topics never live longer than others.

    >>> make_lifetimes(1).recent, make_lifetimes(60).recent
    (60.0, 120.0)
    """
    seconds = minutes * 60.0
    return cache_rules.Lifetimes(
        usual=seconds, recent=min(seconds, cache_rules.Lifetimes().recent), page=seconds
    )


def with_cache(
    backend: WebBackend,
    store: CacheStore | AnswerStore,
    *,
    scope: str = "",
    generation: Callable[[], str] = str,
    drops_filters: Callable[[WebSearchQuery], bool] | None = None,
    policy: Policy | None = None,
    lifetimes: cache_rules.Lifetimes | None = None,
    now: Callable[[], float] = time.time,
) -> CachedBackend:
    """Return ``backend`` with a cache; ``scope`` tells two addresses of one API apart.

    ``generation`` is asked before each call: an answer of another generation is not served.
    ``drops_filters`` tells whether the backend is asked without a filter of a query.
    """
    cache_lifetimes = lifetimes or cache_rules.Lifetimes()
    answers = FileAnswers(store) if isinstance(store, CacheStore) else store
    return CachedBackend(
        backend,
        answers,
        CacheRules(
            about=backend_about(backend),
            now=now,
            max_age=current_max_cache_age,
            scope=scope,
            generation=generation,
            policy_version=policy_version(policy or Policy()),
            drops_filters=drops_filters or (lambda _query: False),
            # A call that decides about the second look has its own pages.
            canonical_url=lambda url: (
                canonical_url(url) + _SECOND_LOOK_SUFFIXES[current_second_look()]
            ),
            keep_search=lambda query, answer: cache_rules.cacheable_search(
                query, answer, datetime.fromtimestamp(now(), UTC).date(), cache_lifetimes
            ),
            keep_page=lambda url, answer: cache_rules.cacheable_page(url, answer, cache_lifetimes),
            recall_rows=cache_rules.decode_cached_rows,
            recall_page=cache_rules.decode_cached_page,
        ),
    )


class StoredOnly:
    """Stands in the place of a backend inside the cache, and fails instead of asking it."""

    def __init__(self, backend: WebBackend) -> None:
        self.about = backend_about(backend)
        self._backend = backend

    async def search(self, _question: object, /) -> Failure[WebError]:
        """Fail: the cache had no answer."""
        return Failure(NotStored())

    extract = search

    async def aclose(self) -> None:
        """Close the backend."""
        if isinstance(self._backend, Closeable):
            await self._backend.aclose()


def policy_version(policy: Policy) -> str:
    """Return a BLAKE2b digest of the policy; it changes when a rule about pages does."""
    rules = msgspec.structs.replace(policy, follow="any")
    return hashlib.blake2b(msgspec.json.encode(rules), digest_size=8).hexdigest()
