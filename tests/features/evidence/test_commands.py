"""``webseam ask`` and the tool, as users run them, against services on this machine."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from returns.result import Failure, Success

import webseam
from tests.answering import Asked, Reply, answering
from tests.doors.cli.run import Ran, webseam as run_webseam
from tests.doors.cli.screens import Terminal, bare
from tests.features.evidence.world import cases, deps, pages_for
from webseam.adapters.features.evidence import ModelAnswerer
from webseam.composition.doors.cli import main
from webseam.composition.doors.cli.commands.demo import PAGES, DemoApi, open_demo_api
from webseam.composition.features.evidence.ask_models import AskModels
from webseam.composition.features.evidence.ask_tool import (
    AskToolDeps,
    answer_question_in_time,
    ask_tool,
    read_evidence_in_time,
)
from webseam.composition.terminal.styled_lines import display_width
from webseam.composition.tools.dispatch import Tools
from webseam.errors import NotConfigured, ParameterRefused, StructuredOutputInvalid
from webseam.kernel.deps import WebDeps
from webseam.ports.evidence import ModelText
from webseam.ports.models import NormalizedResponse
from webseam.testing import FakeBackend, FakeModel

QUESTION = "Is every row checked again, whatever the backend claims?"
QUOTE = "Every row is checked again, whatever the backend claims."


def _answer(asked: Asked) -> Reply:
    claim = {"quotes": [{"passage": "p1", "quote": QUOTE}], "claim": QUOTE}
    answer: object = {"claims": [claim], "missing": ""}
    if "Write up to" in str(asked.body["messages"]):
        answer = {"queries": ["every row"]}
    message = {"role": "assistant", "content": json.dumps(answer)}
    choice = {"message": message, "finish_reason": "stop"}
    return Reply({"choices": [choice], "model": "m", "id": "1"})


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with answering(_answer) as address:
        yield f"{address}/v1"


@pytest.fixture(scope="module")
def api() -> Iterator[DemoApi]:
    with open_demo_api() as running:
        yield running


def own(api: DemoApi, *arguments: str, **environment: str) -> Ran:
    """Run with the demo's services."""
    return run_webseam(
        *arguments,
        WEBSEAM_JSON_SEARCH_URL=api.url("search"),
        WEBSEAM_JSON_EXTRACT_URL=api.url("extract"),
        WEBSEAM_BACKEND="json",
        WEBSEAM_CACHE_ENABLED="false",
        **environment,
    )


def test_without_a_model_the_answer_is_sentences_with_footnotes(api: DemoApi) -> None:
    ran = own(api, "ask", *QUESTION.split(), "--explain")

    assert ran.code == 0, ran.err
    assert QUOTE in ran.out
    assert "https://webseam.example/rows, read 20" in ran.out
    assert "No model chose these" in ran.out
    assert "read: https://webseam.example/rows" in ran.err


def test_documents_of_the_index_are_read_by_the_index_and_shown_as_files(
    api: DemoApi, tmp_path: Path
) -> None:
    notes = tmp_path / "tide notes.md"
    notes.write_text("# Tides\n\nThe tide is the rise and fall of the sea, twice a day.\n")
    here = {"WEBSEAM_INDEX": str(tmp_path / "index.db")}
    run_webseam("index", "add", str(notes), **here)
    question = ("ask", "what is the tide?", "--backend", "index")

    ran = own(api, *question, "--explain", **here)
    data = json.loads(own(api, *question, "--json", **here).out)["data"]

    assert ran.code == 0, ran.err
    assert f"{notes}, read 20" in ran.out
    assert f"read: {notes}" in ran.err
    assert "file.localhost" not in ran.out + ran.err
    url = data["claims"][0]["frame"]["url"]
    assert url.startswith("http://file.localhost/")


def test_a_model_answers_and_the_answer_is_checked(api: DemoApi, model: str) -> None:
    ran = own(
        api,
        "ask",
        QUESTION,
        "--json",
        "--provider",
        "deepseek",
        "--model",
        "m",
        DEEPSEEK_API_KEY="k",
        DEEPSEEK_BASE_URL=model,
    )

    document = json.loads(ran.out)
    assert ran.code == 0, ran.err
    assert [claim["text"] for claim in document["data"]["claims"]] == [QUOTE]
    assert document["data"]["claims"][0]["paraphrase"]["verdict"] == "same"
    assert document["receipt"]["answered_by"] == "m"


