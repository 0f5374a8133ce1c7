"""Where things are kept: in files of this machine, or in the servers that the settings name."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.util import find_spec

from returns.result import Failure, Result, Success

from ...adapters.stores.shared_texts import SharedTexts
from ...adapters.stores.text_files import TextFiles
from ...ports.errors import NotConfigured, WebError
from ...ports.jobs import JobStore
from ...ports.keys import KeyStore
from ...ports.planning.ledger import LedgerStore
from ...ports.planning.rates import RateStore
from ...ports.stores import AnswerStore, StoreState
from ..file_locations import cache_folder, keys_file, ledger_file
from ..settings.schema import StoreSettings

_TEXT_BYTES = 64 * 1024 * 1024

# Loaded by whoever uses them: SQLite, psycopg and redis are not for those who search once.
# ruff: noqa: PLC0415


def shares_ledger(settings: StoreSettings) -> bool:
    """Tell whether money and health are kept in PostgreSQL."""
    return bool(settings.postgres) and settings.ledger == "shared"


def open_ledger(
    settings: StoreSettings, environment: Mapping[str, str] | None = None
) -> Result[LedgerStore, WebError]:
    """Return the ledger; nothing is opened before it is used."""
    if not shares_ledger(settings):
        from ...adapters.stores.ledger.file import Ledger

        return Success(Ledger(ledger_file(environment)))
    missing = _missing_postgres()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.postgres.ledger import PostgresLedger

    return Success(PostgresLedger(settings.postgres))


def open_keys(
    settings: StoreSettings, environment: Mapping[str, str] | None = None
) -> Result[KeyStore, WebError]:
    """Return the gateway's keys; nothing is opened before it is used."""
    if not settings.postgres:
        from ...adapters.stores.keys.file import KeyFile

        return Success(KeyFile(keys_file(environment)))
    missing = _missing_postgres()
    if missing is not None:
        return Failure(missing)
    from ...adapters.stores.postgres.postgres_keys import PostgresKeys

    return Success(PostgresKeys(settings.postgres))


def open_answers(
    settings: StoreSettings, environment: Mapping[str, str] | None, max_bytes: int
) -> Result[AnswerStore, WebError]:
    """Return the cache; nothing is opened before it is used."""
    if not settings.valkey:
        from ...adapters.stores.cache.local_answers import FileAnswers
        from .cache import cache_store

        return Success(FileAnswers(cache_store(environment, max_bytes)))
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
    settings: StoreSettings, environment: Mapping[str, str] | None, scope: str = ""
) -> TextFiles | SharedTexts:
    """Return where full texts are kept; those of one scope are not seen in another.

    A server whose package is missing is told by whatever else is kept there.
    """
    near = _text_files(environment, scope)
    if settings.valkey and _missing_valkey() is None:
        from ...adapters.stores.valkey.valkey_texts import ValkeyTexts

        return SharedTexts(near, ValkeyTexts(settings.valkey, scope))
    if settings.postgres and not settings.valkey and _missing_postgres() is None:
        from ...adapters.stores.postgres.postgres_texts import PostgresTexts

        return SharedTexts(near, PostgresTexts(settings.postgres, scope))
    return near


def _text_files(environment: Mapping[str, str] | None, scope: str) -> TextFiles:
    folder = cache_folder(environment)
    if not scope:
        return TextFiles(folder / "texts")
    # Apart from the user's own: a handle of somebody else must lead nowhere.
    return TextFiles(folder / "texts-of" / scope, most_bytes=_TEXT_BYTES)


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
