"""Searching X: any request, any backend, any reply of xAI is answered with a Result."""

import asyncio
import json
from datetime import date
from typing import Any

import httpx
import msgspec
from hypothesis import assume, example, given, strategies as st
from returns.result import Failure, Result, Success

from properties.soundness import assert_sound
from tests.surroundings import NOWHERE
from webseam import WebError, XSearchDeps, XSearchOutcome, x_search, x_search_envelope
from webseam.adapters.values.json_schema import explain_schema_mismatch
from webseam.composition.features.models.api import x_searcher
from webseam.composition.features.testing.strategies import errors, hostile_queries, json_values
from webseam.composition.settings.loader import load_settings
from webseam.kernel.features.models.structured_output import parse_model_json
from webseam.kernel.features.models.x_search_request import check_x_request
from webseam.kernel.planner.retry import retry_delay, x_retry_rules
from webseam.kernel.text.display import strip_hidden
from webseam.kernel.urls.spelling import is_web_url
from webseam.ports.x_search import MAX_HANDLES, XSearchRequest
from webseam.testing import FakeXSearch, ScriptedTransport

TODAY = date(2026, 11, 15)
SETTINGS = load_settings({"XAI_API_KEY": "CANARY-0123456789", "HOME": str(NOWHERE)}).unwrap()

_texts = st.text(max_size=8) | st.sampled_from(
    ["@alice", " bob ", "@ @", "2026-11-01", "2027-01-01"]
)
_anything = _texts | st.none() | st.booleans() | st.integers() | st.dates() | json_values()
_names = st.text("ab_1", max_size=3).map(" @{} ".format) | st.integers(min_value=0)
_handles = st.lists(_names, max_size=13)


def requests() -> st.SearchStrategy[dict[str, object]]:
    """Give requests of which some fields fit and others do not."""
    fields = dict.fromkeys(XSearchRequest.__struct_fields__, _anything)
    return st.fixed_dictionaries(
        {}, optional=fields | {"allowed_x_handles": _handles | st.lists(_anything)}
    )


def usable_requests() -> st.SearchStrategy[dict[str, object]]:
    """Give requests that mostly keep the rules, in any spelling."""
    days = st.none() | st.dates(max_value=TODAY) | st.sampled_from(["", " 2026-11-01 "])
    handles = st.sampled_from(["allowed_x_handles", "excluded_x_handles"])
    return st.builds(
        lambda fields, name, value: {**fields, name: value},
        st.fixed_dictionaries(
            {"query": _texts.map("q{} ".format)},
            optional={
                "from_date": days,
                "to_date": days,
                "enable_image_understanding": st.booleans(),
                "output_schema": st.none() | st.dictionaries(_texts, json_values(), max_size=3),
                "instructions": st.none() | _texts,
                "previous_response_id": st.none() | _texts,
                "store": st.booleans(),
            },
        ),
        handles,
        _handles,
    )


def replies() -> st.SearchStrategy[object]:
    """Give replies that look like xAI's, with anything in every place."""
    any_json = json_values()
    urls = st.sampled_from(["https://x.com/i/status/1", "javascript:1", ""]) | any_json
    places = st.integers(-5, 50) | any_json
    annotation = st.fixed_dictionaries(
        {"type": st.just("url_citation") | any_json, "url": urls},
        optional={"title": any_json, "start_index": places, "end_index": places},
    )
    texts = st.sampled_from(['```json\n{"a": 1}\n```', "\u200fHigh\u200b tide.[1]"])
    text = st.text(max_size=20) | texts | any_json
    part = st.fixed_dictionaries(
        {"type": st.sampled_from(["output_text", "text", "refusal"]), "text": text},
        optional={"annotations": st.lists(annotation, max_size=3) | any_json},
    )
    item = st.fixed_dictionaries(
        {"type": st.sampled_from(["message", "x_search_call", "reasoning"])},
        optional={"content": st.lists(part, max_size=3) | any_json, "phase": any_json},
    )
    calls = st.integers(-1, 3) | any_json
    details = st.fixed_dictionaries({"x_search_calls": calls}) | any_json
    usage = st.fixed_dictionaries({"server_side_tool_usage_details": details}) | any_json
    return any_json | st.fixed_dictionaries(
        {"output": st.lists(item, max_size=3) | any_json},
        optional={
            "id": any_json,
            "model": any_json,
            "error": any_json,
            "output_text": text,
            "citations": st.lists(urls, max_size=4) | any_json,
            "usage": usage,
        },
    )


