"""Open the compressor for long pages that a call or the settings name."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Literal, TypeAlias

import msgspec
from returns.result import Result, Success

from webseam.ports.errors import WebError
from webseam.ports.models import Compressor

from ..feature_table import Part, load
from ..settings.settings_root import SettingsRoot

Kind: TypeAlias = Literal["none", "extractive", "model"]


async def _close_nothing() -> None:
    """Do nothing: there is no open resource."""


class OpenedCompressor(msgspec.Struct, frozen=True, kw_only=True):
    """A compressor or None, and the function that closes it."""

    compressor: Compressor | None = None
    aclose: Callable[[], Coroutine[Any, Any, None]] = _close_nothing


MODEL_COMPRESSOR = Part[Callable[[SettingsRoot], Result[OpenedCompressor, WebError]]](
    "model_compressor"
)


def open_compressor(
    root: SettingsRoot, kind: Kind | None = None
) -> Result[OpenedCompressor, WebError]:
    """Return the compressor of ``kind`` or of the settings, or a setup error."""
    chosen_kind = kind or root.settings.compressor.kind
    if chosen_kind == "none":
        return Success(OpenedCompressor())
    if chosen_kind == "extractive":
        from webseam.adapters.transforms.passages import ExtractiveCompressor  # noqa: PLC0415  on use

        return Success(OpenedCompressor(compressor=ExtractiveCompressor()))
    return load(MODEL_COMPRESSOR)(root)
