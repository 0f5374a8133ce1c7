"""Which models do a task: what the settings name for it, one or several in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from returns.result import Failure, Result, Success

from ....kernel.planner.routes import ModelStep
from ....ports.errors import NotConfigured, WebError
from ...settings.schema import CompressorSettings, Settings, SmallWorkSettings

if TYPE_CHECKING:
    from ..planner.model_routes import ModelRoute

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
    from ..planner.model_routes import ModelRoute, written_route  # noqa: PLC0415

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
