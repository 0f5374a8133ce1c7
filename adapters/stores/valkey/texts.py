"""Full texts in Valkey or Redis, which expire a day after they were last saved."""

import hashlib

from returns.result import Failure, Result

from webseam.ports.errors import WebError
from webseam.ports.secrets import Secret

from ..text_files import stored_text, text_handle
from .server import ValkeyClient

TEXTS_STORE = "texts"
LIFETIME_SECONDS = 24 * 3600


class ValkeyTexts:
    """A ``TextStore`` that several machines share. Each scope has its own texts."""

    def __init__(self, address: Secret, scope: str = "") -> None:
        """Store texts of ``scope`` at ``address``."""
        self._client = ValkeyClient(address, TEXTS_STORE)
        self._scope = hashlib.sha256(scope.encode()).hexdigest()[:32]

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text``, and return its handle."""
        data = text.encode()
        handle = text_handle(data)
        key = self._text_key(handle)
        saved = await self._client.send_command("SET", key, data, "EX", LIFETIME_SECONDS)
        return saved.map(lambda _: handle)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; its hash is checked."""
        reply = await self._client.send_command("GET", self._text_key(handle))
        return reply if isinstance(reply, Failure) else stored_text(handle, reply.unwrap())

    async def aclose(self) -> None:
        """Leave the shared connections."""
        await self._client.aclose()

    def _text_key(self, handle: str) -> str:
        return f"webseam:text:{self._scope}:{handle}"
