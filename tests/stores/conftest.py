"""The stores under test: files always, servers where they are installed and asked for."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from .servers import (
    POSTGRES_MISSING,
    VALKEY_MISSING,
    PostgresServer,
    ValkeyServer,
    postgres_program,
    valkey_program,
)

# Looked at here: every test has variables of its own.
_ASKED = bool(os.environ.get("REAL_STORES"))
_NOT_ASKED = "real servers are started by `make stores`"


def _unavailable(program: str | None, package: str, missing: str) -> None:
    if not _ASKED:
        pytest.skip(_NOT_ASKED)
    if program is None or find_spec(package) is None:
        pytest.fail(missing if program is None else f"{package} is not installed")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL for all tests."""
    _unavailable(postgres_program("initdb"), "psycopg", POSTGRES_MISSING)
    server = PostgresServer()
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def valkey() -> Iterator[ValkeyServer]:
    """Start a Valkey or Redis for all tests."""
    _unavailable(valkey_program(), "redis", VALKEY_MISSING)
    server = ValkeyServer()
    server.start()
    yield server
    server.remove()
