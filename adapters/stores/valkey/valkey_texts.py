"""Full texts in Valkey or Redis: each goes by itself a day after it was last saved."""

import hashlib

from returns.result import Failure, Result

from ....ports.errors import WebError
from ....ports.secrets import Secret
from ..text_files import stored_text, text_handle
from .valkey_server import ValkeyClient

TEXTS_STORE = "texts"
LIFETIME_SECONDS = 24 * 3600


class ValkeyTexts:
    """A ``TextStore`` that several machines share. Texts of one scope are not seen in another."""

    def __init__(self, address: Secret, scope: str = "") -> None:
        """Keep texts of ``scope`` at ``address``."""
        self._line = ValkeyClient(address)
        self._scope = hashlib.sha256(scope.encode()).hexdigest()[:32]

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Write ``text``, and return its handle."""
        data = text.encode()
        handle = text_handle(data)
        saved = await self._line.ask(
            TEXTS_STORE, "SET", self._name(handle), data, "EX", LIFETIME_SECONDS
        )
        return saved.map(lambda _: handle)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``, checked to be what was saved."""
        reply = await self._line.ask(TEXTS_STORE, "GET", self._name(handle))
        if isinstance(reply, Failure):
            return reply
        return stored_text(handle, reply.unwrap())

    async def aclose(self) -> None:
        """Let go of the server."""
        await self._line.aclose()

    def _name(self, handle: str) -> str:
        return f"webseam:text:{self._scope}:{handle}"
