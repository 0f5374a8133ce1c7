"""Traffic recorded at the HTTP seam, and replayed without any."""

import asyncio
import gzip
from pathlib import Path

import httpx
import pytest
from returns.result import Result

from webseam import json_backend
from webseam.adapters.http.transport import FastTransport
from webseam.composition.doors.cli.commands.demo import open_demo_api
from webseam.composition.features.testing.transports import MAX_TAPE_BYTES
from webseam.kernel import WebDeps, web_search
from webseam.ports import SearchOutcome, WebError
from webseam.testing import NotRecorded, RecordingTransport, ReplayTransport, ScriptedTransport

KEY = "CANARY-0123456789"


def search(
    transport: httpx.AsyncBaseTransport, url: str, query: str = "typed"
) -> Result[SearchOutcome, WebError]:
    async def main() -> Result[SearchOutcome, WebError]:
        backend = json_backend(search_url=url, key=KEY, transport=transport).unwrap()
        outcome = await web_search({"query": query}, WebDeps(backend=backend))
        await backend.aclose()
        return outcome

    return asyncio.run(main())


def ask(
    transport: httpx.AsyncBaseTransport, url: str = "https://api.example/", body: bytes = b""
) -> httpx.Response:
    async def main() -> httpx.Response:
        response = await transport.handle_async_request(httpx.Request("POST", url, content=body))
        await response.aread()
        return response

    return asyncio.run(main())


def test_a_search_recorded_from_a_server_is_replayed_without_it(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    with open_demo_api() as api:
        url = api.url("search")
        live = search(RecordingTransport(FastTransport(), tape), url)

    assert search(ReplayTransport(tape), url) == live
    assert live.unwrap().rows


def test_no_key_is_on_the_tape(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    echo = httpx.Response(200, json={"echo": KEY}, headers={"x-key": KEY, "set-cookie": "a=b"})
    recording = RecordingTransport(ScriptedTransport([echo]), tape, [KEY])
    url = f"https://api.example/?api_key={KEY}"

    live = ask(recording, url, f'{{"api_key": "{KEY}"}}'.encode())
    replayed = ask(ReplayTransport(tape, [KEY]), url, f'{{"api_key": "{KEY}"}}'.encode())

    assert live.json() == {"echo": KEY}
    assert replayed.json() == {"echo": "***"}
    assert KEY not in tape.read_text()
    assert "a=b" not in tape.read_text()


def test_repeated_requests_replay_in_order_and_the_last_stays(
    tmp_path: Path,
) -> None:
    tape = tmp_path / "tape.jsonl"
    recording = RecordingTransport(
        ScriptedTransport([httpx.Response(503), httpx.Response(200, text="ok")]), tape
    )
    for _ in range(2):
        ask(recording)
    replay = ReplayTransport(tape)

    assert [ask(replay).status_code for _ in range(3)] == [503, 200, 200]


def test_requests_are_told_apart_by_their_bodies(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    lines = [httpx.Response(200, text="one"), httpx.Response(200, text="two")]
    recording = RecordingTransport(ScriptedTransport(lines), tape)
    for body in (b"1", b"2"):
        ask(recording, body=body)
    replay = ReplayTransport(tape)

    assert [ask(replay, body=body).text for body in (b"2", b"1")] == ["two", "one"]


def test_unrecorded_request_raises_not_recorded(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.touch()

    with pytest.raises(NotRecorded, match=r"not on the tape: POST https://api.example/"):
        ask(ReplayTransport(tape))


def test_an_error_of_the_network_is_recorded_too(tmp_path: Path) -> None:
    class OwnError(httpx.ConnectTimeout):
        pass

    tape = tmp_path / "tape.jsonl"
    with pytest.raises(OwnError):
        ask(RecordingTransport(ScriptedTransport([OwnError("late")]), tape))

    with pytest.raises(httpx.ConnectTimeout):
        ask(ReplayTransport(tape))


@pytest.mark.parametrize(
    ("content", "headers"),
    [(gzip.compress(b"words", mtime=0), {"content-encoding": "gzip"}), (b"\xff\x00", {})],
)
def test_bodies_that_are_no_text_come_back_byte_for_byte(
    tmp_path: Path, content: bytes, headers: dict[str, str]
) -> None:
    tape = tmp_path / "tape.jsonl"
    response = httpx.Response(200, headers=headers, stream=httpx.ByteStream(content))
    live = ask(RecordingTransport(ScriptedTransport([response]), tape))

    assert ask(ReplayTransport(tape)).content == live.content


def test_a_body_without_end_is_not_recorded(tmp_path: Path) -> None:
    class Endless(httpx.AsyncByteStream):
        async def __aiter__(self):  # type: ignore[no-untyped-def]  # noqa: ANN204
            while True:
                yield b"0" * (MAX_TAPE_BYTES // 2)

    response = httpx.Response(200, stream=Endless())

    with pytest.raises(httpx.ReadError):
        ask(RecordingTransport(ScriptedTransport([response]), tmp_path / "tape.jsonl"))
