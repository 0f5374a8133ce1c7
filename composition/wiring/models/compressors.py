"""What shortens long pages, as the settings say or as it was named for one call."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeAlias

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ....kernel.text.display import visible
from ....ports.compressors import Compressor
from ....ports.errors import NotConfigured, WebError
from ...calls.session import Session
from ...settings.schema import Settings
from ..rows import OpenSession

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
    from .clients import open_model  # noqa: PLC0415

    provider = settings.compressor.provider
    if provider is None:
        return _lacking("provider", "A compressor on a model needs a provider")
    name = settings.compressor.model or _usual_model(provider, settings)
    if name is None:
        return _lacking("model", f"{provider} has no model for small work")
    opened = open_model(provider, settings, session, transport=transport)
    if isinstance(opened, Failure):
        return opened
    model = opened.unwrap()
    limits = ModelLimits()
    if settings.entries.get(("timeout",)) is not None:
        limits = msgspec.structs.replace(limits, seconds=settings.timeout)
    compressor = ModelCompressor(model, name, limits=limits, clean=visible)
    return Success(OpenedCompressor(compressor=compressor, aclose=model.aclose))


def _usual_model(provider: str, settings: Settings) -> str | None:
    """Return the provider's own model for small work; a stranger is told of when it is opened."""
    from .clients import known_providers  # noqa: PLC0415  on use

    known = known_providers(settings).value_or(None)
    declared = None if known is None else known.find(provider).value_or(None)
    return "" if declared is None else declared.auxiliary_model or declared.model


def _lacking(setting: str, reason: str) -> Failure[WebError]:
    settings = (f"compressor.{setting}", f"WEBSEAM_COMPRESSOR_{setting.upper()}")
    return Failure(NotConfigured(settings=settings, reason=reason))
