"""Spans and metrics of calls, named after OpenTelemetry's conventions for generative AI.

https://opentelemetry.io/docs/specs/semconv/gen-ai/ (read 2026-11-15)
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeAlias

from opentelemetry import metrics, trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from webseam.ports.middleware import CallFailed

_EXPORT_TIMEOUT_SECONDS = 2.0
_ENDPOINT_VARIABLES = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)
_REQUEST_ATTRIBUTES = {
    "max_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
}
# Metrics have few dimensions: ids would make a time series for each call.
_DIMENSIONS = (
    "gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.tool.name",
    "error.type",
)  # fmt: skip


def choose_exporter(environment: Mapping[str, str]) -> str:
    """Return the exporter that OpenTelemetry's standard variables name; ``none`` without any.

    >>> choose_exporter({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a.example"})
    'otlp'
    """
    named = environment.get("OTEL_TRACES_EXPORTER", "")
    has_endpoint = any(environment.get(name) for name in _ENDPOINT_VARIABLES)
    return named or ("otlp" if has_endpoint else "none")


@cache
def set_up_opentelemetry(export: str) -> Callable[[], object]:
    """Set OpenTelemetry up to export, once a process; return its flush function."""
    if export == "auto":
        is_set_up = not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
        export = "none" if is_set_up else choose_exporter(os.environ)
    if export == "none":
        return lambda: None
    if export not in ("console", "otlp"):
        message = f"export must be auto, none, console or otlp, got {export!r}"
        raise ValueError(message)
    # The SDK only where it is set up.
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import (
        ConsoleMetricExporter,
        MetricExporter,
        PeriodicExportingMetricReader,
    )
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

    span_exporter: SpanExporter
    metric_exporter: MetricExporter
    if export == "console":
        import sys

        # Standard output is reserved for results.
        span_exporter = ConsoleSpanExporter(out=sys.stderr)
        metric_exporter = ConsoleMetricExporter(out=sys.stderr)
    else:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        # A collector that is down must not delay the exit, unless the user set a timeout.
        seconds = None if "OTEL_EXPORTER_OTLP_TIMEOUT" in os.environ else _EXPORT_TIMEOUT_SECONDS
        span_exporter = OTLPSpanExporter(timeout=seconds)
        metric_exporter = OTLPMetricExporter(timeout=seconds)
    resource = Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME") or "webseam"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(span_exporter))
    meters = MeterProvider([PeriodicExportingMetricReader(metric_exporter)], resource=resource)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    return lambda: (tracers.force_flush(), meters.force_flush())


NextCall: TypeAlias = Callable[..., Awaitable[Any]]


class Telemetry:
    """Middleware that records spans and metrics, without the content of requests and answers."""

    def __init__(self, export: str = "none") -> None:
        """Use the program's OpenTelemetry providers, or set up those that ``export`` names."""
        self._flush = set_up_opentelemetry(export)
        self._tracer = trace.get_tracer("webseam")
        meter = metrics.get_meter("webseam")
        self._durations = meter.create_histogram(
            "gen_ai.client.operation.duration", "s", "How long an operation took"
        )
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage", "{token}", "Tokens that a model read or wrote"
        )

    async def tool(self, *, next_call: NextCall, **arguments: Any) -> object:  # noqa: ANN401  any middleware argument
        """Run a tool inside a span."""
        name = str(arguments.get("tool_name") or "")
        facts = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": arguments.get("tool_call_id"),
            "gen_ai.conversation.id": arguments.get("session_id"),
        }
        async with self._record_span(f"execute_tool {name}", SpanKind.INTERNAL, facts):
            return await next_call()

    async def model(self, *, next_call: NextCall, **arguments: Any) -> object:  # noqa: ANN401  as above
        """Run a model call inside a span that records its tokens."""
        request = arguments.get("request")
        fields: Mapping[str, Any] = request if isinstance(request, Mapping) else {}
        name = str(fields.get("model") or arguments.get("model") or "")
        facts = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": arguments.get("provider"),
            "gen_ai.request.model": name,
            "gen_ai.conversation.id": arguments.get("session_id"),
            **{attribute: fields.get(field) for field, attribute in _REQUEST_ATTRIBUTES.items()},
        }
        async with self._record_span(f"chat {name}", SpanKind.CLIENT, facts) as span:
            response = await next_call()
            self._record_usage(response, span, facts)
            return response

    def flush(self, **_: object) -> None:
        """Export pending spans and metrics: the program may be about to end."""
        self._flush()

    @asynccontextmanager
    async def _record_span(
        self, name: str, kind: SpanKind, facts: Mapping[str, Any]
    ) -> AsyncIterator[Span]:
        attributes = _span_attributes(facts)
        started = time.monotonic()
        span = self._tracer.start_span(name, kind=kind, attributes=attributes)
        try:
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                yield span
        except BaseException as error:
            attributes["error.type"] = _error_type(error)
            span.set_attribute("error.type", attributes["error.type"])
            span.set_status(StatusCode.ERROR, str(error) if isinstance(error, CallFailed) else None)
            raise
        finally:
            span.end()
            self._durations.record(time.monotonic() - started, _metric_dimensions(attributes))

    def _record_usage(self, response: object, span: Span, facts: Mapping[str, Any]) -> None:
        usage = getattr(response, "usage", None)
        counts = {
            "input": getattr(usage, "input_tokens", None),
            "output": getattr(usage, "output_tokens", None),
        }
        finish = getattr(response, "finish_reason", None)
        response_facts = {
            "gen_ai.response.id": getattr(response, "id", None),
            "gen_ai.response.model": getattr(response, "model", None),
            "gen_ai.response.finish_reasons": [finish] if isinstance(finish, str) else None,
            "gen_ai.usage.input_tokens": counts["input"],
            "gen_ai.usage.output_tokens": counts["output"],
        }
        span.set_attributes(_span_attributes(response_facts))
        dimensions = _metric_dimensions(_span_attributes(facts))
        for kind, count in counts.items():
            if isinstance(count, int):
                self._tokens.record(count, {**dimensions, "gen_ai.token.type": kind})


def _span_attributes(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value not in (None, "")}


def _metric_dimensions(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name in _DIMENSIONS}


def _error_type(error: BaseException) -> str:
    return error.error.kind if isinstance(error, CallFailed) else type(error).__name__
