"""Audit log: a JSON line per call with masked arguments and outcome, without content.

Settings: ``file`` (``audit.jsonl`` in the data folder), ``strict`` (false): a call fails when its
line cannot be written.
"""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from webseam.adapters.plugins.observers.json_lines import JsonLines
from webseam.kernel.middleware.hooks import hook_observable_value
from webseam.ports.middleware import OnError

from ..context import PluginContext

_ID_FIELDS = ("session_id", "task_id", "turn_id", "api_request_id", "tool_call_id")
_TOOL_FIELDS = ("tool_name", "status", "error_type", "duration_ms", "middleware_trace")
_MODEL_FIELDS = (
    "provider", "model", "api_mode", "finish_reason", "usage", "error", "middleware_trace",
)  # fmt: skip


class Audit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The log file, and whether calls depend on it."""

    file: str | None = None
    strict: bool = False


def register(ctx: PluginContext) -> None:
    """Write a line at the end of each call."""
    audit = msgspec.convert(ctx.settings, Audit, strict=False)
    default_file = ctx.folder / "audit.jsonl"
    lines = JsonLines(Path(audit.file).expanduser() if audit.file else default_file)
    on_error: OnError = "closed" if audit.strict else "open"

    def log_tool_call(**event: Any) -> None:  # noqa: ANN401  whatever the contract tells
        result = str(event.get("result") or "")
        lines.append(
            {
                **_audit_line("tool", event, _TOOL_FIELDS),
                "args": hook_observable_value(event.get("args")),
                "result_characters": len(result),
                "result_sha256": hashlib.sha256(result.encode()).hexdigest(),
            }
        )

    def log_model_call(**event: Any) -> None:  # noqa: ANN401  as above
        duration = round(1000 * float(event.get("api_duration") or 0.0))
        lines.append({**_audit_line("model", event, _MODEL_FIELDS), "duration_ms": duration})

    ctx.register_hook("post_tool_call", log_tool_call, on_error=on_error)
    for name in ("post_api_request", "api_request_error"):
        ctx.register_hook(name, log_model_call, on_error=on_error)


def _audit_line(call_kind: str, event: dict[str, Any], names: tuple[str, ...]) -> dict[str, object]:
    fields = {
        name: event[name] for name in (*_ID_FIELDS, *names) if event.get(name) not in (None, "", [])
    }
    return {"at": datetime.now(UTC).isoformat(), "what": call_kind, **fields}
