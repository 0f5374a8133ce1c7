"""A tool call from a model's arguments to its envelope, through every stage in its order."""

import asyncio
import json
import threading
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from returns.result import Failure, Success

from webseam.composition.session import Approval, Session, log_plugin_mishap
from webseam.composition.tools import Tools, web_tools
from webseam.composition.tools.web_tools import extract_tool
from webseam.kernel import WebDeps
from webseam.ports import CallFailed, HttpStatus, NotConfigured, RateLimited, SearchOutcome, Timeout
from webseam.ports.middleware import Callbacks, Hook, Mishap
from webseam.testing import FakeBackend

from .bench import PAGE, ROWS, URL, Bench

LIMITED = RateLimited(backend="fake", retry_after=2.0)


def test_a_search_gives_the_envelope_and_its_receipt() -> None:
    envelope = Bench().search()

    assert envelope["success"] is True
    assert envelope["data"]["web"] == [
        {"title": "A", "url": "https://a.example/", "description": "about a", "position": 1}
    ]
    assert envelope["receipt"]["backend"] == "fake"


def test_the_typed_outcome_is_behind_the_reply() -> None:
    called = asyncio.run(Bench().tools.ask("web_search", {"query": "q"}))

    assert isinstance(called.outcome, SearchOutcome)
    assert called.reply.error is None


@pytest.mark.parametrize(
    ("args", "asked"),
    [
        ({"query": "q", "limit": "7"}, 7),
        ('{"query": "q", "max_results": 3}', 3),
        ({"query": "q", "max_results": None}, None),
        ({"query": "q", "limit": 500}, 100),
    ],
)
def test_arguments_are_parsed_and_coerced(args: object, asked: object) -> None:
    bench = Bench()
    bench.call("web_search", args)

    assert bench.backend.searched[0].max_results == asked


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("web_search", {}, "query: is missing."),
        ("web_search", "[1]", "args: must be an object, got '[1]'."),
        ("web_search", "{", "args: must be an object, got '{'."),
        (
            "web_search",
            {"query": "q", "max_results": "many"},
            "max_results: must be a whole number, got 'many'.",
        ),
        ("web_search", {"query": "q", "colour": "red"}, "colour: is not a known field."),
        ("web_search", {"query": "q", "\ud800": 1}, "?: has a field named by '\\ud800'."),
        ("web_extract", {"urls": [URL], "\ud800": 1}, "?: has a field named by '\\ud800'."),
        (
            "web_extract",
            {"urls": [URL + "\ud800"]},
            "Not a usable URL: it has a blank or a control character; write it percent-encoded.",
        ),
        ("web_extract", {}, "urls: is missing."),
        ("web_extract", {"urls": [URL] * 7}, "urls: must be a list of at most 5 URLs, got 7."),
        (
            "web_extract",
            {"url": "nonsense"},
            "Not a usable URL: it has no scheme; write it with https:// in front.",
        ),
        ("nothing", {}, "tool: there is no such tool; there are web_search, web_extract."),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(name: str, args: object, error: str) -> None:
    bench = Bench()
    envelope = bench.call(name, args)

    assert (envelope["success"], envelope["error"]) == (False, error)
    assert not bench.backend.searched
    assert not bench.backend.extracted


def test_one_page_or_several_have_the_same_shape() -> None:
    one = Bench().extract(URL)
    two = Bench().extract(URL, "http://127.0.0.1/")

    assert [page["content"] for page in one["data"]["results"]] == [PAGE]
    assert (one["success"], one["failed"]) == (True, 0)
    assert (two["success"], two["failed"]) == (True, 1)
    assert [page["content"] for page in two["data"]["results"]] == [PAGE, ""]
    assert two["data"]["results"][1]["error"]["kind"] == "url_denied"
    assert one.keys() == two.keys()


def test_pages_that_all_fail_are_a_failure_with_an_error_each() -> None:
    def answer(url: str) -> object:
        return Failure(LIMITED if url == URL else HttpStatus(status=404))

    envelope = Bench(FakeBackend(extract=answer)).extract(URL, URL + "2")

    assert (envelope["success"], envelope["failed"]) == (False, 2)
    assert envelope["failure"]["kind"] == "rate_limited"
    kinds = [page["error"]["kind"] for page in envelope["data"]["results"]]
    assert kinds == ["rate_limited", "http_status"]


