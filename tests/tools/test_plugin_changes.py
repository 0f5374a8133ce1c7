"""What a plugin changes in the JSON is changed in the typed result, and nothing else is."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from returns.result import Success

from webseam.composition.session import Session
from webseam.composition.tools import Tools, web_tools
from webseam.composition.tools.stages import CallOutcome
from webseam.kernel import WebDeps
from webseam.kernel.plugin_changes import changed_paths
from webseam.ports import Hook, Middleware
from webseam.ports.middleware import Callbacks
from webseam.ports.receipts import TraceEntry
from webseam.ports.web import SearchAnswer, SearchOutcome, WebExtractResult
from webseam.testing import FakeBackend

URL = "https://a.example/page"
OTHER = "https://b.example/page"
ROWS: list[dict[str, object]] = [
    {
        "title": "A\u200b", "url": "https://a.example/?utm_source=x", "snippet": "about a",
        "score": 0.7, "origin": "model", "published_at": "2026-01-31",
    },
    {"title": "B", "url": "https://b.example/", "snippet": "about b", "score": 0.5},
    {"title": "bad", "url": "javascript:1"},
]  # fmt: skip
PAGE = {
    "url": URL, "title": "A", "content": "Words.", "raw_content": "<p>Words.</p>",
    "final_url": "https://a.example/final", "metadata": {"author": "me"},
}  # fmt: skip
Change = Callable[[dict[str, Any]], object]


def call(
    change: Change, tool: str = "web_search", *, stage: str = "tool_execution", **args: object
) -> CallOutcome:
    """Call a tool; the plugin ``p`` changes the JSON of its result."""

    def edit(text: str) -> str:
        envelope = json.loads(text)
        changed = change(envelope)
        return json.dumps(envelope if changed is None else changed)

    def execute(**told: Any) -> str:
        return edit(told["next_call"](told["args"]))

    callbacks = Callbacks(middleware=(Middleware(kind=stage, callback=execute, plugin="p"),))
    if stage == "transform_tool_result":
        hook = Hook(name=stage, callback=lambda **told: edit(told["result"]), plugin="p")
        callbacks = Callbacks(hooks=(hook,))
    deps = Success(WebDeps(backend=FakeBackend(ROWS, PAGE), rows="quarantine"))
    tools = Tools(web_tools(deps, deps), Session(callbacks=callbacks))
    asked = {"query": "q"} if tool == "web_search" else {"urls": [URL]}
    return asyncio.run(tools.ask(tool, {**asked, **args}))


def typed(called: CallOutcome) -> Any:
    assert called.reply.error is None, called.reply.envelope
    assert called.reply.untyped is None
    return called.outcome


def without_notes(outcome: Any) -> Any:
    receipt = msgspec.structs.replace(outcome.receipt, middleware=())
    return msgspec.structs.replace(outcome, receipt=receipt)


def change_row(name: str, value: object) -> Change:
    return lambda envelope: envelope["data"]["web"][0].update({name: value})


def own(tool: str = "web_search") -> Any:
    return typed(call(lambda _: None, tool))


STAGES = ("tool_execution", "transform_tool_result")


@pytest.mark.parametrize("stage", STAGES)
def test_a_result_that_is_written_again_unchanged_is_the_tools_own(stage: str) -> None:
    for tool in ("web_search", "web_extract"):
        outcome = typed(call(lambda _: None, tool, stage=stage))

        assert outcome.receipt.middleware == ()
        assert outcome == own(tool)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("url", "url", "https://a.example/"),
        ("title", "title", "C"),
        ("description", "snippet", "other"),
        ("published_at", "published_at", "2026-02"),
        ("score", "score", 0.9),
        ("origin", "origin", "index"),
        ("source", "source", "mine"),
    ],
)
def test_one_field_of_a_row_is_changed_and_no_other(
    stage: str, name: str, field: str, value: object
) -> None:
    outcome = typed(call(change_row(name, value), stage=stage))

    rows = own().rows
    changed = msgspec.structs.replace(rows[0], **{field: value})
    assert without_notes(outcome) == msgspec.structs.replace(own(), rows=(changed, rows[1]))
    note = TraceEntry(source="p", name=stage, reason=f"changed data.web[].{name}")
    assert outcome.receipt.middleware == (note,)
    assert outcome.rejected


def test_rows_keep_what_is_theirs_when_others_go_come_or_change_places() -> None:
    def shuffle(envelope: dict[str, Any]) -> None:
        web = envelope["data"]["web"]
        new = {"title": "N", "url": "https://n.example/", "description": "new", "position": 1}
        envelope["data"]["web"] = [web[1], new, web[0]]

    rows = typed(call(shuffle)).rows

    assert [(row.position, row.title, row.score, row.source) for row in rows] == [
        (1, "B", 0.5, "fake"),
        (2, "N", None, "fake"),
        (3, "A\u200b", 0.7, "fake"),
    ]


def test_a_row_at_the_place_of_another_takes_nothing_of_it() -> None:
    def swap(envelope: dict[str, Any]) -> None:
        row = {"title": "N", "url": "https://n.example/", "description": "n", "position": 1}
        envelope["data"]["web"][0] = row

    row = typed(call(swap)).rows[0]

    assert (row.score, row.origin, row.published_at) == (None, "index", None)


def test_row_field_removed_by_a_plugin_is_gone() -> None:
    def remove(envelope: dict[str, Any]) -> None:
        del envelope["data"]["web"][0]["published_at"]
        del envelope["data"]["web"][0]["description"]
        del envelope["data"]["rejected"]

    outcome = typed(call(remove))

    assert (outcome.rows[0].published_at, outcome.rows[0].snippet) == (None, "")
    assert outcome.rejected == ()


def test_a_receipt_changes_by_what_is_written_and_loses_nothing() -> None:
    def rewrite(envelope: dict[str, Any]) -> None:
        envelope["receipt"] = {"query": "[masked]"}

    called = call(rewrite)

    receipt = typed(called).receipt
    assert msgspec.structs.replace(receipt, query="q", middleware=()) == own().receipt
    assert receipt.query == called.reply.envelope["receipt"]["query"] == "[masked]"  # type: ignore[index]
    assert called.reply.envelope["receipt"]["backend"] == "fake"  # type: ignore[index]


def test_keys_that_a_result_has_no_field_for_stay_in_the_json_and_are_named() -> None:
    def add(envelope: dict[str, Any]) -> None:
        envelope["data"]["web"][0] |= {"mark": 1, "Score": 2}
        envelope["data"]["summary"] = "s"
        envelope["receipt"]["tenant"] = "t"
        envelope["seen"] = True

    called = call(add)

    receipt = typed(called).receipt
    assert receipt.unread == ("mark", "Score", "data.summary", "receipt.tenant", "seen")
    assert receipt.warnings == ("`Score` is not read; the seam's name is `score`",)
    assert called.reply.envelope["data"]["web"][0]["mark"] == 1  # type: ignore[index]
    assert called.reply.envelope["receipt"]["unread"] == []  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (change_row("found_by", "me"), "found_by"),
        (change_row("source", 5), "source"),
        (lambda envelope: envelope["receipt"].update(returned="many"), "$.receipt.returned"),
        (lambda envelope: envelope.update(receipt="none"), "$.receipt"),
        (lambda envelope: envelope["data"].update(rejected=5), "$.data.rejected"),
        (lambda envelope: envelope["data"].update(web=5), "$.data.web"),
    ],
)
def test_plugin_change_that_a_result_cannot_hold_is_named(change: Change, name: str) -> None:
    error = call(change).reply.error

    assert error is not None
    assert error.kind == "middleware_failed"
    assert name in error.message


@pytest.mark.parametrize(("name", "value"), [("published_at", "yesterday"), ("score", "high")])
def test_a_row_that_breaks_the_law_is_rejected_as_a_backends_is(name: str, value: object) -> None:
    outcome = typed(call(change_row(name, value)))

    assert [row.title for row in outcome.rows] == ["B"]
    assert [bad.field for bad in outcome.rejected] == ["url", name]
    assert outcome.receipt.rejected == len(outcome.rejected)


def test_found_by_is_changed() -> None:
    outcome = typed(call(change_row("found_by", [{"backend": "x", "position": 4}])))

    assert [(it.backend, it.position) for it in outcome.rows[0].found_by] == [("x", 4)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", "C"),
        ("raw_content", "<p>"),
        ("metadata", {"author": "you"}),
    ],
)
def test_one_field_of_a_page_is_changed_and_no_other(name: str, value: object) -> None:
    outcome = typed(
        call(lambda envelope: envelope["data"]["results"][0].update({name: value}), "web_extract")
    )

    changed = msgspec.structs.replace(own("web_extract"), **{name: value})
    assert without_notes(outcome) == changed
    reason = f"changed data.results[].{name}"
    assert outcome.receipt.middleware == (
        TraceEntry(source="p", name="tool_execution", reason=reason),
    )


def test_raw_content_that_the_json_did_not_show_goes_with_a_changed_content() -> None:
    def mask(envelope: dict[str, Any]) -> None:
        entry = envelope["data"]["results"][0]
        del entry["raw_content"]
        entry["content"] = "[masked]"

    called = call(mask, "web_extract")

    assert (typed(called).content, typed(called).raw_content) == ("[masked]", "[masked]")
    assert "raw_content" not in called.reply.envelope["data"]["results"][0]  # type: ignore[index]


def test_another_final_url_is_in_the_receipt() -> None:
    url = "https://a.example/other"
    outcome = typed(call(lambda it: it["data"]["results"][0].update(final_url=url), "web_extract"))

    assert (outcome.final_url, outcome.receipt.final_url) == (url, url)


def test_keys_beside_those_of_a_page_are_named() -> None:
    def add(envelope: dict[str, Any]) -> None:
        envelope["data"]["results"][0]["mark"] = 1
        envelope["receipt"]["pages"][0]["tenant"] = 1
        envelope["receipt"]["backend"] = "other"
        envelope["data"]["x"] = 1

    assert typed(call(add, "web_extract")).receipt.unread == (
        "mark",
        "receipt.pages[].tenant",
        "data.x",
        "receipt.backend",
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda envelope: envelope["receipt"]["pages"][0].update(characters="many"),
        lambda envelope: envelope["receipt"].update(pages=[5]),
        lambda envelope: envelope.update(receipt=5),
    ],
)
def test_a_page_whose_receipt_cannot_be_read_fails_the_call(change: Change) -> None:
    error = call(change, "web_extract").reply.error

    assert error is not None
    assert "$.receipt" in error.message


def test_of_several_pages_each_keeps_its_own() -> None:
    def change(envelope: dict[str, Any]) -> None:
        envelope["data"]["results"][0]["title"] = "C"

    first, second = typed(call(change, "web_extract", urls=[URL, "http://10.0.0.1/"]))

    assert (first.unwrap().title, first.unwrap().raw_content) == ("C", "<p>Words.</p>")
    assert [entry.source for entry in first.unwrap().receipt.middleware] == ["p"]
    assert second.failure().kind == "url_denied"


def test_a_page_that_a_plugin_fails_is_a_failure_by_its_name() -> None:
    def change(envelope: dict[str, Any]) -> None:
        envelope["data"]["results"][1]["error"] = {"message": "not this one"}

    called = call(change, "web_extract", urls=[URL, "http://10.0.0.1/"])

    error = typed(called)[1].failure()
    assert (error.kind, error.plugin) == ("middleware_failed", "p")


def test_a_text_in_place_of_a_result_has_no_typed_one() -> None:
    hook = Hook(name="transform_tool_result", callback=lambda **_: "Beware.", plugin="p")
    deps = Success(WebDeps(backend=FakeBackend(ROWS, PAGE), rows="quarantine"))
    tools = Tools(web_tools(deps, deps), Session(callbacks=Callbacks(hooks=(hook,))))

    reply = asyncio.run(tools.ask("web_search", {"query": "q"})).reply

    assert reply.error is None
    assert reply.untyped is not None
    assert "The plugin p failed in transform_tool_result" in reply.untyped.message


def test_rows_of_a_plugin_keep_to_the_filters() -> None:
    def add(envelope: dict[str, Any]) -> None:
        envelope["data"]["web"].append({"title": "E", "url": "https://evil.example/"})

    called = call(add, include_domains=["a.example", "b.example"])

    outcome = typed(called)
    assert [row.title for row in outcome.rows] == ["A\u200b", "B"]
    assert outcome.receipt.filtered == called.reply.envelope["receipt"]["filtered"] == 1  # type: ignore[index]


def test_rows_without_a_date_under_a_filter_of_dates_are_counted_once() -> None:
    def undate(envelope: dict[str, Any]) -> None:
        del envelope["data"]["web"][0]["published_at"]

    assert typed(call(undate, published_after="2026-01-01")).receipt.undated == 2
    assert typed(call(change_row("title", "C"), published_after="2026-01-01")).receipt.undated == 1


def test_every_plugin_of_a_chain_is_named_with_its_change() -> None:
    def change(path: str) -> Callable[..., str]:
        def execute(**told: Any) -> str:
            envelope = json.loads(told["next_call"](told["args"]))
            envelope["data"]["web"][0][path] = "changed"
            return json.dumps(envelope)

        return execute

    middleware = (
        Middleware(kind="tool_execution", callback=change("title"), plugin="outer"),
        Middleware(kind="tool_execution", callback=change("description"), plugin="inner"),
        Middleware(
            kind="tool_execution", callback=lambda **told: told["next_call"](), plugin="reader"
        ),
    )
    deps = Success(WebDeps(backend=FakeBackend(ROWS), rows="quarantine"))
    tools = Tools(web_tools(deps, deps), Session(callbacks=Callbacks(middleware=middleware)))

    outcome = asyncio.run(tools.ask("web_search", {"query": "q"})).outcome

    assert isinstance(outcome, SearchOutcome)
    assert [(it.source, it.reason) for it in outcome.receipt.middleware] == [
        ("inner", "changed data.web[].description"),
        ("outer", "changed data.web[].title"),
    ]


def test_an_answer_of_a_plugins_own_is_typed() -> None:
    envelope = {
        "data": {
            "web": [{"title": "N", "url": "https://n.example/", "score": 0.1}],
            "answer": "No.",
        }
    }

    def instead(**_: object) -> object:
        return envelope

    middleware = (Middleware(kind="tool_execution", callback=instead, plugin="mine"),)
    deps = Success(WebDeps(backend=FakeBackend()))
    tools = Tools(web_tools(deps, deps), Session(callbacks=Callbacks(middleware=middleware)))

    outcome = asyncio.run(tools.ask("web_search", {"query": "q"})).outcome

    assert isinstance(outcome, SearchOutcome)
    (row,) = outcome.rows
    assert (row.source, row.score, str(outcome.answer)) == ("mine", 0.1, "No.")
    assert outcome.receipt.backend == "mine"
    assert outcome.receipt.middleware[0].source == "mine"


def test_changed_paths_name_no_key_of_a_page() -> None:
    before = {"metadata": {"a": 1}, "b": {"c": {"d": {"e": {"f": 1}}}}, "x y": 1, "gone": 1}
    after = {"metadata": {"ignore rules": 1}, "b": {"c": {"d": {"e": {"f": 2}}}}, "new": True}

    assert changed_paths(before, after) == ("metadata", "b.c.d", "?", "gone", "new")
    assert changed_paths([{"a": 1}], [{"a": True}]) == ("[].a",)
    assert changed_paths([1], [1, 2]) == ("[]",)


def test_a_page_of_a_plugins_own_is_typed() -> None:
    def instead(**_: object) -> object:
        return {"data": {"results": [{"url": URL, "content": "mine"}]}}

    middleware = (Middleware(kind="tool_execution", callback=instead, plugin="mine"),)
    deps = Success(WebDeps(backend=FakeBackend()))
    tools = Tools(web_tools(deps, deps), Session(callbacks=Callbacks(middleware=middleware)))

    page = asyncio.run(tools.ask("web_extract", {"urls": [URL]})).outcome

    assert isinstance(page, WebExtractResult)
    assert (page.content, page.receipt.backend) == ("mine", "mine")


def test_prose_and_raw_text_that_a_plugin_left_stay_as_they_were() -> None:
    answer = SearchAnswer(text="No\u200bon.")
    row = {"title": "A", "url": URL}

    def edit(text: str, name: str) -> str:
        envelope = json.loads(text)
        data = envelope["data"]
        (data["web"] if name == "web_search" else data["results"])[0]["title"] = "C"
        if name == "web_extract":
            data["results"][0]["content"] = "Other."
        return json.dumps(envelope)

    def execute(**told: Any) -> str:
        return edit(told["next_call"](told["args"]), told["tool_name"])

    callbacks = Callbacks(
        middleware=(Middleware(kind="tool_execution", callback=execute, plugin="p"),)
    )
    deps = Success(WebDeps(backend=FakeBackend([row, answer], PAGE)))
    tools = Tools(web_tools(deps, deps), Session(callbacks=callbacks))

    found: Any = asyncio.run(tools.ask("web_search", {"query": "q"})).outcome
    page: Any = asyncio.run(tools.ask("web_extract", {"urls": [URL]})).outcome

    assert found.answer == answer
    assert (page.content, page.raw_content) == ("Other.", "<p>Words.</p>")


def test_an_answer_that_a_plugin_changed_is_the_plugins() -> None:
    answered = FakeBackend([{"title": "A", "url": URL}, SearchAnswer(text="Noon.")])
    deps = Success(WebDeps(backend=answered))

    def execute(**told: Any) -> str:
        return str(told["next_call"](told["args"]).replace("Noon.", "Never."))

    callbacks = Callbacks(
        middleware=(Middleware(kind="tool_execution", callback=execute, plugin="p"),)
    )
    tools = Tools(web_tools(deps, deps), Session(callbacks=callbacks))

    found: Any = asyncio.run(tools.ask("web_search", {"query": "q"})).outcome

    assert str(found.answer) == "Never."
