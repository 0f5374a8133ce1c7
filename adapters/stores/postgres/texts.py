"""Full texts in PostgreSQL, for gateways without a shared Valkey."""

from returns.result import Result

from webseam.ports.errors import WebError
from webseam.ports.secrets import Secret

from ..text_files import stored_text, text_handle
from .pool import Connection, PostgresClient
from .schema import fetch_rows

TEXTS_STORE = "texts"
LIFETIME_SECONDS = 24 * 3600


class PostgresTexts:
    """A ``TextStore`` that several machines share. Each scope has its own texts."""

    def __init__(self, address: Secret, scope: str = "") -> None:
        """Store texts of ``scope`` at ``address``, for a day after they were last saved."""
        self._client = PostgresClient(address, TEXTS_STORE)
        self._scope = scope

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text``, and return its handle."""
        data = text.encode()
        handle = text_handle(data)

        def work(connection: Connection) -> str:
            connection.execute("DELETE FROM webseam_texts WHERE expires < clock_timestamp()")
            connection.execute(
                "INSERT INTO webseam_texts (scope, handle, body, expires)"
                " VALUES (%s, %s, %s, clock_timestamp() + make_interval(secs => %s))"
                " ON CONFLICT (scope, handle) DO UPDATE SET expires = excluded.expires",
                (self._scope, handle, data, LIFETIME_SECONDS),
            )
            return handle

        return await self._client.run_in_thread(work)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; its hash is checked."""

        def work(connection: Connection) -> bytes | None:
            rows = fetch_rows(
                connection,
                "SELECT body FROM webseam_texts"
                " WHERE scope = %s AND handle = %s AND expires > clock_timestamp()",
                (self._scope, handle),
                tuple[bytes],
            )
            return rows[0][0] if rows else None

        rows: Result[bytes | None, WebError] = await self._client.run_in_thread(work)
        return rows.bind(lambda data: stored_text(handle, data))

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()
