"""What plugins return in place of a result: checked like a backend's answer, or a failure."""

from datetime import date
from typing import Any

import pytest
from returns.result import Failure

from webseam import XSearchDeps
from webseam.kernel.features.evidence.gathering import text_hash
from webseam.kernel.features.evidence.replaced_answers import check_replaced_answer
from webseam.kernel.features.models.x_search import check_replaced_x_search
from webseam.testing import FakeXSearch

from .bench import PAGE, URL, Bench

ROW: dict[str, object] = {"title": "A", "url": "https://a.example/", "description": "about"}
ENTRY: dict[str, object] = {"url": URL, "content": PAGE}
ERROR = {"url": URL, "error": {"message": "It is gone."}}


def searched(*rows: object, **data: object) -> dict[str, Any]:
    value = {"data": {"web": list(rows), **data}}
    return Bench().uses("tool_execution", lambda **_: value).search()


def extracted(*entries: object, urls: tuple[str, ...] = (URL,)) -> dict[str, Any]:
    value = {"data": {"results": list(entries)}}
    return Bench().uses("tool_execution", lambda **_: value).extract(*urls)


@pytest.mark.parametrize(
    "row", [{**ROW, "url": "javascript:alert(1)"}, {"title": "A"}, {**ROW, "url": ""}, "text", 5]
)
def test_a_row_that_a_backend_may_not_return_fails_the_call(row: object) -> None:
    failure = searched(ROW, row)["failure"]

    assert (failure["kind"], failure["error"]) == ("middleware_failed", "invalid_row")
    assert (failure["plugin"], failure["stage"]) == ("p", "tool_execution")


def test_rows_are_numbered_and_cleaned_and_keep_their_other_fields() -> None:
    data = searched({**ROW, "position": 7, "mark": "a\u200bb"}, ROW, answer="No\u200bon.")["data"]

    assert [row["position"] for row in data["web"]] == [1, 2]
    assert data["web"][0]["mark"] == "ab"
    assert data["answer"] == "Noon."


def test_row_that_stands_for_prose_becomes_the_answer() -> None:
    prose = {"title": "Search Answer", "url": "", "description": "Noon.", "position": 1}

    assert searched(prose)["data"] == {"web": [], "answer": "Noon."}
    assert searched(prose, ROW)["data"]["answer"] == "Noon."
    assert searched(prose, answer="Noon.")["failure"]["error"] == "invalid_row"


def test_rows_beyond_the_limit_are_counted_with_those_before() -> None:
    value = {"data": {"web": [ROW, ROW, ROW]}, "receipt": {"trimmed": 2}}
    envelope = Bench().uses("tool_execution", lambda **_: value).search(max_results=1)

    assert len(envelope["data"]["web"]) == 1
    assert envelope["receipt"] == {"trimmed": 4}


def test_a_page_is_that_of_the_url_and_complete() -> None:
    (page,) = extracted({**ENTRY, "mark": 1, "raw_content": PAGE})["data"]["results"]

    assert page == {
        "url": URL,
        "content": PAGE,
        "mark": 1,
        "final_url": URL,
        "title": "",
        "view": None,
        "complete": None,
        "cuts": [],
        "left_out": None,
        "notes": [],
        "metadata": {},
        "error": None,
    }


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ([{**ENTRY, "url": "https://b.example/"}], "invalid_document"),
        ([{**ENTRY, "final_url": "javascript:1"}], "invalid_document"),
        (["text"], "invalid_document"),
        ([ERROR], "invalid_document"),
        ([{**ENTRY, "error": "gone"}], "invalid_document"),
        ([], "bad_payload"),
        ([ENTRY, ENTRY], "bad_payload"),
    ],
)
def test_a_page_that_a_backend_may_not_return_fails_the_call(
    entries: list[object], error: str
) -> None:
    assert extracted(*entries)["failure"]["error"] == error


def test_pages_may_fail_beside_others() -> None:
    other = "https://b.example/"
    envelope = extracted({**ERROR, "content": "text"}, {**ENTRY, "url": other}, urls=(URL, other))

    assert (envelope["success"], envelope["failed"]) == (True, 1)
    assert [page["content"] for page in envelope["data"]["results"]] == ["", PAGE]


def test_a_page_of_another_url_that_a_callback_asked_for_is_a_result() -> None:
    other = "https://b.example/"
    inner = {"data": {"results": [{**ENTRY, "url": other}]}}
    bench = Bench().uses("tool_execution", lambda **told: told["next_call"]({"urls": [other]}))

    assert bench.extract()["data"]["results"][0]["url"] == other
    assert bench.uses("tool_execution", lambda **_: inner).extract()["success"] is True


