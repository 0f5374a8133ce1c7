# ruff: noqa: PLC0415
"""Open the stores of the settings: local files, PostgreSQL or Valkey."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

from returns.result import Failure, Result, Success

from webseam.adapters.caches import RecentValues
from webseam.adapters.stores.cached_backend import SingleFlight
from webseam.adapters.stores.text_files import SharedTexts, TextFiles
from webseam.kernel.planner.pacing import book_rate_slots, next_rate_slot
from webseam.ports.errors import NotConfigured, WebError
from webseam.ports.jobs import JobStore
from webseam.ports.keys import KeyRecord, KeyStore
from webseam.ports.planning import LedgerStore, RateStore
from webseam.ports.stores import AnswerStore, StoreState

from ..planning.open_backends import close_after
from ..settings.file_locations import PROCESS_FILES, FileLocations
from ..settings.schema import StoreSettings

_MINUTE_SECONDS = 60.0
_MAX_CACHED_KEYS = 4096
_MAX_SCOPE_TEXT_BYTES = 64 * 1024 * 1024
# A key that another machine revoked may stay valid here for this long.
KEY_CACHE_SECONDS = 1.0


class KeyRates:
    """The rate of each key, a minute's calls at once; without the server, of each machine."""

    def __init__(
        self, shared: RateStore | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Count in ``shared``, else here by the clock ``now``."""
        self._shared, self._now = shared, now
        self._due: RecentValues[str, float] = RecentValues(_MAX_CACHED_KEYS)

    async def count_call(self, record: KeyRecord | None) -> float:
        """Count one call; return the seconds to wait, 0 if it may start now."""
        if record is None or record.rate is None:
            return 0.0
        if self._shared is not None:
            seconds = (await self._shared.take(record.id, record.rate)).value_or(None)
            if seconds is not None:
                return seconds
        return self._local_wait_seconds(record.id, record.rate)

    async def aclose(self) -> None:
        """Close the connection to the shared server."""
        if self._shared is not None:
            await self._shared.aclose()

    def _local_wait_seconds(self, key_id: str, rate: float) -> float:
        now, due, a_second = self._now(), self._due.get(key_id) or 0.0, rate / _MINUTE_SECONDS
        if (seconds := next_rate_slot(due, a_second, max(rate, 1.0)) - now) > 0:
            return seconds
        self._due.put(key_id, book_rate_slots(due, a_second, now))
        return 0.0


def is_ledger_shared(settings: StoreSettings) -> bool:
    """Tell whether PostgreSQL stores spending and health."""
    return bool(settings.postgres) and settings.ledger == "shared"


def open_ledger(
    settings: StoreSettings, files: FileLocations = PROCESS_FILES
) -> Result[LedgerStore, WebError]:
    """Return the ledger; it opens on first use."""
    if not is_ledger_shared(settings):
        from webseam.adapters.stores.ledger import Ledger

        return Success(Ledger(files.ledger_file))
    if (missing := _missing_postgres_extra()) is not None:
        return Failure(missing)
    from webseam.adapters.stores.postgres.ledger import PostgresLedger

    return Success(PostgresLedger(settings.postgres))


def open_key_store(
    settings: StoreSettings, files: FileLocations = PROCESS_FILES
) -> Result[KeyStore, WebError]:
    """Return the gateway's keys; it opens on first use."""
    if not settings.postgres:
        from webseam.adapters.stores.keys import KeyFile

        return Success(KeyFile(files.keys_file))
    if (missing := _missing_postgres_extra()) is not None:
        return Failure(missing)
    from webseam.adapters.stores.postgres.keys import PostgresKeys

    return Success(PostgresKeys(settings.postgres))


def open_answer_store(
    settings: StoreSettings, files: FileLocations, max_bytes: int
) -> Result[AnswerStore, WebError]:
    """Return the cache; it opens on first use."""
    if not settings.valkey:
        from webseam.adapters.stores.local_answers import FileAnswers

        from .cache import cache_store

        return Success(FileAnswers(cache_store(files, max_bytes)))
    if (missing := _missing_valkey_extra()) is not None:
        return Failure(missing)
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers

    return Success(ValkeyAnswers(settings.valkey, max_bytes))


def open_rate_store(settings: StoreSettings) -> Result[RateStore | None, WebError]:
    """Return the shared counter of calls per key; None without Valkey."""
    if not settings.valkey:
        return Success(None)
    if (missing := _missing_valkey_extra()) is not None:
        return Failure(missing)
    from webseam.adapters.stores.valkey.rates import ValkeyRates

    return Success(ValkeyRates(settings.valkey))


def open_job_store(settings: StoreSettings) -> Result[JobStore | None, WebError]:
    """Return the job store that gateways share; None without a server."""
    if settings.valkey:
        if (missing := _missing_valkey_extra()) is not None:
            return Failure(missing)
        from webseam.adapters.stores.valkey.jobs import ValkeyJobs

        return Success(ValkeyJobs(settings.valkey))
    if settings.postgres:
        if (missing := _missing_postgres_extra()) is not None:
            return Failure(missing)
        from webseam.adapters.stores.postgres.jobs import PostgresJobs

        return Success(PostgresJobs(settings.postgres))
    return Success(None)


def open_text_store(
    settings: StoreSettings, files: FileLocations, scope: str = ""
) -> TextFiles | SharedTexts:
    """Return the store of full texts; scopes cannot read each other's texts.

    A missing package is no error here: the other stores of that server report it.
    """
    local_texts = _scoped_text_files(files, scope)
    if settings.valkey and _missing_valkey_extra() is None:
        from webseam.adapters.stores.valkey.texts import ValkeyTexts

        return SharedTexts(local_texts, ValkeyTexts(settings.valkey, scope))
    if settings.postgres and not settings.valkey and _missing_postgres_extra() is None:
        from webseam.adapters.stores.postgres.texts import PostgresTexts

        return SharedTexts(local_texts, PostgresTexts(settings.postgres, scope))
    return local_texts


def _scoped_text_files(files: FileLocations, scope: str) -> TextFiles:
    folder = files.cache_folder
    if not scope:
        return TextFiles(folder / "texts")
    # A separate folder per scope: a handle of another scope finds nothing.
    return TextFiles(folder / "texts-of" / scope, max_bytes=_MAX_SCOPE_TEXT_BYTES)


def count_shared_answers(settings: StoreSettings) -> Result[dict[str, object], WebError]:
    """Count the shared answers and their bytes."""
    if (missing := _missing_valkey_extra()) is not None:
        return Failure(missing)
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers

    async def count() -> Result[dict[str, object], WebError]:
        answers = ValkeyAnswers(settings.valkey, 0)
        return (await close_after(answers, answers.count())).map(dict)

    return asyncio.run(count())


def clear_shared_answers(settings: StoreSettings) -> Result[int, WebError]:
    """Delete all shared answers; return their number."""
    if (missing := _missing_valkey_extra()) is not None:
        return Failure(missing)
    from webseam.adapters.stores.valkey.answers import ValkeyAnswers

    async def clear() -> Result[int, WebError]:
        answers = ValkeyAnswers(settings.valkey, 0)
        return await close_after(answers, answers.clear())

    return asyncio.run(clear())


def store_states(settings: StoreSettings) -> dict[str, StoreState]:
    """Return the last known states of the shared servers, without a call to them."""
    states: dict[str, StoreState] = {}
    if settings.postgres:
        from webseam.adapters.stores.postgres.pool import postgres_state

        states["postgres"] = postgres_state(settings.postgres)
    if settings.valkey:
        from webseam.adapters.stores.valkey.server import valkey_state

        states["valkey"] = valkey_state(settings.valkey)
    return states


def _missing_postgres_extra() -> NotConfigured | None:
    return missing_store_extra("postgres", "psycopg", "PostgreSQL")


def _missing_valkey_extra() -> NotConfigured | None:
    return missing_store_extra("valkey", "redis", "Valkey or Redis")


def missing_store_extra(name: str, package: str, server: str) -> NotConfigured | None:
    """Return an error that names the missing extra; None if the package is installed."""
    if find_spec(package) is not None:
        return None
    return NotConfigured(
        settings=(f"stores.{name}",),
        reason=f"{server} is spoken to with {package}, which is not installed",
        remedy=f"Run `pip install 'webseam[{name}]'`.",
    )


class _KeyLookup(NamedTuple):
    """An answer of the store, and when it was asked for."""

    began: float
    answer: Result[KeyRecord | None, WebError]


class KeyRing:
    """Looks keys up without blocking the event loop, and caches records of a shared server."""

    def __init__(self, store: KeyStore, now: Callable[[], float] = time.monotonic) -> None:
        self.store, self._now = store, now
        self._lookups: SingleFlight[_KeyLookup] = SingleFlight()
        self._cached: RecentValues[str, _KeyLookup]
        self._cached = RecentValues(_MAX_CACHED_KEYS, max_age=KEY_CACHE_SECONDS, now=now)

    async def find(self, text: str) -> Result[KeyRecord | None, WebError]:
        """Return the record of a key; None if it is unknown or revoked."""
        if self.store.is_near:
            return self.store.find(text)
        asked = self._now()
        cached = self._cached.get(text)
        if cached is not None and asked - cached.began <= KEY_CACHE_SECONDS:
            return cached.answer
        # Concurrent calls with one key share a lookup, but only those of the same second: a server
        # may answer late, and what was true when it was asked is too old for calls after that.
        second = int(asked / KEY_CACHE_SECONDS)
        flight = f"{second} {text}".encode()
        return (await self._lookups.join(flight, lambda: self._look_up_key(text))).answer

    async def _look_up_key(self, text: str) -> _KeyLookup:
        began = self._now()
        lookup = _KeyLookup(began, await asyncio.to_thread(self.store.find, text))
        if isinstance(lookup.answer, Success):
            self._cached.put(text, lookup)
        return lookup

    async def has_any(self) -> bool:
        """Tell whether any key was made, also if it is revoked; True if the store cannot be read.

        Revoked keys count: a gateway must not admit them all when the last one is revoked.
        """
        is_near = self.store.is_near
        records = self.store.records() if is_near else await asyncio.to_thread(self.store.records)
        return isinstance(records, Failure) or bool(records.unwrap())
