"""Recorder: store the outcome of each call, failures too, and replay it offline.

Settings: ``file``, and ``mode``: ``record`` (call and store), ``replay`` (never call; an unrecorded
call fails), ``auto`` (replay recorded calls, record the rest).
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
    """The file, and what to do with it."""

    file: str
    mode: Literal["record", "replay", "auto"] = "auto"


def register(ctx: PluginContext) -> None:
    """Wrap every tool call; closed, because a test must not go online by accident."""
    settings = msgspec.convert(ctx.settings, Recorder)
    file = Path(settings.file).expanduser()
    lines, recordings = JsonLines(file), {} if settings.mode == "record" else read_recordings(file)

    async def replay_or_record(
        *,
        tool_name: str,
        args: dict[str, object],
        next_call: Callable[..., Awaitable[object]],
        **_: object,
    ) -> object:
        recording = recordings.get(Recording.key_of(tool_name, args))
        if recording is not None:
            return recording.outcome()
        if settings.mode == "replay":
            reason = f"This call of {tool_name} is not among the recordings in {file.name}"
            remedy = "Set its mode to record, and make this call once."
            raise CallFailed(NotConfigured(reason=reason, settings=("mode",), remedy=remedy))
        new_recording = await _record_plugin_call(tool_name, args, next_call)
        lines.append(msgspec.to_builtins(new_recording))
        recordings[new_recording.key] = new_recording
        return new_recording.outcome()

    ctx.register_middleware("tool_execution", replay_or_record, on_error="closed")


async def _record_plugin_call(
    tool: str, args: dict[str, object], next_call: Callable[..., Awaitable[object]]
) -> Recording:
    try:
        return Recording(tool=tool, args=args, result=await next_call())
    except CallFailed as failed:
        return Recording(tool=tool, args=args, failure=failed.error)
