"""No door hands on a model's object that was not checked, however the model lies.

Each door answers with an object that keeps to the schema, and whose values stand in the page where
they are wanted from a page, or with its own typed error: never with prose, null or a part.
"""

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import pytest

from tests.answering import EVENTS, Asked, Reply, answering
from tests.features.gateway.asgi import Answer, Site
from tests.features.models.chat import chunk
from webseam.composition.doors.cli import main
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.ports.backends import EVERY_FILTER

URL = "https://example.com/tides"
# No label says which is which, so no witness but the model has the values.
PAGE = "# High water\n\nDover\n\nThe gauge read 6842 that day.\n\n- Monday\n- Tuesday"
TRUE = {"harbour": "Dover", "gauge": 6842, "days": ["Monday", "Tuesday"]}
SCHEMA = {
    "type": "object",
    "properties": {
        "harbour": {"type": "string"},
        "gauge": {"type": "number"},
        "days": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["harbour", "gauge"],
    "additionalProperties": False,
}
PROSE = "The tide rises twice a day, and Calais sees it first."
# What a model says, and whether it invents a value that the page does not show.
LIES = {
    "prose": PROSE,
    "null": "null",
    "nothing": "",
    "a text": json.dumps(PROSE),
    "a list": json.dumps([TRUE]),
    "no field": json.dumps({"harbour": "Dover"}),
    "null in a field": json.dumps({**TRUE, "gauge": None}),
    "another type": json.dumps({**TRUE, "gauge": {"feet": PROSE}}),
    "one more field": json.dumps({**TRUE, "spring": PROSE}),
    "cut off": json.dumps(TRUE)[:-9],
    "prose around": f"Here it is: {json.dumps(TRUE)}. {PROSE}",
    "in a fence": f"```json\n{json.dumps(TRUE)}\n```\n{PROSE}",
}
INVENTED = {
    "an invented text": json.dumps({**TRUE, "harbour": "Calais"}),
    "an invented number": json.dumps({**TRUE, "gauge": 7777}),
    "an invented item": json.dumps({**TRUE, "days": ["Monday", "Calais"]}),
    "a part of a word": json.dumps({**TRUE, "harbour": "Dov"}),
    "a part of a number": json.dumps({**TRUE, "gauge": 684}),
}


class Door(NamedTuple):
    """A call, and where its answer has the object; ``pages`` wants the values from a page."""

    path: str
    body: dict[str, Any]
    place: tuple[str | int, ...]
    pages: bool = False
    encoded: bool = False


JSON_FORMAT = {"type": "json", "schema": SCHEMA}
SUMMARY = {"summary": {"schema": SCHEMA}}
SEARCH_TOOL = {"type": "web_search"}
STRICT = {"format": {"type": "json_schema", "name": "a", "schema": SCHEMA, "strict": True}}
OPEN = {"format": {"type": "json_schema", "name": "a", "schema": SCHEMA}}
OUTPUT = ("output", 1, "content", 0, "text")
DOORS = {
    "firecrawl scrape": Door("/v2/scrape", {"url": URL, "formats": [JSON_FORMAT]}, ("data", "json"), pages=True),
    "firecrawl v1 scrape": Door("/v1/scrape", {"url": URL, "formats": [JSON_FORMAT]}, ("data", "json"), pages=True),
    "firecrawl search": Door("/firecrawl/v2/search", {"query": "t", "scrapeOptions": {"formats": [JSON_FORMAT]}}, ("data", "web", 0, "json"), pages=True),
    "firecrawl extract": Door("/v2/extract", {"urls": [URL], "schema": SCHEMA}, ("data",), pages=True),
    "exa contents": Door("/exa/contents", {"urls": [URL], **SUMMARY}, ("results", 0, "summary"), pages=True, encoded=True),
    "exa search": Door("/exa/search", {"query": "t", "contents": SUMMARY}, ("results", 0, "summary"), pages=True, encoded=True),
    "exa answer": Door("/exa/answer", {"query": "t", "outputSchema": SCHEMA}, ("answer",)),
    "linkup fetch": Door("/linkup/v1/fetch", {"url": URL, "schema": SCHEMA}, ("data",), pages=True),
    "linkup search": Door("/linkup/v1/search", {"q": "t", "depth": "standard", "outputType": "structured", "structuredOutputSchema": json.dumps(SCHEMA)}, ()),
    "responses": Door("/v1/responses", {"input": "t", "tools": [SEARCH_TOOL], "text": STRICT}, OUTPUT, encoded=True),
    "messages": Door("/anthropic/v1/messages", {"model": "custom/m", "max_tokens": 99, "messages": [{"role": "user", "content": "t"}], "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}}, ("content", 0, "text"), encoded=True),
    "responses, not strict": Door("/v1/responses", {"input": "t", "tools": [SEARCH_TOOL], "text": OPEN}, OUTPUT, encoded=True),
}  # fmt: skip


class Liar:
    """A chat model on loopback that says one thing, or first one thing and then another."""

    def __init__(self) -> None:
        self.texts = [""]
        self.asked: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked.append(asked.body)
        text = self.texts[min(len(self.asked), len(self.texts)) - 1]
        if asked.body.get("stream"):
            events = (chunk({"content": text}, "stop"), "[DONE]")
            written = (it if isinstance(it, str) else json.dumps(it) for it in events)
            return Reply("".join(f"data: {it}\n\n" for it in written).encode(), kind=EVENTS)
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3, "cost": 0.25}
        return Reply({"id": "1", "model": "m", "choices": [choice], "usage": usage})


@pytest.fixture
def liar() -> Iterator[Liar]:
    model = Liar()
    with answering(model.answer) as address:
        model.url = f"{address}/v1"
        yield model


@pytest.fixture
def site(tmp_path: Path, liar: Liar) -> Site:
    (tmp_path / "config.yaml").write_text(
        f"providers: {{custom: {{base_url: '{liar.url}', api_key: k}}}}\n"
        "small_work: {provider: custom, model: m}\n"
    )
    rows = [{"url": URL, "title": "High water", "snippet": PAGE}]
    return Site(tmp_path, FakeBackend(rows, PAGE, abilities=EVERY_FILTER))


def handed_on(answer: Answer, door: Door) -> Any:  # noqa: ANN401  JSON is anything
    """Return the object in an answer; None if there is none."""
    if answer.status != 200:
        return None
    value = answer.json
    for name in door.place:
        try:
            value = value[name]
        except (KeyError, IndexError):
            return None
    return json.loads(value) if door.encoded else value


def ask(site: Site, liar: Liar, door: Door, *texts: str) -> Answer:
    liar.texts, liar.asked = list(texts), []
    return asyncio.run(site.asked("POST", door.path, door.body))


def assert_checked(answer: Answer, door: Door, case: str) -> None:
    """The answer has a checked object, or says in the form of its door that it has none."""
    value = handed_on(answer, door)
    if value is None:
        # An error of the whole call, or of the page in it.
        assert answer.status >= 400 or b"rror" in answer.body, (case, answer.body)
        assert b'"json":null' not in answer.body, case
    else:
        jsonschema_rs.validate(SCHEMA, value)
        if door.pages:
            assert value.items() <= TRUE.items(), (case, value)
    assert PROSE.encode() not in answer.body, (case, answer.body)


@pytest.mark.parametrize("name", DOORS)
def test_a_door_gives_a_checked_object_or_its_error(name: str, site: Site, liar: Liar) -> None:
    door = DOORS[name]
    for case, lie in (LIES | INVENTED).items():
        if case in INVENTED and not door.pages:
            continue

        answer = ask(site, liar, door, lie)

        assert_checked(answer, door, case)
        assert b"Calais" not in answer.body or not door.pages, (case, answer.body)
        assert len(liar.asked) <= 2, case


@pytest.mark.parametrize("name", DOORS)
def test_an_honest_object_goes_through_at_once(name: str, site: Site, liar: Liar) -> None:
    answer = ask(site, liar, DOORS[name], json.dumps(TRUE))

    assert (answer.status, handed_on(answer, DOORS[name])) == (200, TRUE), answer.body
    assert len(liar.asked) == 1


@pytest.mark.parametrize("name", DOORS)
def test_what_fails_is_asked_for_once_more_with_the_reason(
    name: str, site: Site, liar: Liar
) -> None:
    answer = ask(site, liar, DOORS[name], PROSE, json.dumps(TRUE))

    assert handed_on(answer, DOORS[name]) == TRUE, answer.body
    *_, said, reason = liar.asked[1]["messages"]
    assert said["content"] == PROSE
    assert "not JSON" in reason["content"]


@pytest.mark.parametrize("name", ["exa contents", "exa search"])
def test_the_cost_of_both_answers_is_stated(name: str, site: Site, liar: Liar) -> None:
    answer = ask(site, liar, DOORS[name], PROSE, json.dumps(TRUE))

    assert answer.json["costDollars"] == {"total": 0.5}


@pytest.mark.parametrize("name", DOORS)
def test_an_unknown_keyword_is_refused_by_its_name(name: str, site: Site, liar: Liar) -> None:
    text = json.dumps(DOORS[name].body).replace("additionalProperties", "additionalPropertys")
    door = DOORS[name]._replace(body=json.loads(text))

    answer = ask(site, liar, door, json.dumps(TRUE))

    assert (answer.status, b"additionalPropertys" in answer.body) == (400, True), answer.body
    assert not liar.asked


@pytest.mark.parametrize(("lie", "form"), list(itertools.product(LIES, ["messages", "responses"])))
def test_a_stream_has_a_checked_object_or_an_error(
    lie: str, form: str, site: Site, liar: Liar
) -> None:
    door = DOORS[form]._replace(body={**DOORS[form].body, "stream": True})

    answer = ask(site, liar, door, LIES[lie])

    assert PROSE.encode() not in answer.body
    if answer.status == 200 and b'"error"' not in answer.body.replace(b'"error":null', b""):
        events = [
            json.loads(line[6:]) for line in answer.body.decode().split("\n") if line[:5] == "data:"
        ]
        deltas = [event["delta"] for event in events if "delta" in event]
        texts = [it if isinstance(it, str) else it.get("text", "") for it in deltas]
        jsonschema_rs.validate(SCHEMA, json.loads("".join(texts)))


@pytest.mark.parametrize("lie", [*LIES, *INVENTED])
def test_data_without_a_schema_are_an_object_of_the_page(lie: str, site: Site, liar: Liar) -> None:
    body = {"url": URL, "formats": [{"type": "json", "prompt": "when is high water"}]}
    door = Door("/v2/scrape", body, ("data", "json"), pages=True)

    answer = ask(site, liar, door, (LIES | INVENTED)[lie])

    value = handed_on(answer, door)
    if value is None:
        assert (answer.status >= 400, answer.json["success"]) == (True, False)
    else:
        assert value
        assert value.items() <= TRUE.items()


@pytest.mark.parametrize("lie", ["prose", "another type", "an invented text"])
def test_a_job_has_no_object_that_was_not_checked(lie: str, site: Site, liar: Liar) -> None:
    async def run() -> tuple[Answer, Answer]:
        started = await site.asked(
            "POST", "/v2/batch/scrape", {"urls": [URL], "formats": [JSON_FORMAT]}
        )
        path = f"/v2/batch/scrape/{started.json['id']}"
        state = await site.asked("GET", path)
        for _ in range(200_000):
            if state.json["status"] != "scraping":
                break
            await asyncio.sleep(0)
            state = await site.asked("GET", path)
        return state, await site.asked("GET", f"{path}/errors")

    liar.texts = [(LIES | INVENTED)[lie]]
    state, errors = asyncio.run(run())

    assert (state.json["status"], state.json["data"]) == ("failed", [])
    (error,) = errors.json["errors"]
    assert error["url"] == URL
    assert "Calais" not in error["error"]


@pytest.mark.parametrize("lie", LIES)
def test_the_command_prints_a_checked_object_or_fails(
    lie: str,
    liar: Liar,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config, schema = tmp_path / "config.yaml", tmp_path / "schema.json"
    config.write_text(f"providers: {{custom: {{base_url: '{liar.url}', api_key: k}}}}\n")
    schema.write_text(json.dumps(SCHEMA))
    monkeypatch.setenv("WEBSEAM_CONFIG", str(config))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    liar.texts = [LIES[lie]]
    question = [
        "model",
        "ask",
        "t",
        "--provider",
        "custom",
        "--model",
        "m",
        "--schema",
        str(schema),
    ]

    for option in ("--stream", "--json"):
        code = main([*question, option])

        printed = capsys.readouterr()
        assert PROSE not in printed.out + printed.err
        if code == 0:
            value = json.loads(printed.out)
            jsonschema_rs.validate(SCHEMA, value["data"]["parsed"] if option == "--json" else value)
        else:
            assert code == 4


@pytest.mark.parametrize(
    "name", [name for name in DOORS if not DOORS[name].pages and name != "messages"]
)
def test_without_a_row_there_is_no_object(name: str, tmp_path: Path, liar: Liar) -> None:
    (tmp_path / "config.yaml").write_text(
        f"providers: {{custom: {{base_url: '{liar.url}', api_key: k}}}}\n"
        "small_work: {provider: custom, model: m}\n"
    )
    site = Site(tmp_path, FakeBackend([], abilities=EVERY_FILTER))

    answer = ask(site, liar, DOORS[name], json.dumps(TRUE))

    assert (answer.status >= 400, liar.asked) == (True, []), answer.body
