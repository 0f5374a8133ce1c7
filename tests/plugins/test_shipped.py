"""The plugins that come with us, each at work around real tool calls."""

import asyncio
import json
import logging
import sqlite3
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure

from tests.tools.bench import URL, Bench
from webseam.adapters.plugins.observers.counter import UseCounter
from webseam.adapters.plugins.observers.json_lines import JsonLines
from webseam.composition.plugins.context import PluginContext
from webseam.composition.plugins.discovery import discover_plugins
from webseam.composition.plugins.loader import load_plugin
from webseam.composition.plugins.shipped import SHIPPED
from webseam.ports import RateLimited
from webseam.testing import FakeBackend, FakeClock

Plug = Callable[..., Bench]
LIMITED = RateLimited(backend="fake", retry_after=2.0)


def load(key: str, folder: Path, settings: dict[str, object]) -> PluginContext | str:
    return load_plugin(discover_plugins(folder / "none")[key], settings, folder)


@pytest.fixture
def plug(tmp_path: Path) -> Plug:
    def plugged(key: str, backend: FakeBackend | None = None, **settings: object) -> Bench:
        context = load(key, tmp_path, settings)
        assert isinstance(context, PluginContext), context
        bench = Bench(backend)
        bench.middleware += context.middleware
        bench.hooks += context.hooks
        return bench

    return plugged


@pytest.mark.parametrize("key", sorted(set(SHIPPED) - {"otel"}))
def test_every_shipped_plugin_is_found_and_loads(key: str, tmp_path: Path) -> None:
    settings: dict[str, dict[str, object]] = {
        "tagging": {"tags": {"team": "search"}},
        "recorder": {"file": str(tmp_path / "tape.jsonl")},
    }

    assert isinstance(load(key, tmp_path, settings.get(key, {})), PluginContext)


@pytest.mark.parametrize(
    ("key", "settings", "problem"),
    [
        ("tagging", {}, "ValueError: set what to tag with"),
        ("tagging", {"tags": "text"}, "ValueError: set what to tag with"),
        ("domain-budget", {"pages": "many"}, "ValidationError: Expected `int`"),
        ("domain-budget", {"colour": 1}, "ValidationError: Object contains unknown field `colour`"),
        ("recorder", {}, "ValidationError: Object missing required field `file`"),
        ("recorder", {"file": "f", "mode": "dream"}, "ValidationError: Invalid enum value 'dream'"),
        ("audit-log", {"strict": "perhaps"}, "ValidationError: Expected `bool`"),
        ("timing", {"slow_ms": "x"}, "ValueError: could not convert string to float: 'x'"),
    ],
)
def test_settings_that_do_not_fit_are_the_plugins_problem(
    key: str, settings: dict[str, object], problem: str, tmp_path: Path
) -> None:
    loaded = load(key, tmp_path, settings)

    assert isinstance(loaded, str)
    assert loaded.startswith(problem)


def test_tags_are_in_the_receipt(plug: Plug) -> None:
    envelope = plug("tagging", tags={"team": "search", "cost": 7}).search()

    assert envelope["receipt"]["middleware"] == [
        {"source": "tagging", "reason": "team=search, cost=7"}
    ]


def test_tags_are_in_a_model_request_beside_what_was_there(plug: Plug) -> None:
    [_, model] = plug("tagging", tags={"team": "search"}).middleware
    request = {"model": "m", "extra_body": {"metadata": {"user": "u"}, "other": 1}}

    tagged: Any = model.callback(request=request, model="m")

    assert tagged["request"]["extra_body"] == {
        "metadata": {"user": "u", "team": "search"},
        "other": 1,
    }
    assert request["extra_body"] == {"metadata": {"user": "u"}, "other": 1}