def test_pages_that_the_policy_denies_have_an_error_each() -> None:
    envelope = Bench().extract("http://10.0.0.1/", "nonsense")

    assert (envelope["success"], envelope["failed"]) == (False, 2)
    kinds = [page["error"]["kind"] for page in envelope["data"]["results"]]
    assert kinds == ["url_denied", "invalid_url"]


def test_an_empty_list_of_pages_is_an_empty_result() -> None:
    bench = Bench()

    envelope = bench.call("web_extract", {"urls": []})

    assert (envelope["success"], envelope["failed"]) == (True, 0)
    assert envelope["data"] == {"results": []}
    assert bench.backend.extracted == []


def test_a_call_that_names_no_page_has_no_results() -> None:
    envelope = Bench().call("web_extract", {"urls": 5})

    assert (envelope["success"], envelope["failed"], envelope["data"]) == (
        False,
        0,
        {"results": []},
    )


def test_a_tool_that_is_not_set_up_says_so_for_each_page() -> None:
    missing = NotConfigured(reason="There is no backend", settings=("backend",))
    box = Tools((extract_tool(Failure(missing)),))

    envelope = json.loads(asyncio.run(box.call("web_extract", {"urls": [URL]})))

    assert envelope["failure"]["kind"] == "not_configured"
    assert envelope["data"]["results"][0]["error"]["kind"] == "not_configured"


def test_a_page_is_bounded_and_focused_as_asked() -> None:
    backend = FakeBackend(document="word " * 2000)

    envelope = Bench(backend).call("web_extract", {"url": URL, "char_limit": 500, "focus": "word"})

    assert len(envelope["data"]["results"][0]["content"]) <= 500


def test_the_stages_come_in_their_order() -> None:
    order: list[str] = []

    def note(name: str, answer: object = None) -> Any:
        def callback(**told: Any) -> object:
            order.append(name)
            return answer if "next_call" not in told else told["next_call"](told["args"])

        return callback

    bench = Bench()
    bench.hears("transform_tool_result", note("transform"))
    bench.hears("post_tool_call", note("post"))
    bench.hears("pre_tool_call", note("pre"))
    bench.uses("tool_execution", note("execution"))
    bench.uses("tool_request", note("request"))
    bench.search()

    assert order == ["request", "pre", "execution", "post", "transform"]


def test_callbacks_are_told_who_calls_what() -> None:
    events: list[dict[str, object]] = []
    bench = Bench()
    bench.uses("tool_request", lambda **fields: events.append(fields))
    bench.call("web_search", {"query": "q"}, turn_id="turn", tool_call_id="mine", task_id="")

    assert events == [
        {
            "telemetry_schema_version": "hermes.observer.v1",
            "middleware_schema_version": "hermes.middleware.v1",
            "session_id": "session",
            "task_id": "session",
            "turn_id": "turn",
            "api_request_id": "",
            "tool_call_id": "mine",
            "tool_name": "web_search",
            "args": {"query": "q"},
            "original_args": {"query": "q"},
        }
    ]


def test_a_rewrite_is_what_runs_and_its_trace_is_in_the_receipt_and_with_observers() -> None:
    traces: list[object] = []
    bench = Bench()
    bench.uses(
        "tool_request",
        lambda **told: {"args": {**told["args"], "query": "better", "limit": 1}, "source": "mine"},
    )
    bench.hears("post_tool_call", lambda **told: traces.append(told["middleware_trace"]))
    envelope = bench.search(max_results=50)

    assert bench.backend.searched[0].query == "better"
    assert bench.backend.searched[0].max_results == 1
    assert envelope["receipt"]["middleware"] == [{"source": "mine"}]
    assert traces == [[{"source": "mine"}]]


INSIDE = "http://169.254.169.254/latest/meta-data/"


@pytest.mark.parametrize("kind", ["tool_request", "tool_execution", "pre_tool_call"])
def test_no_callback_smuggles_a_url_past_the_policy(kind: str) -> None:
    bench = Bench()
    if kind == "tool_request":
        bench.uses(kind, lambda **_: {"args": {"urls": [INSIDE]}})
    elif kind == "tool_execution":
        bench.uses(kind, lambda **told: told["next_call"]({"url": INSIDE}))
    else:
        bench.hears(kind, lambda **_: {"action": "modify", "args": {"urls": [INSIDE]}})

    envelope = bench.extract(URL)

    assert envelope["failure"]["kind"] == "url_denied"
    assert bench.backend.extracted == []


