"""The contract suite: right backends pass it, and each kind of wrong one fails the right promise."""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from itertools import repeat
from typing import cast

import httpx
import pytest
from returns.result import Failure, Success

from webseam import json_backend
from webseam.ports import AuthFailed, ConnectFailed, SearchAnswer, WebBackend, WebSearchQuery
from webseam.testing import BackendContract, FakeBackend, ScriptedTransport

ROW = {"title": "T", "url": "https://example.com/", "snippet": "S"}
KEY = "k-0123456789"


class TestAFakeBackend(BackendContract):
    key = KEY

    def make(self) -> WebBackend:
        return FakeBackend([ROW, SearchAnswer(text="prose")], "a page")

    def make_empty(self) -> WebBackend:
        return FakeBackend()


class TestABackendThatIsDown(BackendContract):
    key = KEY

    def make(self) -> WebBackend:
        return FakeBackend(search=Failure(ConnectFailed()), extract=Failure(ConnectFailed()))


class TestTheJsonBackend(BackendContract):
    key = KEY

    def make(self) -> WebBackend:
        return over(lambda request: httpx.Response(200, json=self.answer(request)))

    def make_empty(self) -> WebBackend:
        return over(lambda _: httpx.Response(200, json={"results": []}))

    def answer(self, request: httpx.Request) -> dict[str, object]:
        question = cast("dict[str, object]", httpx.Response(200, content=request.content).json())
        return {"url": question.get("url"), "content": "page", "results": [ROW]}


class TestTheJsonBackendWithAKeyThatIsRefusedAndEchoed(BackendContract):
    key = KEY

    def make(self) -> WebBackend:
        return over(lambda _: httpx.Response(401, json={"message": f"no such key: {KEY}"}))


def over(script: object) -> WebBackend:
    return json_backend(
        search_url="https://api.example/search",
        extract_url="https://api.example/extract",
        key=KEY,
        transport=ScriptedTransport(script),  # type: ignore[arg-type]
    ).unwrap()


# -- wrong backends, and the promise that each one breaks


async def hang(*_: object) -> object:
    await asyncio.Event().wait()
    raise AssertionError


async def hang_and_swallow(*_: object) -> object:
    with suppress(asyncio.CancelledError):
        await hang()
    return Failure(ConnectFailed())


async def hang_and_disguise(*_: object) -> object:
    try:
        return await hang()
    except asyncio.CancelledError:
        raise TimeoutError from None


async def never_stop(*_: object) -> object:
    while True:
        with suppress(asyncio.CancelledError):
            await hang()


def only_for_short(query: WebSearchQuery) -> object:
    if len(query.query) > 3:
        raise ValueError(query.query)
    return Success(())


def rows_for(*rows: object) -> FakeBackend:
    return FakeBackend(list(rows))


def endless() -> Iterator[object]:
    return repeat(ROW)


RESULT = "test_search_answers_every_query_with_a_result"
LAW = "test_every_row_keeps_the_row_law"
NAMES = "test_no_key_nearly_has_one_of_our_names"
ABILITIES = "test_its_abilities_are_valid"
PAGE_NAMES = "test_no_key_of_a_document_nearly_has_one_of_our_names"
COUNT = "test_rows_can_be_counted_and_are_not_too_many"
TYPED = "test_a_failed_search_is_a_web_error_with_a_message"
SECRET = "test_no_failed_search_shows_the_key"
NOTHING = "test_finding_nothing_is_a_success_without_rows"
PAGE_RESULT = "test_extract_answers_every_url_with_a_result"
PAGE_LAW = "test_every_document_is_lawful_and_for_the_url_that_was_asked"
PAGE_TYPED = "test_a_failed_extract_is_a_web_error_with_a_message"
PAGE_SECRET = "test_no_failed_extract_shows_the_key"
CANCEL = "test_cancelling_a_search_stops_it"
PAGE_CANCEL = "test_cancelling_an_extract_stops_it"

