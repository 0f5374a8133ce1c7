"""The models that do small work, put together from settings: one for texts, one that can see."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.features.models.small_work import picture_text
from webseam.kernel.planner.routes import ModelStep
from webseam.kernel.text.display import strip_hidden
from webseam.ports.errors import WebError

from ...planning.open_backends import OpenModel
from ...settings.schema import CompressorSettings, Settings, VisionSettings
from ...settings.settings_root import SettingsRoot
from ...wiring.compressors import OpenedCompressor
from .clients import find_provider, unset_setting_failure
from .model_routes import ModelRoute, open_model_route, read_route_steps
from .settings import SmallWorkSettings

Task: TypeAlias = Literal["compressor", "small_work", "vision"]
_UNSET_REASONS = {
    "compressor": "A compressor on a model needs a provider",
    "small_work": "No model for this work is set",
    "vision": "No model for this work is set",
}


def small_work_route(
    task: Task, block: CompressorSettings | SmallWorkSettings | VisionSettings, settings: Settings
) -> Result[ModelRoute, WebError]:
    """Return the route of a task, or an error that names the missing setting."""
    if block.route:
        origin = str(settings.entries.origin((task, "route")))
        written = read_route_steps(block.route, f"{task}.route", origin)
        return written.map(lambda steps: ModelRoute(task=task, steps=steps, small=True))
    if block.provider is None:
        return unset_setting_failure(task, "provider", _UNSET_REASONS[task])
    model = block.model or _small_work_model(block.provider, settings)
    if model is None:
        return unset_setting_failure(task, "model", f"{block.provider} has no model for small work")
    step = ModelStep(block.provider)
    return Success(ModelRoute(task=task, steps=(step,), model=model, small=True))


def _small_work_model(provider: str, settings: Settings) -> str | None:
    """Return the provider's model for small work; empty for an unknown provider."""
    declared = find_provider(provider, settings).value_or(None)
    return "" if declared is None else declared.auxiliary_model or declared.model


def open_model_compressor(root: SettingsRoot) -> Result[OpenedCompressor, WebError]:
    """Return the compressor on the model that the settings name, or what is not set."""
    from webseam.adapters.compressors.model_compressor import CompressionLimits, ModelCompressor  # noqa: PLC0415  on use

    settings = root.settings
    planned = small_work_route("compressor", settings.compressor, settings)
    if isinstance(planned, Failure):
        return planned
    route = planned.unwrap()
    if isinstance(opened := open_model_route(route, root), Failure):
        return opened
    model = opened.unwrap()
    limits = CompressionLimits()
    if settings.explicit_timeout is not None:
        limits = msgspec.structs.replace(limits, seconds=settings.explicit_timeout)
    compressor = ModelCompressor(model, route.name, limits=limits, clean=strip_hidden)
    return Success(OpenedCompressor(compressor=compressor, aclose=model.aclose))


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


def open_small_work_model(
    task: Literal["small_work", "vision"], root: SettingsRoot
) -> Result[SmallWorker, WebError]:
    """Return the model for titles and summaries or for pictures, or which setting is missing."""
    settings = root.settings
    block = settings.vision if task == "vision" else settings.of(SmallWorkSettings)
    planned = small_work_route(task, block, settings)
    if isinstance(planned, Failure):
        return planned
    route = planned.unwrap()
    opened = open_model_route(route, root)
    return opened.map(lambda model: SmallWorker(model=model, name=route.name))


def picture_describer(
    root: SettingsRoot,
) -> Callable[[bytes, str], Awaitable[Result[str, WebError]]] | None:
    """Return a function that describes pictures and opens its model on use; None without one."""
    if root.settings.vision.provider is None and not root.settings.vision.route:
        return None

    async def describe(picture: bytes, media_type: str) -> Result[str, WebError]:
        if isinstance(opened := open_small_work_model("vision", root), Failure):
            return opened
        try:
            return await opened.unwrap().describe(picture, media_type)
        finally:
            await opened.unwrap().aclose()

    return describe
