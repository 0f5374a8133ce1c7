"""Open the compressor for long pages that a call or the settings name."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from returns.result import Result, Success

from ...ports.errors import WebError
from ...ports.models import Compressor
from ..features import load_feature_part
from ..session import Session
from ..settings.schema import Settings
from .backend_rows import OpenSession

if TYPE_CHECKING:
    import httpx

Kind: TypeAlias = Literal["none", "extractive", "model"]


async def _close_no_compressor() -> None:
    """Do nothing: there is no open resource."""


class OpenedCompressor(msgspec.Struct, frozen=True, kw_only=True):
    """A compressor or None, and the function that closes it."""

    compressor: Compressor | None = None
    aclose: Callable[[], Coroutine[Any, Any, None]] = _close_no_compressor


def open_compressor(
    settings: Settings,
    session: OpenSession,
    kind: Kind | None = None,
    *,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Result[OpenedCompressor, WebError]:
    """Return the compressor of ``kind`` or of the settings, or a setup error."""
    chosen_kind = kind or settings.compressor.kind
    if chosen_kind == "none":
        return Success(OpenedCompressor())
    if chosen_kind == "extractive":
        from ...adapters.compressors.extractive import ExtractiveCompressor  # noqa: PLC0415  on use

        return Success(OpenedCompressor(compressor=ExtractiveCompressor()))

    def open_on_model(opened: Session) -> Result[OpenedCompressor, WebError]:
        on_model: Result[OpenedCompressor, WebError] = load_feature_part("model_compressor")(
            settings, opened, transport
        )
        return on_model

    return session().bind(open_on_model)
