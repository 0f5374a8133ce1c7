"""Models for small work: which one does a task, and the compressor on a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import httpx
import msgspec
from returns.result import Failure, Result, Success

from ...kernel.planner.routes import ModelStep
from ...kernel.text.display import strip_hidden
from ...ports.errors import NotConfigured, WebError
from ..calls.session import Session
from ..settings.schema import CompressorSettings, Settings, SmallWorkSettings
from ..wiring.compressors import OpenedCompressor

if TYPE_CHECKING:
    from .model_routes import ModelRoute


Task: TypeAlias = Literal["compressor", "small_work", "vision"]
_UNSET = {
    "compressor": "A compressor on a model needs a provider",
    "small_work": "No model for this work is set",
    "vision": "No model for this work is set",
}


def task_route(
    task: Task, block: CompressorSettings | SmallWorkSettings, settings: Settings
) -> Result[ModelRoute, WebError]:
    """Return who does a task, or which setting is missing."""
    # The planner and its ledger, for those who ask a model.
    from .model_routes import ModelRoute, written_route  # noqa: PLC0415

    if block.route:
        place = str(settings.entries.origin((task, "route")))
        written = written_route(block.route, f"{task}.route", place)
        return (
            Failure(written.failure())
            if isinstance(written, Failure)
            else Success(ModelRoute(task=task, steps=written.unwrap(), small=True))
        )
    if block.provider is None:
        return _unset(task, "provider", _UNSET[task])
    model = block.model or _usual_model(block.provider, settings)
    if model is None:
        return _unset(task, "model", f"{block.provider} has no model for small work")
    step = ModelStep(block.provider)
    return Success(ModelRoute(task=task, steps=(step,), model=model, small=True))


def _usual_model(provider: str, settings: Settings) -> str | None:
    """Return the provider's own model for small work; a stranger is told of when it is opened."""
    from .clients import known_providers  # noqa: PLC0415  on use

    known = known_providers(settings).value_or(None)
    declared = None if known is None else known.find(provider).value_or(None)
    return "" if declared is None else declared.auxiliary_model or declared.model


def _unset(task: Task, key: str, reason: str) -> Failure[WebError]:
    names = (f"{task}.{key}", f"WEBSEAM_{task.upper()}_{key.upper()}")
    return Failure(NotConfigured(settings=names, reason=reason))


def open_model_compressor(
    settings: Settings, session: Session, transport: httpx.AsyncBaseTransport | None
) -> Result[OpenedCompressor, WebError]:
    """Return the compressor on the model that the settings name, or what is not set."""
    from ...adapters.compressors.model import CompressionLimits as ModelLimits, ModelCompressor  # noqa: PLC0415  on use
    from .model_routes import open_model_route  # noqa: PLC0415

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
