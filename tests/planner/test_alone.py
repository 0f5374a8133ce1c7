"""A backend that is asked alone, over a real server: it rests, and its failures count."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure

import webseam
from tests.services.imitation import Imitation
from webseam.ports import NobodyAnswered, WebError

KEY = "key-0123456789"
ROWS = {"results": [{"title": "Tides", "url": "https://a.example/", "snippet": "High."}]}


def search_often(
    folder: Path, reply: dict[str, Any], query: Callable[[int], str], times: int = 20
) -> tuple[list[WebError], int]:
    """Search with one backend; return the failures and how many requests came."""

    async def play() -> tuple[list[WebError], int]:
        async with Imitation([reply] * 500).running() as server:
            options = {
                "services": {"json": {"search_url": server.base_url}},
                "cache.enabled": False,
                "policy.allow_private": ["127.0.0.1/32"],
            }
            environment = {"HOME": str(folder), "WEBSEAM_LEDGER": str(folder / "ledger.sqlite")}
            errors: list[WebError] = []
            opened = webseam.open(settings=options, backend="json", environment=environment)
            async with opened as web:
                for number in range(times):
                    outcome = await web.search(query(number))
                    if isinstance(outcome, Failure):
                        errors.append(outcome.failure())
            return errors, len(server.requests)

    return asyncio.run(play())


@pytest.mark.parametrize(("status", "cause"), [(402, "quota"), (401, "key"), (403, "forbidden")])
def test_declared_refusal_rests_a_backend_at_once(status: int, cause: str, tmp_path: Path) -> None:
    errors, requests = search_often(tmp_path, {"status": status}, "q{}".format)

    assert (len(errors), requests) == (20, 1)
    last = errors[-1]
    assert isinstance(last, NobodyAnswered)
    assert (last.resting, last.causes) == (("json",), {"json": cause})
    assert last.again_in is not None
    assert 0 < last.again_in <= 60
    assert last.attempts == ()


@pytest.mark.parametrize("status", [400, 432])
def test_undeclared_refusal_of_different_queries_rests_a_backend(
    status: int, tmp_path: Path
) -> None:
    errors, requests = search_often(tmp_path, {"status": status}, "q{}".format)

    assert (len(errors), requests) == (20, 5)
    assert errors[0].kind == "http_status"
    assert "it refused several queries in a row" in errors[-1].message


def test_undeclared_refusal_of_one_query_rests_nothing(tmp_path: Path) -> None:
    errors, requests = search_often(tmp_path, {"status": 400}, lambda _number: "bad")

    assert (len(errors), requests) == (20, 20)


def test_failure_of_one_backend_counts_its_attempts(tmp_path: Path) -> None:
    down = {"status": 503, "headers": {"retry-after": "0"}}

    (error,), requests = search_often(tmp_path, down, "q{}".format, times=1)

    assert [attempt.why for attempt in error.attempts] == ["first", "again", "again"]
    assert requests == len(error.attempts)
