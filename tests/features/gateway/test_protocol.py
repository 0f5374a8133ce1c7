"""What is no body has an end; a body is read, and its trailers are dropped."""

import ast
import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from webseam import adapters, composition
from webseam.composition.features.gateway import protocol
from webseam.composition.features.gateway.protocol import BoundedProtocol

CHUNKED = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
LONG = b"a" * 700_000


async def echo(_scope: object, receive: Any, send: Any) -> None:  # noqa: ANN401  as ASGI has it
    size, more = 0, True
    while more:
        message: Mapping[str, Any] = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
        if message["type"] == "http.disconnect":
            return
    told = str(size).encode()
    headers = [(b"connection", b"close"), (b"content-length", str(len(told)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": told})


async def name_headers(scope: Any, _receive: Any, send: Any) -> None:  # noqa: ANN401  as ASGI has it
    names = b" ".join(name for name, _ in scope["headers"])
    headers = [(b"connection", b"close"), (b"content-length", str(len(names)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": names})


def names_in_gateway() -> set[str]:
    """Return every word in the gateway's code that could be the name of a header."""
    rooms = [
        Path(room.__file__ or "").parent / "features" / "gateway"
        for room in (adapters, composition)
    ]
    trees = [ast.parse(file.read_text()) for room in rooms for file in room.rglob("*.py")]
    texts = [
        node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)
    ]
    return {text for text in texts if isinstance(text, str) and re.fullmatch("[a-z][a-z-]+", text)}


async def refuse(_scope: object, _receive: Any, send: Any) -> None:  # noqa: ANN401  as ASGI has it
    headers = [(b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": b"no"})


async def sent(*pieces: bytes, app: Any = echo) -> bytes:  # noqa: ANN401  as ASGI has it
    """Send pieces, each when those before are taken; return all that comes until the end."""
    config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_keep_alive=60)
    config.load()
    loop = asyncio.get_running_loop()

    def made() -> BoundedProtocol:
        return BoundedProtocol(config=config, server_state=ServerState(), app_state={})

    async with await loop.create_server(made, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
            return await asyncio.wait_for(reader.read(), 120)
        except ConnectionError:
            return b""
        finally:
            writer.close()


@pytest.mark.parametrize(
    "beside", [b"2\r\n{}\r\n0\r\nx: " + LONG, b"2;" + LONG], ids=["trailers", "extension"]
)
def test_invalid_body_framing_ends_the_body(beside: bytes) -> None:
    assert asyncio.run(sent(CHUNKED, beside)) == b""


@pytest.mark.parametrize("size", [2, 200_000])
def test_a_body_is_read_however_long_and_so_are_short_trailers(size: int) -> None:
    body = b"%x\r\n%s\r\n0\r\nx: y\r\n\r\n" % (size, b"a" * size)

    assert asyncio.run(sent(CHUNKED, body)).endswith(str(size).encode())


def test_a_trailer_is_never_a_header() -> None:
    # The parser refuses a request whose trailers tell where it ends.
    names = names_in_gateway() - {"content-length", "transfer-encoding"}
    trailers = "".join(f"{name}: x\r\n" for name in sorted(names)).encode()

    answer = asyncio.run(sent(CHUNKED + b"2\r\n{}\r\n0\r\n" + trailers + b"\r\n", app=name_headers))

    assert {"authorization", "host", "x-api-key", "x-forwarded-for", "origin"} <= names
    assert answer.endswith(b"\r\n\r\nhost transfer-encoding")


def test_a_body_that_nobody_wants_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "_MAX_HEAD_SECONDS", 0.0)

    answer = asyncio.run(sent(CHUNKED + b"1\r\n", app=refuse))

    assert answer.endswith(b"\r\n\r\nno")
