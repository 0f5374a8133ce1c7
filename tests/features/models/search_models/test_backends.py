"""The search models of providers: what each is asked, and what its answer becomes."""

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest
from returns.result import Result

from tests.choosing.support import root
from tests.features.models.search_models.answers import (
    AGENT,
    ANTHROPIC,
    GEMINI,
    OPENAI,
    OPENROUTER,
    PORT,
    TIDES,
    XAI,
)
from tests.services.imitation import Imitation, Request
from webseam.adapters.features.models.search.declaration import SEARCH_INSTRUCTIONS
from webseam.composition.features.models.api import search_model_backend
from webseam.composition.features.models.search_model_rows import (
    find_search_model,
    installed_search_models,
)
from webseam.composition.planning.open_backends import close_after
from webseam.composition.wiring.backend_choice import choose_backend_row
from webseam.composition.wiring.backend_table import find_backend_row
from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract
from webseam.kernel.search import web_search
from webseam.ports import (
    BadPayload,
    InvalidUrl,
    NotConfigured,
    RateLimited,
    SearchOutcome,
    UnsupportedCapability,
    UnsupportedFilter,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.web import Query

KEY = "sk-0123456789abcdef"
Searched = Result[SearchOutcome, WebError]

# Each with the variables of its key and its address, where it is asked, and an answer of its own.
OWN: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "perplexity_agent": ("PERPLEXITY_API_KEY", "PERPLEXITY_BASE_URL", "/v1/responses", AGENT),
    "openai_web": ("OPENAI_API_KEY", "OPENAI_BASE_URL", "/responses", OPENAI),
    "xai_web": ("XAI_API_KEY", "XAI_BASE_URL", "/responses", XAI),
    "anthropic_web": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "/v1/messages", ANTHROPIC),
    "gemini_grounding": (
        "GEMINI_API_KEY",
        "GEMINI_BASE_URL",
        "/models/gemini-3.6-flash:generateContent",
        GEMINI,
    ),
    "openrouter_web": (
        "OPENROUTER_API_KEY",
        "OPENROUTER_BASE_URL",
        "/chat/completions",
        OPENROUTER,
    ),
}


def search(
    folder: Path, name: str, *replies: object, text: str = "", **query: object
) -> tuple[Searched, list[Request]]:
    """Search once with a model of that name, over a server that gives these answers."""
    key, address, _, usual = OWN[name]

    async def run() -> tuple[Searched, list[Request]]:
        scripted = [{"body": reply} for reply in replies or (usual,)]
        async with Imitation(scripted).running() as server:
            settings = root(folder, text, **{key: KEY, address: server.base_url}).settings
            backend = search_model_backend(name, settings).unwrap()
            work = web_search(
                cast("Query", {"query": "tide times", **query}), WebDeps(backend=backend)
            )
            return await close_after(backend, work), server.requests

    return asyncio.run(run())


def tool(folder: Path, name: str, **query: Any) -> Any:  # noqa: ANN401  any JSON
    """Return the tool as it was sent."""
    _, [request] = search(folder, name, **query)
    return json.loads(request.body)["tools"][0]


@pytest.mark.parametrize("name", OWN)
def test_each_gives_its_citations_as_rows_of_its_own(tmp_path: Path, name: str) -> None:
    outcome, [request] = search(tmp_path, name)

    rows = outcome.unwrap().rows
    assert [row.url.partition("?")[0] for row in rows] == [TIDES, PORT]
    assert {(row.source, row.origin) for row in rows} == {(name, "model")}
    assert "04:12" in outcome.unwrap().answer.text  # type: ignore[union-attr]
    assert request.path == OWN[name][2]
    sent = [
        request.headers.get(name, "") for name in ("authorization", "x-api-key", "x-goog-api-key")
    ]
    assert "".join(sent).removeprefix("Bearer ") == KEY


@pytest.mark.parametrize("name", OWN)
def test_each_is_asked_the_query_alone_and_told_how_to_answer(tmp_path: Path, name: str) -> None:
    _, [request] = search(tmp_path, name)

    body = json.loads(request.body)
    declared = find_search_model(name)
    assert declared is not None
    assert body.get("model", request.path.partition("/models/")[2]).startswith(declared.model)
    assert SEARCH_INSTRUCTIONS in request.body.decode()
    assert json.dumps(body).count("tide times") == 1
    assert "include" not in body or body["include"] == ["web_search_call.action.sources"]


