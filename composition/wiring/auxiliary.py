"""The models that do small work, put together from settings: one for texts, one that can see."""

from collections.abc import Awaitable, Callable

import httpx
import msgspec
from returns.result import Failure, Result

from ...kernel.auxiliary import picture_text
from ...ports.errors import NotConfigured, WebError
from ..calls.closing import OpenModel
from ..settings import Settings
from ..settings.schema import SmallWorkSettings
from .models import chat_model, known_providers


class SmallWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A model that is open, and its name."""

    model: OpenModel
    name: str

    async def aclose(self) -> None:
        """Close the connections of the model."""
        await self.model.aclose()

    async def describe(self, picture: bytes, media_type: str) -> Result[str, WebError]:
        """Return a picture in words."""
        return await picture_text(picture, media_type, self.model, self.name)


def open_auxiliary(
    settings: Settings, *, transport: httpx.AsyncBaseTransport | None = None
) -> Result[SmallWorker, WebError]:
    """Return the model for titles and summaries, or which setting is missing."""
    return _open("auxiliary", settings.auxiliary, settings, transport)


def open_vision(
    settings: Settings, *, transport: httpx.AsyncBaseTransport | None = None
) -> Result[SmallWorker, WebError]:
    """Return the model that can see, or which setting is missing."""
    return _open("vision", settings.vision, settings, transport)


def describer(
    settings: Settings,
) -> Callable[[bytes, str], Awaitable[Result[str, WebError]]] | None:
    """Return what describes pictures, None where no model for it is set; opened at its first use.

    A page that is no picture pays nothing for it.
    """
    if settings.vision.provider is None:
        return None

    async def describe(picture: bytes, media_type: str) -> Result[str, WebError]:
        opened = open_vision(settings)
        if isinstance(opened, Failure):
            return opened
        try:
            return await opened.unwrap().describe(picture, media_type)
        finally:
            await opened.unwrap().aclose()

    return describe


def _open(
    block: str,
    wanted: SmallWorkSettings,
    settings: Settings,
    transport: httpx.AsyncBaseTransport | None,
) -> Result[SmallWorker, WebError]:
    provider = wanted.provider
    if provider is None:
        return _unset(block, "provider", "No model for this work is set")
    known = known_providers(settings)
    if isinstance(known, Failure):
        return known
    found = known.unwrap().find(provider)
    if isinstance(found, Failure):
        return found
    name = wanted.model or found.unwrap().auxiliary_model or found.unwrap().model
    if name is None:
        return _unset(block, "model", f"{provider} has no model for small work")
    made = chat_model(provider, settings=settings, transport=transport)
    return made.map(lambda model: SmallWorker(model=model, name=name))


def _unset(block: str, key: str, reason: str) -> Failure[WebError]:
    names = (f"{block}.{key}", f"WEBSEAM_{block.upper()}_{key.upper()}")
    return Failure(NotConfigured(settings=names, reason=reason))
