"""The gateway's keys in PostgreSQL: the same promises as the file's, for several machines."""

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import StoreAway
from ....ports.keys import KeyRecord, NewKey
from ....ports.secrets import Secret
from ..keys.key_texts import key_digest, key_owner, make_key, parse_key_id, record_time
from .pool import (
    POSTGRES_SETTING,
    CommitUncertain,
    Connection,
    PostgresClient,
    PostgresError,
    TransactionWork,
    Value,
)
from .typed_rows import fetch_rows

KEYS_STORE = "the gateway's keys"
_KEY_DECODER = msgspec.json.Decoder(KeyRecord)


class PostgresKeys:
    """The keys in one PostgreSQL. Safe to use from several threads and machines."""

    is_near = False

    def __init__(self, address: Secret) -> None:
        """Keep them at ``address``; nothing is opened before the first call."""
        self._line = PostgresClient(address)

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, PostgresError]:
        """Keep a new key with what ``record`` says; None when its name is in use."""
        made = make_key(record)

        def work(connection: Connection) -> NewKey | None:
            inserted = connection.execute(
                "INSERT INTO webseam_keys (id, name, digest, record) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                (
                    made.record.id,
                    made.record.name,
                    key_digest(made.text),
                    msgspec.json.encode(made.record),
                ),
            )
            return made if inserted.rowcount else None

        return self._run(work)

    def find(self, text: str, /) -> Result[KeyRecord | None, PostgresError]:
        """Return whose key a text is; None when it is nobody's, or was revoked."""
        key_id = parse_key_id(text)
        if key_id is None:
            return Success(None)

        def work(connection: Connection) -> tuple[bytes, KeyRecord] | None:
            statement = "SELECT digest, record FROM webseam_keys WHERE id = %s"
            rows = fetch_rows(connection, statement, (key_id,), tuple[bytes, bytes])
            return (rows[0][0], _KEY_DECODER.decode(rows[0][1])) if rows else None

        return self._run(work).map(lambda row: key_owner(text, row))

    def records(self) -> Result[list[KeyRecord], PostgresError]:
        """Return every key, also those that were revoked, the oldest first."""
        return self._run(_select_keys)

    def revoke(self, name: str, /) -> Result[KeyRecord | None, PostgresError]:
        """Revoke the key in use that goes by a name or id; None if there is none."""

        def work(connection: Connection) -> KeyRecord | None:
            rows = fetch_rows(
                connection,
                "SELECT record FROM webseam_keys WHERE (name = %s OR id = %s) AND NOT revoked"
                " ORDER BY id FOR UPDATE",
                (name, name),
                tuple[bytes],
            )
            if not rows:
                return None
            ended = msgspec.structs.replace(_KEY_DECODER.decode(rows[0][0]), revoked=record_time())
            connection.execute(
                "UPDATE webseam_keys SET record = %s, revoked = true WHERE id = %s",
                (msgspec.json.encode(ended), ended.id),
            )
            return ended

        return self._run(work)

    def close(self) -> None:
        """Let go of the server."""
        self._line.close()

    def _run(self, work: TransactionWork[Value]) -> Result[Value, PostgresError]:
        """Do it; a change that may or may not have been made is told as one that failed."""
        try:
            return self._line.run(work, KEYS_STORE)
        except CommitUncertain:
            return Failure(StoreAway(store=KEYS_STORE, setting=POSTGRES_SETTING))


def _select_keys(connection: Connection) -> list[KeyRecord]:
    rows = fetch_rows(connection, "SELECT record FROM webseam_keys", (), tuple[bytes])
    records = [_KEY_DECODER.decode(record) for (record,) in rows]
    return sorted(records, key=lambda record: (record.made, record.id))