def test_personal_data_does_not_leave_in_a_query(plug: Plug) -> None:
    bench = plug("redaction")
    envelope = bench.search(query="who is ada@example.org, +44 20 7946 0958")

    assert bench.backend.searched[0].query == "who is [email], [phone]"
    assert envelope["receipt"]["query"] == "who is [email], [phone]"
    assert envelope["receipt"]["middleware"][0]["reason"] == "masked personal data in query"


def test_a_query_without_personal_data_is_left_alone(plug: Plug) -> None:
    envelope = plug("redaction").search(query="weather in Ghent")

    assert envelope["receipt"]["query"] == "weather in Ghent"
    assert envelope["receipt"]["middleware"] == []


def test_urls_are_not_changed_into_those_of_other_pages(plug: Plug) -> None:
    bench = plug("redaction")
    bench.extract("https://a.example/ada@example.org")

    assert bench.backend.extracted == ["https://a.example/ada@example.org"]


def test_a_host_has_a_budget_of_pages(plug: Plug) -> None:
    bench = plug("domain-budget", pages=2)

    answers = [
        bench.extract(url) for url in (URL, "https://www.a.example/2", URL, "https://b.example/")
    ]

    assert [answer["success"] for answer in answers] == [True, True, False, True]
    assert (
        answers[2]["error"]
        == "Refused by domain-budget: “2 pages of a.example in 3600 s are the budget”."
    )
    assert bench.backend.extracted == [URL, "https://www.a.example/2", "https://b.example/"]


def test_several_pages_in_one_call_count_each(plug: Plug) -> None:
    bench = plug("domain-budget", pages=2)

    assert bench.extract(URL, URL + "2", URL + "3")["success"] is False
    assert bench.extract(URL, URL + "2")["success"] is True


def test_searches_cost_nothing_of_a_budget(plug: Plug) -> None:
    assert plug("domain-budget", pages=0).search()["success"] is True


def test_a_budget_that_cannot_be_counted_lets_nothing_through(plug: Plug, tmp_path: Path) -> None:
    (tmp_path / "not a file").mkdir()
    bench = plug("domain-budget", file=str(tmp_path / "not a file"))

    envelope = bench.extract()

    assert envelope["failure"]["kind"] == "middleware_failed"
    assert bench.backend.extracted == []


def test_a_budget_is_there_again_after_its_time(tmp_path: Path) -> None:
    clock = FakeClock(100.0)
    ledger = UseCounter(tmp_path / "uses.sqlite", clock)
    taken = [ledger.take(("h",), 1, 60.0), ledger.take(("h",), 1, 60.0)]
    clock.advance(60.0)

    assert [*taken, ledger.take(("h",), 1, 60.0)] == [None, "h", None]


def test_a_ledger_that_is_no_database_says_so(tmp_path: Path) -> None:
    file = tmp_path / "uses.sqlite"
    file.write_text("not a database, and longer than a header has to be " * 10)

    with pytest.raises(sqlite3.Error):
        UseCounter(file, FakeClock()).take(("h",), 1, 60.0)


@pytest.mark.parametrize(("slow", "level"), [(0, "WARNING"), (60_000, "INFO")])
def test_each_call_is_timed(
    plug: Plug, slow: int, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "webseam.timing"):
        plug("timing", slow_ms=slow).search()
        plug("timing", FakeBackend(search=Failure(LIMITED)), slow_ms=slow).search()

    assert [record.levelname for record in caplog.records] == [level, level]
    assert caplog.messages[0].startswith("web_search done in ")
    assert caplog.messages[1].startswith("web_search failed in ")


