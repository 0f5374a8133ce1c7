"""Recorder: keeps what each call gave, failures too, and gives it again without any network.

Settings: ``file``, and ``mode``: ``record`` (ask, and keep), ``replay`` (never ask; what was not
recorded fails), ``auto`` (replay what is there, record the rest).
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

import msgspec

from ....adapters.observers.json_lines import JsonLines
from ....adapters.observers.recordings import Recording, read_recordings
from ....ports.errors import NotConfigured
from ....ports.middleware import CallFailed
from ..context import PluginContext


class Recorder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which file, and what to do with it."""

    file: str
    mode: Literal["record", "replay", "auto"] = "auto"


def register(ctx: PluginContext) -> None:
    """Stand around every tool call; closed, as a test must not go online by accident."""
    settings = msgspec.convert(ctx.settings, Recorder)
    file = Path(settings.file).expanduser()
    lines, kept = JsonLines(file), {} if settings.mode == "record" else read_recordings(file)

    async def stand_in(
        *,
        tool_name: str,
        args: dict[str, object],
        next_call: Callable[..., Awaitable[object]],
        **_: object,
    ) -> object:
        recording = kept.get(Recording.key_of(tool_name, args))
        if recording is not None:
            return recording.outcome()
        if settings.mode == "replay":
            reason = f"This call of {tool_name} is not among the recordings in {file.name}"
            remedy = "Set its mode to record, and make this call once."
            raise CallFailed(NotConfigured(reason=reason, settings=("mode",), remedy=remedy))
        made = await _made(tool_name, args, next_call)
        lines.append(msgspec.to_builtins(made))
        kept[made.key] = made
        return made.outcome()

    ctx.register_middleware("tool_execution", stand_in, on_error="closed")


async def _made(
    tool: str, args: dict[str, object], next_call: Callable[..., Awaitable[object]]
) -> Recording:
    try:
        return Recording(tool=tool, args=args, result=await next_call())
    except CallFailed as failed:
        return Recording(tool=tool, args=args, failure=failed.error)
