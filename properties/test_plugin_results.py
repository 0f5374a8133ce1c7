"""A plugin's result passes the gate of a backend's; no envelope carries a text twice."""

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given, strategies as st
from returns.result import Failure, Success

from tests.features.data.pages import make_page
from webseam import XSearchDeps
from webseam.composition.features.data.data_tool import data_tool
from webseam.composition.features.evidence.ask_models import AskModels
from webseam.composition.features.evidence.ask_tool import AskToolDeps, ask_tool
from webseam.composition.features.models.x_search_setup import XSearch
from webseam.composition.features.models.x_search_tool import x_tool
from webseam.composition.features.testing.clients import FakeTexts
from webseam.composition.features.testing.strategies import (
    documents,
    hostile_documents,
    hostile_rows,
    json_values,
    rows,
)
from webseam.composition.session import Session
from webseam.composition.tools import Tools, web_tools
from webseam.composition.tools.feature_tools import feature_tools
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.tools.web_tools import PluginEnvelope, Tool, more_tool
from webseam.kernel import Policy, WebDeps
from webseam.kernel.deps import RowPolicy
from webseam.kernel.laws.unread import FOREIGN_NAMES
from webseam.kernel.pages.page_record import PageRecord, PageSource, write_page_record
from webseam.ports import Hook, Middleware
from webseam.ports.middleware import Callbacks
from webseam.testing import FakeBackend, FakeXSearch

from .ask import URL, extract, search

TEXT = "High water at Bremen is at noon today, and the next high water at midnight. " * 40
HANDLE = "text-1"
ARGUMENTS: dict[str, dict[str, object]] = {
    "web_search": {"query": "q"},
    "web_extract": {"urls": [URL]},
    "web_more": {"handle": HANDLE},
    "web_data": {"url": URL, "like": "recipe"},
    "web_ask": {"question": "When is high water at Bremen?"},
    "x_search": {"query": "q"},
}
STAGES = ("tool_execution", "transform_tool_result")


def all_tools(text: str = TEXT, raw: str | None = None) -> tuple[Tool, ...]:
    """Every tool, over fakes that return ``text``."""
    row = {"title": "Tides", "url": URL, "snippet": text[:100]}
    page = {"url": URL, "title": "Tides", "content": text, "raw_content": raw}
    recipe = make_page(f"<h1>Leek soup</h1><p>{text}</p>", {"@type": "Recipe", "name": "Leek soup"})
    metadata = {"content_type": "text/html"}
    html = {**page, "content": "Soup.", "raw_content": recipe, "metadata": metadata}
    web = WebDeps(backend=FakeBackend([row], page))
    kit = AskToolDeps(search=web, pages=web, models=AskModels(), seconds=60.0)
    deps = XSearchDeps(backend=FakeXSearch(text), today=lambda: date(2026, 11, 18))
    x_search = XSearch(deps=deps, backend=None)  # type: ignore[arg-type]  # nothing to close
    texts = FakeTexts()
    texts.texts[HANDLE] = write_page_record(
        PageRecord(source=PageSource(url=URL, final_url=URL), content=text)
    )
    return (
        *web_tools(Success(web), Success(web)),
        more_tool(Success(msgspec.structs.replace(web, texts=texts))),
        data_tool(
            Success(msgspec.structs.replace(web, backend=FakeBackend([], html), texts=texts))
        ),
        ask_tool(Success(kit)),
        x_tool(Success(x_search)),
    )


TOOLS = all_tools(raw="raw")


def call(tool: Tool, session: Session | None = None) -> dict[str, Any]:
    text = asyncio.run(Tools([tool], session).call(tool.name, ARGUMENTS[tool.name]))
    return cast("dict[str, Any]", json.loads(text))


def replace_result(stage: str, value: object) -> Session:
    """A session in which a plugin returns ``value`` in place of every result."""
    if stage == "tool_execution":
        middleware = (Middleware(kind="tool_execution", callback=lambda **_: value, plugin="p"),)
        return Session(callbacks=Callbacks(middleware=middleware))
    text = json.dumps(value)
    return Session(
        callbacks=Callbacks(hooks=(Hook(name=stage, callback=lambda **_: text, plugin="p"),))
    )


def leaf_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in items:
        yield from leaf_texts(item)


