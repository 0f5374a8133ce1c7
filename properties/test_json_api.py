"""Decoding: any JSON, any bytes; never an exception, never a row that was not there."""

import asyncio

import httpx
import msgspec
from hypothesis import example, given, strategies as st
from returns.result import Failure, Result

from webseam import json_backend
from webseam.adapters.services.calls import Reply
from webseam.adapters.services.json_api.plain_api import (
    decode_extract,
    decode_search,
    find_error,
)
from webseam.adapters.services.sender import parse_json
from webseam.composition.features.testing.strategies import json_values
from webseam.kernel import WebDeps, web_search

URL = "https://api.example/"
RESULTS = st.fixed_dictionaries({"results": st.lists(json_values(), max_size=5)})


@given(payload=json_values() | RESULTS, status=st.integers(200, 599))
def test_decoders_answer_any_json_with_a_result(payload: object, status: int) -> None:
    reply = Reply(status=status, payload=payload)

    assert isinstance(decode_search(reply), Result)
    assert isinstance(decode_extract(reply, (URL,)), Result)
    assert find_error(reply) is None or find_error(reply).message  # type: ignore[union-attr]  # just checked


@given(payload=RESULTS)
def test_a_decoder_gives_one_row_for_each_row_and_invents_no_url(
    payload: dict[str, list[object]],
) -> None:
    rows = decode_search(Reply(status=200, payload=payload)).unwrap()

    assert len(rows) == len(payload["results"])
    for row, given_row in zip(rows, payload["results"], strict=True):
        if isinstance(given_row, dict):
            assert isinstance(row, dict)
            assert row.get("url") == given_row.get("url")
        else:
            assert row == given_row


@given(body=st.binary(max_size=200))
@example(body=b'{"results": [{"url": "\xff"}]}')
@example(body=b"[" * 100_000)
@example(body=b'{"n": ' + b"9" * 5000 + b"}")
def test_parsing_answers_any_bytes_with_a_result(body: bytes) -> None:
    payload, problem = parse_json(body)
    assert problem is None or payload is None


@given(
    payload=json_values() | RESULTS,
    status=st.sampled_from([200, 204, 301, 400, 401, 402, 404, 429, 500, 503]),
)
def test_a_whole_search_over_any_answer_is_a_result(payload: object, status: int) -> None:
    def answer(_request: httpx.Request) -> httpx.Response:
        body = msgspec.json.encode(payload)
        return httpx.Response(status, content=body, headers={"content-type": "application/json"})

    backend = json_backend(search_url=URL, transport=httpx.MockTransport(answer)).unwrap()

    outcome = asyncio.run(web_search({"query": "q"}, WebDeps(backend=backend)))

    assert isinstance(outcome, Failure) or status in (200, 204)
    assert isinstance(outcome, Failure) or outcome.unwrap().receipt.backend == "json"
