# ruff: noqa: PLC0415
"""Where things are kept: in files of this machine, or in the servers that the settings name."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from importlib.util import find_spec

from returns.result import Failure, Result, Success

from ...adapters.stores.cache.cached_backend import SingleFlight
from ...adapters.stores.text_files import SharedTexts, TextFiles
from ...ports.errors import NotConfigured, WebError
from ...ports.jobs import JobStore
from ...ports.keys import KeyRecord, KeyStore
from ...ports.planning import LedgerStore, RateStore
from ...ports.stores import AnswerStore, StoreState
from ..file_locations import PROCESS_FILES, FileLocations
from ..settings.loader import load_settings
from ..settings.schema import StoreSettings

_MINUTE_SECONDS = 60.0


class KeyRates:
    """A bucket for each key: a minute's worth at once, then as they come in.

    While a shared server is away, each machine counts for itself: a key then has its rate on each.
    """

    def __init__(
        self, shared: RateStore | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Count in ``shared``, else here by the clock ``now``."""
        self._shared = shared
        self._now = now
        self._levels: dict[str, tuple[float, float]] = {}

    async def wait(self, record: KeyRecord | None) -> float:
        """Count one call; return in how many seconds there is room for it, 0 when there is now."""
        if record is None or record.rate is None:
            return 0.0
        if self._shared is not None:
            seconds = (await self._shared.take(record.id, record.rate)).value_or(None)
            if seconds is not None:
                return seconds
        return self._wait_here(record.id, record.rate)

    async def aclose(self) -> None:
        """Let go of a shared server."""
        if self._shared is not None:
            await self._shared.aclose()

    def _wait_here(self, key_id: str, rate: float) -> float:
        now, most = self._now(), max(rate, 1.0)
        level, before = self._levels.get(key_id, (most, now))
        level = min(most, level + (now - before) * rate / _MINUTE_SECONDS)
        has_room = level >= 1.0
        self._levels[key_id] = (level - 1.0 if has_room else level, now)
        return 0.0 if has_room else (1.0 - level) * _MINUTE_SECONDS / rate


# Where things are kept: in files of this machine, or in the servers that the settings name.

_TEXT_BYTES = 64 * 1024 * 1024


def shares_ledger(settings: StoreSettings) -> bool:
    """Tell whether money and health are kept in PostgreSQL."""
    return bool(settings.postgres) and settings.ledger == "shared"


def open_ledger(
    settings: StoreSettings, files: FileLocations = PROCESS_FILES
) -> Result[LedgerStore, WebError]:
    """Return the ledger; nothing is opened before it is used."""
    if not shares_ledger(settings):
        from ...adapters.stores.ledger import Ledger

        return Success(Ledger(files.ledger_file))
    missing = _missing_postgres()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.postgres.ledger import PostgresLedger

    return Success(PostgresLedger(settings.postgres))


def open_keys(
    settings: StoreSettings, files: FileLocations = PROCESS_FILES
) -> Result[KeyStore, WebError]:
    """Return the gateway's keys; nothing is opened before it is used."""
    if not settings.postgres:
        from ...adapters.stores.keys import KeyFile

        return Success(KeyFile(files.keys_file))
    missing = _missing_postgres()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.postgres.postgres_keys import PostgresKeys

    return Success(PostgresKeys(settings.postgres))


def open_answers(
    settings: StoreSettings, files: FileLocations, max_bytes: int
) -> Result[AnswerStore, WebError]:
    """Return the cache; nothing is opened before it is used."""
    if not settings.valkey:
        from ...adapters.stores.cache.local_answers import FileAnswers
        from .cache import cache_store

        return Success(FileAnswers(cache_store(files, max_bytes)))
    missing = _missing_valkey()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.valkey.valkey_answers import ValkeyAnswers

    return Success(ValkeyAnswers(settings.valkey, max_bytes))


def open_rates(settings: StoreSettings) -> Result[RateStore | None, WebError]:
    """Return where calls of keys are counted for all machines; None when that is nowhere."""
    if not settings.valkey:
        return Success(None)
    missing = _missing_valkey()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.valkey.rates import ValkeyRates

    return Success(ValkeyRates(settings.valkey))


def open_jobs(settings: StoreSettings) -> Result[JobStore | None, WebError]:
    """Return where gateways note their jobs for each other; None when that is nowhere."""
    if settings.valkey:
        missing = _missing_valkey()
        if missing is not None:
            return Failure(missing)
        from ...adapters.stores.valkey.valkey_jobs import ValkeyJobs

        return Success(ValkeyJobs(settings.valkey))
    if settings.postgres:
        missing = _missing_postgres()
        if missing is not None:
            return Failure(missing)
        from ...adapters.stores.postgres.postgres_jobs import PostgresJobs

        return Success(PostgresJobs(settings.postgres))
    return Success(None)