def test_every_tool_is_under_these_laws() -> None:
    declared = {"web_search", "web_extract", "web_more", *(tool.name for tool in feature_tools())}

    assert set(ARGUMENTS) == {tool.name for tool in TOOLS} == declared


@pytest.mark.parametrize("raw", [None, TEXT, f"{TEXT}\n", f"\u200b{TEXT}", "other"])
def test_no_text_is_carried_twice(raw: str | None) -> None:
    for tool in all_tools(raw=raw):
        envelope = call(tool)
        carried = [text for text in leaf_texts(envelope) if TEXT.strip() in text]

        assert envelope["success"], tool.name
        assert len(carried) <= 1, tool.name


@pytest.mark.parametrize("stage", STAGES)
def test_unchanged_result_of_a_tool_passes_the_gate(stage: str) -> None:
    for tool in TOOLS:
        own = call(tool)

        assert call(tool, replace_result(stage, own)) == own, tool.name


@given(value=st.dictionaries(st.sampled_from(["data", "web", "success"]), json_values()))
def test_a_mapping_that_is_not_the_tools_envelope_is_refused(value: dict[str, object]) -> None:
    for tool in TOOLS:
        assert isinstance(tool.check(PluginEnvelope(value), ARGUMENTS[tool.name]), Failure), (
            tool.name
        )


@pytest.mark.parametrize("value", ["text", "[1]", 5, None, ["text"], {}, {"data": {"text": "t"}}])
def test_a_callback_that_returns_no_envelope_fails(value: object) -> None:
    for tool in TOOLS:
        replaced = call(tool, replace_result("tool_execution", value))
        assert replaced["failure"]["kind"] == "middleware_failed", tool.name


def row_of_envelope(row: object) -> object:
    if not isinstance(row, dict):
        return row
    fields = {name: row[name] for name in ("title", "url", "snippet") if name in row}
    return {("description" if name == "snippet" else name): fields[name] for name in fields}


def json_or_text(value: object) -> object:
    """Only JSON reaches the gate of a plugin; anything else is a text here."""
    try:
        return value if msgspec.json.decode(msgspec.json.encode(value)) == value else "text"
    except Exception:  # noqa: BLE001  some of these raise anything
        return "text"


@pytest.mark.parametrize("name", ["snippet", *FOREIGN_NAMES["snippet"]])
def test_text_that_a_plugin_moves_to_another_name_fails_the_call(name: str) -> None:
    search_tool = next(tool for tool in TOOLS if tool.name == "web_search")
    found = [{"title": "T", "url": "https://a.example/", name: "High and low."}]

    envelope = call(search_tool, replace_result("tool_execution", {"data": {"web": found}}))

    assert envelope["success"] is (name == "description")
    if name != "description":
        assert f"`{name}`" in envelope["error"]


POLICIES = st.sampled_from([Policy(), Policy(deny_domains=("example",))])
HANDLING: st.SearchStrategy[RowPolicy] = st.sampled_from(["strict", "quarantine"])


@given(
    found=st.lists(rows() | hostile_rows(), max_size=4),
    limit=st.none() | st.integers(1, 3),
    policy=POLICIES,
    handling=HANDLING,
)
def test_rows_of_a_plugin_fare_like_rows_of_a_backend(
    found: list[object], limit: int | None, policy: Policy, handling: RowPolicy
) -> None:
    shown = [row_of_envelope(json_or_text(row)) for row in found]
    plain = [
        {("snippet" if name == "description" else name): row[name] for name in row}
        if isinstance(row, dict)
        else row
        for row in shown
    ]
    query = {"query": "q", "max_results": limit}
    by_backend = search(
        WebDeps(backend=FakeBackend(plain), policy=policy, rows=handling), query
    ).value_or(None)
    deps = Success(WebDeps(backend=FakeBackend(), policy=policy, rows=handling))
    session = replace_result("tool_execution", {"data": {"web": shown}})
    text = asyncio.run(Tools(web_tools(deps, deps), session).call("web_search", query))
    envelope = json.loads(text)

    assert envelope["success"] is (by_backend is not None)
    if by_backend is not None:
        web = envelope["data"]["web"]
        assert [(row["url"], row["position"]) for row in web] == [
            (row.url, row.position) for row in by_backend.rows
        ]
        assert len(envelope["data"].get("rejected", [])) == by_backend.receipt.rejected
        counts = envelope.get("receipt", {})
        assert counts.get("blocked", 0) == by_backend.receipt.blocked
        assert counts.get("trimmed", 0) == by_backend.receipt.trimmed


