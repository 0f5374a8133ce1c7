"""Processor time of one call of a model, whole and streamed, beside the official SDKs.

    python -m benchmarks.models [--rounds N] [--calls N]

Each client builds its request and reads the same bytes from a transport in this process, so only
the client's own work is timed. The clients take turns; the best round of each counts. ``openai``
answers for chat completions and Responses, ``anthropic`` for Messages. Of a stream the SDKs only
make the events, while ours makes the complete answer too.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias

import anthropic
import httpx
import httpx2
import msgspec
import openai
from returns.result import Success

from webseam.adapters.features.models.client.client import ModelClient
from webseam.adapters.features.models.client.provider_caller import ModelDeps
from webseam.adapters.features.models.declaration.provider import Account, ApiMode, Provider
from webseam.adapters.features.models.wires.preview import load_wire
from webseam.kernel.features.models.chat import check_chat_request
from webseam.ports.errors import BackendCrashed, WebError
from webseam.ports.models import ChatRequest, Delta
from webseam.ports.secrets import Secret

from .answers import EVENTS, WHOLE

Call: TypeAlias = Callable[[], Awaitable[None]]
BASE_URL = "https://models.example/v1"
MODEL = "model-1"
QUESTION = "When is high water at Bremen today?"
TOOL = {
    "name": "lookup",
    "description": "Look up one port.",
    "parameters": {"type": "object", "properties": {"port": {"type": "string"}}},
}
MODES: tuple[ApiMode, ...] = ("chat_completions", "responses", "anthropic_messages")
# A piece of a stream as it comes from a socket.
PIECE_BYTES = 1024


def main() -> None:
    ask = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__)
    ask.add_argument("--rounds", type=int, default=5)
    ask.add_argument("--calls", type=int, default=20)
    options = ask.parse_args()
    asyncio.run(report(options.rounds, options.calls))


async def report(rounds: int, calls: int) -> None:
    """Print the milliseconds of one call of each client, and ours as a share of theirs."""
    print(f"{'answer':30}{'webseam ms':>12}{'SDK ms':>12}{'share':>8}")
    for mode in MODES:
        for stream in (False, True):
            clients = {
                "ours": our_call(mode, stream=stream),
                "theirs": sdk_call(mode, stream=stream),
            }
            best = await best_times(clients, rounds, calls)
            name = f"{mode}, {'streamed' if stream else 'whole'}"
            share = best["ours"] / best["theirs"]
            print(f"{name:30}{best['ours']:>12.3f}{best['theirs']:>12.3f}{share:>8.2f}", flush=True)


async def best_times(clients: dict[str, Call], rounds: int, calls: int) -> dict[str, float]:
    """Return the milliseconds of processor time of one call, the best of all rounds."""
    for call in clients.values():
        await call()
    best = dict.fromkeys(clients, float("inf"))
    for _ in range(rounds):
        for name, call in clients.items():
            begun = time.process_time()
            for _ in range(calls):
                await call()
            best[name] = min(best[name], (time.process_time() - begun) * 1000 / calls)
    return best


def body_of(mode: ApiMode, *, stream: bool) -> tuple[str, bytes]:
    """Return the content type and the bytes of an answer."""
    if not stream:
        return "application/json", msgspec.json.encode(WHOLE[mode])
    lines = []
    for payload in EVENTS[mode]():
        name = f"event: {payload['type']}\n" if "type" in payload else ""
        lines.append(f"{name}data: {msgspec.json.encode(payload).decode()}\n\n")
    ending = "data: [DONE]\n\n" if mode == "chat_completions" else ""
    return "text/event-stream", ("".join(lines) + ending).encode()


def pieces_of(content: bytes) -> list[bytes]:
    """Cut a body as a socket would."""
    return [content[start : start + PIECE_BYTES] for start in range(0, len(content), PIECE_BYTES)]


class Pieces(httpx.AsyncByteStream):
    """A body in pieces, for our client."""

    def __init__(self, content: bytes) -> None:
        self._pieces = pieces_of(content)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


class Transport(httpx.AsyncBaseTransport):
    """Answers every request of ours with the same bytes."""

    def __init__(self, kind: str, content: bytes) -> None:
        self._kind, self._content = kind, content

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer."""
        headers = {"content-type": self._kind}
        return httpx.Response(200, headers=headers, stream=Pieces(self._content), request=request)


