"""webseam's tables in PostgreSQL, with a version row, and typed rows out of them."""

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import msgspec
import psycopg

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]
Shape = TypeVar("Shape")

SCHEMA_VERSION = 3
# Advisory locks for making tables and for writing health; any fixed numbers will do.
SCHEMA_LOCK = 0x57534D4B
HEALTH_LOCK = 0x57534845
_VERSION_1_STATEMENTS = (
    "CREATE TABLE webseam_schema (version integer NOT NULL)",
    """CREATE TABLE webseam_keys (id text PRIMARY KEY, name text NOT NULL, digest bytea NOT NULL,
    record bytea NOT NULL, revoked boolean NOT NULL DEFAULT false)""",
    "CREATE UNIQUE INDEX webseam_keys_in_use ON webseam_keys (name) WHERE NOT revoked",
    """CREATE TABLE webseam_purses (scope text NOT NULL, period text NOT NULL,
    spent bigint NOT NULL, held bigint NOT NULL, calls bigint NOT NULL,
    PRIMARY KEY (scope, period))""",
    """CREATE TABLE webseam_holds (id bigint PRIMARY KEY, until timestamptz NOT NULL,
    amount bigint NOT NULL, scopes text[] NOT NULL, periods text[] NOT NULL)""",
    "CREATE INDEX webseam_holds_by_end ON webseam_holds (until)",
    "CREATE TABLE webseam_batches (id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
    """CREATE TABLE webseam_targets (name text PRIMARY KEY, state bytea NOT NULL,
    open_until double precision NOT NULL, probe_until double precision NOT NULL)""",
    "CREATE TABLE webseam_allowances (name text PRIMARY KEY, amount double precision NOT NULL)",
    "CREATE TABLE webseam_health (version bigint NOT NULL)",
    "INSERT INTO webseam_health VALUES (0)",
)
# Texts that were shown in part, and jobs with the pages that they have read so far.
_VERSION_2_STATEMENTS = (
    """CREATE TABLE webseam_texts (scope text NOT NULL, handle text NOT NULL, body bytea NOT NULL,
    expires timestamptz NOT NULL, PRIMARY KEY (scope, handle))""",
    "CREATE INDEX webseam_texts_by_end ON webseam_texts (expires)",
    """CREATE TABLE webseam_jobs (id text PRIMARY KEY, owner text NOT NULL, again text NOT NULL,
    record bytea NOT NULL, state text NOT NULL, leased timestamptz NOT NULL,
    expires timestamptz NOT NULL)""",
    "CREATE UNIQUE INDEX webseam_jobs_again ON webseam_jobs (owner, again) WHERE again <> ''",
    "CREATE INDEX webseam_jobs_by_end ON webseam_jobs (expires)",
    """CREATE TABLE webseam_job_pages (job text NOT NULL REFERENCES webseam_jobs ON DELETE CASCADE,
    place integer NOT NULL, page bytea NOT NULL, PRIMARY KEY (job, place))""",
)
# Of the calls of a purse, those of which nobody knows whether the service got them.
_VERSION_3_STATEMENTS = (
    "ALTER TABLE webseam_purses ADD COLUMN uncertain_calls bigint NOT NULL DEFAULT 0",
    "ALTER TABLE webseam_purses ADD COLUMN uncertain bigint NOT NULL DEFAULT 0",
)
# The statements that lead to each version from the one before.
_VERSION_STATEMENTS = (_VERSION_1_STATEMENTS, _VERSION_2_STATEMENTS, _VERSION_3_STATEMENTS)


class NewerSchema(Exception):  # noqa: N818  only the pool catches it
    """A newer webseam made the tables."""


def prepare_schema(connection: Connection) -> None:
    """Make the missing tables; raise ``NewerSchema`` if a newer webseam made them.

    A database user without the right to make tables can use existing ones.
    """
    if _schema_version(connection) < SCHEMA_VERSION:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
            # Another machine may have made them between our check and our lock.
            before = _schema_version(connection)
            for number, statements in enumerate(_VERSION_STATEMENTS[before:], before + 1):
                for statement in statements:
                    connection.execute(statement)
                connection.execute("INSERT INTO webseam_schema VALUES (%s)", (number,))
    if _schema_version(connection) > SCHEMA_VERSION:
        raise NewerSchema


def _schema_version(connection: Connection) -> int:
    """Return the version of the tables; 0 when there are none."""
    # to_regclass would answer from a cache that another machine's new tables do not reach in time.
    tables = "SELECT 1 FROM pg_class WHERE relname = 'webseam_schema' AND pg_table_is_visible(oid)"
    if connection.execute(tables).fetchone() is None:
        return 0
    row = connection.execute("SELECT max(version) FROM webseam_schema").fetchone()
    return msgspec.convert(row, tuple[int])[0]


def fetch_rows(
    connection: Connection, statement: str, parameters: Sequence[object], shape: type[Shape]
) -> list[Shape]:
    """Return every row as a ``shape``, a tuple of types; another type is ``msgspec``'s error."""
    # psycopg's types want a literal text; bytes pass the type checker.
    rows = connection.execute(statement.encode(), parameters).fetchall()
    return [msgspec.convert(row, shape) for row in rows]
