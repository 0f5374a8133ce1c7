"""The ``custom`` backend: settings, tiers and pages, over a loopback endpoint."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from returns.result import Failure, Result

from tests.choosing.support import root
from tests.doors.cli.run import Ran, webseam
from tests.features.models.search_models.answers import PORT, SONAR, TIDES, chat
from tests.services.imitation import Imitation, Request
from webseam.adapters.features.models.search.backend import PAGE_NOT_READ, model_page_request
from webseam.composition.features.models.api import search_model_backend
from webseam.composition.health.probes import diagnose_backend_row
from webseam.composition.planning.open_backends import close_after
from webseam.composition.tools.batch import extract_tool_pages
from webseam.composition.wiring.backend_choice import choose_backend, choose_backend_row
from webseam.composition.wiring.backend_table import find_backend_row
from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract
from webseam.kernel.search import web_search
from webseam.ports import (
    AuthFailed,
    BadPayload,
    ContentFiltered,
    EmptyContent,
    InvalidSetting,
    NotConfigured,
    QuotaExhausted,
    SearchAnswer,
    SearchOutcome,
    UnsupportedFilter,
    WebError,
    WebExtractResult,
)
from webseam.ports.web import Query

KEY = "ck-0123456789abcdef"
Searched = Result[SearchOutcome, WebError]
Extracted = Result[WebExtractResult, WebError]


def ask(
    folder: Path,
    replies: Sequence[Any],
    work: Callable[[WebDeps], Awaitable[Any]],
    **environment: str,
) -> tuple[Any, list[Request]]:
    """Do ``work`` with the backend over an endpoint that gives ``replies`` as its bodies."""

    async def run() -> tuple[Any, list[Request]]:
        scripted = [each if "status" in each else {"body": each} for each in replies]
        async with Imitation(scripted).running() as server:
            variables = {"CUSTOM_SEARCH_BASE_URL": f"{server.base_url}/v1/", **environment}
            settings = root(folder, **variables).settings
            backend = search_model_backend("custom", settings).unwrap()
            return await close_after(backend, work(WebDeps(backend=backend))), server.requests

    result: tuple[Any, list[Request]] = asyncio.run(run())
    return result


def search(folder: Path, reply: Any, **query: object) -> Searched:  # noqa: ANN401  any JSON
    """Search once."""
    requested = cast("Query", {"query": "tide times", **query})
    outcome, _ = ask(folder, [reply], lambda deps: web_search(requested, deps))
    result: Searched = outcome
    return result


def extract(folder: Path, reply: Any) -> Extracted:  # noqa: ANN401  any JSON
    """Read one page."""
    outcome, _ = ask(folder, [reply], lambda deps: web_extract(TIDES, deps))
    result: Extracted = outcome
    return result


def urls(outcome: Searched) -> list[str]:
    """Return the addresses of the rows."""
    return [row.url for row in outcome.unwrap().rows]


def test_the_query_is_one_message_with_the_key_as_bearer_at_the_plain_path(tmp_path: Path) -> None:
    more = {"CUSTOM_SEARCH_API_KEY": KEY}
    _, [request] = ask(tmp_path, [SONAR], lambda deps: web_search({"query": "tide"}, deps), **more)

    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.body) == {
        "model": "sonar",
        "messages": [{"role": "user", "content": "tide"}],
    }


def test_without_a_key_nothing_is_proved(tmp_path: Path) -> None:
    _, [request] = ask(tmp_path, [SONAR], lambda deps: web_search({"query": "tide"}, deps))

    assert "authorization" not in request.headers


def test_rows_are_a_models_and_say_which_backend_gave_them(tmp_path: Path) -> None:
    outcome = search(tmp_path, SONAR).unwrap()

    assert [(row.position, row.title, row.url, row.snippet) for row in outcome.rows] == [
        (1, "Tide table", TIDES, "High water 04:12"),
        (2, "Port log", PORT, ""),
    ]
    assert {(row.origin, row.source) for row in outcome.rows} == {("model", "custom")}
    assert outcome.answer == SearchAnswer(text="High tide is at 04:12.[1]")


@pytest.mark.parametrize("value", ["search_results", "citations", "annotations"])
def test_each_tier_gives_rows(tmp_path: Path, value: str) -> None:
    assert urls(search(tmp_path, _tiers(value))) == [f"https://{value.replace('_', '-')}.example/"]


def test_the_best_tier_gives_the_rows(tmp_path: Path) -> None:
    every = _tiers("search_results", "citations", "annotations")

    assert urls(search(tmp_path, every)) == ["https://search-results.example/"]
    assert urls(search(tmp_path, _tiers("citations", "annotations"))) == [
        "https://citations.example/"
    ]


def test_a_tier_with_nothing_usable_is_passed_over_and_told_of(tmp_path: Path) -> None:
    broken = _tiers("citations") | {"search_results": [{"title": "No address"}, None, 7]}

    outcome = search(tmp_path, broken).unwrap()

    assert [row.url for row in outcome.rows] == ["https://citations.example/"]
    assert outcome.receipt.warnings == ("3 citations without a usable address were left out",)


def test_one_citation_that_cannot_be_used_is_told_of_as_one(tmp_path: Path) -> None:
    outcome = search(tmp_path, chat("So.", citations=[TIDES, "javascript:1"])).unwrap()

    assert outcome.receipt.warnings == ("a citation without a usable address was left out",)


def test_mixed_citations_are_read_each_for_itself(tmp_path: Path) -> None:
    mixed = [TIDES, {"url": PORT, "title": "Port log"}, "", None, {"url": "ftp://a.example/"}]

    outcome = search(tmp_path, chat("So.", citations=mixed)).unwrap()

    assert [(row.url, row.title) for row in outcome.rows] == [
        (TIDES, "tides.example"),
        (PORT, "Port log"),
    ]


def test_an_answer_without_sources_is_prose_and_no_row(tmp_path: Path) -> None:
    outcome = search(tmp_path, chat(f"Look at {TIDES}.")).unwrap()

    assert (outcome.rows, outcome.answer) == ((), SearchAnswer(text=f"Look at {TIDES}."))


def test_an_empty_answer_is_nothing_found(tmp_path: Path) -> None:
    outcome = search(tmp_path, chat("")).unwrap()

    assert (outcome.rows, outcome.answer) == ((), None)


def test_the_limit_counts_pages_and_not_mentions(tmp_path: Path) -> None:
    same = [TIDES, f"{TIDES}/", f"{TIDES}?utm_source=openai", PORT, "https://a.example/"]

    assert urls(search(tmp_path, chat("So.", citations=same), max_results=2)) == [TIDES, PORT]


def test_filters_are_refused_rather_than_dropped(tmp_path: Path) -> None:
    error = search(tmp_path, SONAR, include_domains=["tides.example"]).failure()

    assert isinstance(error, UnsupportedFilter)


def test_a_refusal_of_the_model_is_a_failure(tmp_path: Path) -> None:
    refused = chat("I will not.")
    refused["choices"][0]["finish_reason"] = "content_filter"

    assert isinstance(search(tmp_path, refused).failure(), ContentFiltered)


def test_an_answer_that_was_cut_says_so(tmp_path: Path) -> None:
    cut = chat("So", citations=[TIDES])
    cut["choices"][0]["finish_reason"] = "length"

    assert "cut short" in search(tmp_path, cut).unwrap().receipt.warnings[0]


def test_a_model_that_only_wants_a_tool_called_is_a_failure(tmp_path: Path) -> None:
    wants = chat(None)
    call = {"id": "c", "function": {"name": "search", "arguments": "{}"}}
    wants["choices"][0]["message"]["tool_calls"] = [call]

    assert isinstance(search(tmp_path, wants).failure(), BadPayload)


def test_a_wrong_key_is_told_in_the_name_of_the_backend(tmp_path: Path) -> None:
    error = search(tmp_path, {"status": 401, "body": {"error": {"message": f"bad {KEY}"}}})

    assert isinstance(error.failure(), AuthFailed)
    assert error.failure().backend == "custom"


def test_an_endpoint_that_wants_a_key_says_which_setting_gives_one(tmp_path: Path) -> None:
    reply = {"status": 401, "body": {"error": {"message": "Missing key"}}}

    bare = search(tmp_path, reply).failure()
    answered, _ = ask(
        tmp_path, [reply], lambda deps: web_search({"query": "q"}, deps), CUSTOM_SEARCH_API_KEY=KEY
    )

    assert "CUSTOM_SEARCH_API_KEY" in bare.message
    assert "CUSTOM_SEARCH_API_KEY" not in answered.failure().message


@pytest.mark.parametrize(
    ("more", "around"),
    [
        (
            {"annotations": [{"url_citation": {"url": TIDES, "start_index": 10, "end_index": 13}}]},
            {},
        ),
        ({"citations": [{"url": TIDES, "snippet": "High tide"}]}, {}),
        ({}, {"citations": [TIDES], "search_results": [{"url": TIDES, "snippet": "High tide"}]}),
    ],
)
def test_an_answer_streamed_unasked_keeps_its_sources(
    tmp_path: Path, more: dict[str, Any], around: dict[str, Any]
) -> None:
    pieces = [
        {"choices": [{"delta": {"content": "High tide "}}]},
        {"choices": [{"delta": {"content": "[1].", **more}, "finish_reason": "stop"}], **around},
    ]
    events = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
    reply = {"status": 200, "text": events, "type": "text/event-stream"}

    outcome = search(tmp_path, reply).unwrap()

    assert [(row.url, row.snippet) for row in outcome.rows] == [(TIDES, "High tide")]
    assert outcome.answer == SearchAnswer(text="High tide [1].")


def test_an_error_beside_an_answer_is_a_failure(tmp_path: Path) -> None:
    reply = chat("No credit is left.", error={"message": "pay", "code": "insufficient_quota"})

    assert isinstance(search(tmp_path, reply).failure(), QuotaExhausted)
    assert isinstance(extract(tmp_path, reply).failure(), QuotaExhausted)


def test_a_page_is_one_call_and_a_whole_document(tmp_path: Path) -> None:
    page, [request] = ask(
        tmp_path, [chat("# Tide table\n\nHigh water 04:12")], lambda deps: web_extract(TIDES, deps)
    )

    page_read: WebExtractResult = page.unwrap()
    assert (page_read.url, page_read.title) == (TIDES, "Tide table")
    assert page_read.content == page_read.raw_content == "# Tide table\n\nHigh water 04:12"
    assert page_read.metadata == {"origin": "model", "model": "sonar"}
    assert TIDES in json.loads(request.body)["messages"][0]["content"]


def test_a_fence_around_the_whole_page_is_taken_off(tmp_path: Path) -> None:
    assert extract(tmp_path, chat("```markdown\n# Tides\n```")).unwrap().content == "# Tides"


@pytest.mark.parametrize("words", ["", f"{PAGE_NOT_READ}", f"`{PAGE_NOT_READ}`."])
def test_a_page_that_was_not_read_is_a_failure(tmp_path: Path, words: str) -> None:
    assert isinstance(extract(tmp_path, chat(words)).failure(), EmptyContent)


def test_a_model_that_repeats_its_prompt_read_no_page(tmp_path: Path) -> None:
    prompt = str(model_page_request(TIDES, "sonar", 1.0).messages[0]["content"])

    assert isinstance(extract(tmp_path, chat(prompt)).failure(), EmptyContent)
    assert isinstance(extract(tmp_path, chat(f"You said: {prompt}")).failure(), EmptyContent)


def test_a_page_that_the_model_refuses_is_a_failure(tmp_path: Path) -> None:
    refused = chat("I will not.")
    refused["choices"][0]["finish_reason"] = "content_filter"

    assert isinstance(extract(tmp_path, refused).failure(), ContentFiltered)


def test_a_page_that_was_cut_says_so(tmp_path: Path) -> None:
    cut = chat("# Tides")
    cut["choices"][0]["finish_reason"] = "length"

    outcome = extract(tmp_path, cut).unwrap()

    assert outcome.metadata["truncated"] is True
    assert "cut short" in outcome.receipt.warnings[0]


def test_a_page_that_fails_leaves_the_others_alone(tmp_path: Path) -> None:
    replies = [chat("# One"), {"status": 400, "body": {"error": "no"}}, chat("# Three")]
    pages = [f"https://a.example/{number}" for number in range(3)]

    answer_found, requests = ask(
        tmp_path, replies, lambda deps: extract_tool_pages(pages, deps, at_once=1)
    )

    assert [isinstance(page, Failure) for page in answer_found] == [False, True, False]
    assert len(requests) == len(pages)


def test_variables_win_over_the_file(tmp_path: Path) -> None:
    text = "custom_base_url: https://file.example/v1\ncustom_model: from-file\n"
    more = {"CUSTOM_SEARCH_MODEL": "from-env"}

    row = find_backend_row("custom", root(tmp_path, text, **more))

    assert row is not None
    assert (row.address, row.model) == ("https://file.example/v1", "from-env")


def test_the_doctor_names_address_and_model(tmp_path: Path) -> None:
    row = find_backend_row("custom", root(tmp_path, "custom_base_url: https://llm.example/v1//\n"))

    assert row is not None
    assert diagnose_backend_row(row).detail == "custom: https://llm.example/v1 (model sonar)"


def test_a_missing_address_is_named(tmp_path: Path) -> None:
    bare = root(tmp_path, CUSTOM_SEARCH_API_KEY=KEY)

    error = choose_backend("search", bare, backend_name="custom").failure()

    assert isinstance(error, NotConfigured)
    assert "CUSTOM_SEARCH_BASE_URL" in error.message
    assert "custom_base_url" in error.message


@pytest.mark.parametrize("end", ["?key=abcdefghijk", "#top"])
def test_an_address_that_goes_on_after_its_path_is_refused_and_not_shown(
    tmp_path: Path, end: str
) -> None:
    row = find_backend_row(
        "custom", root(tmp_path, CUSTOM_SEARCH_BASE_URL=f"https://llm.example/v1{end}")
    )

    assert row is not None
    assert isinstance(row.problem, InvalidSetting)
    assert "after its path" in row.problem.message
    assert end not in str(diagnose_backend_row(row))


def test_a_whole_address_is_taken_for_what_it_begins_with(tmp_path: Path) -> None:
    address = "https://llm.example/v1/chat/completions/"

    row = find_backend_row("custom", root(tmp_path, CUSTOM_SEARCH_BASE_URL=address))

    assert row is not None
    assert (row.address, row.model) == ("https://llm.example/v1", "sonar")


def test_a_key_is_not_sent_in_the_open(tmp_path: Path) -> None:
    variables = {"CUSTOM_SEARCH_BASE_URL": "http://llm.example/v1", "CUSTOM_SEARCH_API_KEY": KEY}

    error = choose_backend("search", root(tmp_path, **variables), backend_name="custom").failure()

    assert isinstance(error, InvalidSetting)
    assert error.setting == "custom_base_url"


def test_an_address_is_enough_to_be_chosen_for_searches_but_not_for_pages(tmp_path: Path) -> None:
    opened = root(tmp_path, CUSTOM_SEARCH_BASE_URL="https://llm.example/v1")

    assert choose_backend("search", opened, cached=False).unwrap().choice.name == "custom"
    assert choose_backend("extract", opened, cached=False).unwrap().choice.name == "pages"
    named = choose_backend("extract", opened, backend_name="custom", cached=False).unwrap().backend
    assert named.about.name == "custom"


@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        ("FIRECRAWL_API_KEY", "firecrawl"),
        ("TAVILY_API_KEY", "tavily"),
        ("EXA_API_KEY", "exa"),
        ("PARALLEL_API_KEY", "parallel"),
        ("BRAVE_SEARCH_API_KEY", "custom"),
        ("OPENAI_API_KEY", "custom"),
    ],
)
def test_beside_a_service_with_a_key_it_stands_where_hermes_has_it(
    tmp_path: Path, key: str, chosen: str
) -> None:
    opened = root(tmp_path, CUSTOM_SEARCH_BASE_URL="https://llm.example/v1", **{key: KEY})

    assert choose_backend("search", opened, cached=False).unwrap().choice.name == chosen


def test_the_command_line_searches_with_it_and_asks_the_same_thing_once() -> None:
    async def play() -> tuple[list[Ran], int]:
        async with Imitation([{"body": SONAR}]).running() as server:
            variables = {"CUSTOM_SEARCH_BASE_URL": f"{server.base_url}/v1"}
            command = ("search", "tide times", "--json")
            runs = [await asyncio.to_thread(webseam, *command, **variables) for _ in range(2)]
            return runs, len(server.requests)

    (first, second), requested = asyncio.run(play())

    printed = json.loads(first.out)
    assert [row["url"] for row in printed["data"]["web"]] == [TIDES, PORT]
    assert "High tide is at 04:12.[1]" in first.out
    assert (second.code, requested) == (0, 1)


def _tiers(*names: str) -> dict[str, Any]:
    """Return an answer with a page of its own in each of the tiers."""
    pages = {name: {"url": f"https://{name.replace('_', '-')}.example/"} for name in names}
    answer = chat("So.")
    if "annotations" in pages:
        note = {"type": "url_citation", "url_citation": pages.pop("annotations")}
        answer["choices"][0]["message"]["annotations"] = [note]
    return answer | {name: [page] for name, page in pages.items()}


def test_search_results_without_choices_are_rows(tmp_path: Path) -> None:
    outcome = search(tmp_path, {"search_results": [{"title": "Tide table", "url": TIDES}]})

    assert urls(outcome) == [TIDES]
    assert outcome.unwrap().answer is None


def test_no_choice_at_all_is_nothing_found(tmp_path: Path) -> None:
    outcome = search(tmp_path, {"choices": []})

    assert (outcome.unwrap().rows, outcome.unwrap().answer) == ((), None)
    assert isinstance(search(tmp_path, {"id": "x"}).failure(), BadPayload)


@pytest.mark.parametrize("keyless", ["true", "false"])
def test_a_key_without_an_address_is_an_error_and_no_query_goes_elsewhere(
    tmp_path: Path, keyless: str
) -> None:
    half = root(tmp_path, CUSTOM_SEARCH_API_KEY=KEY, WEBSEAM_KEYLESS=keyless)

    error = choose_backend_row("search", half).failure()

    assert isinstance(error, NotConfigured)
    assert error.backend == "custom"
    assert "CUSTOM_SEARCH_BASE_URL" in error.message


TWO_KEYS = "first-key-0123456,second-key-7890123"


def test_keys_that_a_server_sends_back_are_masked_in_rows_and_prose(tmp_path: Path) -> None:
    row = {"url": f"{TIDES}?by=second-key-7890123", "title": "first-key-0123456 was here"}
    reply = {**chat("You sent first-key-0123456."), "search_results": [row]}

    outcome, _ = ask(
        tmp_path,
        [reply],
        lambda deps: web_search({"query": "tide"}, deps),
        CUSTOM_SEARCH_API_KEY=TWO_KEYS,
    )

    found: SearchOutcome = outcome.unwrap()
    assert (found.rows[0].url, found.rows[0].title) == (f"{TIDES}?by=***", "*** was here")
    assert found.answer is not None
    assert found.answer.text == "You sent ***."


@pytest.mark.parametrize("finish", ["stop", "content_filter"])
def test_keys_that_a_server_sends_back_are_masked_in_pages_and_refusals(
    tmp_path: Path, finish: str
) -> None:
    reply = chat("# Tides\n\nYou sent first-key-0123456.")
    reply["choices"][0]["finish_reason"] = finish

    outcome, _ = ask(
        tmp_path,
        [reply],
        lambda deps: web_extract(TIDES, deps),
        CUSTOM_SEARCH_API_KEY=TWO_KEYS,
    )

    assert "You sent ***." in repr(outcome)
    assert "first-key" not in repr(outcome)