@given(page=documents(URL) | hostile_documents(URL), policy=POLICIES)
def test_a_page_of_a_plugin_fares_like_a_page_of_a_backend(page: object, policy: Policy) -> None:
    page = json_or_text(page)
    backend = FakeBackend(extract=Success(page))
    by_backend = extract(WebDeps(backend=backend, policy=policy)).value_or(None)
    deps = Success(WebDeps(backend=FakeBackend(), policy=policy))
    session = replace_result("tool_execution", {"data": {"results": [page]}})
    text = asyncio.run(Tools(web_tools(deps, deps), session).call("web_extract", {"urls": [URL]}))
    envelope = json.loads(text)

    assert envelope["success"] is (by_backend is not None)
    if by_backend is not None:
        entry = envelope["data"]["results"][0]
        assert entry["final_url"] == by_backend.final_url


def ask_with_change(tool: Tool, change: Callable[[dict[str, Any]], object]) -> CallOutcome:
    """Call a tool; the plugin ``p`` changes the JSON of its result."""

    def execute(**told: Any) -> str:  # noqa: ANN401  as a callback is told
        envelope = json.loads(told["next_call"](told["args"]))
        change(envelope)
        return json.dumps(envelope)

    middleware = (Middleware(kind="tool_execution", callback=execute, plugin="p"),)
    session = Session(callbacks=Callbacks(middleware=middleware))
    return asyncio.run(Tools([tool], session).ask(tool.name, ARGUMENTS[tool.name]))


def without_receipt(outcome: Any) -> dict[str, Any]:  # noqa: ANN401  of any tool
    fields = msgspec.structs.asdict(outcome)
    fields.pop("receipt", None)
    return fields


def test_a_key_that_a_plugin_adds_changes_nothing_else_of_any_tools_outcome() -> None:
    for tool in TOOLS:
        own = ask_with_change(tool, lambda _: None).outcome
        changed = ask_with_change(tool, lambda envelope: envelope.update(seen=True))

        assert changed.reply.untyped is None, tool.name
        assert type(changed.outcome) is type(own)
        assert without_receipt(changed.outcome) == without_receipt(own), tool.name
        assert changed.reply.envelope["seen"] is True


def test_changes_of_an_answer_by_a_plugin_reach_the_typed_result() -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == "web_ask")
    own: Any = ask_with_change(tool, lambda _: None).outcome

    def change(envelope: dict[str, Any]) -> None:
        envelope["data"]["extractive"] = False
        envelope["receipt"]["answered_by"] = "p"

    reply = ask_with_change(tool, lambda envelope: envelope["data"].update(answer="Other.")).reply
    wrong = ask_with_change(tool, lambda envelope: envelope["data"].update(missing=5)).reply
    odd = ask_with_change(tool, lambda envelope: envelope.update(receipt=5)).reply

    assert own.pages
    for failed, path in ((reply, "$.data.answer"), (wrong, "$.data.missing"), (odd, "$.receipt")):
        assert failed.error is not None
        assert path in failed.error.message
    assert ask_with_change(tool, change).reply.error is None


def test_changes_of_an_x_search_by_a_plugin_reach_the_typed_result() -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == "x_search")
    own: Any = ask_with_change(tool, lambda _: None).outcome

    changed: Any = ask_with_change(tool, lambda envelope: envelope.update(model="mine")).outcome
    odd = ask_with_change(tool, lambda envelope: envelope.update(receipt=5)).reply

    assert without_receipt(changed) == {**without_receipt(own), "model": "mine"}
    assert changed.receipt.backend == own.receipt.backend
    assert [entry.source for entry in changed.receipt.middleware] == ["p"]
    assert odd.error is not None
    assert "$.receipt" in odd.error.message


def test_the_text_of_a_piece_is_changed() -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == "web_more")

    piece: Any = ask_with_change(tool, lambda it: it["data"].update(text="Other.")).outcome

    assert piece.text == "Other."


def test_a_plugin_may_add_the_raw_text_of_a_page() -> None:
    tool = all_tools()[1]
    called = ask_with_change(tool, lambda it: it["data"]["results"][0].update(raw_content="<p>"))

    page: Any = called.outcome
    assert page.raw_content == "<p>"
    entries: Any = called.reply.envelope["data"]
    assert entries["results"][0]["raw_content"] == "<p>"