def test_filters_go_into_the_tool_of_each(tmp_path: Path) -> None:
    only = {"include_domains": ["Tides.example"], "country": "gb"}

    assert tool(tmp_path, "openai_web", **only) == {
        "type": "web_search",
        "user_location": {"type": "approximate", "country": "GB"},
        "filters": {"allowed_domains": ["tides.example"]},
    }
    assert tool(tmp_path, "anthropic_web", **only) == {
        "type": "web_search_20250305",
        "name": "web_search",
        "max_uses": 5,
        "allowed_domains": ["tides.example"],
        "user_location": {"type": "approximate", "country": "GB"},
    }
    assert tool(tmp_path, "openrouter_web", **only, max_results=3) == {
        "type": "openrouter:web_search",
        "parameters": {
            "max_results": 3,
            "allowed_domains": ["tides.example"],
            "user_location": {"type": "approximate", "country": "GB"},
        },
    }
    assert tool(tmp_path, "perplexity_agent", published_after="2026-11-01", **only) == {
        "type": "web_search",
        "filters": {
            "search_domain_filter": ["tides.example"],
            "search_after_date_filter": "11/01/2026",
        },
        "user_location": {"country": "GB"},
    }
    assert tool(tmp_path, "xai_web", include_domains=["tides.example"]) == {
        "type": "web_search",
        "filters": {"allowed_domains": ["tides.example"]},
    }


def test_gemini_is_given_the_search_of_google(tmp_path: Path) -> None:
    assert tool(tmp_path, "gemini_grounding") == {"google_search": {}}


def test_domains_are_left_out_in_the_words_of_each(tmp_path: Path) -> None:
    without = {"exclude_domains": ["ads.example"]}

    assert tool(tmp_path, "xai_web", **without)["filters"] == {"excluded_domains": ["ads.example"]}
    assert tool(tmp_path, "anthropic_web", **without)["blocked_domains"] == ["ads.example"]
    assert tool(tmp_path, "perplexity_agent", **without)["filters"] == {
        "search_domain_filter": ["-ads.example"]
    }
    assert tool(tmp_path, "openrouter_web", **without)["parameters"] == {
        "excluded_domains": ["ads.example"]
    }


def test_filter_that_a_tool_cannot_combine_is_applied_to_rows(tmp_path: Path) -> None:
    both: dict[str, Any] = {"include_domains": ["example"], "exclude_domains": ["tides.example"]}

    outcome, [request] = search(tmp_path, "xai_web", **both, max_results=1)

    assert [row.url for row in outcome.unwrap().rows] == [PORT]
    assert outcome.unwrap().receipt.emulated == ("exclude_domains",)
    assert "tides.example" not in request.body.decode()


@pytest.mark.parametrize(
    ("name", "filters"),
    [
        ("xai_web", {"include_domains": [f"{n}.example" for n in range(6)]}),
        ("xai_web", {"country": "gb"}),
        ("gemini_grounding", {"include_domains": ["tides.example"]}),
        ("openai_web", {"published_after": "2026-11-01"}),
    ],
)
def test_filter_that_a_tool_lacks_is_refused(
    tmp_path: Path, name: str, filters: dict[str, Any]
) -> None:
    outcome, requests = search(tmp_path, name, **filters)

    assert isinstance(outcome.failure(), UnsupportedFilter)
    assert requests == []


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("too_many_requests", RateLimited),
        ("unavailable", UpstreamUnavailable),
        ("max_uses_exceeded", BadPayload),
    ],
)
def test_a_search_that_failed_inside_an_answer_is_a_failure(
    tmp_path: Path, code: str, error: type
) -> None:
    failed = {"type": "web_search_tool_result_error", "error_code": code}
    blocks = [
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": failed},
        {"type": "text", "text": "I could not search."},
    ]

    outcome, _ = search(tmp_path, "anthropic_web", {**ANTHROPIC, "content": blocks})

    assert isinstance(outcome.failure(), error)


