"""Audit log: a JSON line for each call. What was asked, masked; how it ended; never the content.

Settings: ``file`` (``audit.jsonl`` in the data folder), ``strict`` (false): with it, a call whose
line cannot be written fails.
"""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from ....adapters.observers.json_lines import JsonLines
from ....kernel.middleware.hooks import observable_value
from ....ports.middleware import OnError
from ..context import PluginContext

_IDS = ("session_id", "task_id", "turn_id", "api_request_id", "tool_call_id")
_TOOL = ("tool_name", "status", "error_type", "duration_ms", "middleware_trace")
_MODEL = ("provider", "model", "api_mode", "finish_reason", "usage", "error", "middleware_trace")


class Audit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the lines go, and whether calls depend on them."""

    file: str | None = None
    strict: bool = False


def register(ctx: PluginContext) -> None:
    """Write a line when a call is over."""
    audit = msgspec.convert(ctx.settings, Audit, strict=False)
    usual = ctx.folder / "audit.jsonl"
    lines = JsonLines(Path(audit.file).expanduser() if audit.file else usual)
    on_error: OnError = "closed" if audit.strict else "open"

    def tool(**told: Any) -> None:  # noqa: ANN401  whatever the contract tells
        result = str(told.get("result") or "")
        lines.append(
            {
                **_line("tool", told, _TOOL),
                "args": observable_value(told.get("args")),
                "result_characters": len(result),
                "result_sha256": hashlib.sha256(result.encode()).hexdigest(),
            }
        )

    def model(**told: Any) -> None:  # noqa: ANN401  as above
        duration = round(1000 * float(told.get("api_duration") or 0.0))
        lines.append({**_line("model", told, _MODEL), "duration_ms": duration})

    ctx.register_hook("post_tool_call", tool, on_error=on_error)
    for name in ("post_api_request", "api_request_error"):
        ctx.register_hook(name, model, on_error=on_error)


def _line(what: str, event: dict[str, Any], names: tuple[str, ...]) -> dict[str, object]:
    fields = {
        name: event[name] for name in (*_IDS, *names) if event.get(name) not in (None, "", [])
    }
    return {"at": datetime.now(UTC).isoformat(), "what": what, **fields}