def crash_error(error: Exception) -> WebError:
    """Return the error of a provider's own code, of which there is none here."""
    return BackendCrashed(error=type(error).__name__, where="")


def our_call(mode: ApiMode, *, stream: bool) -> Call:
    """Return one call of our client."""
    deps = ModelDeps(
        transport=Transport(*body_of(mode, stream=stream)),
        now=time.time,
        redact=lambda text, _secrets: text,
        check=check_chat_request,
        retry=lambda _error, _attempt: None,
        crash_error=crash_error,
    )
    provider = Provider(name="bench", api_mode=mode)
    account = Account(base_url=BASE_URL, key=Secret("key"))
    client = ModelClient(load_wire(mode), provider, account, deps=deps)
    request = ChatRequest(
        model=MODEL,
        messages=({"role": "user", "content": QUESTION},),
        tools=({"type": "function", "function": TOOL},),
        max_tokens=500,
    )

    async def complete() -> None:
        answer = await client.complete(request)
        assert isinstance(answer, Success), answer

    async def read_stream() -> None:
        last: object = None
        async for item in client.stream(request):
            if not isinstance(item, Delta):
                last = item
        assert isinstance(last, Success), last

    return read_stream if stream else complete


class SdkPieces(httpx2.AsyncByteStream):  # type: ignore[misc]  # not installed here
    """A body in pieces, for an SDK."""

    def __init__(self, content: bytes) -> None:
        self._pieces = pieces_of(content)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


class SdkTransport(httpx2.AsyncBaseTransport):  # type: ignore[misc]  # not installed here
    """Answers every request of an SDK with the same bytes."""

    def __init__(self, kind: str, content: bytes) -> None:
        self._kind, self._content = kind, content

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the answer."""
        headers = {"content-type": self._kind}
        stream = SdkPieces(self._content)
        return httpx2.Response(200, headers=headers, stream=stream, request=request)


def sdk_call(mode: ApiMode, *, stream: bool) -> Call:
    """Return one call of the official SDK; of a stream it only makes the events."""
    transport = SdkTransport(*body_of(mode, stream=stream))
    http = httpx2.AsyncClient(transport=transport)
    if mode == "anthropic_messages":
        return anthropic_call(http, stream=stream)
    client = openai.AsyncOpenAI(api_key="key", base_url=BASE_URL, http_client=http, max_retries=0)
    return (
        chat_call(client, stream=stream)
        if mode == "chat_completions"
        else responses_call(client, stream=stream)
    )


def chat_call(client: openai.AsyncOpenAI, *, stream: bool) -> Call:
    """Return one call of chat completions."""
    request: dict[str, Any] = {
        "model": MODEL,
        "messages": [{"role": "user", "content": QUESTION}],
        "tools": [{"type": "function", "function": TOOL}],
        "max_tokens": 500,
    }

    async def complete() -> None:
        assert (await client.chat.completions.create(**request)).choices

    async def read_stream() -> None:
        events = await client.chat.completions.create(**request, stream=True)
        assert [event async for event in events]

    return read_stream if stream else complete


def responses_call(client: openai.AsyncOpenAI, *, stream: bool) -> Call:
    """Return one call of Responses."""
    request: dict[str, Any] = {
        "model": MODEL,
        "input": QUESTION,
        "tools": [{"type": "function", "strict": False, **TOOL}],
        "max_output_tokens": 500,
        "store": False,
    }

    async def complete() -> None:
        assert (await client.responses.create(**request)).output

    async def read_stream() -> None:
        events = await client.responses.create(**request, stream=True)
        assert [event async for event in events]

    return read_stream if stream else complete


def anthropic_call(http: httpx2.AsyncClient, *, stream: bool) -> Call:
    """Return one call of Messages."""
    client = anthropic.AsyncAnthropic(
        api_key="key", base_url=BASE_URL, http_client=http, max_retries=0
    )
    tool = {"name": TOOL["name"], "input_schema": TOOL["parameters"]}
    request: dict[str, Any] = {
        "model": MODEL,
        "messages": [{"role": "user", "content": QUESTION}],
        "tools": [tool],
        "max_tokens": 500,
    }

    async def complete() -> None:
        assert (await client.messages.create(**request)).content

    async def read_stream() -> None:
        events = await client.messages.create(**request, stream=True)
        assert [event async for event in events]

    return read_stream if stream else complete


if __name__ == "__main__":
    main()
