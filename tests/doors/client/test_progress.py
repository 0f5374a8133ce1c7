"""Progress: what share of rows a session had not had, and when its searches stand still."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from returns.result import Success

import webseam
from tests.features.gateway.asgi import ROWS, Site
from webseam.composition.doors.mcp.result_fence import new_result_fence
from webseam.composition.doors.mcp.tool_results import mcp_success_result
from webseam.kernel.envelopes import NO_PROGRESS_NOTE, search_envelope
from webseam.kernel.policy.session_memory import SessionMemory
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import SearchAnswer, SearchOutcome, WebSearchResult
from webseam.testing import FakeBackend

RECEIPT = SearchReceipt(
    backend="b",
    query="q",
    asked_max_results=5,
    max_results=5,
    clamped=False,
    filters=(),
    returned=1,
    rejected=0,
    trimmed=0,
)


def outcome(urls: list[int], answer: str | None = None) -> SearchOutcome:
    rows = tuple(
        WebSearchResult(title="t", url=f"https://a.example/{n}", snippet="", position=1, source="s")
        for n in urls
    )
    prose = None if answer is None else SearchAnswer(text=answer)
    return SearchOutcome(rows=rows, answer=prose, rejected=(), receipt=RECEIPT)


@given(searches=st.lists(st.lists(st.integers(0, 5), unique=True, max_size=4), max_size=8))
def test_the_share_is_that_of_rows_never_had_before(searches: list[list[int]]) -> None:
    memory, had, barren = SessionMemory(), set[int](), 0
    for urls in searches:
        receipt = memory.note_progress(outcome(urls)).receipt
        new = set(urls) - had
        had |= new
        barren = 0 if new else barren + 1
        assert receipt.new_share == (len(new) / len(urls) if urls else 0.0)
        assert receipt.no_progress == (barren >= 2)


def test_an_answer_without_rows_is_a_find() -> None:
    memory = SessionMemory()
    shares = [memory.note_progress(outcome([], text)).receipt.new_share for text in "aab"]

    assert shares == [1.0, 0.0, 1.0]


def test_the_memory_of_finds_is_bounded() -> None:
    memory = SessionMemory()
    for start in range(0, 10_000, 100):
        memory.note_progress(outcome(list(range(start, start + 100))))

    assert memory.note_progress(outcome([9_999])).receipt.new_share == 0.0
    assert memory.note_progress(outcome([0])).receipt.new_share == 1.0


def test_an_agent_is_told_and_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async def work() -> tuple[list[Any], dict[str, Any]]:
        async with webseam.open(backend=FakeBackend(ROWS)) as web:
            found = [await web.search("q") for _ in range(3)]
            called = json.loads(await web.call("web_search", {"query": "q"}))
        return found, called

    found, called = asyncio.run(work())

    assert all(isinstance(each, Success) for each in found)
    receipts = [each.unwrap().receipt for each in found]
    assert [receipt.new_share for receipt in receipts] == [1.0, 0.0, 0.0]
    assert [receipt.no_progress for receipt in receipts] == [False, False, True]
    assert called["data"]["note"] == NO_PROGRESS_NOTE


def test_only_a_named_session_of_the_gateway_has_progress(tmp_path: Path) -> None:
    site = Site(tmp_path)

    def asked(**headers: str) -> list[tuple[object, object]]:
        answers = [site.post("/api/search", {"query": "q"}, **headers).json for _ in range(3)]
        receipts = [answer["receipt"] for answer in answers]
        return [(receipt["new_share"], receipt["no_progress"]) for receipt in receipts]

    assert asked() == [(None, False)] * 3
    assert asked(x_session_id="a") == [(1.0, False), (0.0, False), (0.0, True)]


@pytest.mark.parametrize("urls", [[], [1]])
def test_a_model_behind_mcp_reads_it_outside_of_the_fence(urls: list[int]) -> None:
    memory = SessionMemory()
    results = [
        mcp_success_result(
            "web_search",
            search_envelope(Success(memory.note_progress(outcome(urls)))),
            new_result_fence(),
        )
        for _ in range(3)
    ]

    told = [
        NO_PROGRESS_NOTE in result["content"][0]["text"].partition("<")[0] for result in results
    ]
    assert told == [False, not urls, True]
    assert results[2]["structuredContent"]["data"]["note"] == NO_PROGRESS_NOTE
