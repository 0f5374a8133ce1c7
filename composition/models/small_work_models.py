"""The models that do small work, put together from settings: one for texts, one that can see."""

from collections.abc import Awaitable, Callable
from typing import Literal

import httpx
import msgspec
from returns.result import Failure, Result

from ...kernel.models.auxiliary import picture_text
from ...ports.errors import WebError
from ..calls.open_backends import OpenModel
from ..calls.session import Session
from ..settings.schema import Settings
from ..wiring.backends.backend_rows import OpenSession
from .compressors import task_route
from .model_routes import open_model_route


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
    settings: Settings,
    session: OpenSession,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[SmallWorker, WebError]:
    """Return the model for titles and summaries, or which setting is missing."""
    return session().bind(lambda opened: _open("small_work", settings, opened, transport))


def open_vision(
    settings: Settings,
    session: OpenSession,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[SmallWorker, WebError]:
    """Return the model that can see, or which setting is missing."""
    return session().bind(lambda opened: _open("vision", settings, opened, transport))


def picture_describer(
    settings: Settings, session: OpenSession
) -> Callable[[bytes, str], Awaitable[Result[str, WebError]]] | None:
    """Return what describes pictures, None where no model for it is set; opened at its first use.

    A page that is no picture pays nothing for it.
    """
    if settings.vision.provider is None and not settings.vision.route:
        return None

    async def describe(picture: bytes, media_type: str) -> Result[str, WebError]:
        opened = open_vision(settings, session)
        if isinstance(opened, Failure):
            return opened
        try:
            return await opened.unwrap().describe(picture, media_type)
        finally:
            await opened.unwrap().aclose()

    return describe


def _open(
    block: Literal["small_work", "vision"],
    settings: Settings,
    session: Session,
    transport: httpx.AsyncBaseTransport | None,
) -> Result[SmallWorker, WebError]:
    planned = task_route(block, getattr(settings, block), settings)
    if isinstance(planned, Failure):
        return planned
    route = planned.unwrap()
    opened = open_model_route(route, settings, session, transport=transport)
    return opened.map(lambda model: SmallWorker(model=model, name=route.name))
