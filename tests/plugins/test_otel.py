"""Spans and metrics of calls, in the words of OpenTelemetry's conventions."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from returns.result import Failure

from tests.doors.cli.run import webseam, webseam_process
from tests.features.gateway.asgi import Site
from tests.tools.bench import Bench
from webseam.composition.doors.cli.commands.demo import open_demo_api
from webseam.composition.plugins.context import PluginContext
from webseam.composition.plugins.discovery import discover_plugins
from webseam.composition.plugins.loader import load_plugin
from webseam.ports import CallFailed, RateLimited
from webseam.testing import FakeBackend

pytest.importorskip("opentelemetry.sdk", reason="the extra webseam[otel] is not installed")

from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
    InMemorySpanExporter,
)

SPANS = InMemorySpanExporter()
FIGURES = InMemoryMetricReader()
LIMITED = RateLimited(backend="fake")


@pytest.fixture(scope="session", autouse=True)  # a process has one of each
def _providers() -> None:
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(SPANS))
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(MeterProvider([FIGURES]))


@pytest.fixture
def otel(tmp_path: Path) -> PluginContext:
    SPANS.clear()
    context = load_plugin(discover_plugins(tmp_path)["otel"], {}, tmp_path)
    assert isinstance(context, PluginContext), context
    return context


def figures(name: str) -> list[Any]:
    data: Any = FIGURES.get_metrics_data()
    return [
        point
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == name
        for point in metric.data.data_points
    ]


def bench(otel: PluginContext, backend: FakeBackend | None = None) -> Bench:
    bench = Bench(backend)
    bench.middleware += otel.middleware
    bench.hooks += otel.hooks
    return bench


def test_a_tool_call_is_a_span(otel: PluginContext) -> None:
    bench(otel).search(query="private words")

    [span] = SPANS.get_finished_spans()
    assert span.name == "execute_tool web_search"
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "web_search",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": "call-1",
        "gen_ai.conversation.id": "session",
    }
    assert span.status.is_unset


def test_a_call_that_fails_is_a_span_with_its_kind(otel: PluginContext) -> None:
    bench(otel, FakeBackend(search=Failure(LIMITED))).search()

    [span] = SPANS.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "rate_limited"
    assert not span.status.is_ok
    kinds = [
        point.attributes.get("error.type") for point in figures("gen_ai.client.operation.duration")
    ]
    assert "rate_limited" in kinds


def test_spans_are_nested_in_the_callers(otel: PluginContext) -> None:
    with trace.get_tracer("test").start_as_current_span("outer") as outer:
        bench(otel).search()

    inner = next(span for span in SPANS.get_finished_spans() if span.name != "outer")
    assert inner.parent is not None
    assert inner.parent.span_id == outer.get_span_context().span_id


def test_a_model_call_is_a_span_with_its_tokens(otel: PluginContext) -> None:
    usage = SimpleNamespace(input_tokens=12, output_tokens=5)
    response = SimpleNamespace(id="r", model="m-1", finish_reason="stop", usage=usage)

    async def send(_: object = None) -> object:
        return response

    model = next(each for each in otel.middleware if each.kind == "llm_execution").callback
    asked = {"model": "m", "max_tokens": 50, "temperature": None}
    calling: Any = model(next_call=send, request=asked, provider="openai", session_id="")
    given = asyncio.run(calling)

    [span] = SPANS.get_finished_spans()
    assert given is response
    assert span.name == "chat m"
    assert span.kind is trace.SpanKind.CLIENT
    assert dict(span.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 50,
        "gen_ai.response.id": "r",
        "gen_ai.response.model": "m-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 5,
    }
    counted = {
        point.attributes["gen_ai.token.type"]: point.sum
        for point in figures("gen_ai.client.token.usage")
    }
    assert counted == {"input": 12, "output": 5}


def test_span_names_a_foreign_error_by_its_type(otel: PluginContext) -> None:
    async def send(_: object = None) -> object:
        raise asyncio.CancelledError

    tool = next(each for each in otel.middleware if each.kind == "tool_execution").callback
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(tool(next_call=send, tool_name="web_search"))  # type: ignore[arg-type]

    [span] = SPANS.get_finished_spans()
    assert (span.attributes or {})["error.type"] == "CancelledError"


def test_failure_of_a_call_passes_through_otel(otel: PluginContext) -> None:
    async def send(_: object = None) -> object:
        raise CallFailed(LIMITED)

    tool = next(each for each in otel.middleware if each.kind == "tool_execution").callback
    with pytest.raises(CallFailed):
        asyncio.run(tool(next_call=send, tool_name="web_search"))  # type: ignore[arg-type]


def test_spans_and_metrics_of_a_command_go_to_standard_error(tmp_path: Path) -> None:
    with open_demo_api() as api:
        at = {"HOME": str(tmp_path), "WEBSEAM_CONFIG": str(tmp_path / "config.yaml")}
        webseam("plugins", "enable", "otel", "--set", "export=console", **at)
        ran = webseam_process("search", "typed", "--json", "--endpoint", api.url("search"), **at)

    assert json.loads(ran.out)["success"] is True
    assert '"name": "execute_tool web_search"' in ran.err
    assert "gen_ai.client.operation.duration" in ran.err


def test_an_export_that_is_not_known_is_the_plugins_problem(tmp_path: Path) -> None:
    loaded = load_plugin(discover_plugins(tmp_path)["otel"], {"export": "pigeon"}, tmp_path)

    assert loaded == "ValueError: export must be auto, none, console or otlp, got 'pigeon'"


@pytest.mark.parametrize("path", ["/api/search", "/tavily/search", "/mcp"])
def test_a_call_over_the_gateway_belongs_to_the_callers_trace(
    otel: PluginContext, tmp_path: Path, path: str
) -> None:
    del otel  # the spans are cleared
    (tmp_path / "config.yaml").write_text("plugins: {enabled: [otel]}\n")
    trace_id, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "web_search", "arguments": {"query": "tides"}, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    answer = Site(tmp_path).post(
        path,
        message if path == "/mcp" else {"query": "tides"},
        traceparent=f"00-{trace_id}-{parent}-01",
        accept="application/json, text/event-stream",
        content_type="application/json",
        mcp_protocol_version="2026-07-28",
        mcp_method="tools/call",
        mcp_name="web_search",
    )

    assert answer.status == 200, answer.body
    spans = SPANS.get_finished_spans()
    assert spans
    assert {f"{span.context.trace_id:032x}" for span in spans} == {trace_id}
    assert f"{parent}" in {f"{span.parent.span_id:016x}" for span in spans if span.parent}
