"""Standing in: only for a backend that nobody named, only when it is out of reach."""

import asyncio
from collections.abc import Callable

import pytest
from returns.result import Failure, Result, Success

from webseam.composition.calls.closing import OpenBackend
from webseam.composition.wiring.choice import ChosenBackend
from webseam.composition.wiring.rows import BackendRow
from webseam.composition.wiring.search import search, what_else
from webseam.kernel import Policy, WebDeps
from webseam.kernel.planner.selection import Candidate, Choice
from webseam.ports import (
    AuthFailed,
    ConnectFailed,
    DnsNotFound,
    RateLimited,
    SearchOutcome,
    StoreBusy,
    Timeout,
    WebError,
)
from webseam.testing import FakeBackend

ROW = {"title": "mine", "url": "https://mine.example/"}


class Open(FakeBackend):
    """A fake that counts how often it was closed."""

    closed = 0

    async def aclose(self) -> None:
        self.closed += 1


def instead(answer: Callable[[], Result[OpenBackend, WebError]]) -> BackendRow:
    candidate = Candidate(name="index", can=("search",), embedded=True)
    return BackendRow(candidate=candidate, title="", open=answer)


def ask(
    first: Open, second: BackendRow | None, query: str = "q"
) -> Result[SearchOutcome, WebError]:
    chosen = ChosenBackend(
        backend=first,
        choice=Choice(name="far", reason="keyless"),
        policy=Policy(),
        instead=second,
    )
    return asyncio.run(search({"query": query}, chosen, WebDeps(backend=first)))


@pytest.mark.parametrize(
    "error", [ConnectFailed(), DnsNotFound(host="h"), Timeout(phase="connect")]
)
def test_one_out_of_reach_is_stood_in_for_and_the_receipt_says_so(error: WebError) -> None:
    far, near = Open(search=Failure(error)), Open(rows=[ROW], name="index")

    outcome = ask(far, instead(lambda: Success(near))).unwrap()

    assert outcome.rows[0].source == "index"
    assert outcome.receipt.warnings == ("far is out of reach, so your own documents were searched",)
    assert (far.closed, near.closed) == (0, 1)  # the first one stays open


@pytest.mark.parametrize("error", [AuthFailed(status=401), RateLimited()])
def test_one_that_answers_with_a_failure_is_not(error: WebError) -> None:
    near = Open(rows=[ROW])

    found = ask(Open(search=Failure(error)), instead(lambda: Success(near)))

    assert type(found.failure()) is type(error)
    assert near.searched == []


def test_the_first_failure_is_told_when_the_other_fails_too() -> None:
    far = Open(search=Failure(ConnectFailed()))
    broken = Open(search=Failure(StoreBusy(store="x", waited=1.0)))

    assert isinstance(ask(far, instead(lambda: Success(broken))).failure(), ConnectFailed)
    cannot = Failure(StoreBusy(store="x", waited=1.0))
    assert isinstance(ask(far, instead(lambda: cannot)).failure(), ConnectFailed)
    assert isinstance(ask(far, None).failure(), ConnectFailed)


def test_an_answer_is_an_answer() -> None:
    near = Open(rows=[ROW])

    assert ask(Open(), instead(lambda: Success(near))).unwrap().rows == ()
    assert near.searched == []


def test_who_named_nobody_and_reached_nobody_is_told_how_to_search_without_a_network() -> None:
    keyless, named = Choice(name="far", reason="keyless"), Choice(name="far", reason="named")

    assert "webseam index add" in what_else(keyless, DnsNotFound(host="h"))
    assert what_else(named, DnsNotFound(host="h")) == ""
    assert what_else(keyless, AuthFailed(status=401)) == ""
    assert what_else(keyless, None) == ""
