"""Files as each release wrote them; ``python -m tests.stores.releases`` adds this version's.

A file is kept as the SQL that makes it, so that a change of it can be read.
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import webseam
from tests.features.index.shelf import PUMP, put_back, shelf
from webseam.adapters.features.index.schema import INDEX
from webseam.adapters.stores.cache_table import CACHE_BLUEPRINT, CacheStore
from webseam.adapters.stores.keys import KEYS_BLUEPRINT, KeyFile
from webseam.adapters.stores.ledger import LEDGER_BLUEPRINT, Ledger
from webseam.adapters.stores.sqlite import Blueprint
from webseam.ports.keys import KeyRecord
from webseam.ports.planning import Booking, Purse
from webseam.ports.stores import CachedAnswer

FOLDER = Path(__file__).parent
NOON = 1_750_000_000.0
ANSWER = CachedAnswer(
    key=b"key",
    backend="wiki",
    operation="search",
    payload=b"{}",
    stored_at=NOON,
    expires_at=2 * NOON,
)


def _write_cache(path: Path) -> None:
    with closing(CacheStore(path, lambda: NOON)) as store:
        store.keep(ANSWER).unwrap()


def _write_keys(path: Path) -> None:
    with closing(KeyFile(path)) as store:
        store.add(KeyRecord(id="", name="team", cache="", made="2026-11-18T12:00:00Z")).unwrap()


def _write_ledger(path: Path) -> None:
    with closing(Ledger(path)) as store:
        store.book([Booking(5, 1, (Purse("tavily", "2026-11"),))]).unwrap()


def _write_index(path: Path) -> None:
    shelf(path.parent, PUMP)
    put_back()


STORES: dict[str, tuple[Blueprint, Callable[[Path], None]]] = {
    "cache": (CACHE_BLUEPRINT, _write_cache),
    "keys": (KEYS_BLUEPRINT, _write_keys),
    "ledger": (LEDGER_BLUEPRINT, _write_ledger),
    "index": (INDEX, _write_index),
}


def restore_store(sample: Path, path: Path) -> None:
    """Make the file that a sample describes."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sample.read_text("utf-8"))


def main() -> None:
    """Write the samples of this version."""
    folder = FOLDER / webseam.__version__
    folder.mkdir(exist_ok=True)
    for name, (blueprint, write) in STORES.items():
        path = folder / f"{name}.sqlite"
        write(path)
        with closing(sqlite3.connect(path)) as connection:
            lines = [
                *connection.iterdump(),
                f"PRAGMA application_id = {blueprint.application_id};",
                f"PRAGMA user_version = {blueprint.version};",
            ]
        (folder / f"{name}.sql").write_text("\n".join(lines) + "\n", "utf-8")
        path.unlink()
        shutil.rmtree(path.with_name(f"{path.name}-words"), ignore_errors=True)
