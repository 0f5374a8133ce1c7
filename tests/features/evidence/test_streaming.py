"""Steps and claims as they come: nothing is told that was not checked, everywhere in one order."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from returns.result import Success

import webseam
from tests.doors.cli.run import webseam as run_webseam
from tests.doors.mcp.desk import Desk
from tests.features.evidence.asking import CASE, GOOD, WRONG, ask, deps as ask_deps
from tests.features.evidence.world import ScriptedModel, claiming, deps, pages_for
from tests.features.gateway.asgi import Site
from webseam.adapters.features.evidence import ModelAnswerer
from webseam.composition.doors.cli.commands.demo import open_demo_api
from webseam.composition.terminal.progress import Progress, ProgressState
from webseam.composition.terminal.terminal_look import TerminalLook
from webseam.composition.tools.ask_context import stream_tool_steps
from webseam.errors import StructuredOutputInvalid
from webseam.kernel.features.evidence.answer_prompts import MAX_CLAIMS, ClaimStream, ModelClaim
from webseam.kernel.features.evidence.rendering import Footnotes, answer_text, under_claims
from webseam.ports.evidence import AskOutcome, AskStep
from webseam.ports.models import ChatRequest, Delta, StreamItem
from webseam.testing import FakeBackend, FakeModel

BACKEND = deps(pages_for(CASE)).backend


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def arrived(text: str, size: int = 1) -> list[ModelClaim]:
    arrivals = ClaimStream()
    return [claim for piece in pieces(text, size) for claim in arrivals.feed(piece)]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_claim_arrives_as_soon_as_it_is_whole(size: int) -> None:
    text = claiming(("p1", 'a "quote" with \\ and } ]', "One."), ("p2", "another", "Two."))

    assert [claim.claim for claim in arrived(f"```json\n{text}\n```", size)] == ["One.", "Two."]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("<think>" + GOOD + "</think>" + GOOD, []),
        ("So I will think about it for a while first, and then say: " + GOOD, []),
        (GOOD + GOOD.replace("long", "wide"), [CASE.truth]),
        ('{"claims": [{"claim": 1}, [], {"quotes": [], "claim": " "}]}', []),
        ('{"claims": [{"quotes": [], "claim": "cut', []),
        ("", []),
    ],
)
def test_claims_outside_the_answer_are_not_streamed(text: str, claims: list[str]) -> None:
    assert [claim.claim for claim in arrived(text)] == claims


def test_no_more_claims_arrive_than_count() -> None:
    many = claiming(*[("p1", "q", f"Claim {n}.") for n in range(20)], ("p1", "q", "Claim 0."))

    assert len(arrived(many, 50)) == MAX_CLAIMS


def test_claims_are_told_while_the_model_still_writes() -> None:
    said: list[str] = []

    class Slow(ScriptedModel):
        async def __call__(self, *given: object, **more: object) -> object:  # type: ignore[override]
            answer = await super().__call__(*given, **more)  # type: ignore[arg-type]  # as given
            said.append("written")
            return answer

    text = claiming(("p1", CASE.truth, CASE.truth), ("p9", CASE.truth, "It is 7 km long."))
    ask(
        ask_deps(
            answerer=Slow(text, text), tell=lambda it: said.append(f"{it.step} {it.detail}".strip())
        )
    )

    assert said.count(f"claim {CASE.truth}") == 1
    assert said.index(f"claim {CASE.truth}") < len(said) - 1 - said[::-1].index("written")
    assert said.index(f"claim {CASE.truth}") < said.index("check 2")
    assert "It is 7 km long." not in str(said)


def test_streamed_claims_and_their_notes_are_the_whole_answer() -> None:
    steps: list[AskStep] = []
    outcome = ask(ask_deps(answerer=ScriptedModel(WRONG, GOOD), tell=steps.append)).unwrap()
    notes = Footnotes()

    lines = [notes.claim_line(step.claim) for step in steps if step.claim is not None]

    assert "\n\n".join([*lines, *under_claims(outcome, notes)]) == answer_text(outcome)


def test_python_hears_of_steps_and_claims_and_gets_the_answer_last() -> None:
    async def events() -> list[object]:
        async with webseam.open(backend=BACKEND, environment={}) as web:
            return [event async for event in web.ask_steps(CASE.question)]

    *steps, last = asyncio.run(events())

    assert isinstance(last, Success)
    outcome = last.unwrap()
    assert isinstance(outcome, AskOutcome)
    assert all(isinstance(step, AskStep) for step in steps)
    claims = [step.claim for step in steps if isinstance(step, AskStep) and step.claim is not None]
    assert tuple(claims) == outcome.claims
    assert {"search", "page", "read", "passages", "claim"} == {
        step.step for step in steps if isinstance(step, AskStep)
    }


def test_failed_opening_of_a_client_reaches_the_listener(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(_self: object) -> None:
        message = "no client"
        raise OSError(message)

    with webseam.open_blocking(backend=BACKEND, environment={}) as web:
        monkeypatch.setattr(type(web), "_current_client", broken)
        with pytest.raises(OSError, match="no client"):
            list(web.ask_steps("a question"))


def test_blocking_code_hears_the_same_and_a_failure_is_raised() -> None:
    with webseam.open_blocking(backend=BACKEND, environment={}) as web:
        *steps, last = web.ask_steps(CASE.question)
        with pytest.raises(webseam.WebseamError):
            list(web.ask_steps(" "))

    assert isinstance(last, AskOutcome)
    assert [step.claim for step in steps if isinstance(step, AskStep) and step.claim] == [
        *last.claims
    ]


def test_closed_stream_ends_the_work() -> None:
    ended: list[str] = []

    async def work() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")
        return "never"

    async def listen() -> object:
        events = stream_tool_steps(work, quiet=0.0)
        first = await anext(events)
        await asyncio.sleep(0)
        await events.aclose()
        return first

    assert asyncio.run(listen()) is None
    assert ended == ["ended"]


def events_of(body: bytes) -> list[dict[str, str]]:
    return [
        dict(line.split(": ", 1) for line in part.splitlines())
        for part in body.decode().split("\n\n")
        if part
    ]


def test_http_tells_steps_and_claims_as_events(tmp_path: Path) -> None:
    site = Site(tmp_path, deps(pages_for(CASE)).backend)

    answer = site.post("/api/ask", {"question": CASE.question}, accept="text/event-stream")
    events = events_of(answer.body)

    assert answer.headers["content-type"] == "text/event-stream"
    assert {one["event"] for one in events[:-1]} == {"step", "claim"}
    assert events[-1]["event"] == "done"
    whole = json.loads(events[-1]["data"])
    claims = [json.loads(one["data"]) for one in events if one["event"] == "claim"]
    assert whole["data"]["claims"] == claims
    assert whole["success"] is True


def test_http_ends_with_the_failure(tmp_path: Path) -> None:
    answer = Site(tmp_path).post("/api/ask", {"question": " "}, accept="text/event-stream")
    (only,) = events_of(answer.body)

    assert only["event"] == "done"
    assert json.loads(only["data"])["failure"]["kind"] == "invalid_query"


def test_mcp_tells_steps_as_progress(tmp_path: Path) -> None:
    desk = Desk(tmp_path, cast("FakeBackend", BACKEND), config="cache: false\nask: {offer: true}")
    call = {"name": "web_ask", "arguments": {"question": CASE.question}}

    desk.result("tools/call", {**call, "_meta": {"progressToken": "t"}})

    told = [it["params"] for it in desk.told if it["method"] == "notifications/progress"]
    words = [it["message"] for it in told]
    assert [it["progress"] for it in told] == [*range(1, len(told) + 1)]
    assert all("total" not in it for it in told)
    assert words[0].startswith("Searching for <")
    assert CASE.question in words[0]
    assert any(word.startswith("Read <") and CASE.url in word for word in words)
    assert any(word.startswith("Found: ") for word in words)


def test_a_command_prints_a_line_for_each_event() -> None:
    question = "Is every row checked again, whatever the backend claims?"
    with open_demo_api() as api:
        environment = {
            "WEBSEAM_JSON_SEARCH_URL": api.url("search"),
            "WEBSEAM_JSON_EXTRACT_URL": api.url("extract"),
            "WEBSEAM_BACKEND": "json",
            "WEBSEAM_CACHE_ENABLED": "false",
        }
        ran = run_webseam("ask", question, "--events", **environment)
        failed = run_webseam("ask", "zzzz", "--events", **environment)

    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, failed.code) == (0, 4)
    assert [line["event"] for line in lines if line["event"] != "step"][-1] == "done"
    claims = [line for line in lines if line["event"] == "claim"]
    assert [claim["text"] for claim in claims] == [it["text"] for it in lines[-1]["data"]["claims"]]
    assert json.loads(failed.out.splitlines()[-1])["failure"]["kind"] == "nothing_supported"


def test_a_model_is_heard_word_by_word_and_a_silent_stream_is_a_failure() -> None:
    class Silent(FakeModel):
        async def stream(self, _request: ChatRequest, /) -> AsyncIterator[StreamItem]:
            yield Delta(text="{")

    words: list[str] = []

    heard = asyncio.run(
        ModelAnswerer(FakeModel("a b"), "m", seconds=9.0)("p", {}, hear=words.append)
    )
    silent = asyncio.run(ModelAnswerer(Silent(), "m", seconds=9.0)("p", {}, hear=words.append))

    assert heard.unwrap().text == "a b"
    assert words == ["a ", "b", "{"]
    assert isinstance(silent.failure(), StructuredOutputInvalid)


def test_a_person_sees_claims_where_the_spinner_is() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    progress = Progress("Asking", counted=False, stream=screen)

    progress.print_above(lambda: screen.write("A claim. [1]\n"))

    assert screen.getvalue() == "A claim. [1]\n"


def test_a_step_without_a_count_shows_no_rate() -> None:
    state = ProgressState("Asking", None, TerminalLook(width=80), counted=False)

    state.count_step("Reading", "", 0.1)

    assert state.frame_lines(0.2)[0].endswith("Asking")