def test_hooks_may_modify_some_of_the_arguments() -> None:
    bench = Bench()
    bench.hears("pre_tool_call", lambda **_: {"action": "modify", "args": {"query": "mild"}})
    bench.search(max_results=7)

    [queries] = bench.backend.searched
    assert (queries.query, queries.max_results) == ("mild", 7)


def fewer(args: dict[str, Any]) -> dict[str, Any]:
    return {**args, "limit": min(args["limit"], 3)}


@pytest.mark.parametrize("asked", [{"limit": 9}, {"max_results": 9}, {"limit": "9"}])
@pytest.mark.parametrize("kind", ["tool_request", "tool_execution", "pre_tool_call"])
def test_plugins_for_hermes_read_and_set_the_limit_by_its_name_there(
    kind: str, asked: dict[str, object]
) -> None:
    bench = Bench()
    heard: list[dict[str, object]] = []
    bench.hears("post_tool_call", lambda *, args, **_: heard.append(args))
    if kind == "tool_request":
        bench.uses(kind, lambda *, args, **_: {"args": fewer(args)})
    elif kind == "tool_execution":
        bench.uses(kind, lambda *, args, next_call, **_: next_call(fewer(args)))
    else:
        bench.hears(kind, lambda *, args, **_: {"action": "modify", "args": fewer(args)})
    bench.search(**asked)

    assert bench.backend.searched[0].max_results == 3
    assert heard[0]["limit"] == heard[0]["max_results"]


def test_private_arguments_of_plugins_do_not_reach_the_tool() -> None:
    seen: list[object] = []
    bench = Bench()
    bench.uses("tool_request", lambda *, args, **_: {"args": {**args, "_tag": "team"}})
    bench.hears("pre_tool_call", lambda **_: {"action": "modify", "args": {"_step": 1}})
    bench.uses("tool_execution", lambda *, args, next_call, **_: next_call({**args, "_late": 2}))
    bench.hears("post_tool_call", lambda *, args: seen.append(args))

    assert bench.search()["success"] is True
    assert seen == [{"query": "q", "_tag": "team", "_step": 1}]


def test_unknown_argument_of_a_caller_is_refused_behind_plugins() -> None:
    bench = Bench().uses("tool_request", lambda *, args, **_: {"args": {**args, "_tag": "team"}})

    assert bench.search(colour="red")["error"] == "colour: is not a known field."
    assert bench.backend.searched == []


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ({"query": "q", "max_results": 3, "limit": 9}, 3),
        ({"query": "q", "max_results": 9, "limit": 3}, 3),
        ({"query": "q", "limit": 9}, 9),
        ({"query": "q", "max_results": 9}, 9),
        ({"query": "q"}, None),
    ],
)
@pytest.mark.parametrize("kind", ["tool_request", "tool_execution"])
def test_of_two_limits_the_one_that_was_changed_counts(
    kind: str, given: dict[str, object], asked: int | None
) -> None:
    def change(*, next_call: Any = None, **_: object) -> object:
        return {"args": given} if next_call is None else next_call(given)

    bench = Bench().uses(kind, change)
    bench.search(limit=9)

    assert bench.backend.searched[0].max_results == asked


def test_the_limit_goes_by_either_name_through_a_chain() -> None:
    seen: list[object] = []

    def look(*, args: object, original_args: object, next_call: Any, **_: object) -> object:
        seen.extend([args, original_args])
        return next_call()

    bench = Bench()
    bench.uses("tool_request", lambda *, args, **_: {"args": {**args, "max_results": 8}})
    bench.uses(
        "tool_request", lambda *, args, **_: {"args": {"query": "r", "limit": args["limit"]}}
    )
    bench.uses("tool_execution", lambda *, args, next_call: next_call({**args, "max_results": 7}))
    bench.uses("tool_execution", look)
    bench.search(limit=9)

    assert bench.backend.searched[0].max_results == 7
    assert seen == [
        {"query": "r", "max_results": 7, "limit": 7},
        {"query": "q", "max_results": 9, "limit": 9},
    ]