def test_the_model_of_an_answer_keeps_to_the_budgets(
    api: DemoApi, model: str, tmp_path: Path
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "ask: {provider: deepseek, model: m}\nbudgets: {day: 0.000001}\n"
        "providers: {deepseek: {input_price: 1, output_price: 1}}\n"
    )

    ran = own(
        api,
        "ask",
        QUESTION,
        "--json",
        WEBSEAM_CONFIG=str(config),
        DEEPSEEK_API_KEY="k",
        DEEPSEEK_BASE_URL=model,
        WEBSEAM_LEDGER=str(tmp_path / "ledger"),
    )

    assert json.loads(ran.out)["receipt"]["broke_off"] == "budget_exceeded", ran.out


def test_an_answer_is_saved_verified_and_asked_again(api: DemoApi, tmp_path: Path) -> None:
    file = str(tmp_path / "answer.json")

    saved = own(api, "ask", QUESTION, "--save", file)
    verified = run_webseam("ask", "verify", file)
    as_json = run_webseam("ask", "verify", file, "--json")
    again = own(api, "ask", "Is quarantine the explicit opt-in?", "--from", file)

    assert (saved.code, verified.code, as_json.code, again.code) == (0, 0, 0, 0), again.err
    assert verified.out == "The answer holds: all of it was made again from its pages (3).\n"
    assert json.loads(as_json.out)["data"]["holds"] is True
    assert "quarantine" in again.out