HANGING = FakeBackend(search=hang)
WRONG = {
    "raises": (RESULT, FakeBackend(raises=OSError("down")), "down"),
    "raises on some queries": (RESULT, FakeBackend(search=only_for_short), "^"),
    "returns bare rows": (RESULT, FakeBackend(search=[ROW]), "returned list, not a Result"),
    "returns None": (RESULT, FakeBackend(search=lambda _: None), "returned NoneType"),
    "never answers": (RESULT, HANGING, "^"),
    "gives a javascript link": (LAW, rows_for({"title": "T", "url": "javascript:x"}), "Row 0"),
    "gives a row without a title": (LAW, rows_for(ROW, {"url": "https://a.example/"}), "Row 1"),
    "gives a row that is text": (LAW, rows_for("row"), "row: “expected an object"),
    "calls a snippet a description": (
        LAW,
        rows_for({"title": "T", "url": "https://a.example/", "description": "D"}),
        "the seam's name is `snippet`",
    ),
    "misspells a snippet": (
        NAMES,
        rows_for({"title": "T", "url": "https://a.example/", "snipet": "S"}),
        "`snipet` is not read",
    ),
    "misspells metadata": (
        PAGE_NAMES,
        FakeBackend(extract=lambda url: Success({"url": url, "content": "c", "Metadata": {}})),
        "`Metadata` is not read",
    ),
    "declares what is no ability": (
        ABILITIES,
        FakeBackend(abilities={"filters": {}}),  # type: ignore[arg-type]
        "not a valid Abilities",
    ),
    "gives None as rows": (LAW, FakeBackend(search=Success(None)), "list of rows"),
    "gives rows that raise": (LAW, FakeBackend(search=lambda _: Success(map(int, "x"))), "read"),
    "gives endless rows": (COUNT, FakeBackend(search=lambda _: Success(endless())), "repeat"),
    "gives far too many rows": (COUNT, FakeBackend([ROW] * 100_001), "gave 100001 rows"),
    "fails with text": (TYPED, FakeBackend(search=Failure("down")), "str, which is not a WebError"),
    "fails with an exception": (TYPED, FakeBackend(search=Failure(OSError("down"))), "OSError"),
    "fails with wrong fields": (
        TYPED,
        FakeBackend(search=Failure(AuthFailed(status="401"))),  # type: ignore[arg-type]
        "not of their types",
    ),
    "shows the key": (
        SECRET,
        FakeBackend(search=Failure(AuthFailed(status=401, detail=f"bad key {KEY}"))),
        "the key is in its AuthFailed",
    ),
    "shows the key in text": (SECRET, FakeBackend(search=Failure(KEY)), "the key is in its str"),
    "fails when there is nothing": (NOTHING, FakeBackend(search=Failure(ConnectFailed())), "not"),
    "finds something in nothing": (NOTHING, FakeBackend([ROW]), "not with"),
    "calls None nothing": (NOTHING, FakeBackend(search=Success(None)), "not with None"),
    "raises on extract": (
        PAGE_RESULT,
        FakeBackend(extract=lambda url: url[999]),
        "index out of range",
    ),
    "gives a bare page": (PAGE_RESULT, FakeBackend(extract={"url": "x"}), "returned dict"),
    "gives another page": (
        PAGE_LAW,
        FakeBackend(document={"url": "https://other.invalid/x", "content": "c"}),
        "is for another page",
    ),
    "gives a page without content": (
        PAGE_LAW,
        FakeBackend(extract=lambda url: Success({"url": url})),
        "content: “is missing",
    ),
    "fails to extract with text": (PAGE_TYPED, FakeBackend(extract=Failure("no")), "str"),
    "shows the key on extract": (
        PAGE_SECRET,
        FakeBackend(extract=Failure(ConnectFailed(url=f"https://a.example/?k={KEY}"))),
        "the key is in its ConnectFailed",
    ),
    "swallows cancellation": (CANCEL, FakeBackend(search=hang_and_swallow), "ended in Failure"),
    "turns cancellation into another exception": (
        CANCEL,
        FakeBackend(search=hang_and_disguise),
        "ended in TimeoutError",
    ),
    "swallows cancellation on extract": (
        PAGE_CANCEL,
        FakeBackend(extract=hang_and_swallow),
        "ended in Failure",
    ),
    "cannot be stopped": (CANCEL, FakeBackend(search=never_stop), "went on for 1.0 s"),
}


@pytest.mark.parametrize(("promise", "backend", "words"), WRONG.values(), ids=WRONG)
def test_the_contract_fails_a_backend_that(
    promise: str, backend: WebBackend, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(BackendContract):
        key = KEY
        # Each example waits so long for a backend that never answers.
        seconds = 0.05 if backend is HANGING else 1.0

        def make(self) -> WebBackend:
            return backend

        def make_empty(self) -> WebBackend:
            return backend

    with pytest.raises(Exception, match=words):
        getattr(Broken(), promise)()
    caplog.clear()


def test_a_hanging_backend_that_lets_itself_be_cancelled_keeps_that_promise() -> None:
    class Hanging(BackendContract):
        def make(self) -> WebBackend:
            return FakeBackend(search=hang, extract=hang)

    Hanging().test_cancelling_a_search_stops_it()
    Hanging().test_cancelling_an_extract_stops_it()


@pytest.mark.parametrize("promise", [NOTHING, SECRET, PAGE_SECRET])
def test_a_promise_that_cannot_be_tried_is_skipped(promise: str) -> None:
    class Terse(BackendContract):
        def make(self) -> WebBackend:
            return FakeBackend()

    with pytest.raises(pytest.skip.Exception):
        getattr(Terse(), promise)()


def test_a_contract_without_a_backend_says_what_to_write() -> None:
    with pytest.raises(NotImplementedError, match=r"say in make\(\)"):
        BackendContract().test_search_answers_every_query_with_a_result()


def test_contract_closes_the_backend_after_each_question() -> None:
    closed: list[str] = []

    class Closing(FakeBackend):
        async def aclose(self) -> None:
            closed.append(self.about.name)

    class Contract(BackendContract):
        examples = 3

        def make(self) -> WebBackend:
            return Closing()

    Contract().test_search_answers_every_query_with_a_result()

    assert closed
