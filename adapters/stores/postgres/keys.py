"""The gateway's keys in PostgreSQL: the same contract as the file's, for several machines."""

import msgspec
from returns.result import Result, Success

from webseam.ports.keys import KeyChange, KeyRecord, NewKey
from webseam.ports.secrets import Secret

from .. import keys
from .pool import Connection, PostgresClient, PostgresError
from .schema import fetch_rows

KEYS_STORE = "the gateway's keys"
_KEY_DECODER = msgspec.json.Decoder(KeyRecord)


class PostgresKeys:
    """Gateway keys in one PostgreSQL. Safe to use from several threads and machines."""

    is_near = False

    def __init__(self, address: Secret) -> None:
        """Store keys at ``address``, which is opened by the first call."""
        self._client = PostgresClient(address, KEYS_STORE)

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, PostgresError]:
        """Store a new key for ``record``; return None when its name is in use."""
        new_key = keys.generate_key(record)

        def work(connection: Connection) -> NewKey | None:
            inserted = connection.execute(
                "INSERT INTO webseam_keys (id, name, digest, record) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                (
                    new_key.record.id,
                    new_key.record.name,
                    keys.key_digest(new_key.text),
                    msgspec.json.encode(new_key.record),
                ),
            )
            return new_key if inserted.rowcount else None

        return self._client.run_repeatable(work)

    def find(self, text: str, /) -> Result[KeyRecord | None, PostgresError]:
        """Return the record of a key's text; None when it is unknown, revoked or expired."""
        key_id = keys.parse_key_id(text)
        if key_id is None:
            return Success(None)

        def work(connection: Connection) -> tuple[bytes, KeyRecord] | None:
            statement = "SELECT digest, record FROM webseam_keys WHERE id = %s"
            rows = fetch_rows(connection, statement, (key_id,), tuple[bytes, bytes])
            return (rows[0][0], _KEY_DECODER.decode(rows[0][1])) if rows else None

        return self._client.run_repeatable(work).map(lambda row: keys.verify_key(text, row))

    def records(self) -> Result[list[KeyRecord], PostgresError]:
        """Return every key, also revoked ones, the oldest first."""
        return self._client.run_repeatable(_select_keys)

    def change(self, name: str, change: KeyChange, /) -> Result[KeyRecord | None, PostgresError]:
        """Change the key with a name or id, unless it is revoked; None if there is none."""

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
            changed = change.apply(_KEY_DECODER.decode(rows[0][0]))
            connection.execute(
                "UPDATE webseam_keys SET record = %s, revoked = %s WHERE id = %s",
                (msgspec.json.encode(changed), changed.revoked is not None, changed.id),
            )
            return changed

        return self._client.run_repeatable(work)

    def revoke(self, name: str, /) -> Result[KeyRecord | None, PostgresError]:
        """Revoke the key with a name or id and return it; None if there is none."""
        return self.change(name, KeyChange(revoked=keys.current_record_time()))

    def close(self) -> None:
        """Leave the shared connections."""
        self._client.close()


def _select_keys(connection: Connection) -> list[KeyRecord]:
    rows = fetch_rows(connection, "SELECT record FROM webseam_keys", (), tuple[bytes])
    records = [_KEY_DECODER.decode(record) for (record,) in rows]
    return sorted(records, key=lambda record: (record.made, record.id))
