"""A service that sends our key back: nobody gets to see it."""

import asyncio
import base64
from collections.abc import Sequence

import msgspec
import pytest
from returns.result import Result, Success

from webseam.adapters.services.calls import Reply
from webseam.adapters.services.operations import SearchOperation
from webseam.composition.wiring.service_backends import service_backend
from webseam.kernel import WebDeps, web_search
from webseam.kernel.deps import RowPolicy
from webseam.ports import InvalidRow, SearchOutcome, UntrustedRow, WebError
from webseam.testing import FakeBackend

from .imitation import Imitation
from .made_up import encode_search, service

KEY = "first-key-0123456789"
SPELLINGS = [
    KEY,
    KEY[::-1],
    KEY[:12],
    KEY[-12:],
    KEY.encode().hex(),
    base64.b64encode(KEY.encode()).decode().rstrip("="),
]


def decode(reply: Reply) -> Result[Sequence[UntrustedRow], WebError]:
    assert isinstance(reply.payload, dict)
    return Success(reply.payload["rows"])


def found(row: dict[str, object], rows: RowPolicy = "strict") -> Result[SearchOutcome, WebError]:
    operation = SearchOperation(encode=encode_search, decode=decode)
    declared = msgspec.structs.replace(service(), search=operation)

    async def play() -> Result[SearchOutcome, WebError]:
        async with Imitation([{"body": {"rows": [row]}}]).running() as imitation:
            backend = service_backend(
                declared, {"api_key": KEY}, base_url=imitation.base_url
            ).unwrap()
            outcome = await web_search("q", WebDeps(backend=backend, rows=rows))
            await backend.aclose()
        return outcome

    return asyncio.run(play())


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("rows", ["strict", "quarantine"])
def test_a_key_in_a_row_is_masked(spelling: str, rows: RowPolicy) -> None:
    row: dict[str, object] = {
        "title": f"you are {spelling}",
        "url": f"https://a.example/{spelling}",
        "snippet": spelling,
    }

    (seen,) = found(row, rows).unwrap().rows

    assert (seen.title, seen.url, seen.snippet) == ("you are ***", "https://a.example/***", "***")


def test_a_key_in_a_row_that_is_refused_is_masked() -> None:
    row: dict[str, object] = {"title": "t", "url": f"javascript:{KEY}"}

    failure = found(row).failure()
    rejected = found(row, "quarantine").unwrap().rejected

    assert isinstance(failure, InvalidRow)
    assert KEY not in repr(failure)
    assert KEY not in repr(rejected)
    assert "***" in rejected[0].raw


def test_key_shaped_text_is_masked_in_errors_and_rejected_rows() -> None:
    shaped = "sk-abcdefghijklmnopqrstuvwx"
    backend = FakeBackend(rows=[{"title": "t", "url": f"javascript:{shaped}"}])

    failed = asyncio.run(web_search("q", WebDeps(backend=backend))).failure()
    rejected = asyncio.run(web_search("q", WebDeps(backend=backend, rows="quarantine"))).unwrap()

    assert shaped not in repr(failed)
    assert shaped not in repr(rejected)