@pytest.mark.parametrize("width", [60, 100])
def test_answer_at_a_terminal_is_wrapped(
    api: DemoApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    file = str(tmp_path / "answer.json")
    own(api, "ask", QUESTION, "--save", file)
    screen = Terminal()
    monkeypatch.setattr("sys.stdout", screen)
    for name, value in {
        "COLUMNS": str(width),
        "TERM": "xterm",
        "WEBSEAM_BACKEND": "json",
        "WEBSEAM_JSON_SEARCH_URL": api.url("search"),
        "WEBSEAM_CONFIG": str(tmp_path / "no.yaml"),
        "WEBSEAM_JSON_EXTRACT_URL": api.url("extract"),
        "HOME": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)

    assert main(("ask", QUESTION, "--from", file)) == 0

    lines = [bare(line) for line in screen.getvalue().splitlines()]
    assert QUOTE in " ".join(" ".join(lines).split())
    assert len(lines) > 5
    assert "pages read" in lines[-1]
    assert [line for line in lines if display_width(line) > min(width, 88)] == []


def test_documents_of_the_index_are_read_and_shown_as_files(tmp_path: Path) -> None:
    file = tmp_path / "bridges.md"
    file.write_text(
        "# Bridges\n\nThe bridge of Alton is 107 metres long and crosses the river twice.\n"
    )
    index = {"WEBSEAM_INDEX": str(tmp_path / "i.index"), "WEBSEAM_CACHE": str(tmp_path / "cache")}

    run_webseam("index", "add", str(file), **index)
    ran = run_webseam("ask", "How long is the bridge of Alton?", "--backend", "index", **index)

    assert ran.code == 0, ran.err
    assert "107 metres long" in ran.out
    assert f"{file}, read 20" in ran.out


def test_a_file_that_was_changed_does_not_verify(api: DemoApi, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    own(api, "ask", QUESTION, "--save", str(file))

    kept = file.read_text()
    file.write_text(
        kept.replace(
            "again, whatever the backend claims. A", "twice, whatever the backend claims. A"
        )
    )
    ran = run_webseam("ask", "verify", str(file))

    assert ran.code == 1
    assert "outcome.pages[1]: the text is not the one that was read: its hash differs" in ran.out
    assert "seal: the file was altered after it was sealed" in ran.out


def test_failed_ask_ends_with_its_exit_code(api: DemoApi, tmp_path: Path) -> None:
    nothing = own(api, "ask", "zzzz", "--json")
    unread = own(api, "ask", QUESTION, "--from", str(tmp_path / "none.json"))
    no_answer = tmp_path / "no.json"
    no_answer.write_text("{}")
    odd = run_webseam("ask", "verify", str(no_answer))
    unnamed = run_webseam("ask", "verify")
    unsaved = own(api, "ask", QUESTION, "--save", str(tmp_path / "none" / "a.json"))
    late = own(api, "ask", QUESTION, "--seconds", "0")
    unknown = own(api, "ask", QUESTION, "--provider", "nobody")
    nobody = run_webseam("ask", QUESTION)

    assert json.loads(nothing.out)["failure"]["kind"] == "nothing_supported"
    codes = [it.code for it in (nothing, unread, odd, unsaved, late, unknown, nobody)]
    assert codes == [4, 2, 2, 2, 2, 2, 3]
    assert (unnamed.code, unnamed.err) == (
        2,
        "webseam: FILE: is missing, as in: webseam ask verify answer.json.\n",
    )
    assert odd.err == (
        f"webseam: FILE: {no_answer} cannot be used: this is no answer that webseam saved.\n"
    )


def test_the_tool_is_offered_where_a_model_is_set() -> None:
    async def names(settings: dict[str, object]) -> list[str]:
        async with webseam.open(settings=settings, backend=FakeBackend(), environment={}) as web:
            return [tool.name for tool in (await web.tools()).unwrap()]

    assert "web_ask" not in asyncio.run(names({}))
    assert "web_ask" in asyncio.run(names({"ask.offer": True}))


def test_python_asks_and_asks_again_of_the_same_pages() -> None:
    case = cases()[0]
    backend = deps(pages_for(case)).backend

    with webseam.open_blocking(backend=backend, environment={}) as web:
        first = web.ask(case.question, max_pages=5)
        again = web.ask(f"When was the {case.thing} of {case.city} opened?", evidence=first.pages)

    assert first.claims
    assert again.pages == first.pages
    assert again.receipt.queries == ()


def test_pages_that_are_not_read_in_time_have_failed() -> None:
    async def never(_url: str) -> None:
        await asyncio.Event().wait()

    web = WebDeps(backend=FakeBackend(extract=never))

    (late,) = asyncio.run(read_evidence_in_time(["https://a.example/"], web, 0.0))

    assert late.failure().kind == "deadline_exceeded"


def test_the_tool_tells_what_a_plugin_made_of_the_question_and_what_is_not_set() -> None:
    missing = Failure(NotConfigured(reason="No search is set up"))
    web = deps(pages_for(cases()[0]))
    kit = AskToolDeps(search=web, pages=web, models=AskModels(), seconds=0.000001)

    reply = asyncio.run(Tools((ask_tool(missing),)).ask("web_ask", {"question": "x"})).reply
    blank = asyncio.run(Tools((ask_tool(Success(kit)),)).ask("web_ask", {"query": " "})).reply

    assert reply.error == missing.failure()
    assert blank.error is not None
    assert blank.error.kind == "invalid_query"
    assert (
        asyncio.run(answer_question_in_time({"question": "x"}, kit)).failure().kind
        == "deadline_exceeded"
    )


@pytest.mark.parametrize("ending", ["content_filter", "tool_calls"])
def test_an_answer_that_is_refused_is_a_failure(ending: str) -> None:
    cut = NormalizedResponse(content="{}", finish_reason=ending)  # type: ignore[arg-type]  # a table

    answer = asyncio.run(ModelAnswerer(FakeModel(answer=cut), "m", seconds=9.0)("p", {}))

    assert isinstance(answer.failure(), StructuredOutputInvalid)


def test_an_answer_that_is_cut_off_says_so() -> None:
    cut = NormalizedResponse(content='{"claims": [', finish_reason="length")

    answer = asyncio.run(ModelAnswerer(FakeModel(answer=cut), "m", seconds=9.0)("p", {}))

    assert answer.unwrap() == ModelText(text='{"claims": [', cut="the model was cut off")


def test_a_service_without_schemas_is_told_in_words() -> None:
    def refusing(request: object) -> object:
        if request.output_schema is not None:  # type: ignore[attr-defined]  # a request
            return Failure(ParameterRefused(parameter="output_schema"))
        return Success(NormalizedResponse(content="<think>x</think>{}", finish_reason="stop"))

    model = FakeModel(answer=refusing)
    answer = asyncio.run(ModelAnswerer(model, "m", seconds=9.0)("p", {"type": "object"}))

    assert answer.unwrap().text == "{}"
    assert "after this schema" in str(model.asked[-1].messages)


def test_the_demo_has_the_page() -> None:
    assert any(QUOTE in page["content"] for page in PAGES)