def test_a_hook_may_block_and_observers_hear_of_it() -> None:
    heard: list[tuple[object, ...]] = []
    bench = Bench()
    bench.hears(
        "pre_tool_call", lambda **_: {"action": "block", "message": "Not today."}, plugin="guard"
    )
    bench.hears("post_tool_call", lambda **told: heard.append((told["status"], told["error_type"])))
    envelope = bench.search()

    assert envelope["error"] == "Refused by guard: “Not today”."
    assert envelope["failure"]["kind"] == "call_refused"
    assert bench.backend.searched == []
    assert heard == [("blocked", "call_refused")]


def test_denied_url_is_neither_approved_nor_executed() -> None:
    happened: list[str] = []

    async def approve(_: Approval) -> bool:
        happened.append("asked")
        return True

    bench = Bench(approve=approve)
    bench.hears("pre_tool_call", lambda **_: {"action": "approve"})
    bench.uses("tool_execution", lambda **_: happened.append("executed"))

    assert bench.extract(INSIDE)["failure"]["kind"] == "url_denied"
    assert happened == []


def test_approval_is_refused_when_nobody_can_give_it() -> None:
    bench = Bench().hears("pre_tool_call", lambda **_: {"action": "approve"}, plugin="guard")

    envelope = bench.search()

    assert "no one can give it here" in envelope["error"]
    assert bench.backend.searched == []


@pytest.mark.parametrize("yes", [True, False])
def test_a_person_decides_and_the_hooks_hear_the_choice(*, yes: bool) -> None:
    requests: list[Approval] = []
    heard: list[tuple[object, ...]] = []

    async def approve(approval: Approval) -> bool:
        requests.append(approval)
        return yes

    bench = Bench(approve=approve)
    bench.hears(
        "pre_tool_call",
        lambda **_: {"action": "approve", "message": "Costs money", "rule_key": "pay"},
    )
    bench.hears("pre_approval_request", lambda **told: heard.append((told["pattern_key"],)))
    bench.hears("post_approval_response", lambda **told: heard.append((told["choice"],)))
    envelope = bench.search()

    assert envelope["success"] is yes
    assert [(each.tool, each.args) for each in requests] == [("web_search", {"query": "q"})]
    assert heard == [("pay",), ("once" if yes else "deny",)]
    assert yes or envelope["error"] == "Refused by p: “Costs money”."


def fall(**_: object) -> object:
    raise ValueError("no")


@pytest.mark.parametrize(
    "hook",
    [
        "pre_tool_call",
        "pre_approval_request",
        "post_approval_response",
        "post_tool_call",
        "transform_tool_result",
    ],
)
def test_a_closed_hook_that_fails_fails_the_call(hook: str) -> None:
    async def approve(_: Approval) -> bool:
        return True

    bench = Bench(approve=approve)
    bench.hears("pre_tool_call", lambda **_: {"action": "approve"})
    bench.hears(hook, fall, on_error="closed", plugin="guard")

    assert bench.search()["failure"]["plugin"] == "guard"


def test_open_callbacks_that_fail_are_left_out_and_logged() -> None:
    bench = Bench()
    for kind in ("tool_request", "tool_execution"):
        bench.uses(kind, fall)
    for hook in ("pre_tool_call", "post_tool_call", "transform_tool_result"):
        bench.hears(hook, fall)

    assert bench.search()["success"] is True
    assert [mishap.stage for mishap in bench.mishaps] == [
        "tool_request",
        "pre_tool_call",
        "tool_execution",
        "post_tool_call",
        "transform_tool_result",
    ]


def test_a_closed_rewrite_that_fails_fails_the_call() -> None:
    envelope = Bench().uses("tool_request", fall, on_error="closed").search()

    assert envelope["failure"]["kind"] == "middleware_failed"