def open_texts(
    settings: StoreSettings, files: FileLocations, scope: str = ""
) -> TextFiles | SharedTexts:
    """Return where full texts are kept; those of one scope are not seen in another.

    A server whose package is missing is told by whatever else is kept there.
    """
    near = _text_files(files, scope)
    if settings.valkey and _missing_valkey() is None:
        from ...adapters.stores.valkey.valkey_texts import ValkeyTexts

        return SharedTexts(near, ValkeyTexts(settings.valkey, scope))
    if settings.postgres and not settings.valkey and _missing_postgres() is None:
        from ...adapters.stores.postgres.postgres_texts import PostgresTexts

        return SharedTexts(near, PostgresTexts(settings.postgres, scope))
    return near


def _text_files(files: FileLocations, scope: str) -> TextFiles:
    folder = files.cache_folder
    if not scope:
        return TextFiles(folder / "texts")
    # Apart from the user's own: a handle of somebody else must lead nowhere.
    return TextFiles(folder / "texts-of" / scope, max_bytes=_TEXT_BYTES)


def count_shared(settings: StoreSettings) -> Result[dict[str, object], WebError]:
    """Count the answers that machines share, and how many bytes they are."""
    missing = _missing_valkey()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.valkey.valkey_answers import ValkeyAnswers

    async def count() -> Result[dict[str, object], WebError]:
        answers = ValkeyAnswers(settings.valkey, 0)
        counted = await answers.count()
        await answers.aclose()
        return counted.map(dict)

    return asyncio.run(count())


def clear_shared(settings: StoreSettings) -> Result[int, WebError]:
    """Throw every answer away that machines share; return how many there were."""
    missing = _missing_valkey()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.valkey.valkey_answers import ValkeyAnswers

    async def clear() -> Result[int, WebError]:
        answers = ValkeyAnswers(settings.valkey, 0)
        cleared: Result[int, WebError] = await answers.clear()
        await answers.aclose()
        return cleared

    return asyncio.run(clear())


def store_states(settings: StoreSettings) -> dict[str, StoreState]:
    """Return what the running loop knows of the shared servers, without asking them."""
    states: dict[str, StoreState] = {}
    if settings.postgres:
        from ...adapters.stores.postgres.pool import postgres_state

        states["postgres"] = postgres_state(settings.postgres)
    if settings.valkey:
        from ...adapters.stores.valkey.valkey_server import valkey_state

        states["valkey"] = valkey_state(settings.valkey)
    return states


def _missing_postgres() -> NotConfigured | None:
    return missing_extra("postgres", "psycopg", "PostgreSQL")


def _missing_valkey() -> NotConfigured | None:
    return missing_extra("valkey", "redis", "Valkey or Redis")


def missing_extra(name: str, package: str, server: str) -> NotConfigured | None:
    """Return what is to be installed for a server; None when it is there."""
    if find_spec(package) is not None:
        return None
    return NotConfigured(
        settings=(f"stores.{name}",),
        reason=f"{server} is spoken to with {package}, which is not installed",
        remedy=f"Run `pip install 'webseam[{name}]'`.",
    )


# For so long a shared server is not asked again about a key. So long a key that was revoked on
# another machine may still be good here.
CACHE_SECONDS = 1.0
_MAX_CACHED_KEYS = 4096


def key_store(environment: Mapping[str, str] | None = None) -> Result[KeyStore, WebError]:
    """Return the keys that the settings say, in a file or in a server."""
    loaded = load_settings(environment)
    if isinstance(loaded, Failure):
        return loaded
    return open_keys(loaded.unwrap().stores, FileLocations(environment))


class KeyRing:
    """The keys for a server's loop: it never waits for a file or a server itself."""

    def __init__(self, store: KeyStore, now: Callable[[], float] = time.monotonic) -> None:
        """Look keys up in ``store``."""
        self.store = store
        self._now = now
        self._looks: SingleFlight[Result[KeyRecord | None, WebError]] = SingleFlight()
        self._known: OrderedDict[str, tuple[float, KeyRecord | None]] = OrderedDict()

    async def find(self, text: str) -> Result[KeyRecord | None, WebError]:
        """Return whose key a text is; None when it is nobody's, or was revoked."""
        if self.store.is_near:
            return self.store.find(text)
        known = self._known.get(text)
        if known is not None and self._now() < known[0]:
            return Success(known[1])
        # Many calls of one key at the same time are one look.
        return await self._looks.join(text.encode(), lambda: self._look_up(text))

    async def _look_up(self, text: str) -> Result[KeyRecord | None, WebError]:
        answer = await asyncio.to_thread(self.store.find, text)
        if isinstance(answer, Success):
            self._known[text] = (self._now() + CACHE_SECONDS, answer.unwrap())
            self._known.move_to_end(text)
            if len(self._known) > _MAX_CACHED_KEYS:
                self._known.popitem(last=False)
        return answer

    async def has_any(self) -> bool:
        """Tell whether any key is in use; when nobody knows, there may be."""
        near = self.store.is_near
        records = self.store.records() if near else await asyncio.to_thread(self.store.records)
        return isinstance(records, Failure) or any(
            record.revoked is None for record in records.unwrap()
        )