def test_the_audit_log_has_a_line_for_each_call_and_no_content(plug: Plug, tmp_path: Path) -> None:
    bench = plug("audit-log")
    bench.search(query="key sk-abcdefghijklmnopqrstuvwxyz")
    bench.extract("http://169.254.169.254/")

    file = tmp_path / "audit.jsonl"
    found, refused = [json.loads(line) for line in file.read_text().splitlines()]
    assert (found["what"], found["tool_name"], found["status"]) == ("tool", "web_search", "ok")
    assert found["args"] == {"query": "key ***"}
    assert found["session_id"] == "session"
    assert found["result_characters"] > 0
    assert "about a" not in file.read_text()
    assert (refused["status"], refused["error_type"]) == ("blocked", "url_denied")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_audit_log_has_model_calls_too(tmp_path: Path) -> None:
    context = load("audit-log", tmp_path, {})
    assert isinstance(context, PluginContext)
    hook = next(each for each in context.hooks if each.name == "post_api_request")

    hook.callback(provider="acme", model="m", api_duration=0.25, usage={"input_tokens": 3})

    line = json.loads((tmp_path / "audit.jsonl").read_text())
    assert (line["what"], line["provider"], line["duration_ms"]) == ("model", "acme", 250)


def test_a_strict_audit_log_fails_calls_that_it_cannot_write_down(
    plug: Plug, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    strict = plug("audit-log", file=str(tmp_path / "folder"), strict=True).search()
    lenient = plug("audit-log", file=str(tmp_path / "folder")).search()

    assert strict["failure"]["kind"] == "middleware_failed"
    assert lenient["success"] is True


def test_lines_hold_whatever_they_are_given(tmp_path: Path) -> None:
    JsonLines(tmp_path / "deep" / "lines.jsonl").append({"path": tmp_path})

    assert json.loads((tmp_path / "deep" / "lines.jsonl").read_text()) == {"path": str(tmp_path)}


def test_recorded_search_is_replayed_without_a_call(plug: Plug, tmp_path: Path) -> None:
    file = str(tmp_path / "tape.jsonl")
    live = plug("recorder", file=file, mode="record").search(max_results=3)
    offline = plug("recorder", FakeBackend(raises=AssertionError), file=file, mode="replay")

    replayed = offline.call("web_search", {"limit": "3", "query": "q"})

    assert replayed == live
    assert offline.backend.searched == []


def test_a_failure_is_replayed_as_the_failure_it_was(plug: Plug, tmp_path: Path) -> None:
    file = str(tmp_path / "tape.jsonl")
    live = plug("recorder", FakeBackend(search=Failure(LIMITED)), file=file).search()

    replayed = plug("recorder", file=file, mode="replay").search()

    assert replayed == live
    assert replayed["failure"]["retry_after"] == 2.0


def test_unrecorded_search_fails_without_a_call(plug: Plug, tmp_path: Path) -> None:
    bench = plug("recorder", file=str(tmp_path / "tape.jsonl"), mode="replay")
    envelope = bench.search()

    assert envelope["failure"]["kind"] == "not_configured"
    assert "is not recorded in tape.jsonl" in envelope["error"]
    assert bench.backend.searched == []


def test_auto_asks_once(plug: Plug, tmp_path: Path) -> None:
    bench = plug("recorder", file=str(tmp_path / "tape.jsonl"))
    first, second = bench.search(), bench.search()

    assert first == second
    assert len(bench.backend.searched) == 1


def test_recordings_that_cannot_be_read_break_the_recorder(tmp_path: Path) -> None:
    (tmp_path / "tape.jsonl").write_text("nonsense\n")

    loaded = load("recorder", tmp_path, {"file": str(tmp_path / "tape.jsonl")})

    assert isinstance(loaded, str)
    assert "malformed" in loaded


def test_the_otel_plugin_names_its_extra_when_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "webseam.adapters.plugins.observers.telemetry", raising=False)

    loaded = load("otel", tmp_path, {})

    assert (
        loaded == "RuntimeError: OpenTelemetry is not installed; run: pip install 'webseam[otel]'"
    )


def test_cancelling_a_timed_call_cancels_it(plug: Plug) -> None:
    bench = plug("timing", FakeBackend(search=lambda _: asyncio.Event().wait()))

    async def main() -> None:
        call = asyncio.create_task(bench.tools.call("web_search", {"query": "q"}))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())