def test_an_execution_callback_gets_the_json_text_and_may_replace_it() -> None:
    def annotate(**told: Any) -> str:
        result = json.loads(told["next_call"](told["args"]))
        result["data"]["web"][0]["title"] = "better"
        return json.dumps(result)

    called = asyncio.run(
        Bench().uses("tool_execution", annotate).tools.ask("web_search", {"query": "q"})
    )

    assert called.reply.envelope["data"]["web"][0]["title"] == "better"  # type: ignore[index]
    assert [row.title for row in called.outcome] == ["better"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", ['{"data": {"web": []}}', {"data": {"web": []}}])
def test_a_short_circuit_is_a_result_in_an_envelope(value: object) -> None:
    bench = Bench().uses("tool_execution", lambda **_: value)

    note = {"source": "p", "name": "tool_execution", "reason": "answered in place of the tool"}
    receipt = {"middleware": [note]}
    assert bench.search() == {"data": {"web": []}, "success": True, "receipt": receipt}
    assert bench.backend.searched == []


@pytest.mark.parametrize("value", [None, 5, [1], object(), "plain words", "[1, 2]"])
def test_a_short_circuit_that_is_no_tool_result_is_a_failure(value: object) -> None:
    envelope = Bench().uses("tool_execution", lambda **_: value, plugin="odd").search()

    assert envelope["failure"]["plugin"] == "odd"
    assert "not a tool result" in envelope["error"]


@pytest.mark.parametrize(
    "value",
    ['{"error": "Too much."}', {"success": False}, {"success": False, "error": "Too much."}],
)
def test_a_callback_may_turn_a_success_into_a_failure(value: object) -> None:
    def censor(**told: Any) -> object:
        told["next_call"]()
        return value

    envelope = Bench().uses("tool_execution", censor, plugin="censor").search()

    assert envelope["success"] is False
    assert envelope["error"] in ("Too much.", "no reason given")
    assert envelope["failure"]["by"] == "censor"


def test_a_callback_may_recover_from_a_failure_and_the_receipt_says_so() -> None:
    seen: list[Exception] = []

    def look(**told: Any) -> object:
        try:
            return told["next_call"](told["args"])
        except CallFailed as error:
            seen.append(error)
            return json.dumps({"success": True, "data": {"web": []}})

    envelope = Bench(FakeBackend(search=Failure(LIMITED))).uses("tool_execution", look).search()

    assert envelope == {
        "success": True,
        "data": {"web": []},
        "receipt": {
            "middleware": [
                {"source": "p", "reason": "recovered from rate_limited", "name": "tool_execution"}
            ],
            "recovered": [{"by": "p", "stage": "tool_execution", "from": "rate_limited"}],
        },
    }
    assert [str(error) for error in seen] == [LIMITED.message]


def test_recovered_result_keeps_its_own_receipt() -> None:
    def answer(**told: Any) -> object:
        try:
            return told["next_call"](told["args"])
        except CallFailed:
            return {"success": True, "data": {"web": []}, "receipt": {"backend": "mine"}}

    envelope = Bench(FakeBackend(search=Failure(LIMITED))).uses("tool_execution", answer).search()

    assert envelope["receipt"]["backend"] == "mine"
    assert envelope["receipt"]["recovered"][0]["from"] == "rate_limited"


def test_a_recovery_that_breaks_the_laws_of_the_tool_is_one_failure() -> None:
    def answer(**told: Any) -> object:
        try:
            return told["next_call"](told["args"])
        except CallFailed:
            return {"success": True, "data": {"web": "no rows"}}

    envelope = Bench(FakeBackend(search=Failure(LIMITED))).uses("tool_execution", answer).search()

    failure = envelope["failure"]
    assert (failure["kind"], failure["cause"]) == ("middleware_failed", "rate_limited")
    assert envelope["error"].startswith("The plugin p failed in tool_execution after rate_limited")


def test_rows_beside_a_plugins_failure_keep_the_laws_or_go() -> None:
    lawful = {"title": "T", "url": "https://a.example/", "description": "d"}
    unlawful = {"title": "T", "url": "javascript:alert(1)"}

    def refuse(row: dict[str, str]) -> dict[str, Any]:
        value = {"success": False, "error": "No.", "data": {"web": [row]}, "own": 1}
        return Bench().uses("tool_execution", lambda **_: value).search()

    assert [row["url"] for row in refuse(lawful)["data"]["web"]] == ["https://a.example/"]
    assert "data" not in refuse(unlawful)
    assert refuse(unlawful)["own"] == 1


def test_a_refused_url_cannot_be_recovered_from() -> None:
    def answer(**told: Any) -> object:
        try:
            return told["next_call"]({"urls": ["http://127.0.0.1/"]})
        except CallFailed:
            return {"success": True, "data": {}}

    bench = Bench().uses("tool_execution", answer)
    envelope = bench.call("web_extract", {"urls": [URL]})

    assert envelope["success"] is False
    assert envelope["failure"]["kind"] == "url_denied"


def test_a_callback_may_put_a_failure_into_other_words() -> None:
    def translate(**told: Any) -> object:
        try:
            return told["next_call"](told["args"])
        except CallFailed:
            return json.dumps({"error": "Search is resting. Use what you know."})

    bench = Bench(FakeBackend(search=Failure(LIMITED))).uses("tool_execution", translate)
    envelope = bench.search()

    assert envelope["error"] == "Search is resting. Use what you know."
    assert envelope["failure"]["kind"] == "rate_limited"


def test_a_middleware_that_declares_it_may_try_again() -> None:
    answers = [Failure(Timeout(phase="body")), Success(ROWS)]

    def again(**told: Any) -> object:
        try:
            return told["next_call"](told["args"])
        except CallFailed:
            return told["next_call"](told["args"])

    bench = Bench(FakeBackend(search=lambda _: answers.pop(0)))

    assert bench.uses("tool_execution", again, retries=True).search()["success"] is True


def test_observers_are_told_how_it_ended_and_how_long_it_took() -> None:
    heard: list[dict[str, Any]] = []
    bench = Bench(FakeBackend(search=Failure(LIMITED)))

    def slow(**told: Any) -> object:
        bench.now += 0.25
        return told["next_call"]()

    bench.uses("tool_execution", slow)
    bench.hears("post_tool_call", lambda **told: heard.append(told))
    envelope = bench.search()

    [told] = heard
    assert (told["status"], told["error_type"]) == ("error", "rate_limited")
    assert told["error_message"] == LIMITED.message
    assert told["duration_ms"] == 250
    assert json.loads(told["result"]) == envelope
    assert told["args"] == {"query": "q"}


def test_a_hook_may_transform_the_text_of_a_result() -> None:
    bench = Bench().hears("transform_tool_result", lambda **told: told["result"] + "\nBeware.")

    assert bench.search()["data"]["text"].endswith("\nBeware.")


def test_a_transformed_object_is_the_envelope() -> None:
    bench = Bench().hears("transform_tool_result", lambda **_: '{"data": {"web": [], "new": 1}}')

    envelope = bench.search()

    assert envelope["data"] == {"web": [], "new": 1}
    (note,) = envelope["receipt"]["middleware"]
    assert (note["source"], note["name"]) == ("p", "transform_tool_result")


@pytest.mark.parametrize(
    "text", ['{"success": true, "data": 1}', "all is well", '{"success": true, "error": "Odd."}']
)
def test_a_failure_that_is_transformed_stays_a_failure(text: str) -> None:
    bench = Bench(FakeBackend(search=Failure(LIMITED)))
    envelope = bench.hears("transform_tool_result", lambda **_: text).search()

    assert envelope["success"] is False
    assert envelope["failure"]["kind"] == "rate_limited"
    assert envelope["error"] in (LIMITED.message, "Odd.")


def test_a_tool_that_is_not_set_up_says_what_to_set() -> None:
    missing = NotConfigured(settings=("KEY",), reason="No search is configured")
    tools = Tools(web_tools(Failure(missing), Success(WebDeps(backend=FakeBackend()))))

    text = asyncio.run(tools.call("web_search", {"query": "q"}))

    assert json.loads(text)["error"] == "No search is configured. Set KEY."


def test_observers_hear_of_a_cancelled_call_and_it_stays_cancelled() -> None:
    heard: list[object] = []
    bench = Bench(FakeBackend(search=lambda _: asyncio.Event().wait()))
    bench.hears("post_tool_call", lambda **told: heard.append(told["status"]))

    async def main() -> None:
        call = asyncio.create_task(bench.tools.call("web_search", {"query": "q"}))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())

    assert heard == ["cancelled"]


