"""Where spans and metrics go when the program itself has not said."""

import os
from collections.abc import Callable

_PATIENCE = 2.0


def set_up(export: str) -> Callable[[], object]:
    """Set OpenTelemetry up to export to ``console`` or ``otlp``; return how to send what waits."""
    if export == "none":
        return lambda: None
    if export not in ("console", "otlp"):
        message = f"export must be none, console or otlp, got {export!r}"
        raise ValueError(message)
    from opentelemetry import metrics, trace  # noqa: PLC0415  the SDK only where it is set up
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import (
        ConsoleMetricExporter,
        MetricExporter,
        PeriodicExportingMetricReader,
    )
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

    spans: SpanExporter
    figures: MetricExporter
    if export == "console":
        import sys  # noqa: PLC0415

        # Standard output is the result's; this is talk about it.
        spans, figures = ConsoleSpanExporter(out=sys.stderr), ConsoleMetricExporter(out=sys.stderr)
    else:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        # Nobody waits long for a collector that is down, unless they said how long.
        wait = None if "OTEL_EXPORTER_OTLP_TIMEOUT" in os.environ else _PATIENCE
        spans, figures = OTLPSpanExporter(timeout=wait), OTLPMetricExporter(timeout=wait)
    resource = Resource.create({SERVICE_NAME: "webseam"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    meters = MeterProvider([PeriodicExportingMetricReader(figures)], resource=resource)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    return lambda: (tracers.force_flush(), meters.force_flush())