def test_one_failed_search_beside_a_good_one_is_a_warning(tmp_path: Path) -> None:
    failed = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    block = {"type": "web_search_tool_result", "tool_use_id": "s2", "content": failed}
    reply = {**ANTHROPIC, "content": [*ANTHROPIC["content"], block]}

    outcome, _ = search(tmp_path, "anthropic_web", reply)

    assert "max_uses_exceeded" in outcome.unwrap().receipt.warnings[0]


def test_rows_found_before_a_pause_are_returned(tmp_path: Path) -> None:
    paused = {
        **ANTHROPIC,
        "stop_reason": "pause_turn",
        "content": ANTHROPIC["content"][:2],
    }
    rest = {**ANTHROPIC, "content": ANTHROPIC["content"][2:]}

    outcome, requests = search(tmp_path, "anthropic_web", paused, rest)

    assert len(requests) == 2
    assert [row.url for row in outcome.unwrap().rows] == [TIDES, PORT]


def test_another_model_can_be_set(tmp_path: Path) -> None:
    text = "services:\n  openai_web:\n    model: gpt-6\n"

    _, [request] = search(tmp_path, "openai_web", text=text)

    assert json.loads(request.body)["model"] == "gpt-6"


def test_a_variable_sets_the_model_too(tmp_path: Path) -> None:
    opened = root(tmp_path, OPENAI_API_KEY=KEY, WEBSEAM_OPENAI_WEB_MODEL="gpt-6")

    row = find_backend_row("openai_web", opened)

    assert row is not None
    assert (row.address, row.model) == ("https://api.openai.com/v1", "gpt-6")


def test_a_provider_that_the_settings_changed_is_used_as_changed(tmp_path: Path) -> None:
    text = f"providers:\n  openai:\n    api_key: {KEY}\n    base_url: https://gate.example/v1\n"

    row = find_backend_row("openai_web", root(tmp_path, text))

    assert row is not None
    assert row.address == "https://gate.example/v1"


def test_a_model_is_never_chosen_because_its_key_is_there(tmp_path: Path) -> None:
    keys = {key: KEY for key, *_ in OWN.values()}

    chosen = choose_backend_row("search", root(tmp_path, "keyless: false\n", **keys))

    assert not isinstance(chosen.value_or(None), tuple) or chosen.unwrap()[0].name not in OWN


@pytest.mark.parametrize("name", [*OWN, "openai-web"])
def test_each_can_be_named_once_its_key_is_there(tmp_path: Path, name: str) -> None:
    key = OWN[name.replace("-", "_")][0]

    choice, row = choose_backend_row("search", root(tmp_path, **{key: KEY}), name).unwrap()

    assert (choice.reason, row.candidate.ready) == ("named", ("search",))
    assert row.candidate.rank >= 600


@pytest.mark.parametrize("name", OWN)
def test_without_its_key_each_says_which_one_to_set(tmp_path: Path, name: str) -> None:
    error = search_model_backend(name, root(tmp_path).settings).failure()

    assert isinstance(error, NotConfigured)
    assert OWN[name][0] in error.message
    assert error.backend == name


@pytest.mark.parametrize("name", OWN)
def test_no_key_is_sent_in_the_open(tmp_path: Path, name: str) -> None:
    key, address, *_ = OWN[name]
    opened = root(tmp_path, **{key: KEY, address: "http://gate.example/v1"})

    error = search_model_backend(name, opened.settings).failure()

    assert isinstance(error, InvalidUrl)
    assert (error.backend, address in error.message) == (name, True)


def test_settings_of_providers_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    text = "providers:\n  openai:\n    no_such_field: 3\n"

    error = search_model_backend("openai_web", root(tmp_path, text).settings).failure()

    assert "no_such_field" in error.message


def test_search_model_refuses_to_read_pages(tmp_path: Path) -> None:
    settings = root(tmp_path, OPENAI_API_KEY=KEY).settings

    async def read() -> object:
        backend = search_model_backend("openai_web", settings).unwrap()
        return await close_after(backend, web_extract(TIDES, WebDeps(backend=backend)))

    outcome: Any = asyncio.run(read())
    assert isinstance(outcome.failure(), UnsupportedCapability)


def test_a_name_that_nobody_has_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    error = search_model_backend("nobody", root(tmp_path).settings).failure()

    assert "openai_web" in error.message
    assert find_search_model("no-name") is None
    assert set(OWN) < set(installed_search_models())
