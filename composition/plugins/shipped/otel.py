"""OpenTelemetry: a span and metrics per call, after the GenAI semantic conventions.

Settings: ``export``: ``auto`` follows OpenTelemetry's own variables (``OTEL_TRACES_EXPORTER``, or
``OTEL_EXPORTER_OTLP_ENDPOINT`` and its like), ``none`` (the program configures OpenTelemetry
itself), ``console``, or ``otlp``. Needs ``pip install 'webseam[otel]'``.
"""

from ..context import PluginContext


def register(ctx: PluginContext) -> None:
    """Watch tool calls and model calls."""
    try:
        from webseam.adapters.plugins.observers.telemetry import Telemetry  # noqa: PLC0415  the extra
    except ImportError as error:
        message = "OpenTelemetry is not installed; run: pip install 'webseam[otel]'"
        raise RuntimeError(message) from error
    telemetry = Telemetry(str(ctx.settings.get("export", "auto")))
    ctx.register_middleware("tool_execution", telemetry.tool)
    ctx.register_middleware("llm_execution", telemetry.model)
    ctx.register_hook("on_session_end", telemetry.flush)