def test_a_callback_that_hangs_does_not_keep_a_cancelled_call_from_its_observers() -> None:
    begun, free, heard = threading.Event(), threading.Event(), threading.Event()

    def hang(**_: object) -> None:
        begun.set()
        free.wait()

    bench = Bench().uses("tool_execution", hang)
    bench.hears("post_tool_call", lambda **_: heard.set())

    async def main() -> None:
        call = asyncio.create_task(bench.tools.call("web_search", {"query": "q"}))
        await asyncio.to_thread(begun.wait)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(main())

    assert heard.is_set()
    free.set()


def test_hooks_hear_of_the_session() -> None:
    heard: list[tuple[object, ...]] = []
    hooks = tuple(
        Hook(name=name, callback=lambda **told: heard.append((told["session_id"],)), plugin="p")
        for name in ("on_session_start", "on_session_end", "on_session_finalize")
    )

    async def main() -> None:
        tools = Tools((), Session(callbacks=Callbacks(hooks=hooks), session_id="s"))
        await tools.begin()
        await tools.end()

    asyncio.run(main())

    assert heard == [("s",)] * 3


def test_plugin_failure_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    log_plugin_mishap(
        Mishap(plugin="p", stage="tool_request", error="E", where="x.py:1", detail="no")
    )
    log_plugin_mishap(Mishap(plugin="p", stage="tool_request", error="E", where=""))

    assert caplog.messages == [
        "plugin p failed in tool_request and was left out: E at x.py:1: no",
        "plugin p failed in tool_request and was left out: E",
    ]