def test_no_callback_answers_for_a_url_that_the_policy_denies() -> None:
    url = "http://127.0.0.1/"
    inner = {"data": {"results": [{**ENTRY, "url": url}]}}
    bench = Bench().uses("tool_execution", lambda **told: told["next_call"]({"urls": [url]}))

    assert bench.uses("tool_execution", lambda **_: inner).extract()["success"] is False


def test_arguments_that_are_none_are_answered_by_nothing() -> None:
    bench = Bench().uses("tool_execution", lambda **told: told["next_call"]({"query": 5}))
    bench.uses("tool_execution", lambda **_: {"data": {"web": "text"}})
    pages = Bench().uses("tool_execution", lambda **told: told["next_call"]({"urls": 5}))
    pages.uses("tool_execution", lambda **_: {"data": {}})

    assert bench.search()["failure"]["error"] == "bad_payload"
    assert pages.extract()["failure"]["error"] == "bad_payload"


def test_an_answer_of_x_keeps_only_citations_that_are_web_urls() -> None:
    deps = XSearchDeps(backend=FakeXSearch(), today=lambda: date(2026, 11, 18))
    good, bad = "https://x.com/i/status/1", "javascript:1"
    links = [{"url": good, "start": 3, "end": 4}, {"url": bad}]
    found: dict[str, object] = {"citations": [good, bad], "inline_citations": links}
    envelope = {"answer": "a\u200bbc", **found}

    checked = check_replaced_x_search(envelope, {"query": "q"}, deps).unwrap().envelope

    assert (checked["answer"], checked["citations"]) == ("abc", [good])
    assert checked["receipt"] == {"left_out_citations": 2}
    assert [link["start"] for link in checked["inline_citations"]] == [2]  # type: ignore[attr-defined]
    for broken, request in (({}, {"query": "q"}), (envelope, {})):
        assert isinstance(check_replaced_x_search(broken, request, deps), Failure)


def test_claims_of_a_plugin_are_made_again_from_its_quotes() -> None:
    text = "High water is at noon, say those of the harbour. Nobody knows more, and nobody asks."
    page = {"url": URL, "text": text, "title": "T", "read_on": "2026-11-19"}
    quote = "High water is at noon"
    claims = [
        {"text": "High water is at night.", "quotes": [{"text": quote, "url": URL}]},
        {"text": "Nobody says this anywhere."},
        {"text": quote, "paraphrase": {"text": "It is <b>at noon</b>."}, "frame": {"url": "x"}},
    ]
    answer = {"claims": claims, "answer": "High water is at night.", "pages": [page]}

    claims.append({"text": "x", "sha256": text_hash(text), "start": 0, "end": 9})
    envelope: dict[str, object] = {
        "data": answer,
        "mark": "a\u200bb",
        "receipt": {"queries": ["q"]},
    }
    checked = check_replaced_answer(envelope, "When is high water?")

    data: Any = checked.unwrap().envelope["data"]
    # The same range twice is one line each: both quotes chose it.
    assert {claim["text"] for claim in data["claims"]} == {text.partition(" Nobody")[0]}
    assert data["claims"][0]["paraphrase"] is None
    assert data["claims"][1]["paraphrase"]["text"] == "It is at noon."
    (lost,) = data["unsupported"]
    assert lost["paraphrase"] == "Nobody says this anywhere."
    assert lost["reason"] == "its quote is on no page that was read"
    assert "at night" not in data["answer"]
    assert checked.unwrap().envelope["mark"] == "ab"
    assert "receipt" not in check_replaced_answer({"data": answer}, "When?").unwrap().envelope


def test_an_answer_of_a_plugin_without_a_page_that_was_read_is_refused() -> None:
    page = {"url": "javascript:1", "text": "High water is at noon."}
    claim = {"text": "High water is at noon.", "sha256": "0", "start": 0, "end": 9}
    broken: tuple[dict[str, object], ...] = (
        {"claims": [claim]},
        {"claims": [claim], "pages": [page]},
        {"claims": [{"text": "noon"}], "pages": [{**page, "url": URL}]},
        {"claims": ["text"]},
        {"claims": []},
    )
    for data in broken:
        checked = check_replaced_answer({"data": {"answer": "t", **data}}, "When?")
        assert isinstance(checked, Failure), data
