"""What shortens long pages, as the settings say or as it was named for one call."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeAlias

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....kernel.text.display import strip_hidden
from ....ports.errors import WebError
from ....ports.models.compressors import Compressor
from ...calls.session import Session
from ...settings.schema import Settings
from ..backends.backend_rows import OpenSession
from .tasks import task_route

Kind: TypeAlias = Literal["none", "extractive", "model"]


async def _nothing() -> None:
    """Hold nothing open."""


class OpenedCompressor(msgspec.Struct, frozen=True, kw_only=True):
    """A compressor, None for none, and how it lets go of what it keeps open."""

    compressor: Compressor | None = None
    aclose: Callable[[], Coroutine[Any, Any, None]] = _nothing


def open_compressor(
    settings: Settings,
    session: OpenSession,
    kind: Kind | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[OpenedCompressor, WebError]:
    """Return the compressor of that kind, else the one of the settings, or what is not set."""
    wanted = kind or settings.compressor.kind
    if wanted == "none":
        return Success(OpenedCompressor())
    if wanted == "extractive":
        from ....adapters.compressors.extractive import ExtractiveCompressor  # noqa: PLC0415  on use

        return Success(OpenedCompressor(compressor=ExtractiveCompressor()))
    return session().bind(lambda opened: _on_a_model(settings, opened, transport))


def _on_a_model(
    settings: Settings, session: Session, transport: httpx.AsyncBaseTransport | None
) -> Result[OpenedCompressor, WebError]:
    from ....adapters.compressors.model import CompressionLimits as ModelLimits, ModelCompressor  # noqa: PLC0415  on use
    from ..planner.model_routes import open_model_route  # noqa: PLC0415

    planned = task_route("compressor", settings.compressor, settings)
    if isinstance(planned, Failure):
        return planned
    route = planned.unwrap()
    opened = open_model_route(route, settings, session, transport=transport)
    if isinstance(opened, Failure):
        return opened
    model = opened.unwrap()
    limits = ModelLimits()
    if settings.entries.get(("timeout",)) is not None:
        limits = msgspec.structs.replace(limits, seconds=settings.timeout)
    compressor = ModelCompressor(model, route.name, limits=limits, clean=strip_hidden)
    return Success(OpenedCompressor(compressor=compressor, aclose=model.aclose))
