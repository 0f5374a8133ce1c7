"""Where spans and metrics go when the program itself has not said."""

from collections.abc import Callable


def set_up(export: str) -> Callable[[], object]:
    """Set OpenTelemetry up to export to ``console`` or ``otlp``; return how to send what waits."""
    if export == "none":
        return lambda: None
    if export not in ("console", "otlp"):
        message = f"export must be none, console or otlp, got {export!r}"
        raise ValueError(message)
    from opentelemetry import metrics, trace  # noqa: PLC0415  the SDK only where it is set up
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
    from opentelemetry.sdk.metrics.export import (  # noqa: PLC0415
        ConsoleMetricExporter,
        MetricExporter,
        PeriodicExportingMetricReader,
    )
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import (  # noqa: PLC0415
        BatchSpanProcessor,
        ConsoleSpanExporter,
        SpanExporter,
    )

    spans: SpanExporter
    figures: MetricExporter
    if export == "console":
        import sys  # noqa: PLC0415

        # Standard output is the result's; this is talk about it.
        spans, figures = ConsoleSpanExporter(out=sys.stderr), ConsoleMetricExporter(out=sys.stderr)
    else:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import (  # noqa: PLC0415
            OTLPMetricExporter,
        )
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )

        spans, figures = OTLPSpanExporter(), OTLPMetricExporter()
    resource = Resource.create({SERVICE_NAME: "webseam"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(spans))
    meters = MeterProvider([PeriodicExportingMetricReader(figures)], resource=resource)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    return lambda: (tracers.force_flush(), meters.force_flush())