def assert_told(result: Result[XSearchOutcome, WebError]) -> None:
    """What came out can be sent to an agent, and points to the web alone."""
    assert_sound(result)
    envelope: Any = x_search_envelope(result, "xai")
    assert msgspec.json.encode(envelope)
    if isinstance(result, Success):
        outcome = result.unwrap()
        for each, place in zip(outcome.inline_citations, envelope["inline_citations"], strict=True):
            if min(each.start or 0, each.end or 0) >= 0:
                words = strip_hidden(outcome.answer[each.start : each.end])
                assert envelope["answer"][place["start"] : place["end"]] == words
        inline = (each.url for each in outcome.inline_citations)
        assert all(map(is_web_url, (*outcome.citations, *inline)))
        assert outcome.degraded is (outcome.degraded_reason is not None)


@given(request=requests() | hostile_queries(), answer=json_values())
@example(request={"query": "q"}, answer={"answer": "a", "citations": ["https://x.com/\ud800"]})
def test_any_request_over_any_backend_is_a_result(request: object, answer: object) -> None:
    backend = FakeXSearch(answer=lambda _request: answer)
    deps = XSearchDeps(backend=backend, today=lambda: TODAY, check_schema=explain_schema_mismatch)

    assert_told(asyncio.run(x_search(request, deps)))


@given(reply=replies(), schema=st.none() | st.dictionaries(st.just("type"), json_values()))
def test_any_json_from_xai_is_a_result(reply: object, schema: object) -> None:
    response = httpx.Response(200, content=json.dumps(reply).encode())
    searcher = x_searcher(SETTINGS, transport=ScriptedTransport(lambda _request: response)).unwrap()

    assert_told(asyncio.run(searcher({"query": "q", "output_schema": schema})))


@given(request=usable_requests())
@example(request={"query": "q", "allowed_x_handles": ["@ @a"]})
def test_tidying_a_request_twice_is_tidying_it_once(request: dict[str, object]) -> None:
    once = check_x_request(request, TODAY)
    assume(not isinstance(once, Failure))
    tidy = once.unwrap().request

    assert check_x_request(tidy, TODAY).unwrap().request == tidy
    assert len(tidy.allowed_x_handles) <= MAX_HANDLES
    assert not (tidy.allowed_x_handles and tidy.excluded_x_handles)
    assert tidy.store or tidy.previous_response_id is None


@given(value=json_values(), fence=st.sampled_from(["{}", "```json\n{}\n```", "So:\n```\n{}\n```"]))
def test_json_survives_being_written_and_fenced(value: object, fence: str) -> None:
    written = msgspec.json.encode(value).decode()
    assume("```" not in written)

    assert parse_model_json(fence.replace("{}", written, 1)).unwrap() == value


@given(answer=st.text() | st.text(alphabet='`j{}[]":, \n'))
def test_any_answer_is_json_or_says_why_not(answer: str) -> None:
    parsed = parse_model_json(answer)

    assert isinstance(parsed, Success) or parsed.failure().startswith("the answer ")


@given(error=errors(), attempt=st.integers(1, 12), chance=st.floats(0, 1, exclude_max=True))
def test_a_wait_is_never_longer_than_it_may_be(
    error: WebError, attempt: int, chance: float
) -> None:
    wait = retry_delay(error, attempt, chance, x_retry_rules(10, max_seconds=30.0))

    assert wait is None or (error.retryable and wait <= 30.0 and attempt <= 10)
