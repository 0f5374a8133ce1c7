"""Recorder: store the outcome of each call, failures too, and replay it offline.

Settings: ``file``, and ``mode``: ``record`` (call and store), ``replay`` (never call; an unrecorded
call fails), ``frozen`` (the same, but other questions are answered from what was recorded, those
to ``web_ask`` by its searches and pages),
``auto`` (replay recorded calls, record the rest). ``as_of`` leaves out later recordings.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final, Literal

import msgspec

from webseam.adapters.plugins.observers.json_lines import JsonLines
from webseam.adapters.plugins.observers.recordings import RecordedWeb, Recording, read_recordings
from webseam.ports.errors import NotConfigured
from webseam.ports.middleware import Callbacks, CallFailed, Middleware

from ...session import wrap_inner_calls
from ..context import PluginContext


class Recorder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file, and what to do with it."""

    file: str
    mode: Literal["record", "replay", "frozen", "auto"] = "auto"
    as_of: date | None = None


def register(ctx: PluginContext) -> None:
    """Wrap every tool call; closed, because a test must not go online by accident."""
    settings = msgspec.convert(ctx.settings, Recorder)
    file = Path(settings.file).expanduser()
    lines = JsonLines(file)
    recordings = {} if settings.mode == "record" else read_recordings(file, settings.as_of)
    web = RecordedWeb(recordings.values() if settings.mode == "frozen" else ())

    async def replay_or_record(
        *,
        tool_name: str,
        args: dict[str, object],
        next_call: Callable[..., Awaitable[object]],
        **_: object,
    ) -> object:
        if (recording := recordings.get(Recording.key_of(tool_name, args))) is not None:
            return recording.outcome()
        if (answer := web.answer(tool_name, args)) is not None:
            return answer
        if settings.mode == "replay" or (settings.mode == "frozen" and tool_name != "web_ask"):
            until = f" until {settings.as_of}" if settings.as_of else ""
            reason = f"This call of {tool_name} is not recorded in {file.name}{until}"
            remedy = "Run `webseam record -- COMMAND`, or set mode to record, and make it once."
            raise CallFailed(NotConfigured(reason=reason, settings=("mode",), remedy=remedy))
        with wrap_inner_calls(Callbacks(middleware=(inner,))):
            # A new question to a frozen web: its searches and pages are answered from it.
            if settings.mode == "frozen":
                return await next_call()
            new_recording = await _record_call(tool_name, args, next_call)
        lines.append(msgspec.to_builtins(new_recording))
        recordings[new_recording.key] = new_recording
        return new_recording.outcome()

    kind: Final = "tool_execution"
    inner = Middleware(kind=kind, callback=replay_or_record, plugin="recorder", on_error="closed")
    ctx.register_middleware(kind, replay_or_record, on_error="closed")


async def _record_call(
    tool: str, args: dict[str, object], next_call: Callable[..., Awaitable[object]]
) -> Recording:
    try:
        recording = Recording(tool=tool, args=args, result=await next_call())
    except CallFailed as failed:
        recording = Recording(tool=tool, args=args, failure=failed.error)
    return msgspec.structs.replace(recording, at=datetime.now(UTC))
