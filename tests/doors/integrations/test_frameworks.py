"""The same stories in every framework: it works, it finds nothing, it fails, the page is long."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure

import webseam
from webseam import BlockingWeb, RateLimited
from webseam.testing import FakeBackend

from .drivers import DRIVERS, Driver, driver

ROWS = [{"title": "Tides", "url": "https://tides.example/", "snippet": "High and low."}]
LONG = "\n\n".join(f"Paragraph {number} about the tides." for number in range(3000))
PAGE = {"urls": ["https://tides.example/"]}


@pytest.fixture(params=list(DRIVERS))
def call(request: pytest.FixtureRequest) -> Driver:
    return driver(request.param)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    # Frameworks that would like to tell their makers of a run are told not to.
    for name in ("CREWAI_DISABLE_TELEMETRY", "AGNO_TELEMETRY", "OTEL_SDK_DISABLED"):
        monkeypatch.setenv(name, "true" if name != "AGNO_TELEMETRY" else "false")


def opened(backend: FakeBackend) -> BlockingWeb:
    return webseam.open_blocking(backend=backend, settings={"extract_char_limit": 20_000})


@pytest.fixture
def failing() -> Iterator[BlockingWeb]:
    error = RateLimited(retry_after=20.0, backend="brave")
    with opened(FakeBackend(search=Failure(error), extract=Failure(error))) as web:
        yield web


@pytest.fixture
def working() -> Iterator[BlockingWeb]:
    with opened(FakeBackend(rows=ROWS, document=LONG)) as web:
        yield web


def read(text: str) -> dict[str, Any]:
    envelope: dict[str, Any] = json.loads(text)
    return envelope


def test_a_search_gives_rows(call: Driver, working: BlockingWeb) -> None:
    reply = call(working, "web_search", {"query": "tide tables", "max_results": 5})

    assert not reply.failed
    assert read(reply.text)["data"]["web"][0]["url"] == "https://tides.example/"


def test_nothing_found_is_no_failure(call: Driver) -> None:
    with opened(FakeBackend(rows=[])) as web:
        reply = call(web, "web_search", {"query": "tide tables"})

    assert not reply.failed
    assert read(reply.text)["data"]["web"] == []


def test_a_backend_that_fails_is_told_as_a_failure_in_words(
    call: Driver, failing: BlockingWeb
) -> None:
    reply = call(failing, "web_search", {"query": "tide tables"})

    assert reply.failed
    assert "brave asks to slow down; try again in 20 s" in reply.text


def test_arguments_that_are_wrong_are_told_as_a_failure_too(
    call: Driver, working: BlockingWeb
) -> None:
    reply = call(working, "web_extract", {"urls": ["javascript:alert(1)"]})

    assert reply.failed
    assert "URL" in reply.text


def test_a_long_page_is_cut_and_its_rest_can_be_read(call: Driver, working: BlockingWeb) -> None:
    first = read(call(working, "web_extract", PAGE).text)
    receipt, content = first["receipt"]["pages"][0], json.dumps(first["data"])

    assert len(content) < 25_000
    assert receipt["omitted"] > 60_000

    more = {"handle": receipt["handle"], "cursor": receipt["next_cursor"]}
    piece = read(call(working, "web_more", more).text)["data"]

    assert len(piece["text"]) <= 20_000
    assert LONG[receipt["next_cursor"] :].startswith(piece["text"])