@pytest.mark.parametrize(
    ("payload", "field"), [("words", "args"), ({"urls": 5}, "urls"), ({"colour": 1}, "urls")]
)
def test_arguments_passed_on_by_a_callback_are_checked(payload: object, field: str) -> None:
    bench = Bench().uses("tool_execution", lambda **told: told["next_call"](payload))

    envelope = bench.extract()

    assert envelope["failure"]["field"] == field
    assert bench.backend.extracted == []


def test_arguments_with_names_that_cannot_be_read_are_refused() -> None:
    class Nameless:
        def __str__(self) -> str:
            raise ValueError

    bench = Bench().uses("tool_request", lambda **_: {"args": {Nameless(): 1}})

    assert bench.search()["failure"]["field"] == "args"


def test_no_arguments_at_all_are_an_empty_object() -> None:
    assert Bench().call("web_search", None)["error"] == "query: is missing."


_ARGUMENTS: tuple[object, ...] = (
    {"query": "tides"}, {"query": "tides", "limit": "3"}, '{"query": "tides"}', "tides", None, [1],
    {"query": ""}, {"query": "tides", "max_results": "many"}, {"query": "tides", "odd": 1}, {},
    {"urls": [URL]}, {"url": URL}, {"urls": []}, {"urls": ["ftp://a.example/"]},
    {"urls": [URL, "https://10.0.0.1/"]}, {"urls": [URL], "char_limit": "20"},
)  # fmt: skip
_BACKENDS: tuple[Callable[[], FakeBackend], ...] = (
    lambda: FakeBackend(rows=ROWS, document=PAGE),
    lambda: FakeBackend(rows=[{"title": "A", "url": "javascript:1"}], document=None),
    lambda: FakeBackend(raises=ValueError),
)


def test_a_call_that_no_callback_sees_ends_as_with_one_that_does_nothing() -> None:
    for name, args, backend in product(
        ("web_search", "web_extract", "web_more"), _ARGUMENTS, _BACKENDS
    ):
        bare = asyncio.run(Bench(backend()).tools.ask(name, args))
        watched = Bench(backend()).hears("post_tool_call", lambda **_: None)
        seen = asyncio.run(watched.tools.ask(name, args))

        for called in (bare, seen):
            assert called.reply.untyped is None
        ended = (bare.reply.envelope, bare.reply.error, bare.outcome)
        assert ended == (seen.reply.envelope, seen.reply.error, seen.outcome), (name, args)


def test_direct_run_of_a_tool_returns_the_outcome_of_its_call() -> None:
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("web_search", {"query": "tides"}),
        ("web_search", {"query": "tides", "country": "DE"}),
        ("web_extract", {"urls": [URL]}),
    )
    for (name, args), backend in product(calls, _BACKENDS):
        direct = asyncio.run(Bench(backend()).tools.run(name, args))
        called = asyncio.run(Bench(backend()).tools.ask(name, args))

        expected = called.reply.error if isinstance(direct, Failure) else called.outcome
        assert (direct.failure() if isinstance(direct, Failure) else direct.unwrap()) == expected
